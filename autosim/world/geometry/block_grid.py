"""The rectangles in which a world is compiled, in one process or in several.

A world of up to about 2 km is one block, or four if there is enough work for several processes. A
larger world is divided evenly: blocks are small enough for many processes, and large enough to be
worth their margins. The division depends only on the world's size and streets, and so does the
result.
"""

from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.world.geometry.extent import Box

LARGEST_BLOCK = 2200.0
"""Longest side [m] of a world of one block or four: it compiles in seconds either way."""

BLOCK = 1250.0
"""Length [m] of a block's sides in a larger world, rounded to divide it evenly. Chosen: a process
compiles a block of a city in a few seconds."""

_CLEARANCE = 0.005
"""Least distance [m] of a line between blocks from the ends of streets, where it can have that:
half of the centimetre to which lines are rounded. A shape that touches a block in one vertex alone
makes GEOS fail, or leave a point among the polygons."""

_MAX_SHIFT = 20.0
"""Largest distance [m] by which a line between blocks evades points: a hundredth of a block."""


@dataclass(frozen=True, slots=True)
class BlockGrid:
    """Blocks in rows from the south west, row by row northwards.

    `xs` (columns + 1,) and `ys` (rows + 1,) are the lines [m] in W between which they lie.
    """

    xs: tuple[float, ...]
    ys: tuple[float, ...]

    @classmethod
    def of(cls, box: Box, *, is_busy: bool = False, avoided: Floats | None = None) -> "BlockGrid":
        """The blocks of a world's ground.

        Args:
            box: the ground [m] in W.
            is_busy: whether it has enough work for several processes.
            avoided: points (n, 2) [m] near which no line between blocks runs, if possible.
        """
        x_min, y_min, x_max, y_max = box
        longest = max(x_max - x_min, y_max - y_min)
        side = BLOCK
        if longest <= LARGEST_BLOCK:
            side = longest / 2.0 if is_busy else longest
        points = np.zeros((0, 2)) if avoided is None else avoided
        return cls(
            _lines(x_min, x_max, side, points[:, 0]), _lines(y_min, y_max, side, points[:, 1])
        )

    @property
    def columns(self) -> int:
        """Number of blocks from west to east."""
        return len(self.xs) - 1

    @property
    def count(self) -> int:
        """Number of blocks."""
        return self.columns * (len(self.ys) - 1)

    @property
    def boxes(self) -> list[Box]:
        """The box of each block."""
        return [
            (self.xs[i], self.ys[j], self.xs[i + 1], self.ys[j + 1])
            for j in range(len(self.ys) - 1)
            for i in range(self.columns)
        ]

    def at(self, points: Floats) -> Integers:
        """Numbers (n,) of the blocks that hold points (n, 2) [m]; the nearest ones if outside."""
        column = np.searchsorted(self.xs[1:-1], points[:, 0], side="right")
        row = np.searchsorted(self.ys[1:-1], points[:, 1], side="right")
        return np.asarray(row * self.columns + column, dtype=np.int64)


def _lines(low: float, high: float, side: float, avoided: Floats) -> tuple[float, ...]:
    count = max(1, round((high - low) / side))
    inner = (round(low + k * (high - low) / count, 2) for k in range(1, count))
    known = np.sort(avoided)
    return (low, *(_evading(line, known) for line in inner), high)


def _evading(line: float, avoided: Floats) -> float:
    """The coordinate [m] nearest to a line's own that keeps `_CLEARANCE` from others (n,)."""
    near = avoided[np.abs(avoided - line) <= _MAX_SHIFT + 2.0 * _CLEARANCE]
    if not len(near) or np.abs(near - line).min() >= _CLEARANCE:
        return line
    # Twice the clearance, so that rounding to centimetres keeps it.
    places = np.concatenate([near - 2.0 * _CLEARANCE, near + 2.0 * _CLEARANCE])
    places = np.round(places[np.argsort(np.abs(places - line), kind="stable")], 2)
    gaps = np.abs(places[:, None] - near).min(axis=1)
    free = places[(gaps >= _CLEARANCE) & (np.abs(places - line) <= _MAX_SHIFT)]
    return float(free[0]) if len(free) else line


def expand_box(box: Box, distance: float) -> Box:
    """A box with a margin [m] on all sides."""
    x_min, y_min, x_max, y_max = box
    return (x_min - distance, y_min - distance, x_max + distance, y_max + distance)


def boxes_touch(first: Box, second: Box) -> bool:
    """Whether two boxes touch."""
    return (
        first[0] <= second[2]
        and second[0] <= first[2]
        and first[1] <= second[3]
        and second[1] <= first[3]
    )
