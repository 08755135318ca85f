"""Data of each cyclist, and the size of a bicycle."""

from autosim.traffic.pedestrians.pedestrian_rows import PedestrianRow


class RiderRow(PedestrianRow):
    """Record of a cyclist: the fields of a pedestrian, and those of the bicycle.

    `turn` is the curvature [rad/m] of the cyclist's path, `waited` is 1 while it waits at a street.
    """

    about: bool
    """Whether the cyclist is under way."""
    x: float
    """East [m] of the middle of the bicycle."""
    y: float
    """North [m] of the middle of the bicycle."""
    z: float
    """Height [m] of the ground below it."""
    yaw: float
    """Yaw [rad] counter-clockwise from east."""
    pitch: float
    """Pitch [rad], positive with the front down."""
    speed: float
    """Speed [m/s]."""
    acceleration: float
    """Acceleration [m/s²]."""
    rolled: float
    """Distance travelled [m]."""
    aside: float
    """Offset [m] to the right of the middle of the way."""
    colour: int
    """Number of the colour."""
    touches: int
    """Bits of the kinds of road users that the cyclist touches, by the columns of a count."""
    spin: float
    """Angular speed [rad/s] of a bicycle that is lifted round on the spot."""


HALF_LENGTH, HALF_WIDTH = 0.9, 0.3
"""Half the length and half the width [m] of a bicycle: those of the fleet's."""
