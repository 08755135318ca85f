"""The ground as it is drawn from afar: its vertices put together where they are close.

Vertices of one square of a grid become one, at the mean of those on the lines between surfaces,
where there are any, so that streets keep their width; triangles that fall together are gone
(clustering after Rossignac and Borrel, 1993, Multi-resolution 3D approximations for rendering).
"""

import numpy as np

from autosim.arrays import Booleans, Bytes, Integers, Integers32
from autosim.world.geometry.meshes import Mesh
from autosim.world.geometry.renumbering import renumbered, unique_rows

EDGE = 5.0
"""Edge [m] of the squares: what is drawn from afar is so far that this is a few pixels."""
_OFF_LINES = 1e-4
"""Weight of vertices within a surface beside those on the lines between surfaces."""


def decimate(mesh: Mesh, edge: float = EDGE) -> Mesh:
    """A level with about half of its triangles.

    Its open edges are unchanged, so that no gap opens to neighbouring tiles; none opens between its
    surfaces either, because they share their vertices.

    Args:
        mesh: one height at every place.
        edge: [m] of the squares.
    """
    used, triangles = renumbered(mesh.triangles)
    points = mesh.vertices[used]
    cells = np.full((len(points), 3), -1, dtype=np.int64)
    cells[:, :2] = np.floor(points[:, :2] / edge)
    rim = _on_open_edges(triangles, len(points))
    cells[rim, 2] = rim
    cluster = unique_rows(cells)[1]
    weights = np.where(_on_lines(triangles, mesh.surfaces, len(points)), 1.0, _OFF_LINES)
    sums = np.bincount(cluster, weights=weights)
    means = [np.bincount(cluster, weights=weights * column) / sums for column in points.T]
    vertices = np.column_stack(means)
    vertices[cluster[rim]] = points[rim]
    corners = cluster[triangles]
    is_left = (corners != np.roll(corners, 1, axis=1)).all(axis=1)
    return Mesh(vertices, corners[is_left].astype(np.int32), mesh.surfaces[is_left])


def _on_lines(triangles: Integers32, surfaces: Bytes, count: int) -> Booleans:
    """Whether triangles of several surfaces share each of `count` vertices."""
    lowest, highest = np.full(count, 255, dtype=np.uint8), np.zeros(count, dtype=np.uint8)
    np.minimum.at(lowest, triangles.ravel(), np.repeat(surfaces, 3))
    np.maximum.at(highest, triangles.ravel(), np.repeat(surfaces, 3))
    return np.asarray(lowest != highest)


def _on_open_edges(triangles: Integers32, count: int) -> Integers:
    """Indices (k,) of those of `count` vertices that are on an edge of only one triangle."""
    ends = np.sort(triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1).astype(np.int64)
    edges = np.sort(ends @ (count, 1))
    is_new = np.diff(edges, prepend=-1, append=-1) != 0
    is_open = np.zeros(count, dtype=np.bool_)
    is_open[np.concatenate(np.divmod(edges[is_new[:-1] & is_new[1:]], count))] = True
    return np.flatnonzero(is_open)
