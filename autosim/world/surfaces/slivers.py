"""Slivers of the carriageway: triangles so low that wheels and rays miss them.

Where a border has two corners a hand's breadth apart and nearly in line, the triangle of both and
the next one may be the best by Delaunay's measure. With the triangle behind its longest side it
makes a quadrangle that the other diagonal cuts into two which are wide enough.
"""

import numpy as np
import numpy.typing as npt

from autosim.arrays import Booleans, Bytes, Floats, Integers, Integers32
from autosim.world.geometry.meshes import Surface

Triangles = Integers32

SLIVER_HEIGHT = 0.01
"""Triangles lower than this [m] are slivers."""


def heights_of(corners: Floats) -> Floats:
    """The least heights (n,) [m] of triangles (n, 3, 2), below zero where they are clockwise."""
    sides = np.roll(corners, -1, axis=1) - corners
    doubled = sides[:, 0, 0] * sides[:, 1, 1] - sides[:, 0, 1] * sides[:, 1, 0]
    return np.asarray(doubled / np.linalg.norm(sides, axis=2).max(axis=1))


def without_slivers(
    points: Floats, triangles: Triangles, surfaces: Bytes, borders: Integers
) -> Triangles:
    """The triangles (m, 3), but for the carriageway's slivers that another diagonal mends.

    Args:
        points: (n, 2) in W [m].
        triangles: (m, 3) counter-clockwise.
        surfaces: (m,) `Surface` of each.
        borders: (k, 2) edges that stay.
    """
    is_road = surfaces == Surface.CARRIAGEWAY
    rows = np.flatnonzero(is_road)
    slivers = rows[heights_of(points[triangles[rows]]) < SLIVER_HEIGHT]
    mended = triangles.copy() if len(slivers) else triangles
    for sliver in slivers.tolist():
        a, b, tip = _longest_side_first(points, mended[sliver])
        beyond = np.flatnonzero(is_road & _has(mended, a) & _has(mended, b))
        other = beyond[beyond != sliver]
        if len(other) != 1 or (_has(borders, a) & _has(borders, b)).any():
            continue
        (behind,) = set(mended[other[0]].tolist()) - {a, b}
        pair = np.array([(a, behind, tip), (behind, b, tip)], dtype=np.int32)
        if (heights_of(points[pair]) >= SLIVER_HEIGHT).all():
            mended[[sliver, other[0]]] = pair
    return mended


def _longest_side_first(points: Floats, triangle: Triangles) -> tuple[int, int, int]:
    """The corners of a triangle in their order, the one that faces the longest side last."""
    corners = points[triangle]
    first = int(np.argmax(np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)))
    a, b, tip = np.roll(triangle, -first).tolist()
    return a, b, tip


def _has(rows: npt.NDArray[np.integer], corner: int) -> Booleans:
    return np.asarray((rows == corner).any(axis=1))
