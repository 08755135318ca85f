"""A table from positions in the plane to positions along a curve, made for each new curve.

To find the nearest point of a curve is slow, and a controller asks for it hundreds of thousands of
times in each step. So the answers are rasterised into a square of texels once, and looked up.

A texel holds five numbers (`CHANNELS`): the distance along the curve [m], the offset from it [m,
positive left], cosine and sine of its heading, and whether the place is in bounds (1, -1). Out of
bounds the others mean nothing.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from autosim.arrays import Floats, Floats32
from autosim.jit import compiled, jitable
from autosim.tracks.curve import Curve
from autosim.tracks.rasteriser import Square, draw
from autosim.tracks.ribbon import Ribbon, ribbon_of

CHANNELS = ("distance", "offset", "cosine", "sine", "in_bounds")
"""The numbers of a texel, in this order."""

_JUMP = 8.0
"""Sum of the differences [texels] of one texel's distance from those of three beside it, from which
on another part of the curve is the nearest. Along a straight curve it is 2.8 at most; on the inside
of a bend it is a little more."""

_WHOLLY_IN = 1.0 - 1e-6
"""Mean of `in_bounds` above which all texels around a place are in bounds: less than the weight of
one that is out, but for rounding."""

_FEWEST_TEXELS = 2
"""Number of texels of a side between which something can be looked up."""

Four = tuple[float, float, float, float]
"""One value of each of the four texels around a place."""

Draw = Callable[[Ribbon, Square, Floats32], None]
"""Draws a ribbon into the texels (size, size, 5) of a square."""


class CurvilinearPoint(NamedTuple):
    """Entry of a table for one position, as kernels get it."""

    distance: float
    """Along the curve [m]: from 0 to its length; before the start of an open one, below 0."""
    offset: float
    """From the curve [m], positive left."""
    cosine: float
    """Of the heading of the curve; with `sine` of length one or a little less."""
    sine: float
    """Of the heading of the curve."""
    in_bounds: float
    """Above 0 within the drawn width; else the other numbers mean nothing."""


class CurvilinearPoints(NamedTuple):
    """Table entries for many positions: the fields of `CurvilinearPoint` as arrays of one shape.

    Attributes:
        distance: along the curve [m].
        offset: to the left of the curve [m].
        cosine: of the curve's heading.
        sine: of the curve's heading.
        in_bounds: above 0 within the drawn width; else the other numbers mean nothing.
    """

    distance: Floats
    offset: Floats
    cosine: Floats
    sine: Floats
    in_bounds: Floats


@jitable
def look_up(values: Floats32, square: Square, x: float, y: float) -> CurvilinearPoint:
    """Entry of the table for a position [m], interpolated between texels; for kernels.

    Beyond the square it is out of bounds. Where the distance jumps from texel to texel (a closed
    curve begins again, or another part of the curve is the nearest), and at the rim, the nearest
    texel that is in bounds counts alone.

    Args:
        values: (size, size, 5) the texels; a tuple that held them would be slow to take them from.
        square: where they lie.
        x: [m] in the frame of the curve.
        y: likewise.
    """
    last = values.shape[0] - 1
    x_texels = (x - square.west) * square.per_metre - 0.5
    y_texels = (y - square.south) * square.per_metre - 0.5
    if not (x_texels >= 0.0 and y_texels >= 0.0 and x_texels < last and y_texels < last):
        return CurvilinearPoint(0.0, 0.0, 0.0, 0.0, -1.0)
    column, row = int(x_texels), int(y_texels)
    right, up = x_texels - column, y_texels - row
    # Unsigned: else each access asks whether to count from the end.
    i, j, one = np.uint64(row), np.uint64(column), np.uint64(1)
    a, b = values[i, j, 0], values[i, j + one, 0]
    c, d = values[i + one, j, 0], values[i + one, j + one, 0]
    wa, wb = (1.0 - right) * (1.0 - up), right * (1.0 - up)
    wc, wd = (1.0 - right) * up, right * up
    in_bounds = (
        wa * values[i, j, 4]
        + wb * values[i, j + one, 4]
        + wc * values[i + one, j, 4]
        + wd * values[i + one, j + one, 4]
    )
    if in_bounds < -_WHOLLY_IN:
        return CurvilinearPoint(0.0, 0.0, 0.0, 0.0, -1.0)
    rise = abs(b - a) + abs(c - a) + abs(d - a)
    if rise * square.per_metre > _JUMP or in_bounds < _WHOLLY_IN:
        inside = (
            values[i, j, 4],
            values[i, j + one, 4],
            values[i + one, j, 4],
            values[i + one, j + one, 4],
        )
        wa, wb, wc, wd = _heaviest((wa, wb, wc, wd), inside)
    return CurvilinearPoint(
        wa * a + wb * b + wc * c + wd * d,
        wa * values[i, j, 1]
        + wb * values[i, j + one, 1]
        + wc * values[i + one, j, 1]
        + wd * values[i + one, j + one, 1],
        wa * values[i, j, 2]
        + wb * values[i, j + one, 2]
        + wc * values[i + one, j, 2]
        + wd * values[i + one, j + one, 2],
        wa * values[i, j, 3]
        + wb * values[i, j + one, 3]
        + wc * values[i + one, j, 3]
        + wd * values[i + one, j + one, 3],
        in_bounds,
    )


@jitable
def _heaviest(weights: Four, in_bounds: Four) -> Four:
    """Weights of which only the largest of a texel in bounds is left, as 1; none if all are out."""
    wa = weights[0] * (in_bounds[0] > 0.0)
    wb = weights[1] * (in_bounds[1] > 0.0)
    wc = weights[2] * (in_bounds[2] > 0.0)
    wd = weights[3] * (in_bounds[3] > 0.0)
    most = max(max(wa, wb), max(wc, wd))
    if most <= 0.0:
        return 0.0, 0.0, 0.0, 0.0
    if wa == most:
        return 1.0, 0.0, 0.0, 0.0
    if wb == most:
        return 0.0, 1.0, 0.0, 0.0
    if wc == most:
        return 0.0, 0.0, 1.0, 0.0
    return 0.0, 0.0, 0.0, 1.0


@compiled
def _look_up_all(values: Floats32, square: Square, x: Floats, y: Floats, found: Floats) -> None:
    """Writes into `found` (5, n) what the table says of n places."""
    for k in range(len(x)):
        place = look_up(values, square, x[k], y[k])
        found[0, k], found[1, k] = place.distance, place.offset
        found[2, k], found[3, k] = place.cosine, place.sine
        found[4, k] = place.in_bounds


@dataclass(frozen=True, slots=True)
class CurvilinearTable:
    """A table of one curve: `CurvilinearTable.of(points)`.

    curve: whose places they are; values: (size, size, 5) the texels, each with `CHANNELS`; square:
    where they lie. Kernels take the last two.
    """

    curve: Curve
    values: Floats32
    square: Square

    @classmethod
    def of(
        cls,
        points: npt.ArrayLike | Curve,
        *,
        is_closed: bool = False,
        width: float = 5.0,
        size: int = 512,
        around: tuple[float, float] | None = None,
        draw: Draw = draw,
    ) -> "CurvilinearTable":
        """Draws the table of a curve.

        Args:
            points: (n, 2) of the curve [m], n at least 2 (3 of a closed one, which does not repeat
                its first point); or the curve.
            is_closed: of points: whether the last one is followed by the first.
            width: within which places are in bounds [m], half of it to each side: more than the
                track has, so that a path out of the track still has a cost.
            size: number of texels of each side of the square.
            around: a place [m] that the square has to hold too, such as the car's.
            draw: what draws the triangles: the rasteriser, or `TableRenderer.draw` of the client's
                Panda3D, on a graphics card where there is one.

        Raises:
            ValueError: the points are too few, not finite, or all in one place; the width or the
                size is not positive.
        """
        curve = points if isinstance(points, Curve) else Curve.through(points, is_closed=is_closed)
        if not (width > 0.0 and size >= _FEWEST_TEXELS):
            raise ValueError(
                f"a table has a positive width and at least {_FEWEST_TEXELS} texels a side, "
                f"not {width} m and {size}"
            )
        padding = max(float(curve.lengths.max()), math.sqrt(2.0) * width)
        held = curve.points if around is None else np.vstack([curve.points, around])
        low, high = held.min(axis=0), held.max(axis=0)
        side = float((high - low).max()) + 2.0 * padding
        west, south = (0.5 * (low + high) - 0.5 * side).tolist()
        values = np.empty((size, size, len(CHANNELS)), dtype=np.float32)
        ribbon = ribbon_of(curve, width=width, extension=padding)
        square = Square(west, south, size / side, curve.length if curve.is_closed else 0.0)
        draw(ribbon, square, values)
        return cls(curve, values, square)

    def look_up(self, x: npt.ArrayLike, y: npt.ArrayLike) -> CurvilinearPoints:
        """Entries of the table for positions `x` and `y` [m] of one shape; they have it, too."""
        x, y = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
        found = np.empty((len(CHANNELS), x.size))
        _look_up_all(self.values, self.square, x.ravel(), y.ravel(), found)
        return CurvilinearPoints(*found.reshape(len(CHANNELS), *x.shape))
