"""Meshes as PyBullet takes them: lists, made once for each mesh.

PyBullet never releases a list that it is given, nor the rows in it; of an array it would keep each
row as well. A process that makes one simulation after the other gives it the same lists again.
"""

from hashlib import blake2b

import numpy as np

from autosim.arrays import Floats, Integers32

Lists = tuple[list[list[float]], list[int]]

_made: dict[bytes, Lists] = {}
"""By the digest of what is in them. They could not be freed anyway."""


def mesh_lists(vertices: Floats, triangles: Integers32) -> Lists:
    """The vertices (n, 3) [m] and the corners (3 m) of triangles; not to be changed."""
    hashed = blake2b(np.ascontiguousarray(vertices).data, digest_size=16)
    hashed.update(np.ascontiguousarray(triangles).data)
    # Of the same bytes in another division.
    hashed.update(f"{vertices.shape} {triangles.dtype}".encode())
    key = hashed.digest()
    if key not in _made:
        _made[key] = vertices.tolist(), triangles.ravel().tolist()
    return _made[key]
