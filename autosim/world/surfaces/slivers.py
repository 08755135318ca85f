"""Removes slivers from the carriageway: triangles so low that wheels and rays miss them.

Where a border has two corners close together and nearly in line, the Delaunay triangulation may
put both into one very low triangle. That triangle and its neighbour across the longest side form a
quadrangle. Cutting the quadrangle along its other diagonal gives two triangles that are high
enough.
"""

import numpy as np
import numpy.typing as npt

from autosim.arrays import Booleans, Bytes, Floats, Integers, Integers32
from autosim.world.geometry.meshes import Surface

Triangles = Integers32

SLIVER_HEIGHT = 0.01
"""Height [m] below which a triangle is a sliver: far less than the contact of a tyre."""


def heights_of(corners: Floats) -> Floats:
    """The least height (n,) [m] of each triangle (n, 3, 2), negative where it is clockwise."""
    sides = np.roll(corners, -1, axis=1) - corners
    doubled = sides[:, 0, 0] * sides[:, 1, 1] - sides[:, 0, 1] * sides[:, 1, 0]
    return np.asarray(doubled / np.linalg.norm(sides, axis=2).max(axis=1))


def without_slivers(
    points: Floats, triangles: Triangles, surfaces: Bytes, borders: Integers
) -> Triangles:
    """The triangles (m, 3) with the carriageway's slivers replaced where the other diagonal helps.

    Args:
        points: (n, 2) in W [m].
        triangles: (m, 3) counter-clockwise.
        surfaces: (m,) `Surface` of each.
        borders: (k, 2) edges that must stay edges.
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
    """The corners of a triangle in their order; the last one faces the longest side."""
    corners = points[triangle]
    first = int(np.argmax(np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)))
    a, b, tip = np.roll(triangle, -first).tolist()
    return a, b, tip


def _has(rows: npt.NDArray[np.integer], corner: int) -> Booleans:
    return np.asarray((rows == corner).any(axis=1))
