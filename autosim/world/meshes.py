"""Putting meshes together and taking them apart."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from autosim.world.compiled import Mesh, empty_mesh

Edges = npt.NDArray[np.int32]


def joined(meshes: Sequence[Mesh]) -> Mesh:
    """Several meshes as one."""
    filled = [mesh for mesh in meshes if len(mesh.triangles)]
    if not filled:
        return empty_mesh()
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in filled[:-1])])
    return Mesh(
        np.vstack([mesh.vertices for mesh in filled]),
        np.vstack(
            [mesh.triangles + np.int32(start) for mesh, start in zip(filled, starts, strict=True)]
        ),
        np.concatenate([mesh.surfaces for mesh in filled]),
    )


def boundary_edges(triangles: npt.NDArray[np.int32]) -> Edges:
    """Directed edges (n, 2) that only one triangle has, with the triangle on their left."""
    directed = np.vstack([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    # One number for each edge: NumPy sorts rows of two four times as slowly.
    ends = np.sort(directed, axis=1).astype(np.int64)
    numbers = ends[:, 0] * (ends.max(initial=0) + 1) + ends[:, 1]
    _, index, uses = np.unique(numbers, return_index=True, return_counts=True)
    return np.asarray(directed[index[uses == 1]])
