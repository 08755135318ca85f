"""The meshes among the shapes of bodies, in one hierarchy, each below a link of its own."""

from collections.abc import Sequence

import numpy as np

from autosim.arrays import Integers
from autosim.jit import read_only
from autosim.rays.hierarchy import Hierarchy, grow, make_hierarchy, mesh_boxes
from autosim.simulation.shapes import Mesh, Shape


def hierarchy_of(shapes: Sequence[Shape]) -> tuple[Hierarchy, Integers]:
    """The hierarchy of all meshes among `shapes`, complete.

    Each mesh is where it is in its own axes, whatever else is there.

    Returns:
        The hierarchy, and the link (n,) of each shape that is a mesh, 0 of others.
    """
    roots = np.zeros(len(shapes), dtype=np.int64)
    numbers = [number for number, shape in enumerate(shapes) if isinstance(shape, Mesh)]
    meshes = [
        (read_only(each.vertices), read_only(each.triangles))
        for each in shapes
        if isinstance(each, Mesh)
    ]
    counts = np.array([len(triangles) for _, triangles in meshes], dtype=np.int64)
    bases = np.cumsum(counts) - counts
    boxes = [
        mesh_boxes(vertices, triangles, np.array([0, len(triangles)]))
        for vertices, triangles in meshes
    ]
    hierarchy = make_hierarchy(np.concatenate([np.zeros((0, 6)), *boxes]), counts)
    for link in np.flatnonzero(hierarchy.counts < 0).tolist():
        mesh = int(np.searchsorted(bases, hierarchy.first[link]))
        roots[numbers[mesh]] = link
    while len(waiting := np.flatnonzero(hierarchy.counts < 0)):
        for link in waiting.tolist():
            mesh = int(np.searchsorted(bases, hierarchy.first[link], side="right")) - 1
            grow(hierarchy, link, *meshes[mesh], int(bases[mesh]))
    return hierarchy, roots
