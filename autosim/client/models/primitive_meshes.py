"""Plain shapes, for what has no model."""

import numpy as np

from autosim.arrays import Floats
from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.materials.palette import Colour


def box_mesh(size: tuple[float, float, float], colour: Colour) -> DrawMesh:
    """A box of that size (x, y, z) [m] about the origin."""
    corners, normals = [], []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            normal = np.zeros(3)
            normal[axis] = sign
            first, second = np.roll(np.eye(3), -axis - 1, axis=0)[:2] * np.array([[1.0], [sign]])
            first, second = (np.roll(v, 0) for v in (first, second))
            for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                corners.append(normal + a * first + b * second)
                normals.append(normal)
    return flat_mesh(np.array(corners) * np.array(size) / 2, np.array(normals), colour, _quads(6))


def cylinder_mesh(radius: float, width: float, colour: Colour, segments: int = 20) -> DrawMesh:
    """A cylinder about the y axis (a wheel's axle) through the origin; lengths in metres."""
    angles = np.arange(segments + 1) / segments * 2 * np.pi
    rim = np.stack([np.sin(angles), np.zeros(segments + 1), np.cos(angles)], axis=1)
    half = np.array([0.0, width / 2, 0.0])
    side = np.concatenate([rim * radius - half, rim * radius + half])
    n = segments + 1
    i = np.arange(segments)
    around = np.concatenate(
        [np.stack([i, i + n, i + n + 1], axis=1), np.stack([i, i + n + 1, i + 1], axis=1)]
    )
    fan = np.stack([np.zeros(segments - 2, dtype=int), i[1:-1], i[2:]], axis=1)
    points = np.concatenate([side, side])
    y = np.array([0.0, 1.0, 0.0])
    normals = np.concatenate([rim, rim, np.tile(-y, (n, 1)), np.tile(y, (n, 1))])
    triangles = np.concatenate([around, fan[:, [0, 2, 1]] + 2 * n, fan + 3 * n])
    return flat_mesh(points, normals, colour, triangles)


def revolved_mesh(outline: Floats, normals: Floats, colour: Colour, *, segments: int) -> DrawMesh:
    """The surface of revolution of an outline about the z axis.

    Args:
        outline: (n, 2) m across and up, from below.
        normals: (n, 2) unit vectors, outwards.
        colour: of all.
        segments: faces around.
    """
    angles = np.arange(segments + 1) / segments * 2.0 * np.pi
    turns = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    count = len(outline)

    def swept(rows: Floats) -> Floats:
        across = turns[:, None, :] * rows[None, :, :1]
        up = np.broadcast_to(rows[None, :, 1:], (segments + 1, count, 1))
        points: Floats = np.concatenate([across, up], axis=2).reshape(-1, 3)
        return points

    i, k = np.meshgrid(np.arange(segments), np.arange(count - 1), indexing="ij")
    a = (i * count + k).ravel()
    b, c, d = a + count, a + count + 1, a + 1
    triangles = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    return flat_mesh(swept(outline), swept(normals), colour, triangles)


def _quads(count: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    first = 4 * np.arange(count)[:, None]
    halves = np.array([[0, 1, 2], [0, 2, 3]])
    return np.asarray((first[:, :, None] + halves).reshape(-1, 3))


def flat_mesh(
    points: np.ndarray[tuple[int, int], np.dtype[np.float64]],
    normals: np.ndarray[tuple[int, int], np.dtype[np.float64]],
    colour: Colour,
    triangles: np.ndarray[tuple[int, int], np.dtype[np.int64]],
) -> DrawMesh:
    """A mesh of one colour: points and normals (n, 3), triangles (m, 3)."""
    count = len(points)
    return DrawMesh(
        vertices=points.astype(np.float32),
        normals=normals.astype(np.float32),
        colours=np.tile(np.array(colour, dtype=np.uint8), (count, 1)),
        uvs=np.zeros((count, 2), dtype=np.float32),
        triangles=triangles.astype(np.int32),
    )
