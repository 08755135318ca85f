"""Data of each cyclist, and the size of a bicycle."""

from typing import NamedTuple

from autosim.traffic.pedestrians.pedestrian_rows import WIDTH as WALKER_WIDTH


class RiderColumns(NamedTuple):
    """Columns of a row that come after those of a walker, of which `R` has the names.

    `about`: 1 for active cyclists; `x`, `y`, `z` [m] of the ground below the middle of the
    bicycle, `yaw` [rad], `pitch` [rad]; `speed` [m/s], `acceleration` [m/s²], `rolled` [m],
    `aside`: offset [m] to the right of the middle of the way; `colour`; `touches`: whom the
    cyclist touches, a bit for each column of a count of touches; `spin` [rad/s]: angular speed on
    the spot.
    """

    about: int
    x: int
    y: int
    z: int
    yaw: int
    pitch: int
    speed: int
    acceleration: int
    rolled: int
    aside: int
    colour: int
    touches: int
    spin: int


C = RiderColumns(*range(WALKER_WIDTH, WALKER_WIDTH + len(RiderColumns._fields)))
WIDTH = WALKER_WIDTH + len(C)
"""Number of columns of a row."""

HALF_LENGTH, HALF_WIDTH = 0.9, 0.3
"""Half the length and half the width [m] of a bicycle: those of the fleet's."""
