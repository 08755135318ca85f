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


@dataclass(frozen=True, slots=True)
class BlockGrid:
    """Blocks in rows from the south west, row by row northwards.

    `xs` (columns + 1,) and `ys` (rows + 1,) are the lines [m] in W between which they lie.
    """

    xs: tuple[float, ...]
    ys: tuple[float, ...]

    @classmethod
    def of(cls, box: Box, *, is_busy: bool = False) -> "BlockGrid":
        """The blocks of a world's ground; `is_busy`: it has enough work for several processes."""
        x_min, y_min, x_max, y_max = box
        longest = max(x_max - x_min, y_max - y_min)
        side = BLOCK
        if longest <= LARGEST_BLOCK:
            side = longest / 2.0 if is_busy else longest
        return cls(_lines(x_min, x_max, side), _lines(y_min, y_max, side))

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


def _lines(low: float, high: float, side: float) -> tuple[float, ...]:
    count = max(1, round((high - low) / side))
    inner = (round(low + k * (high - low) / count, 2) for k in range(1, count))
    return (low, *inner, high)


def grown(box: Box, distance: float) -> Box:
    """A box with a margin [m] on all sides."""
    x_min, y_min, x_max, y_max = box
    return (x_min - distance, y_min - distance, x_max + distance, y_max + distance)


def meet(first: Box, second: Box) -> bool:
    """Whether two boxes touch."""
    return (
        first[0] <= second[2]
        and second[0] <= first[2]
        and first[1] <= second[3]
        and second[1] <= first[3]
    )
