"""Builds walls from the rims of the ground's holes down to tunnel roofs that lie deeper."""

from collections.abc import Sequence

import numpy as np
import shapely
from scipy.spatial import cKDTree
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Floats, Integers32
from autosim.world.geometry.meshes import Mesh, Surface, boundary_edges, empty_mesh
from autosim.world.structures.deck_solids import Neighbour, roof_tops
from autosim.world.structures.decks import Deck

_AT_RIM = 0.06
"""Distance [m] from a hole's border within which an edge lies on it: cleaning moves it by 5 cm."""

_LEAST_DEPTH = 0.1
"""Height [m] of the lowest wall that is built; the walls of a tunnel cover a smaller gap."""

_INTO_ROOF = 0.3
"""Depth [m] by which a wall reaches into the roof, so that no slit remains between them."""

_NEAR_HOLE = 1.0
"""Distance [m] around a hole's box in which triangles may touch its rim."""


def rim_walls(ground: Mesh, holes: BaseGeometry, decks: Sequence[Deck], streets: Neighbour) -> Mesh:
    """Builds a concrete wall along each rim edge that lies above the roof under it.

    Args:
        ground: the ground with its holes.
        holes: the holes in plan.
        decks: bridges and tunnels.
        streets: the ground's carriageway; roofs lie lower under it.
    """
    tunnels = [deck for deck in decks if deck.sign < 0]
    if not tunnels or holes.is_empty:
        return empty_mesh()
    edges = boundary_edges(_near_holes(ground, holes))
    middles = shapely.points(ground.vertices[edges].mean(axis=1)[:, :2])
    edges = edges[shapely.distance(middles, holes.boundary) < _AT_RIM]
    if not len(edges):
        return empty_mesh()
    rim = ground.vertices[edges]
    roof = _nearest_roof(rim[:, :, :2].reshape(-1, 2), tunnels, streets).reshape(-1, 2)
    is_deep = (rim[:, :, 2] > roof + _LEAST_DEPTH).any(axis=1)
    high, low = rim[is_deep], rim[is_deep].copy()
    low[:, :, 2] = np.minimum(high[:, :, 2], roof[is_deep] - _INTO_ROOF)
    count = len(high)
    vertices = np.vstack([low[:, 0], low[:, 1], high[:, 1], high[:, 0]])
    a, b, c, d = (np.arange(count, dtype=np.int32) + np.int32(k * count) for k in range(4))
    # The ground lies on the left of its border, so the wall faces right, towards the hole.
    triangles = np.vstack([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    return Mesh(vertices, triangles, np.full(2 * count, Surface.CONCRETE, dtype=np.uint8))


def _nearest_roof(points: Floats, tunnels: Sequence[Deck], streets: Neighbour) -> Floats:
    """Heights (n,) [m] of the tunnels' roofs at the vertices nearest to points (n, 2)."""
    floors = [deck.floor.vertices[:, :2] for deck in tunnels]
    _, nearest = cKDTree(np.vstack(floors)).query(points)
    rows, which = np.unique(nearest, return_inverse=True)
    starts = np.cumsum([0, *map(len, floors)])
    of_each = np.split(rows, np.searchsorted(rows, starts[1:-1]))
    tops = [
        roof_tops(deck, streets, own - start)
        for deck, own, start in zip(tunnels, of_each, starts[:-1], strict=True)
        if len(own)
    ]
    return np.asarray(np.concatenate(tops)[which])


def _near_holes(ground: Mesh, holes: BaseGeometry) -> Integers32:
    """The triangles (n, 3) of the ground with a vertex near a hole.

    The selection opens edges of its own, but none of them lies at a rim.
    """
    boxes = shapely.bounds(shapely.get_parts(holes))
    is_near = np.zeros(len(ground.vertices), dtype=np.bool_)
    x, y = ground.vertices[:, :2].T
    for x_min, y_min, x_max, y_max in (boxes + _NEAR_HOLE * np.array([-1, -1, 1, 1])).tolist():
        is_near |= (x_min <= x) & (x <= x_max) & (y_min <= y) & (y <= y_max)
    return np.asarray(ground.triangles[is_near[ground.triangles].any(axis=1)])
