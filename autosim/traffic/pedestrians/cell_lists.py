"""Neighbour search: people and posts in square cells; a table has the first of each cell."""

from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.jit import compiled, jitable
from autosim.traffic.traffic_node import P

CELL = 2.5
"""Edge [m] of a cell; people farther away have no influence."""


class CellList(NamedTuple):
    """`heads` (h,), h a power of two, the first in each cell; `nexts` (n,) the following.

    -1 marks the end. Cells far apart may share a head.
    """

    heads: Integers
    nexts: Integers

    @classmethod
    def of(cls, people: int) -> "CellList":
        """Empty cells for this number of people."""
        size = 1 << max(4, (2 * max(people, 1) - 1).bit_length())
        return cls(np.full(size, -1, np.int64), np.full(people, -1, np.int64))


class Posts(NamedTuple):
    """Posts and trees: `places` (n, 3) x, y and radius [m], in their `cells`."""

    places: Floats
    cells: CellList

    @classmethod
    def of(cls, places: Floats) -> "Posts":
        """These posts (n, 3)."""
        cells = CellList.of(len(places))
        sort_posts(cells, places)
        return cls(places, cells)


@jitable
def cell_of(x: float, y: float) -> tuple[int, int]:
    """Column and row of the cell at a place [m]."""
    return int(np.floor(x / CELL)), int(np.floor(y / CELL))


@jitable
def hash_cell(column: int, row: int, size: int) -> int:
    """The place of a cell's head, after Teschner et al., Optimized Spatial Hashing (2003)."""
    return ((column * 73856093) ^ (row * 19349663)) & (size - 1)


@compiled
def sort_posts(cells: CellList, posts: Floats) -> None:
    """Puts posts (n, 3), which stand still, into their cells."""
    for i in range(len(posts) - 1, -1, -1):
        column, row = cell_of(posts[i, 0], posts[i, 1])
        head = hash_cell(column, row, len(cells.heads))
        cells.nexts[i] = cells.heads[head]
        cells.heads[head] = i


@jitable
def fill_cells(cells: CellList, people: Floats) -> None:
    """Puts people (n, 9) into their cells."""
    cells.heads[:] = -1
    for i in range(len(people) - 1, -1, -1):
        if people[i, P.kind] < 0.0:
            continue
        column, row = cell_of(people[i, P.x], people[i, P.y])
        head = hash_cell(column, row, len(cells.heads))
        cells.nexts[i] = cells.heads[head]
        cells.heads[head] = i
