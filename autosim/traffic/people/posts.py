"""Posts, masts and trees on pavements, which people go round."""

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from autosim.arrays import Floats
from autosim.world.geometry.meshes import Mesh, Surface


def posts_of(obstacles: Mesh) -> Floats:
    """The posts (n, 3): x, y and radius [m] of each stem among the obstacles of a world."""
    stems = obstacles.select(obstacles.surfaces == Surface.STEM)
    count = len(stems.vertices)
    if not count:
        return np.zeros((0, 3))
    a, b, c = stems.triangles.T
    links = np.ones(2 * len(a))
    pairs = (np.concatenate([a, b]), np.concatenate([b, c]))
    graph = csr_matrix((links, pairs), shape=(count, count))
    number, part = connected_components(graph, directed=False)
    low, high = np.full((number, 2), np.inf), np.full((number, 2), -np.inf)
    np.minimum.at(low, part, stems.vertices[:, :2])
    np.maximum.at(high, part, stems.vertices[:, :2])
    return np.column_stack([(low + high) / 2.0, (high - low).max(axis=1) / 2.0])
