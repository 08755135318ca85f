"""What a controller asks each step: where the car will be, and where that is along the curve."""

from collections.abc import Callable
from typing import NamedTuple

import numpy.typing as npt

from autosim.arrays import Floats
from autosim.estimation.state_projector import Answer, Model, Projection
from autosim.tracks.curvilinear_table import CurvilinearTable


class Estimate(NamedTuple):
    """What a controller computes with: both in the frame of the newest curve."""

    projection: Projection
    table: CurvilinearTable


class StateEstimator:
    """Projects the car's state and keeps the table of the newest curve.

    Args:
        model, clock, propagation_delay, computing_time: as `StateProjector` takes them.
        width, size: as `CurvilinearTable.of` takes them.
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
    ) -> None: ...

    def on_spline(
        self,
        points: Floats,
        stamp: float,
        *,
        pose: npt.ArrayLike = (0.0, 0.0, 0.0),
        is_closed: bool = False,
    ) -> Answer:
        """A new curve, seen at the time `stamp` [s], at which the car was at `pose`.

        Args:
            points: (n, 2) [m] in the frame of the curve: the car's as it stood then, x forward,
                y left, or, where `pose` is given, any in which that is.
            stamp: when it was seen.
            pose: (3,) of the car in that frame: x, y [m], yaw [rad].
            is_closed: whether the last point is followed by the first.
        """
        raise NotImplementedError

    def on_pose(self, pose: npt.ArrayLike, stamp: float) -> Answer:
        """The car was at `pose` (3,) in the frame of the newest curve at the time `stamp` [s]."""
        raise NotImplementedError

    def on_twist(self, velocity: npt.ArrayLike, stamp: float) -> Answer:
        """The car had `velocity` [m/s], (2,) or more, of which x and y count, or a speed, at `stamp`."""
        raise NotImplementedError

    def record_control_action(self, action: npt.ArrayLike) -> Answer:
        """The controller gives the command `action` (2,): steering [rad], torque [N m], now."""
        raise NotImplementedError

    def sync(self) -> Estimate | None:
        """What to compute the next command with; None until a curve and a speed are known."""
        raise NotImplementedError
