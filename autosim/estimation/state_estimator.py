"""Prediction for a controller: where the car will be, and where that is along the curve."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autosim.estimation.state_projector import InsertResult, Model, ProjectedState, StateProjector
from autosim.tracks.curve import Curve
from autosim.tracks.curvilinear_table import CurvilinearTable


class Estimate(NamedTuple):
    """Input of a controller: both in the frame of the newest curve."""

    projection: ProjectedState
    """Projected state of the vehicle."""
    table: CurvilinearTable
    """Table of the curve's frame."""


class StateEstimator:
    """Projects the car's state and keeps the table of the newest curve.

    Each curve makes a new frame. A planner that sees the track from the car gives it in the car's
    own frame, and the pose in it is 0; one that knows the track in W gives the pose in W as well.

    Args:
        model: what the car does; as of `StateProjector`.
        clock: likewise.
        propagation_delay: likewise [s].
        computing_time: likewise [s].
        width: of the table [m], as of `CurvilinearTable.of`.
        size: of the table [texels], likewise.
    """

    def __init__(
        self,
        model: Model,
        clock: Callable[[], float],
        *,
        propagation_delay: float = 0.0,
        computing_time: float = 0.02,
        width: float = 5.0,
        size: int = 512,
    ) -> None:
        self.projector = StateProjector(
            model, clock, propagation_delay=propagation_delay, computing_time=computing_time
        )
        self._width, self._size = width, size
        self._curve: Curve | None = None
        self._table: CurvilinearTable | None = None

    def on_spline(
        self,
        points: npt.ArrayLike,
        stamp: float,
        *,
        pose: npt.ArrayLike = (0.0, 0.0, 0.0),
        is_closed: bool = False,
    ) -> InsertResult:
        """A new curve, seen at the time `stamp` [s], at which the car was at `pose`.

        A curve that is older than the newest one changes nothing.

        Args:
            points: (n, 2) [m] in the frame of the curve: the car's frame at that time, x forward, y
                left, or, where `pose` is given, any in which that is.
            stamp: when it was seen.
            pose: (3,) of the car in that frame: x, y [m], yaw [rad].
            is_closed: whether the last point is followed by the first.

        Raises:
            ValueError: the points are too few for a curve; nothing is changed then.
        """
        if not np.isfinite(points).all():
            return InsertResult.NOT_FINITE
        curve = Curve.through(points, is_closed=is_closed)
        answer = self.projector.record_pose(pose, stamp)
        if answer is InsertResult.KEPT:
            self._curve, self._table = curve, None
        return answer

    def on_pose(self, pose: npt.ArrayLike, stamp: float) -> InsertResult:
        """The car was at `pose` (3,) in the frame of the newest curve at the time `stamp` [s]."""
        return self.projector.record_pose(pose, stamp)

    def on_twist(self, velocity: npt.ArrayLike, stamp: float) -> InsertResult:
        """The car moved with `velocity` [m/s] at the time `stamp` [s].

        Args:
            velocity: (2,) or more, of which x and y count, in any level frame; or the speed alone,
                as a velocimeter gives it.
            stamp: when it was measured.
        """
        values = np.asarray(velocity, dtype=np.float64).reshape(-1)
        x, y = values[0], values[1] if values.size > 1 else 0.0
        return self.projector.record_speed(float(np.sqrt(x * x + y * y)), stamp)

    def record_control_action(self, action: npt.ArrayLike) -> InsertResult:
        """The controller gives the command `action` (2,): steering [rad], torque [N m], now."""
        return self.projector.record_action(action)

    def sync(self) -> Estimate | None:
        """Input for the next command; None until a curve and a speed are known.

        The table is rasterised here, once for each curve, and holds the car where it is projected
        to.
        """
        projection = self.projector.project()
        if projection is None or self._curve is None:
            return None
        if self._table is None:
            around = projection.motion[:2]
            self._table = CurvilinearTable.of(
                self._curve, width=self._width, size=self._size, around=around
            )
        return Estimate(projection, self._table)
