"""Road users and robots as others see them: plain arrays for kernels."""

from typing import NamedTuple

from autosim.arrays import Floats, Integers


class BoxColumns(NamedTuple):
    """Columns of a box; see `RoadUsers`."""

    x: int = 0
    """East [m] of the centre."""
    y: int = 1
    """North [m] of the centre."""
    z: int = 2
    """Height [m] of the ground below the centre."""
    yaw: int = 3
    """Yaw [rad] counter-clockwise from east."""
    half_length: int = 4
    """Half length [m]; 0 in an empty slot."""
    half_width: int = 5
    """Half width [m]."""
    speed_x: int = 6
    """Velocity to the east [m/s]."""
    speed_y: int = 7
    """Velocity to the north [m/s]."""


class PedestrianColumns(NamedTuple):
    """Columns of a person; see `RoadUsers`."""

    x: int = 0
    """East [m] of the feet."""
    y: int = 1
    """North [m] of the feet."""
    z: int = 2
    """Height [m] of the feet."""
    speed_x: int = 3
    """Velocity to the east [m/s]."""
    speed_y: int = 4
    """Velocity to the north [m/s]."""
    radius: int = 5
    """Radius [m]; 0 in an empty slot."""


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
