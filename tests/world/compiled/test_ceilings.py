"""Ceilings are never lower than what is there."""

import numpy as np

from autosim.world.compiled.ceilings import Ceilings
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.meshes import Mesh, Surface


def scattered(count=300, seed=5):
    """Triangles of all sizes at all heights."""
    random = np.random.default_rng(seed)
    middles = random.uniform(-100.0, 100.0, (count, 1, 3))
    corners = middles + random.normal(0.0, 1.0, (count, 3, 3)) * random.choice(
        (1, 9, 40), (count, 1, 1)
    )
    triangles = np.arange(3 * count, dtype=np.int32).reshape(-1, 3)
    return Mesh(corners.reshape(-1, 3), triangles, np.full(count, Surface.CONCRETE, np.uint8))


def test_nothing_is_higher_than_its_ceiling():
    index = GroundIndex.build(scattered())
    points = np.random.default_rng(6).uniform(-250.0, 250.0, (4000, 2))
    rows, _, heights = index.hits(points)
    ceilings = Ceilings(index).over(points)
    assert len(rows) > 1000
    assert (heights <= ceilings[rows] + 1e-9).all()
    assert np.isneginf(ceilings[np.abs(points).max(axis=1) > 240.0]).any()
