"""Finds the vertices that triangles use, without sorting: meshes are cut all the time."""

import numpy as np
import numpy.typing as npt

from autosim.arrays import Integers, Integers32


def renumbered(
    triangles: npt.NDArray[np.integer],
) -> tuple[Integers, Integers32]:
    """The vertices that triangles use, and the triangles renumbered to these.

    Args:
        triangles: (m, 3) numbers of vertices.

    Returns:
        The vertices (k,) that are used, ascending, and the triangles (m, 3) with their numbers
        among these.
    """
    if not triangles.size:
        return np.zeros(0, dtype=np.int64), np.zeros((0, 3), dtype=np.int32)
    lowest = triangles.min()
    corners = triangles - lowest
    is_used = np.zeros(int(corners.max()) + 1, dtype=np.bool_)
    is_used[corners] = True
    used = np.flatnonzero(is_used)
    numbers = np.empty(len(is_used), dtype=np.int32)
    numbers[used] = np.arange(len(used), dtype=np.int32)
    return used + int(lowest), numbers[corners]


def unique_rows(
    rows: npt.NDArray[np.integer],
) -> tuple[Integers, Integers]:
    """The rows of whole numbers that differ, in ascending order.

    `np.unique` with an axis takes ten times as long: it compares rows, not numbers.

    Args:
        rows: (n, k); the extents of the columns, multiplied, are less than 2^63.

    Returns:
        The first row (u,) of each distinct one, and the number (n,) of each row among these.
    """
    keys = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T.astype(np.int64):
        low = column.min(initial=0)
        keys = keys * (column.max(initial=0) - low + 1) + (column - low)
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    return first, number
