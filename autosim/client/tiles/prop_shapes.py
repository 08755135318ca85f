"""Small shapes of props, 1 m high, each once for near and once for far. Few triangles on purpose.

The foot is at the origin, the front along +x. Normals of crowns point out of the crown, so that
few faces look round.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.client.geometry.draw_mesh import DrawMesh, joined
from autosim.client.materials.palette import Colour
from autosim.client.materials.textures import PLAIN_PLACE
from autosim.world.compiled.compiled_world import CAR, HEDGE, VAN, PropKind

# Colours (sRGB and matness, 0..255), chosen by eye to go with those of ground and houses.
_BARK: Colour = (96, 76, 58, 255)  # colour of a trunk
_LEAVES: Colour = (130, 158, 80, 255)  # colour of a crown in the sun, above
_LEAVES_LOW: Colour = (98, 126, 64, 255)  # colour of a crown below, in its own shade
_LEAVES_INSIDE: Colour = (62, 84, 42, 255)  # colour between the parts of a crown, in deep shade
_NEEDLES: Colour = (66, 98, 60, 255)  # colour of a conifer
_STEEL: Colour = (92, 96, 98, 255)  # colour of posts and masts
_GLASS: Colour = (232, 230, 214, 200)  # colour of a lamp's glass, which reflects a little
_WOOD: Colour = (146, 104, 66, 255)  # colour of a bench's boards
PAINT: Colour = (255, 0, 255, 120)  # key of the paint, as in the models of traffic; it shines
GLAZING: Colour = (44, 50, 56, 90)  # colour of the windows of cars
_TYRE: Colour = (30, 30, 32, 255)  # colour of the rubber of wheels
_REAR: Colour = (140, 24, 24, 160)  # colour of rear lights that are off
_UV_SCALE = 2.2
"""Number of repetitions of the texture per metre and per turn: chosen by eye, so that leaves look
small."""

_LEAF_SCALE = 0.9
"""Number of repetitions of the texture per radian around a part of a crown: chosen by eye."""

_CLUMPS = (
    *(((0.0, 0.0, 0.83), 0.17), ((0.16, 0.05, 0.70), 0.18), ((-0.13, 0.12, 0.69), 0.17)),
    *(((-0.04, -0.17, 0.68), 0.18), ((0.20, 0.12, 0.51), 0.17), ((-0.20, -0.05, 0.53), 0.17)),
    *(((0.08, -0.20, 0.49), 0.15), ((-0.04, 0.20, 0.48), 0.15)),
)
"""Centre and radius of the parts of a crown, of a tree 1 m high: chosen by eye, as a lime."""

_CROWN_MIDDLE, _CROWN_RADII = np.array([0.0, 0.0, 0.62]), np.array([0.34, 0.34, 0.38])
"""Middle of a crown and its radii [m] for a tree 1 m high, by which its parts are lit: chosen
by eye, around `_CLUMPS`."""

_SEED = 7
"""Seed of the unevenness of crowns and hedges."""

_BOTH = (True, False)


Shapes = Mapping[tuple[PropKind, bool], DrawMesh]
"""The shapes of props by kind and whether they are near; none for what is too small from afar."""


def prop_shapes() -> Shapes:
    """All shapes."""
    shapes = {(kind, near): prop_shape(kind, is_near=near) for kind in PropKind for near in _BOTH}
    return {key: shape for key, shape in shapes.items() if shape is not None}


def prop_shape(kind: PropKind, *, is_near: bool) -> DrawMesh | None:
    """The shape of a kind of prop, 1 m high; None for what is too small to be seen from afar."""
    if kind is PropKind.BROADLEAF:
        return _broadleaf(is_near)
    if kind is PropKind.CONIFER:
        return _conifer(is_near)
    if kind is PropKind.LAMP:
        return _lamp(is_near)
    if kind is PropKind.PARKED_CAR:
        return parked_car_shape(is_near)
    if kind is PropKind.PARKED_VAN:
        return parked_van_shape(is_near)
    if kind is PropKind.HEDGE:
        return _hedge(is_near)
    return _bench() if is_near else None


def _broadleaf(is_near: bool) -> DrawMesh:
    if not is_near:
        return joined([_blob((0.0, 0.0, 0.62), (0.33, 0.33, 0.37)), _trunk(0.025, 0.3, 3)])
    crown = [_clump(number, centre, radius) for number, (centre, radius) in enumerate(_CLUMPS)]
    return joined([*crown, _trunk(0.027, 0.5, 5)])


def _clump(number: int, centre: tuple[float, float, float], radius: float) -> DrawMesh:
    """A part of a crown: uneven, lit as the whole crown is, and darker below and inside."""
    points, triangles = _icosahedron()
    generator = np.random.default_rng([_SEED, number])
    out = points * generator.uniform(0.72, 1.22, (len(points), 1)) * (1.0, 1.0, 0.9)
    corners = np.asarray(centre) + radius * out
    from_middle = (corners - _CROWN_MIDDLE) / _CROWN_RADII
    depth = np.linalg.norm(from_middle, axis=1, keepdims=True)
    share = np.clip(0.15 + 0.45 * from_middle[:, 2:] + 0.45 * depth, 0.0, 1.0)
    share *= generator.uniform(0.85, 1.0)
    colours = (1.0 - share) * np.array(_LEAVES_INSIDE) + share * np.array(_LEAVES)
    # Neighbouring clumps shade alike, as leaves in all directions do.
    mesh = _mesh(corners, 0.55 * points + 0.8 * from_middle, colours, triangles)
    # As far from the texture's middle as from the top along the surface: no stripes on the sides.
    from_top = np.arccos(np.clip(points[:, 2:], -1.0, 1.0))
    aside = points[:, :2] / np.maximum(np.linalg.norm(points[:, :2], axis=1, keepdims=True), 1e-9)
    places = from_top * aside + generator.random(2)
    return replace(mesh, uvs=(_LEAF_SCALE * places).astype(np.float32))


def _hedge(is_near: bool) -> DrawMesh:
    """A piece of a hedge, long across its front."""
    depth, length, height = (side / HEDGE[2] for side in HEDGE)
    if not is_near:
        return _box((0.0, 0.0, 0.5 * height), (depth, length, height), _LEAVES_LOW)
    count = 5
    generator = np.random.default_rng([_SEED, 99])
    half = np.array([(0.42, 0.0), (0.5, 0.5), (0.34, 0.88)])
    profile = np.vstack([half, half[::-1] * (-1.0, 1.0)])
    rows = []
    for y in np.linspace(-0.5, 0.5, count):
        bulge = generator.uniform(0.86, 1.12, (len(profile), 1))
        ring = profile * bulge * (depth, height)
        rows.append(np.column_stack([ring[:, 0], np.full(len(profile), y * length), ring[:, 1]]))
    points = np.vstack(rows)
    number = np.arange(count * len(profile)).reshape(count, -1)
    a, b = number[:-1, :-1].ravel(), number[:-1, 1:].ravel()
    c, d = number[1:, 1:].ravel(), number[1:, :-1].ravel()
    sides = np.vstack([np.column_stack([a, d, c]), np.column_stack([a, c, b])])
    fans = [
        np.column_stack([np.full(4, ring[0]), ring[1:-1], ring[2:]])[:, ::turn]
        for ring, turn in ((number[0], 1), (number[-1], -1))
    ]
    normals = np.column_stack([points[:, 0], 0.2 * points[:, 1], points[:, 2] - 0.35])
    share = np.clip(points[:, 2:], 0.0, 1.0)
    colours = (1.0 - share) * np.array(_LEAVES_INSIDE) + share * np.array(_LEAVES_LOW)
    mesh = _mesh(points, normals, colours, np.vstack([sides, *fans]))
    places = np.column_stack([points[:, 1], points[:, 2] + points[:, 0]])
    return replace(mesh, uvs=(0.5 * places).astype(np.float32))


def _conifer(is_near: bool) -> DrawMesh:
    if not is_near:
        return _cone(0.12, 1.0, 0.24, 5, _NEEDLES)
    tiers = ((0.14, 0.62, 0.25), (0.36, 0.82, 0.19), (0.60, 1.0, 0.13))
    return joined([*(_cone(*tier, 7, _NEEDLES) for tier in tiers), _trunk(0.025, 0.2, 5)])


def _lamp(is_near: bool) -> DrawMesh:
    if not is_near:
        return _trunk(0.012, 1.0, 3, _STEEL)
    return joined(
        [
            _trunk(0.013, 0.99, 5, _STEEL),
            _box((0.10, 0.0, 0.985), (0.22, 0.018, 0.014), _STEEL),
            _box((0.21, 0.0, 0.972), (0.11, 0.04, 0.014), _GLASS),
        ]
    )


def _bench() -> DrawMesh:
    return joined(
        [
            _box((0.05, 0.0, 0.50), (0.45, 1.9, 0.06), _WOOD),
            _box((-0.22, 0.0, 0.80), (0.06, 1.9, 0.36), _WOOD),
            _box((0.0, 0.7, 0.24), (0.45, 0.08, 0.48), _STEEL),
            _box((0.0, -0.7, 0.24), (0.45, 0.08, 0.48), _STEEL),
        ]
    )


def _blob(centre: Sequence[float], radii: Sequence[float]) -> DrawMesh:
    """An icosahedron stretched to `radii`, darker below."""
    points, triangles = _icosahedron()
    z = points[:, 2:]
    share = np.clip(0.5 + 0.7 * z, 0.0, 1.0)
    colours = (1.0 - share) * np.array(_LEAVES_LOW) + share * np.array(_LEAVES)
    stretched = points * np.asarray(radii)
    return _mesh(stretched + np.asarray(centre), points, colours, triangles)


def _icosahedron() -> tuple[Floats, Integers]:
    """Its corners (12, 3), a pole up, and faces (20, 3)."""
    k = np.arange(5)
    turn, height = 2.0 * np.pi * k / 5.0, 1.0 / np.sqrt(5.0)
    flat = 2.0 * height
    upper = np.column_stack([flat * np.cos(turn), flat * np.sin(turn), np.full(5, height)])
    turn = turn + np.pi / 5.0
    lower = np.column_stack([flat * np.cos(turn), flat * np.sin(turn), np.full(5, -height)])
    points = np.vstack([[0.0, 0.0, 1.0], upper, lower, [0.0, 0.0, -1.0]])
    following = (k + 1) % 5
    faces = [
        np.column_stack([0 * k, 1 + k, 1 + following]),
        np.column_stack([1 + k, 6 + k, 1 + following]),
        np.column_stack([1 + following, 6 + k, 6 + following]),
        np.column_stack([6 + k, 11 + 0 * k, 6 + following]),
    ]
    return points, np.vstack(faces)


def _cone(low: float, high: float, radius: float, segments: int, colour: Colour) -> DrawMesh:
    angles = 2.0 * np.pi * np.arange(segments) / segments
    out = np.column_stack([np.cos(angles), np.sin(angles), np.full(segments, 0.4)])
    rim = np.column_stack([radius * out[:, 0], radius * out[:, 1], np.full(segments, low)])
    points = np.vstack([rim, [[0.0, 0.0, high]]])
    normals = np.vstack([out, [[0.0, 0.0, 1.0]]])
    k = np.arange(segments)
    following = (k + 1) % segments
    sides = np.column_stack([k, following, np.full(segments, segments)])
    under = np.column_stack([0 * k[2:], k[2:], k[1:-1]])
    colours = np.vstack([np.tile(0.8 * np.array(colour), (segments, 1)), [colour]])
    colours[:, 3] = 255
    return _mesh(points, normals, colours, np.vstack([sides, under]))


def parked_car_shape(is_near: bool) -> DrawMesh:
    """A car of 4.5 m by 1.8 m by 1.5 m, whose paint is that of each instance."""
    length, width, height = CAR
    body = [
        _box((0.0, 0.0, 0.56), (length, width, 0.56), PAINT),
        _cabin((-0.25, 0.78), (2.9, width - 0.06), (1.7, width - 0.4), height - 0.84, GLAZING),
        _box((-0.25, 0.0, height - 0.03), (1.7, width - 0.4, 0.06), PAINT),
    ]
    return _as_one_metre(body, length, width, height, is_near)


def parked_van_shape(is_near: bool) -> DrawMesh:
    """A van of 5.2 m by 2 m by 2.2 m."""
    length, width, height = VAN
    body = [
        _box((-0.5, 0.0, 1.24), (length - 1.0, width, height - 0.28), PAINT),
        _box((length / 2.0 - 0.5, 0.0, 0.7), (1.0, width, 0.85), PAINT),
        _cabin((1.75, 1.1), (1.2, width - 0.1), (0.5, width - 0.2), 0.9, GLAZING),
    ]
    return _as_one_metre(body, length, width, height, is_near)


def _as_one_metre(
    body: list[DrawMesh], length: float, width: float, height: float, is_near: bool
) -> DrawMesh:
    """A vehicle with wheels and lights, scaled to a height of 1 m."""
    if is_near:
        for x in (-0.29 * length, 0.3 * length):
            body.append(_box((x, 0.0, 0.32), (0.64, width - 0.06, 0.64), _TYRE))
            body.append(_box((x, 0.0, 0.32), (0.34, width - 0.02, 0.34), _STEEL))
        body.append(_box((length / 2.0, 0.0, 0.66), (0.06, width - 0.3, 0.14), _GLASS))
        body.append(_box((-length / 2.0, 0.0, 0.7), (0.06, width - 0.3, 0.14), _REAR))
    whole = joined(body)
    return replace(whole, vertices=(whole.vertices / height).astype(np.float32))


def _cabin(
    foot: tuple[float, float],
    below: tuple[float, float],
    above: tuple[float, float],
    height: float,
    colour: Colour,
) -> DrawMesh:
    """A box that narrows upwards: foot (x, z), length and width below and above, height [m]."""
    box = _box((0.0, 0.0, 0.5), (1.0, 1.0, 1.0), colour)
    share = box.vertices[:, 2:3]
    sizes = (1.0 - share) * np.array(below) + share * np.array(above)
    points = np.column_stack([box.vertices[:, :2] * sizes, share * height])
    points += np.array([foot[0], 0.0, foot[1]])
    return replace(box, vertices=points.astype(np.float32))


def _trunk(radius: float, height: float, segments: int, colour: Colour = _BARK) -> DrawMesh:
    angles = 2.0 * np.pi * np.arange(segments) / segments
    out = np.column_stack([np.cos(angles), np.sin(angles), 0.0 * angles])
    bottom = radius * out
    top = 0.7 * radius * out + np.array([0.0, 0.0, height])
    k = np.arange(segments)
    following = (k + 1) % segments
    sides = np.vstack(
        [
            np.column_stack([k, following, following + segments]),
            np.column_stack([k, following + segments, k + segments]),
        ]
    )
    colours = np.tile(np.array(colour, dtype=np.float64), (2 * segments, 1))
    return _plain(_mesh(np.vstack([bottom, top]), np.vstack([out, out]), colours, sides))


def _plain(mesh: DrawMesh) -> DrawMesh:
    """A mesh in the corner of the texture that is without leaves."""
    return replace(mesh, uvs=np.full_like(mesh.uvs, PLAIN_PLACE))


def _box(centre: Sequence[float], size: Sequence[float], colour: Colour) -> DrawMesh:
    points, normals = [], []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            normal = np.zeros(3)
            normal[axis] = sign
            first, second = np.eye(3)[(axis + 1) % 3], sign * np.eye(3)[(axis + 2) % 3]
            for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                points.append(normal + a * first + b * second)
                normals.append(normal)
    corners = np.array(points) * np.asarray(size) / 2.0 + np.asarray(centre)
    halves = np.array([[0, 1, 2], [0, 2, 3]])
    faces = (4 * np.arange(6)[:, None, None] + halves).reshape(-1, 3)
    colours = np.tile(np.array(colour, dtype=np.float64), (24, 1))
    return _plain(_mesh(corners, np.array(normals), colours, faces))


def _mesh(points: Floats, normals: Floats, colours: Floats, triangles: Integers) -> DrawMesh:
    lengths = np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
    turns = np.arctan2(points[:, 1], points[:, 0]) / np.pi
    return DrawMesh(
        vertices=points.astype(np.float32),
        normals=(normals / lengths).astype(np.float32),
        colours=np.clip(colours, 0, 255).astype(np.uint8),
        uvs=(_UV_SCALE * np.column_stack([turns, points[:, 2]])).astype(np.float32),
        triangles=triangles.astype(np.int32),
    )
