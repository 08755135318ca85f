"""From what was measured late to where the car will be when a new command begins."""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

import numpy.typing as npt

from autosim.estimation.slipless import Action, Motion

Model = Callable[[Motion, Action, float], Motion]
"""What a car does: the motion after some seconds [s] under one action."""


class Projection(NamedTuple):
    """Where a car is believed to be, in the frame of its newest pose."""

    motion: Motion
    """x [m], y [m], yaw [rad], speed [m/s]."""
    action: Action
    """What the actuators do then: steering [rad], torque [N m]."""
    time: float
    """For which it holds [s]."""
    age: float
    """Of the newest pose [s] then: how far the model alone had to go."""


class Answer(StrEnum):
    """What became of a record."""

    KEPT = "kept"
    DUPLICATE = "known already"
    LATE = "older than the newest pose, and not the newest of its sort"
    NOT_FINITE = "not a finite number"
    AHEAD = "stamped later than it came"


class StateProjector:
    """Keeps poses, speeds and actions in the order of their stamps, and projects to now.

    Args:
        model: what the car does.
        clock: tells the time [s], such as `autosim.userprogram.get_time`.
        propagation_delay: from a command to what the actuators do [s].
        computing_time: what the controller needs until its command is out [s]; it is projected
            that much farther.
    """

    def __init__(
        self,
        model: Model,
        clock: Callable[[], float],
        *,
        propagation_delay: float = 0.0,
        computing_time: float = 0.02,
    ) -> None: ...

    def record_pose(self, pose: npt.ArrayLike, stamp: float) -> Answer:
        """The car was at `pose` (3,): x, y [m], yaw [rad], at the time `stamp` [s]."""
        raise NotImplementedError

    def record_speed(self, speed: float, stamp: float) -> Answer:
        """The car had `speed` [m/s] at the time `stamp` [s]."""
        raise NotImplementedError

    def record_action(self, action: npt.ArrayLike) -> Answer:
        """The controller gives the command `action` (2,): steering [rad], torque [N m], now."""
        raise NotImplementedError

    def project(self) -> Projection | None:
        """Where the car will be when a command of now is out; None without a pose or a speed."""
        raise NotImplementedError
