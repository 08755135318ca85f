"""Parked cars where the map has parking: along streets, on bays, and in rows on car parks."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import shapely

from autosim import portable
from autosim.arrays import Booleans, Bytes, Floats, Integers
from autosim.world.compiled.compiled_world import CAR, VAN, PropKind
from autosim.world.geometry import overlays
from autosim.world.osm.street_parking import is_car_park
from autosim.world.scenery.site import ROAD, Site
from autosim.world.surfaces.parking_strips import BayRows

_BAY, _DEPTH, _AISLE = 2.5, 5.0, 6.0
"""Width and depth [m] of a bay, and width [m] of the aisle between two rows: EAR 05."""

_TAKEN = 0.7
"""Share of the bays that are taken: as by day in a town."""

_VANS = 0.12
"""Share of vans among parked cars: that among those that drive."""

_CLEAR = 0.6
"""Distance [m] of a parked car from the edge of a lane."""

_WALL = 1.0
"""Distance [m] of its corners from buildings."""

_LONGEST, _SHORTEST, _NARROWEST = 8.0, 4.2, 1.9
"""Longest and shortest length and least width [m] of a mapped bay for a car: others are for lorries
or motorcycles, or slips of the map."""

_MOST = 3000
"""Number of parked cars at most: each is a solid of the physics."""

_ARC = 16
"""Number of segments of a quarter circle in the outline of a lane's room."""

_BESIDE_LANES = 0.05
"""Least distance [m] of a car in a bay along a street from the edge of the lanes: longer ones reach
over the kerb."""

_STEEPEST = 0.12
"""Greatest slope (ratio) along a car that parks beside a street: cars stand level, and their ends
would sink and hang."""

_ASKEW = 0.3
"""Angle [rad] of cars with a street from which on they are not parallel to it."""

_SQUARE = 1.3
"""Angle [rad] from which on cars go into a bay backwards, too: those in between need their bay and
a part of the next, so that the bays at both ends of a strip stay free."""


class ParkedCars(NamedTuple):
    """Parked cars: kinds (n,) of props, places (n, 2) [m] of their middles, yaws (n,) [rad]."""

    kinds: Bytes
    places: Floats
    yaws: Floats


def find_parked(site: Site) -> ParkedCars:
    """The parked cars of a world, each time the same."""
    lots, bays = _areas(site, "parking"), _areas(site, "parking_space")
    rows = [row for bay in bays for row in _in_bay(bay)]
    tree = shapely.STRtree(bays)
    for lot in lots:
        if not len(tree.query(lot, predicate="intersects")):
            rows += _in_rows(lot)
    found = np.array(rows, dtype=np.float64).reshape(-1, 3)[: 4 * _MOST]
    drawn = _hashed(found[:, :2])
    found = found[(drawn < _TAKEN) & _are_free(site, found)][:_MOST]
    drawn = _hashed(found[:, :2])
    yaws = found[:, 2] + np.where(_are_turned(drawn), np.pi, 0.0)
    along = _along_streets(site, most=_MOST - len(found))
    return ParkedCars(
        np.concatenate([_kinds(drawn), along.kinds]),
        np.vstack([found[:, :2], along.places]),
        np.concatenate([yaws, along.yaws]),
    )


def _along_streets(site: Site, *, most: int) -> ParkedCars:
    """Cars in bays along streets; those beside the lanes stand in the direction of traffic."""
    bays = site.bays.select(_are_level(site, site.bays))
    drawn = _hashed(bays.edges)
    is_askew = (bays.angles > _ASKEW) & (bays.angles < _SQUARE)
    chosen = np.flatnonzero((drawn < _TAKEN) & ~(is_askew & bays.ends()))[:most]
    taken, drawn = bays.select(chosen), drawn[chosen]
    kinds = _kinds(drawn)
    sizes = np.where((kinds == PropKind.PARKED_VAN)[:, None], VAN, CAR)
    sine, cosine = portable.sin_cos(taken.angles)
    half = 0.5 * (sizes[:, 0] * sine + sizes[:, 1] * cosine)
    aside = np.maximum(taken.depths / 2.0, half + _BESIDE_LANES)
    is_turned = (taken.angles >= _SQUARE) & _are_turned(drawn)
    return ParkedCars(
        kinds,
        taken.edges + aside[:, None] * taken.outwards,
        taken.yaws + np.where(is_turned, np.pi, 0.0),
    )


def _are_level(site: Site, bays: BayRows) -> Booleans:
    """Whether a car in each bay stands on ground that is nearly level along it."""
    sine, cosine = portable.sin_cos(bays.yaws)
    half = 0.5 * CAR[0] * np.column_stack([cosine, sine])
    middles = bays.corners.mean(axis=1)
    heights = site.ground.heights_at(np.concatenate([middles - half, middles + half]))
    behind, ahead = np.split(heights, 2)
    return np.asarray(np.abs(ahead - behind) <= _STEEPEST * CAR[0])


def _kinds(drawn: Floats) -> Bytes:
    is_van = (drawn * 256.0) % 1.0 < _VANS
    return np.where(is_van, PropKind.PARKED_VAN, PropKind.PARKED_CAR).astype(np.uint8)


def _are_turned(drawn: Floats) -> Booleans:
    """Mask of cars that stand with their front to the aisle, chosen at random."""
    return np.asarray((drawn * 16.0) % 1.0 < 0.3)


def _areas(site: Site, amenity: str) -> list[shapely.Polygon]:
    """The closed ways of an amenity that are sound."""
    found = []
    for way in site.data.ways:
        if way.tags.get("amenity") != amenity or not is_car_park(way.tags):
            continue
        if len(way.refs) > 3 and way.refs[0] == way.refs[-1]:
            outline = shapely.Polygon(site.points[site.data.rows(way.refs)])
            if outline.is_valid and outline.area > 0.0:
                found.append(outline)
    return found


def _rectangle(area: shapely.Polygon) -> tuple[Floats, Floats, Floats, float, float] | None:
    """Of the least rectangle about an area a corner, both directions (2,) and lengths [m]."""
    corners = shapely.get_coordinates(shapely.minimum_rotated_rectangle(area))
    if len(corners) < 4:
        return None
    sides = corners[1:3] - corners[:2]
    lengths = portable.hypot(sides[:, 0], sides[:, 1])
    if lengths.min() < _NARROWEST:
        return None
    along, across = (0, 1) if lengths[0] >= lengths[1] else (1, 0)
    ways = sides / lengths[:, None]
    # The second side begins at the second corner: from the first both lead into the rectangle.
    return corners[0], ways[along], ways[across], float(lengths[along]), float(lengths[across])


def _in_bay(bay: shapely.Polygon) -> Iterator[tuple[float, float, float]]:
    found = _rectangle(bay)
    if found is None:
        return
    _, along, _, length, width = found
    if _SHORTEST <= length <= _LONGEST and width >= _NARROWEST:
        middle = bay.centroid
        yield middle.x, middle.y, float(portable.arctan2(along[1], along[0]))


def _in_rows(lot: shapely.Polygon) -> list[tuple[float, float, float]]:
    """Bays (x, y, yaw) in rows along the longer side of a car park, with aisles between them."""
    found = _rectangle(lot)
    if found is None or found[4] < _DEPTH:
        return []
    corner, along, across, length, width = found
    yaw = float(portable.arctan2(across[1], across[0]))
    bays, depth, is_first = [], _DEPTH / 2.0, True
    while depth + _DEPTH / 2.0 <= width:
        for k in range(int(length / _BAY)):
            middle = corner + (k + 0.5) * _BAY * along + depth * across
            bays.append((float(middle[0]), float(middle[1]), yaw))
        depth += _DEPTH + (_AISLE if is_first else 0.0)
        is_first = not is_first
    boxes = _outlines(np.array(bays).reshape(-1, 3), CAR)
    inside = shapely.covered_by(boxes, lot)
    return [bay for bay, is_inside in zip(bays, inside.tolist(), strict=True) if is_inside]


def _outlines(rows: Floats, size: tuple[float, float, float]) -> npt.NDArray[np.object_]:
    """The outlines (n,) of cars at rows (x, y, yaw)."""
    signs = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    half = 0.5 * signs * np.array(size[:2])
    c, s = portable.cos(rows[:, 2])[:, None], portable.sin(rows[:, 2])[:, None]
    plan = np.stack([c * half[:, 0] - s * half[:, 1], s * half[:, 0] + c * half[:, 1]], axis=2)
    return np.asarray(shapely.polygons(plan + rows[:, None, :2]))


def _are_free(site: Site, rows: Floats) -> Booleans:
    """Whether cars at rows (x, y, yaw) stand inside the world, beside lanes and off buildings."""
    if not len(rows):
        return np.zeros(0, dtype=np.bool_)
    boxes = _outlines(rows, VAN)
    free = site.is_inside(rows[:, :2])
    free &= site.is_free(rows[:, :2], avoided=ROAD, clearance=0.8, walls=0.0)
    lanes = shapely.STRtree(_lanes_near(site, boxes))
    for tree, distance in ((lanes, 0.0), (shapely.STRtree(site.buildings), _WALL)):
        hit, _ = tree.query(boxes, predicate="dwithin", distance=distance)
        free[hit] = False
    return free


def _lanes_near(site: Site, boxes: npt.NDArray[np.object_]) -> npt.NDArray[np.object_]:
    """The room that vehicles need on the lanes that come near any of some boxes (n,)."""
    lanes = site.network.lanes
    lines = np.array([shapely.LineString(lane.centre_line[:, :2]) for lane in lanes], dtype=object)
    reaches = np.array([lane.width / 2.0 + _CLEAR for lane in lanes])
    near, _ = shapely.STRtree(boxes).query(lines, predicate="dwithin", distance=reaches)
    rows = np.unique(near)
    return np.asarray(overlays.buffer(lines[rows], reaches[rows], quad_segs=_ARC))


def _hashed(places: Floats) -> Floats:
    """Numbers (n,) from 0 to 1 that follow from places (n, 2) to the decimetre."""
    cells: Integers = np.floor(10.0 * places).astype(np.int64)
    mixed = (cells[:, 0] * 73856093) ^ (cells[:, 1] * 19349663)
    mixed = (mixed ^ (mixed >> 13)) * 1274126177
    return np.asarray(((mixed ^ (mixed >> 16)) & 0xFFFFF) / float(1 << 20))
