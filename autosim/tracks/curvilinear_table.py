"""A table from places in the plane to places along a curve, made anew for each new curve.

To find the nearest point of a curve is slow, and a controller asks for it hundreds of thousands of
times in each step. So the answers are drawn into a square of texels once, and looked up.

A texel holds five numbers (`CHANNELS`): the distance along the curve [m], the offset from it [m,
positive left], cosine and sine of its heading, and whether the place is in bounds (1, -1). Out of
bounds the others mean nothing.
"""

from typing import NamedTuple

from autosim.arrays import Floats, Floats32

CHANNELS = ("distance", "offset", "cosine", "sine", "in_bounds")
"""What the numbers of a texel are, in this order."""


class Place(NamedTuple):
    """What a table says of one place, as kernels get it, or of n places: arrays (n,)."""

    distance: float
    """Along the curve [m]: below 0 before the start of an open one; of a closed one, in [0, length)."""
    offset: float
    """From the curve [m], positive left."""
    cosine: float
    """Of the heading of the curve; with `sine` of length one or a little less."""
    sine: float
    """Of the heading of the curve."""
    in_bounds: float
    """Above 0 within the drawn width; else the other numbers mean nothing."""


class Texels(NamedTuple):
    """A table as kernels take it. The middle of texel (row, column) is at
    x = west + (column + 0.5) / per_metre, y = south + (row + 0.5) / per_metre.
    """

    values: Floats32
    """(size, size, 5) `CHANNELS`."""
    west: float
    """Left edge of the square [m]."""
    south: float
    """Lower edge of the square [m]."""
    per_metre: float
    """Number of texels per metre."""
    length: float
    """Of a closed curve [m], at which distances begin again; 0 of an open one."""


def look_up(table: Texels, x: float, y: float) -> Place:
    """What the table says of a place [m], between texels linearly; for kernels.

    Beyond the square it is out of bounds. Across a jump of the distance (where a closed curve
    begins again, or where another part of the curve becomes the nearest) the nearest texel counts.
    """
    raise NotImplementedError


class CurvilinearTable:
    """A table of one curve: `CurvilinearTable.of(curve, width=5.0)`."""

    texels: Texels
    """What kernels take."""

    @classmethod
    def of(
        cls,
        points: Floats,
        *,
        is_closed: bool = False,
        width: float = 5.0,
        size: int = 512,
        around: tuple[float, float] | None = None,
    ) -> "CurvilinearTable":
        """Draws the table of a curve.

        Args:
            points: (n, 2) of the curve [m], n at least 2 (3 of a closed one, which does not repeat
                its first point).
            is_closed: whether the last point is followed by the first.
            width: within which places are in bounds [m], half of it to each side: more than the
                track has, so that a path out of the track still has a cost.
            size: number of texels of each side of the square.
            around: a place [m] that the square has to hold too, such as the car's.

        Raises:
            ValueError: the points are too few, not finite, or all in one place.
        """
        raise NotImplementedError

    def look_up(self, x: Floats, y: Floats) -> Place:
        """What the table says of places: `x` and `y` [m] of one shape, which the answers have."""
        raise NotImplementedError
