"""Putting meshes together and taking them apart."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from autosim.world.compiled import Mesh, empty_mesh

Edges = npt.NDArray[np.int32]

_BITS = 32


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
    _, index, uses = np.unique(_keys(directed), return_index=True, return_counts=True)
    return np.asarray(directed[index[uses == 1]])


def counted_edges(triangles: npt.NDArray[np.int32]) -> tuple[Edges, npt.NDArray[np.int64]]:
    """The edges (n, 2) of triangles, lower vertex first, and of how many triangles (n,) each is."""
    directed = np.vstack([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    keys, uses = np.unique(_keys(directed), return_counts=True)
    edges = np.column_stack([keys >> _BITS, keys & (2**_BITS - 1)]).astype(np.int32)
    return edges, uses


def _keys(directed: Edges) -> npt.NDArray[np.int64]:
    """A number for each edge (n,), whatever its direction: one sorts faster than two."""
    low, high = np.minimum(*directed.T), np.maximum(*directed.T)
    return np.asarray((low.astype(np.int64) << _BITS) | high)
