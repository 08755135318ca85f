"""Boxes in the physics, where they are, and what meshes are beside them."""

import numpy as np
import pybullet

from autosim.world.geometry.meshes import Mesh, Surface

STEP = 1.0 / 240.0


def read(physics):
    count = physics.body_count
    arrays = [np.empty((count, width)) for width in (3, 4, 3, 3)]
    physics.read(*arrays)
    return arrays


STATIC_GROUP = 2
"""Bullet's, of meshes: rays of this mask pass boxes."""

MOST_RAYS = 10_000
"""PyBullet refuses more than 16 383 at once."""


def cast(physics, origins, ends):
    """How far (n,) rays get before they meet a mesh in the physics, and its normals (n, 3)."""
    lots = [slice(first, first + MOST_RAYS) for first in range(0, len(origins), MOST_RAYS)]
    client = {"physicsClientId": physics._client}
    hits = [
        hit
        for lot in lots
        for hit in pybullet.rayTestBatch(
            origins[lot], ends[lot], 1, collisionFilterMask=STATIC_GROUP, **client
        )
    ]
    fractions, normals = [hit[2] for hit in hits], [hit[4] for hit in hits]
    return np.array(fractions), np.array(normals).reshape(-1, 3)


def house(x: float, y: float, side: float = 10.0) -> Mesh:
    corners = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))], np.int32)
    surfaces = np.full(12, Surface.WALL, dtype=np.uint8)
    return Mesh(corners * side + np.array([x, y, 0.0]), triangles, surfaces)
