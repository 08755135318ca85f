"""Shapes of the posts and heads of signals, dark: they stand still."""

from collections.abc import Sequence

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.client.geometry.draw_mesh import DrawMesh, joined, labelled
from autosim.client.materials.palette import Colour
from autosim.config.semantic_classes import class_number
from autosim.traffic.signals.signal_heads import SignalHeads

# Colours (sRGB and matness, 0..255), chosen by eye.
_STEEL: Colour = (104, 108, 110, 255)  # colour of posts
_HOUSING: Colour = (30, 33, 32, 255)  # colour of the heads of signals
_DARK: tuple[Colour, ...] = (
    (74, 16, 16, 200),  # colour of a red lens without light
    (78, 54, 14, 200),  # colour of an amber one
    (14, 62, 38, 200),  # colour of a green one
)

LENSES = (0.28, 0.0, -0.28)
"""Heights [m] of the lenses of a head for vehicles over its middle: red, amber, green. Lenses of
200 mm (EN 12368)."""

PEOPLE_LENSES = (0.14, 0.0, -0.14)
"""Heights [m] of the lenses of a head for people, which has no amber."""

HEIGHT, PEOPLE_HEIGHT = 2.85, 2.45
"""Heights [m] of the middles of heads: 2.1 m are free below them (RiLSA 2015, 5.3)."""

LENS_RADIUS = 0.1
"""Radius [m] of a lens (EN 12368)."""

BEFORE = 0.115
"""Distance [m] of the lit lens before the axis of the post: just before the dark one."""

_BEFORE_AXIS = 0.11
"""Distance [m] of the dark lenses before the axis of the post: the front of the head."""

_POST = 0.055
"""Radius [m] of a post: 114 mm across."""

_BURIED = 0.4
"""Length [m] of a post below the carriageway, where the ground slopes."""


def post_mesh(heads: SignalHeads, rows: Integers, *, has_lenses: bool) -> DrawMesh:
    """The posts of these rows of heads, at least one, in W."""
    meshes = []
    for is_people in (False, True):
        own = rows[heads.is_people[rows] == is_people]
        if len(own):
            shape = _shape(is_people=is_people, has_lenses=has_lenses)
            meshes.append(_placed(shape, heads.feet[own], heads.yaws[own]))
    return labelled(joined(meshes), class_number("pole"))


def _shape(*, is_people: bool, has_lenses: bool) -> DrawMesh:
    """A post with its head, which shines along +x; its foot is at the origin."""
    middle = PEOPLE_HEIGHT if is_people else HEIGHT
    size = (0.2, 0.27, 0.58) if is_people else (0.2, 0.32, 0.94)
    parts = [
        _prism(_POST, -_BURIED, middle + size[2] / 2.0 - 0.05),
        _box((0.0, 0.0, middle), size, _HOUSING),
    ]
    if has_lenses:
        heights = PEOPLE_LENSES if is_people else LENSES
        for height, colour in zip(heights, _DARK, strict=True):
            if height or not is_people:
                parts.append(_lens(middle + height, colour))
    return joined(parts)


def _placed(shape: DrawMesh, feet: Floats, yaws: Floats) -> DrawMesh:
    """A shape at each place."""
    count, corners = len(feet), len(shape.vertices)
    c, s = np.cos(yaws)[:, None], np.sin(yaws)[:, None]

    def turned(vectors: Floats) -> Floats:
        x, y, z = vectors.T
        upright = np.broadcast_to(z, (count, corners))
        return np.stack([c * x - s * y, s * x + c * y, upright], axis=2)

    points = turned(shape.vertices.astype(np.float64)) + feet[:, None]
    offsets = corners * np.arange(count, dtype=np.int32)[:, None, None]
    return DrawMesh(
        vertices=points.reshape(-1, 3).astype(np.float32),
        normals=turned(shape.normals.astype(np.float64)).reshape(-1, 3).astype(np.float32),
        colours=np.tile(shape.colours, (count, 1)),
        uvs=np.tile(shape.uvs, (count, 1)),
        triangles=(shape.triangles[None] + offsets).reshape(-1, 3).astype(np.int32),
    )


def _prism(radius: float, low: float, high: float) -> DrawMesh:
    """The sides of a post with four edges; it is not seen from above."""
    return _box((0.0, 0.0, (low + high) / 2.0), (2 * radius, 2 * radius, high - low), _STEEL, 4)


def _box(
    centre: Sequence[float], size: Sequence[float], colour: Colour, faces: int = 6
) -> DrawMesh:
    """A box, or its four upright sides."""
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], dtype=np.float64)
    points, normals = [], []
    for axis in (0, 1, 2)[: faces // 2]:
        for sign in (-1.0, 1.0):
            normal = np.zeros(3)
            normal[axis] = sign
            first, second = np.eye(3)[(axis + 1) % 3], sign * np.eye(3)[(axis + 2) % 3]
            points.append(normal + corners[:, :1] * first + corners[:, 1:] * second)
            normals.append(np.tile(normal, (4, 1)))
    vertices = np.vstack(points) * np.asarray(size) / 2.0 + np.asarray(centre)
    return _quads(vertices, np.vstack(normals), colour)


def _lens(height: float, colour: Colour) -> DrawMesh:
    sides = LENS_RADIUS * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], dtype=np.float64)
    vertices = np.column_stack([np.full(4, _BEFORE_AXIS), sides[:, 0], height + sides[:, 1]])
    return _quads(vertices, np.tile([1.0, 0.0, 0.0], (4, 1)), colour)


def _quads(vertices: Floats, normals: Floats, colour: Colour) -> DrawMesh:
    count = len(vertices) // 4
    halves = np.array([[0, 1, 2], [0, 2, 3]])
    return DrawMesh(
        vertices=vertices.astype(np.float32),
        normals=normals.astype(np.float32),
        colours=np.tile(np.array(colour, dtype=np.uint8), (4 * count, 1)),
        uvs=np.zeros((4 * count, 2), dtype=np.float32),
        triangles=(4 * np.arange(count)[:, None, None] + halves).reshape(-1, 3).astype(np.int32),
    )
