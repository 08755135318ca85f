"""Road users and robots as others see them: plain arrays for kernels."""

from typing import NamedTuple

from autosim.arrays import Floats, Integers


class BoxColumns(NamedTuple):
    """Columns of a box; see `RoadUsers`."""

    x: int = 0
    y: int = 1
    z: int = 2
    yaw: int = 3
    half_length: int = 4
    half_width: int = 5
    speed_x: int = 6
    speed_y: int = 7


class PedestrianColumns(NamedTuple):
    """Columns of a person; see `RoadUsers`."""

    x: int = 0
    y: int = 1
    z: int = 2
    speed_x: int = 3
    speed_y: int = 4
    radius: int = 5


B, W = BoxColumns(), PedestrianColumns()
BOX, WALKER = len(B), len(W)


class RoadUsers(NamedTuple):
    """All road users and robots at the end of the last step, as others see them.

    `vehicles` (V, 8) and `robots` (R, 8), a row for each slot of the pool and for each robot or
    object: x, y, z [m] in W of the ground below the centre of the box, its yaw [rad], half its
    length and half its width [m], and its velocity in W [m/s]. Empty slots have a half length of 0.

    `people` (P, 6): x, y, z [m] of the feet, velocity in W [m/s], radius [m]; 0 in an empty slot.

    `lane_signals` (lanes,): state of the signal of each lane, as in the state; -1: none.
    """

    vehicles: Floats
    robots: Floats
    people: Floats
    lane_signals: Integers
