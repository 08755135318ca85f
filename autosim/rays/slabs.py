"""Entry of a ray into the four boxes of a node, which are tested at once."""

import numpy as np

from autosim.arrays import Floats32
from autosim.jit import lowered_by
from autosim.model.vector_kernels import Triple

LANES = 4
"""Number of doubles in a vector register of AVX2, which every processor of the last decade has."""


@lowered_by("autosim.rays.slabs_code")
def enter_boxes(
    bounds: Floats32,
    node: int,
    near: tuple[int, int, int],
    far: tuple[int, int, int],
    origin: Triple,
    inverse: Triple,
    best: float,
) -> tuple[float, ...]:
    """Shares of a ray's way at which it enters each of the four children of a node.

    A ray enters a box where it is between its sides along all axes (Kay and Kajiya 1986). Kernels
    do not compile this text: `autosim.rays.slabs_code` computes the same for four boxes at once.

    Args:
        bounds: see `autosim.rays.hierarchy.Hierarchy`.
        node: the parent of the boxes.
        near: rows of `bounds` with the sides that the ray passes first, along x, y and z.
        far: those that it passes last.
        origin: start of the ray [m].
        inverse: one through the ray's way along x, y and z [1/m].
        best: share of the way beyond which nothing counts.

    Returns:
        (4,) 0 where the ray starts inside a box, infinity where it does not enter it.
    """
    enter, leave = np.zeros(LANES), np.full(LANES, best)
    for axis in range(3):
        first, last = (
            (bounds[node, rows[axis]].astype(np.float64) - origin[axis]) * inverse[axis]
            for rows in (near, far)
        )
        enter = np.where(first > enter, first, enter)
        leave = np.where(last < leave, last, leave)
    return tuple(np.where(enter <= leave, enter, np.inf).tolist())
