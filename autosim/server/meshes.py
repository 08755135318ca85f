"""Cuts a mesh into pieces that PyBullet takes."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from autosim.vehicle.bodies import Floats

MAXIMUM_VERTICES = 131_072
MAXIMUM_TRIANGLES = 174_762
"""B3_MAX_NUM_VERTICES, and a third of B3_MAX_NUM_INDICES: above them PyBullet fails with a
misleading error."""

Triangles = npt.NDArray[np.int32]


def pieces(
    vertices: Floats,
    triangles: Triangles,
    *,
    most_vertices: int = MAXIMUM_VERTICES,
    most_triangles: int = MAXIMUM_TRIANGLES,
) -> Iterator[tuple[Floats, Triangles]]:
    """Pieces of the mesh within the limits, each with the vertices that it uses.

    Halved at the median of the longer horizontal side until it fits, so that a piece is compact
    and a short ray meets few of them.

    Args:
        vertices: (n, 3) m.
        triangles: (m, 3) indices of vertices.
        most_vertices: of a piece.
        most_triangles: of a piece.
    """
    used, local = np.unique(triangles, return_inverse=True)
    if len(triangles) <= most_triangles and used.size <= most_vertices:
        yield vertices[used], local.reshape(-1, 3).astype(np.int32)
        return
    centres = vertices[triangles].mean(axis=1)
    axis = int(np.argmax(np.ptp(centres[:, :2], axis=0)))
    order = np.argsort(centres[:, axis], kind="stable")
    for half in np.array_split(order, 2):
        yield from pieces(
            vertices,
            triangles[np.sort(half)],
            most_vertices=most_vertices,
            most_triangles=most_triangles,
        )
