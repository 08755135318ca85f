"""Woods beyond the map: crowns from afar, as low round hills of leaves."""

from collections.abc import Sequence

import numpy as np

from autosim.arrays import Booleans, Bytes, Floats, Integers
from autosim.client.geometry.draw_mesh import DrawMesh, joined
from autosim.client.materials.surface_meshes import face_normals, normalised

FIRST_RING_OF_WOODS = 3
"""Number of the first ring of the surroundings with woods: nearer, single trees would be missed."""

_SHARE = 0.45
"""Share of the cells with a wood: chosen by eye, so that the horizon is seldom a bare line."""

_CORNERS = 14
"""Number of corners of a wood."""

_HEIGHTS = (9.0, 16.0)
"""Least and greatest height [m] of a wood's edge."""

_WOOD_COLOURS = np.array([(70, 96, 50, 255), (78, 104, 54, 255), (60, 86, 48, 255)], dtype=np.uint8)
"""Colours (sRGB and matness) of woods: chosen by eye."""

_TEXTURE_METRES = 9.0
"""Width [m] that one repetition of the leaves covers."""


def woods_in(
    rings: Sequence[tuple[Floats, Floats]],
    *,
    cell_lengths: Sequence[float],
    perimeter: float,
    is_dry: Booleans,
    generator: np.random.Generator,
) -> DrawMesh | None:
    """Woods in some of the cells between rings; None where there are none.

    Args:
        rings: of each ring the places (n,) on the border, 0 to 4, and the points (n, 3) [m] in W.
        cell_lengths: length [m] of cells along each ring.
        perimeter: length [m] of the map's border.
        is_dry: (samples,) whether there is land, around the border.
        generator: chooses the cells and shapes.
    """
    meshes = []
    for number in range(FIRST_RING_OF_WOODS, len(rings) - 2):
        cells = max(int(perimeter / cell_lengths[number + 1]), 4)
        middles = (np.arange(cells) + 0.5) * (4.0 / cells)
        has_wood = generator.random(cells) < _SHARE
        samples = np.minimum((middles * (len(is_dry) / 4.0)).astype(np.int64), len(is_dry) - 1)
        for middle in middles[has_wood & is_dry[samples]].tolist():
            inner, outer = (_at(ring, middle) for ring in rings[number : number + 2])
            meshes.append(_wood(inner, outer, 0.42 * cell_lengths[number + 1], generator))
    return joined(meshes) if meshes else None


def _at(ring: tuple[Floats, Floats], place: float) -> Floats:
    """The point (3,) [m] of a ring at a place on the border."""
    places, points = ring
    return np.array([np.interp(place, places, points[:, axis]) for axis in range(3)])


def _wood(inner: Floats, outer: Floats, half: float, generator: np.random.Generator) -> DrawMesh:
    """A wood between the points `inner` and `outer` (3,), `half` [m] as long as its cell."""
    centre, out = 0.5 * (inner + outer), 0.4 * (outer - inner)
    side = np.array([-out[1], out[0], 0.0])
    side *= half / max(float(np.hypot(*side[:2])), 1e-9)
    angles = np.arange(_CORNERS) * (2.0 * np.pi / _CORNERS)
    spread = generator.uniform(0.6, 1.0, (_CORNERS, 1))
    edge = spread * (np.cos(angles)[:, None] * out + np.sin(angles)[:, None] * side)
    tops = generator.uniform(*_HEIGHTS, _CORNERS)
    up = np.array([0.0, 0.0, 1.0])
    foot = centre + edge - 2.0 * up
    low = centre + edge * 0.97 + 0.6 * tops[:, None] * up
    high = centre + edge * 0.85 + tops[:, None] * up
    roof = centre + up * float(tops.mean() * 1.1)
    points = np.vstack([foot, low, high, roof])
    k = np.arange(_CORNERS)
    following = (k + 1) % _CORNERS
    triangles = [
        np.column_stack([k + 2 * _CORNERS, following + 2 * _CORNERS, 0 * k + 3 * _CORNERS])
    ]
    for level in (0, _CORNERS):
        a, b, c, d = (
            k + level,
            following + level,
            following + level + _CORNERS,
            k + level + _CORNERS,
        )
        triangles += [np.column_stack([a, b, c]), np.column_stack([a, c, d])]
    colour = _WOOD_COLOURS[int(generator.integers(len(_WOOD_COLOURS)))]
    return _shaded(points, np.vstack(triangles), colour, generator)


def _shaded(
    points: Floats, triangles: Integers, colour: Bytes, generator: np.random.Generator
) -> DrawMesh:
    """The faces of a wood with smooth normals, darker at its foot."""
    faces = normalised(face_normals(points, triangles.astype(np.int32)))
    sums = np.zeros((len(points), 3))
    np.add.at(sums, triangles.ravel(), np.repeat(faces, 3, axis=0))
    shades = np.repeat([0.55, 0.85, 1.0], _CORNERS)
    shades = np.append(shades, 1.0) * generator.uniform(0.9, 1.1, len(points))
    colours = np.tile(colour.astype(np.float64), (len(points), 1))
    colours[:, :3] *= shades[:, None]
    along = points[:, 0] + points[:, 1]
    return DrawMesh(
        vertices=points.astype(np.float32),
        normals=normalised(sums).astype(np.float32),
        colours=np.clip(colours, 0, 255).astype(np.uint8),
        uvs=(np.column_stack([along, points[:, 2] * 2.0]) / _TEXTURE_METRES).astype(np.float32),
        triangles=triangles.astype(np.int32),
    )
