"""Houses beyond a map that is built up to its border: boxes with roofs, seen from afar."""

import numpy as np
import numpy.typing as npt

from autosim.arrays import Booleans, Floats, Integers
from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.tiles.beyond.map_border import SAMPLES, Bounds, MapBorder
from autosim.client.tiles.building_meshes import building_meshes
from autosim.world.geometry.meshes import Mesh, Surface

_DEPTH = 230.0
"""Distance [m] from the border within which the buildings of the map count."""

_WIDTH = 450.0
"""Length [m] of the border over which their share of the ground is a mean."""

_LOCAL = 0.6
"""Share with which the border next to a place counts; the rest is the mean of the whole border, as
a town has parks, but no side without houses."""

_ROWS = (50.0, 84.0, 124.0, 170.0, 224.0, 288.0, 364.0, 455.0)
"""Distances [m] of the rows of houses from the border: farther away haze hides them."""

_SPACING = 27.0
"""Distance [m] of houses along the border."""

_LEAST = 0.025
"""Share of built ground from which on there are houses beyond the border: more than a farm."""

_BLOCKS_FROM = 0.06
"""Share of built ground from which on there are blocks rather than single houses."""

_CHANCE = 9.0
"""Ratio of the share of lots with a house to that of built ground: maps are less built up at their
border than within, since extracts end there."""

_FADE = 620.0
"""Distance [m] from the border at which no houses are left."""

_BLOCK, _HOUSE = (23.0, 13.0), (11.5, 9.0)
"""Length and width [m] of blocks and of single houses."""

_HOUSE_HEIGHT = 4.5
"""Height [m] of the eaves of single houses, with one storey and a loft."""

_PITCH = 0.38
"""Rise of a roof as a ratio to the width of its house."""

_STREET_CLEARANCE = 28.0
"""Distance [m] of the middle of a house from the streets that run on."""

_SUNK = 4.0
"""Depth [m] of walls below the ground, whose height between the rings is not exactly known."""


def houses_beyond(
    buildings: Mesh,
    border: MapBorder,
    streets: Floats,
    generator: np.random.Generator,
) -> dict[Surface, DrawMesh]:
    """Walls and roofs beyond a map, with class labels; empty where its border is not built up.

    Args:
        buildings: those of the map, in W.
        border: of the map.
        streets: (n, 2) [m] points of the streets that run on beyond it.
        generator: chooses lots, sizes and directions.
    """
    share, heights = _built(buildings, border)
    if share.max(initial=0.0) < _LEAST:
        return {}
    along = max(int(border.perimeter / _SPACING), 4)
    lots = (np.arange(along) + 0.5) * (4.0 / along)
    rows = np.repeat(np.array(_ROWS), along)
    places: Floats = np.tile(lots, len(_ROWS)) + generator.uniform(-0.2, 0.2, len(rows)) * (
        4.0 / along
    )
    places = np.mod(places, 4.0).astype(np.float64)
    distances = rows + generator.uniform(-5.0, 5.0, len(rows))
    samples = np.minimum((places * (SAMPLES / 4.0)).astype(np.int64), SAMPLES - 1)
    dense = share[samples]
    chance = np.clip(_CHANCE * dense, 0.0, 0.9) * (1.0 - distances / _FADE)
    is_dry = border.share(border.is_wet, 120.0)[samples] < 0.1
    middles = border.points(places, distances)
    is_there = (generator.random(len(rows)) < chance) & (dense >= _LEAST) & is_dry
    is_there &= _is_free(middles, streets)
    if not is_there.any():
        return {}
    rows_there = np.flatnonzero(is_there)
    is_block = dense[rows_there] >= _BLOCKS_FROM
    ground = border.heights_at(places[rows_there], 100.0)
    tall = heights[samples[rows_there]] * generator.uniform(0.8, 1.2, len(rows_there))
    tall = np.where(is_block, np.clip(tall, 6.0, 24.0), _HOUSE_HEIGHT)
    sizes = np.where(is_block[:, None], _BLOCK, _HOUSE)
    sizes = sizes * generator.uniform(0.85, 1.15, (len(rows_there), 1))
    turned = 0.5 * np.pi * np.floor(places[rows_there]) + generator.normal(
        0.0, 0.12, len(rows_there)
    )
    mesh = _boxes(middles[rows_there], ground, tall, sizes, turned)
    return {Surface(surface): drawn for surface, drawn in building_meshes(mesh).items()}


def _is_free(middles: Floats, streets: Floats) -> Booleans:
    """Whether places (n, 2) [m] are clear of the streets that run on."""
    is_free = np.ones(len(middles), dtype=np.bool_)
    for x, y in streets:
        is_free &= np.hypot(middles[:, 0] - x, middles[:, 1] - y) > _STREET_CLEARANCE
    return is_free


def _built(buildings: Mesh, border: MapBorder) -> tuple[Floats, Floats]:
    """Around the border (SAMPLES,), the share of built ground and the height of roofs [m]."""
    corners = buildings.vertices[buildings.triangles]
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    area = 0.5 * (first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0])
    middles = corners.mean(axis=1)
    places, distances = _nearest_border(middles[:, :2], border.bounds)
    is_roof = (area > 0.1) & (distances < _DEPTH) & (distances > 0.0)
    rows = np.minimum((places[is_roof] * (SAMPLES / 4.0)).astype(np.int64), SAMPLES - 1)
    own = area[is_roof]
    above = middles[is_roof, 2] - border.heights_at(places[is_roof], 50.0)
    areas = _around(np.bincount(rows, own, SAMPLES), border)
    lifted = _around(np.bincount(rows, own * np.clip(above, 0.0, 40.0), SAMPLES), border)
    ground = border.perimeter / SAMPLES * _DEPTH
    return areas / ground, lifted / np.maximum(areas, 1e-9)


def _around(values: npt.NDArray[np.generic], border: MapBorder) -> Floats:
    """Sums of samples as means: of those near each (SAMPLES,), with the share of the whole."""
    width = max(int(_WIDTH / border.perimeter * SAMPLES), 1)
    near = _mean_around(values.astype(np.float64), width)
    return np.asarray(_LOCAL * near + (1.0 - _LOCAL) * float(near.mean()))


def _mean_around(values: Floats, width: int) -> Floats:
    """Means of `width` values about each of a ring (n,)."""
    ring = np.concatenate([values[-width:], values, values[:width]])
    means = np.convolve(ring, np.full(width, 1.0 / width), mode="same")
    return np.asarray(means[width:-width])


def _nearest_border(points: Floats, bounds: Bounds) -> tuple[Floats, Floats]:
    """The places on the border (n,) next to points (n, 2) [m], and their distances [m] from it."""
    x_min, y_min, x_max, y_max = bounds
    x, y = points.T
    distances = np.stack([y - y_min, x_max - x, y_max - y, x - x_min])
    side = distances.argmin(axis=0)
    right, up = (x - x_min) / (x_max - x_min), (y - y_min) / (y_max - y_min)
    shares = np.stack([right, up, 1.0 - right, 1.0 - up])
    rows = np.arange(len(points))
    share = np.clip(shares[side, rows], 0.0, 1.0 - 1e-9)
    return np.asarray(side + share), np.asarray(distances[side, rows])


_CORNERS = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
"""Corners (4, 2) of a house as shares of its length and width, counter-clockwise from above."""

_WALLS = ((0, 1, 5), (0, 5, 4), (2, 3, 7), (2, 7, 6), (1, 2, 6), (1, 6, 5), (3, 0, 4), (3, 4, 7))
"""Numbers of the corners of walls: 0 to 3 are at the foot, 4 to 7 at the eaves."""

_GABLES = ((5, 6, 9), (7, 4, 8))
"""Numbers of the corners of gables, of which 8 and 9 are the ends of the ridge."""

_ROOFS = ((4, 5, 9), (4, 9, 8), (6, 7, 8), (6, 8, 9))
"""Numbers of the corners of the two slopes of a roof."""


def _boxes(middles: Floats, ground: Floats, heights: Floats, sizes: Floats, yaws: Floats) -> Mesh:
    """Houses with gables: middles (n, 2), heights (n,) of ground and eaves, sizes (n, 2) [m]."""
    count = len(middles)
    c, s = np.cos(yaws)[:, None], np.sin(yaws)[:, None]
    ridge = np.array([(-0.5, 0.0), (0.5, 0.0)])
    flat = np.concatenate([_CORNERS, _CORNERS, ridge])[None] * sizes[:, None]
    x = middles[:, :1] + flat[..., 0] * c - flat[..., 1] * s
    y = middles[:, 1:] + flat[..., 0] * s + flat[..., 1] * c
    eaves = ground + heights
    top = eaves + _PITCH * sizes[:, 1]
    z = np.concatenate(
        [np.repeat((ground - _SUNK)[:, None], 4, 1), np.repeat(eaves[:, None], 4, 1)], axis=1
    )
    z = np.concatenate([z, np.repeat(top[:, None], 2, 1)], axis=1)
    vertices = np.stack([x, y, z], axis=2).reshape(-1, 3)
    faces: Integers = np.array((*_WALLS, *_GABLES, *_ROOFS), dtype=np.int64)
    triangles = (faces[None] + 10 * np.arange(count)[:, None, None]).reshape(-1, 3)
    walls = len(_WALLS) + len(_GABLES)
    own = np.repeat([Surface.WALL, Surface.ROOF], [walls, len(_ROOFS)]).astype(np.uint8)
    return Mesh(vertices, triangles.astype(np.int32), np.tile(own, count))
