"""Doors and shop fronts: flat boxes on the walls of buildings, each on the ground before it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely
from scipy.spatial import cKDTree
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Booleans, Floats, Integers
from autosim.world.geometry.meshes import Mesh, Surface, joined
from autosim.world.osm.areas import find_areas
from autosim.world.osm.tags import Tags
from autosim.world.scenery.barriers import boxes
from autosim.world.scenery.site import Site

MOST_FRONTS = 3000
"""Number of doors and shop fronts at most; each costs physics memory, as trunks and posts do."""

_CATERING = frozenset(
    {
        "bank",
        "bar",
        "cafe",
        "fast_food",
        "ice_cream",
        "pharmacy",
        "post_office",
        "pub",
        "restaurant",
    }
)
"""Values of `amenity` that have a front like that of a shop."""

_NO_DOORS = frozenset({"no", "emergency", "garage", "fire_exit"})
"""Values of `entrance` that do not mark a door for people."""


@dataclass(frozen=True, slots=True)
class _Sizes:
    """Sizes of doors and shop fronts, chosen by eye from photographs of streets."""

    door: float = 1.1
    """Width [m] of a door with its frame."""

    shop: float = 3.6
    """Width [m] of a shop front; a narrower wall has a narrower one."""

    narrowest: float = 1.6
    """Width [m] of the narrowest shop front."""

    door_height: float = 2.2
    """Height [m] of a door with its frame."""

    shop_height: float = 2.5
    """Height [m] of a shop window, up to its awning."""

    awning: float = 0.35
    """Height [m] of the awning above a shop front, and how far it juts out: less than the clearance
    between walls and carriageways."""

    depth: float = 0.06
    """Distance [m] of doors and glass from the wall, enough for any depth buffer."""

    sunk: float = 0.15
    """Depth [m] to which they extend into the wall and below the ground, to show no gap."""

    corner: float = 0.25
    """Distance [m] that they keep from the corners of a wall."""

    reach: float = 12.0
    """Distance [m] from a mapped shop, which is drawn anywhere in its house, to its wall at
    most."""

    over: float = 0.3
    """Height [m] by which one may reach above a house: sheds are lower than doors."""

    free: float = 0.7
    """Distance [m] before a wall at which no other building may stand: people come out there."""


_SIZES = _Sizes()


@dataclass(frozen=True, slots=True)
class _Walls:
    """Straight walls (n,) from `starts` to `stops` (n, 2), outside on the right, of buildings."""

    starts: Floats
    stops: Floats
    of: Integers

    @property
    def lengths(self) -> Floats:
        """(n,) [m]."""
        return np.asarray(np.linalg.norm(self.stops - self.starts, axis=1))

    @property
    def along(self) -> Floats:
        """Unit vectors (n, 2)."""
        return np.asarray((self.stops - self.starts) / self.lengths[:, None])

    @property
    def outwards(self) -> Floats:
        """Unit vectors (n, 2)."""
        return self.along[:, ::-1] * (1.0, -1.0)

    def select(self, chosen: Booleans) -> "_Walls":
        """Some of the walls."""
        return _Walls(self.starts[chosen], self.stops[chosen], self.of[chosen])


@dataclass(frozen=True, slots=True)
class _Fronts:
    """Fronts (n,): the number of the wall, the middle along it [m], the width [m], if a shop's."""

    walls: Integers
    middles: Floats
    widths: Floats
    are_shops: Booleans


def is_front(tags: Tags) -> bool:
    """Whether a node is a shop, a restaurant or an entrance."""
    return is_shop(tags) or ("entrance" in tags and tags["entrance"] not in _NO_DOORS)


def front_mesh(site: Site, buildings: Sequence[BaseGeometry], tops: Floats) -> Mesh:
    """Shop fronts and doors where the map has them, and a door for each other building.

    Args:
        site: the world.
        buildings: outlines of those that stand on the ground.
        tops: (n,) height [m] in W of the top of each.
    """
    walls = _free_walls(buildings)
    nodes = [node for node in site.data.tagged_nodes if is_front(node.tags)]
    places = site.points[site.data.rows(tuple(node.id for node in nodes))].reshape(-1, 2)
    shops = np.array([is_shop(node.tags) for node in nodes], dtype=np.bool_)
    areas = _sides_to_streets(site)
    places, shops = np.vstack([places, areas]), np.append(shops, np.ones(len(areas), np.bool_))
    fronts = _mapped(walls, places, shops)
    others = _doors_to_streets(site, walls, np.unique(walls.of[fronts.walls]))
    both = _Fronts(
        *(
            np.concatenate([getattr(fronts, name), getattr(others, name)])[:MOST_FRONTS]
            for name in _Fronts.__dataclass_fields__
        )
    )
    return _boxes(site, walls, both, tops)


def is_shop(tags: Tags) -> bool:
    """Whether a node or an area is a shop or a restaurant that has a front."""
    return tags.get("shop", "vacant") not in ("vacant", "no") or tags.get("amenity") in _CATERING


def _sides_to_streets(site: Site) -> Floats:
    """Of each shop that the map has as an area the middle (n, 2) of the side nearest to a lane."""
    areas = find_areas(site.data, site.points, is_shop)
    if not areas or not len(site.network.points):
        return np.zeros((0, 2))
    rings, number = shapely.get_parts(
        shapely.get_exterior_ring(shapely.get_parts([area.shape for area in areas])),
        return_index=True,
    )
    points, of = shapely.get_coordinates(rings, return_index=True)
    is_side = of[:-1] == of[1:]
    middles, of = ((points[:-1] + points[1:]) / 2.0)[is_side], of[:-1][is_side]
    gaps = np.asarray(cKDTree(site.network.points[:, :2]).query(middles)[0])
    order = np.lexsort((np.arange(len(of)), gaps, number[of]))
    nearest = np.flatnonzero(np.diff(number[of][order], prepend=-1))
    return np.asarray(middles[order][nearest])


def _free_walls(buildings: Sequence[BaseGeometry]) -> _Walls:
    """The walls that are wide enough for a door and have no building before them."""
    shapes = np.array([shapely.orient_polygons(each) for each in buildings], dtype=object)
    rings, building = shapely.get_parts(shapely.get_exterior_ring(shapes), return_index=True)
    points, ring = shapely.get_coordinates(rings, return_index=True)
    is_wall = ring[:-1] == ring[1:]
    walls = _Walls(points[:-1][is_wall], points[1:][is_wall], building[ring[:-1][is_wall]])
    walls = walls.select(walls.lengths > _SIZES.door + 2.0 * _SIZES.corner)
    before = (walls.starts + walls.stops) / 2.0 + _SIZES.free * walls.outwards
    blocked, _ = shapely.STRtree(shapes).query(shapely.points(before), predicate="intersects")
    is_free = np.ones(len(before), dtype=np.bool_)
    is_free[blocked] = False
    return walls.select(is_free)


def _mapped(walls: _Walls, places: Floats, shops: Booleans) -> _Fronts:
    """The fronts of what is mapped at places (n, 2), none over another; shops come first."""
    lines = shapely.linestrings(np.stack([walls.starts, walls.stops], axis=1))
    tree = shapely.STRtree(np.atleast_1d(np.asarray(lines, dtype=object)))
    found, wall = tree.query_nearest(
        shapely.points(places), max_distance=_SIZES.reach, all_matches=False
    )
    order = np.lexsort((found, ~shops[found]))
    found, wall = found[order], wall[order]
    lengths = walls.lengths[wall]
    room = lengths - 2.0 * _SIZES.corner
    is_shop = shops[found] & (room >= _SIZES.narrowest)
    widths = np.where(is_shop, np.minimum(room, _SIZES.shop), _SIZES.door)
    at = np.sum((places[found] - walls.starts[wall]) * walls.along[wall], axis=1)
    least = _SIZES.corner + widths / 2.0
    middles = np.clip(at, least, np.maximum(lengths - least, least))
    kept = _apart(wall, middles, widths)
    return _Fronts(wall[kept], middles[kept], widths[kept], is_shop[kept])


def _apart(walls: Integers, middles: Floats, widths: Floats) -> npt.NDArray[np.int64]:
    """The numbers of fronts that do not overlap an earlier one on their wall."""
    taken: dict[int, list[tuple[float, float]]] = {}
    kept = []
    for number, (wall, middle, width) in enumerate(
        zip(walls.tolist(), middles.tolist(), widths.tolist(), strict=True)
    ):
        others = taken.setdefault(wall, [])
        if all(abs(middle - other) > (width + wide) / 2.0 for other, wide in others):
            others.append((middle, width))
            kept.append(number)
    return np.array(kept, dtype=np.int64)


def _doors_to_streets(site: Site, walls: _Walls, have_one: Integers) -> _Fronts:
    """A door for each building without one, in the middle of the wall nearest to a lane."""
    rows = np.flatnonzero(~np.isin(walls.of, have_one))
    if len(rows) and len(site.network.points):
        middles = (walls.starts + walls.stops)[rows] / 2.0
        gaps = np.asarray(cKDTree(site.network.points[:, :2]).query(middles)[0])
        order = np.lexsort((rows, gaps, walls.of[rows]))
        first = np.flatnonzero(np.diff(walls.of[rows][order], prepend=-1))
        rows = rows[order][first]
    widths = np.full(len(rows), _SIZES.door)
    return _Fronts(rows, walls.lengths[rows] / 2.0, widths, np.zeros(len(rows), np.bool_))


def _boxes(site: Site, walls: _Walls, fronts: _Fronts, tops: Floats) -> Mesh:
    """The fronts, each on the ground before it; on a slope some walls are too low for one."""
    along, outwards = walls.along[fronts.walls], walls.outwards[fronts.walls]
    middle = walls.starts[fronts.walls] + fronts.middles[:, None] * along
    half = fronts.widths[:, None] / 2.0 * along
    feet = [middle + side * half + _SIZES.free * outwards for side in (-1.0, 0.0, 1.0)]
    ground = site.ground.heights_at(np.concatenate(feet)).reshape(3, -1)
    is_inside = ~np.isnan(ground).any(axis=0) & site.is_inside(middle)
    low, base = ground.min(axis=0) - _SIZES.sunk, ground[1]
    heights = np.where(fronts.are_shops, _SIZES.shop_height + _SIZES.awning, _SIZES.door_height)
    is_inside &= base + heights < tops[walls.of[fronts.walls]] + _SIZES.over

    def part(surface: Surface, chosen: Booleans, z: tuple[Floats, Floats], depth: float) -> Mesh:
        rows = np.flatnonzero(chosen & is_inside)
        inner, outer = (middle + by * outwards for by in (-_SIZES.sunk, depth))
        corners = [inner + half, inner - half, outer - half, outer + half]
        plan = np.stack(corners, axis=1)[rows]
        bottom, top = (np.repeat(each[rows, None], 4, axis=1) for each in z)
        return boxes(plan, low=bottom, high=top, surface=surface)

    shops, eaves = fronts.are_shops, base + _SIZES.shop_height
    return joined(
        [
            part(Surface.DOOR, ~shops, (low, base + _SIZES.door_height), _SIZES.depth),
            part(Surface.SHOP_WINDOW, shops, (low, eaves), _SIZES.depth),
            part(Surface.AWNING, shops, (eaves, eaves + _SIZES.awning), _SIZES.awning),
        ]
    )
