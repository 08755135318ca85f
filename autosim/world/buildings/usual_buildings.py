"""Guesses what buildings are, and how many storeys they have, where the map does not state it.

Most buildings of OpenStreetMap are `building=yes` without a height. What they are is seen from
what is around them: stated storeys of neighbours, the share of the ground that is built on, the
street in front, the land use, and the part of the world.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Booleans, Floats, Integers
from autosim.world.osm.areas import Area
from autosim.world.osm.tags import Tags, parse_length, parse_number
from autosim.world.streets.street_finding import Street

_CELL, _ABOUT = 20.0, 2
"""Edge [m] of the squares in which built ground is counted, and the number of squares to each side
of that of a building that count: 100 m, about two blocks."""

_DENSE, _CLOSE = 0.24, 0.14
"""Share of the ground under buildings from which on a quarter has closed blocks, and from which on
houses are close: in the extracts 0.3 to 0.5 in inner towns, 0.05 to 0.13 in suburbs."""

_NEAR = 80.0
"""Distance [m] up to which stated storeys of neighbours count: those of the same block."""

_FEWEST = 3
"""Number of neighbours with stated storeys from which on their median counts."""

_ALIKE = 4.0
"""Greatest ratio between the areas of buildings that count as alike: no shed is like a block."""

_SHED, _SMALL, _NARROW, _HOUSE, _HALL = 38.0, 70.0, 180.0, 380.0, 1200.0
"""Areas [m²] up to which buildings are sheds and garages, bungalows, houses of old towns, and
houses, and from which on they are halls where no blocks are."""

_STREET = 30.0
"""Distance [m] from the middle of a building to its street: farther, it stands in a yard."""

_MAIN_STREETS = frozenset({"primary", "secondary", "tertiary", "trunk"})
"""Streets whose blocks are a storey higher."""

_MOST_STOREYS = 12
"""Number of storeys of guessed buildings at most."""

_STOREY = 3.0
"""Height [m] of a storey, by which stated heights are counted in storeys."""

_HOUSES = frozenset(
    {"house", "residential", "detached", "semidetached_house", "terrace", "bungalow", "farm"}
)
_BLOCKS = frozenset({"apartments", "residential", "office", "commercial", "hotel", "dormitory"})
_TRADE = frozenset({"industrial", "commercial", "retail", "railway", "port", "farmyard"})
"""Values of `landuse` where large buildings are halls."""

_OWN_SHAPES = ("man_made", "historic", "memorial", "military", "aeroway", "tower:type")
"""Keys of towers, monuments and the like, which differ from usual buildings."""


@dataclass(frozen=True, slots=True)
class _Region:
    """A part of the world: bounds [degrees], and storeys of its closed blocks."""

    south: float
    west: float
    north: float
    east: float
    storeys: int


_REGIONS = (
    _Region(49.8, -11.0, 61.0, 1.9, 3),  # the British Isles
    _Region(36.0, -10.0, 71.5, 40.0, 5),  # the continent of Europe
    _Region(41.0, 40.0, 70.0, 140.0, 5),  # northern Asia
    _Region(-11.0, 95.0, 41.0, 146.0, 6),  # eastern Asia
)
"""The first one that holds a place counts; elsewhere blocks have `_ELSEWHERE` storeys."""

_ELSEWHERE = 3
"""Storeys of closed blocks in other parts of the world."""

Strings = npt.NDArray[np.str_]


def with_usual_storeys(
    areas: Sequence[Area],
    *,
    streets: Sequence[Street],
    trade: Sequence[BaseGeometry],
    place: tuple[float, float],
) -> list[Area]:
    """The buildings with guessed `building` and `building:levels` where the map states neither.

    Parts of buildings, buildings with parts, churches and monuments stay as they are.

    Args:
        areas: buildings and their parts.
        streets: of the map.
        trade: areas [m] of industry and trade in W.
        place: latitude and longitude [degrees] of the map.
    """
    rows = np.flatnonzero(_is_guessed(areas))
    if not len(rows):
        return list(areas)
    shapes = np.array([each.shape for each in areas], dtype=object)
    sizes = shapely.area(shapes)
    middles = shapely.get_coordinates(shapely.centroid(shapes))
    share = _built_share(middles, sizes)[rows]
    site = _Site(
        kinds=np.array([areas[row].tags["building"] for row in rows.tolist()], dtype=np.str_),
        sizes=sizes[rows],
        share=share,
        chance=_scattered(np.array([areas[row].id for row in rows.tolist()])),
        is_trade=_is_within(middles[rows], trade),
        street=_street_storeys(middles[rows], streets),
    )
    kinds, storeys = _guesses(site, _block_storeys(place))
    known = _storeys_of_neighbours(areas, middles, sizes, rows)
    is_main = site.sizes > _SHED
    storeys = np.where(~np.isnan(known) & is_main, known, storeys).astype(np.int64)
    result = list(areas)
    for row, kind, count in zip(rows.tolist(), kinds.tolist(), storeys.tolist(), strict=True):
        tags = {**areas[row].tags, "building": kind, "building:levels": str(count)}
        result[row] = replace(areas[row], tags=tags)
    return result


@dataclass(frozen=True, slots=True)
class _Site:
    """Buildings whose storeys are guessed, and what is around them.

    Attributes:
        kinds: (n,) value of `building`.
        sizes: (n,) area [m²].
        share: (n,) share of the ground around that is built on.
        chance: (n,) a number in 0..1 that looks random.
        is_trade: (n,) whether it is in an area of industry or trade.
        street: (n,) storeys that its street adds.
    """

    kinds: Strings
    sizes: Floats
    share: Floats
    chance: Floats
    is_trade: Booleans
    street: Integers


def _is_guessed(areas: Sequence[Area]) -> Booleans:
    """Whether the storeys of each area (n,) are guessed."""
    is_plain = np.array([_lacks_storeys(area.tags) for area in areas], dtype=bool)
    parts = [area.shape for area in areas if "building:part" in area.tags]
    if parts and is_plain.any():
        rows = np.flatnonzero(is_plain)
        shapes = [areas[row].shape for row in rows.tolist()]
        points = shapely.point_on_surface(parts)
        found = shapely.STRtree(points).query(shapes, predicate="intersects")[0]
        is_plain[rows[np.unique(found)]] = False
    return is_plain


def _lacks_storeys(tags: Tags) -> bool:
    kind = tags.get("building", "")
    if kind != "yes" and kind not in _HOUSES and kind not in _BLOCKS:
        return False
    if "building:part" in tags or "height" in tags or "building:levels" in tags:
        return False
    return not any(key in tags for key in _OWN_SHAPES) and "religion" not in tags


def _guesses(site: _Site, block: int) -> tuple[Strings, Integers]:
    """The kinds and storeys of buildings where no neighbour's are stated."""
    is_open, is_dense = site.share < _CLOSE, site.share >= _DENSE
    is_block = np.isin(site.kinds, list(_BLOCKS))
    is_house = np.isin(site.kinds, list(_HOUSES)) & ~((site.kinds == "residential") & ~is_open)
    steps = np.floor(3.0 * site.chance).astype(np.int64) - 1
    close = np.clip((block + 1) // 2 + np.minimum(steps, 0), 2, None)
    tall = np.clip(block + site.street + steps, 2, None)
    tall = np.where(site.sizes < _NARROW, close, tall)
    low = np.where((site.chance < 0.45) & is_open | (site.sizes < _SMALL), 1, 2)
    is_hall = (site.sizes > _HALL) & is_open | (site.is_trade & (site.sizes > _HOUSE))
    conditions = [
        site.sizes < _SHED,
        is_house,
        is_hall & ~is_block,
        is_dense,
        is_block | (site.sizes > _HOUSE),
    ]
    storeys = np.select(conditions, [1, np.where(is_dense, close, low), 2, tall, close], low)
    guessed = np.select(
        conditions, ["yes", "house", "industrial", "apartments", "apartments"], "house"
    )
    kinds = np.where(site.kinds == "yes", guessed, site.kinds)
    return kinds.astype(np.str_), np.minimum(storeys, _MOST_STOREYS).astype(np.int64)


def _block_storeys(place: tuple[float, float]) -> int:
    """Storeys of closed blocks at a latitude and longitude [degrees]."""
    latitude, longitude = place
    for each in _REGIONS:
        if each.south <= latitude < each.north and each.west <= longitude < each.east:
            return each.storeys
    return _ELSEWHERE


def _built_share(middles: Floats, sizes: Floats) -> Floats:
    """The share (n,) of the ground about each building that is built on."""
    cells = np.floor(middles / _CELL).astype(np.int64)
    cells -= cells.min(axis=0) - _ABOUT
    counts = cells.max(axis=0) + _ABOUT + 1
    flat = cells[:, 0] * counts[1] + cells[:, 1]
    built, of = np.unique(flat, return_inverse=True)
    sums = np.bincount(of, weights=np.minimum(sizes, (2 * _ABOUT * _CELL) ** 2))
    about = np.zeros(len(built))
    for east in range(-_ABOUT, _ABOUT + 1):
        for north in range(-_ABOUT, _ABOUT + 1):
            wanted = built + east * counts[1] + north
            at = np.minimum(np.searchsorted(built, wanted), len(built) - 1)
            about += np.where(built[at] == wanted, sums[at], 0.0)
    width = (2 * _ABOUT + 1) * _CELL
    return np.asarray(about[of] / (width * width))


def _storeys_of_neighbours(
    areas: Sequence[Area], middles: Floats, sizes: Floats, rows: Integers
) -> Floats:
    """Median of the stated storeys of alike buildings near each of `rows`; NaN for too few."""
    stated = np.array([_stated_storeys(area.tags) for area in areas])
    known = np.flatnonzero(~np.isnan(stated))
    result = np.full(len(rows), np.nan)
    if not len(known):
        return result
    points = np.asarray(shapely.points(middles), dtype=object)
    of, found = shapely.STRtree(points[known]).query(
        points[rows], predicate="dwithin", distance=_NEAR
    )
    ratio = sizes[known[found]] / np.maximum(sizes[rows[of]], 1.0)
    is_alike = (ratio < _ALIKE) & (ratio > 1.0 / _ALIKE)
    of, values = of[is_alike], stated[known[found[is_alike]]]
    order = np.lexsort((values, of))
    of, values = of[order], values[order]
    counts = np.bincount(of, minlength=len(rows))
    starts = np.cumsum(counts) - counts
    enough = np.flatnonzero(counts >= _FEWEST)
    result[enough] = values[starts[enough] + (counts[enough] - 1) // 2]
    return result


def _stated_storeys(tags: Tags) -> float:
    """Number of storeys that a building of the map states; NaN where it states none."""
    if "building" not in tags:
        return np.nan
    levels = parse_number(tags.get("building:levels"))
    if levels is None:
        height = parse_length(tags.get("height"))
        levels = None if height is None else np.floor(height / _STOREY)
    return np.nan if levels is None else float(np.clip(np.floor(levels + 0.5), 1, _MOST_STOREYS))


def _is_within(middles: Floats, shapes: Sequence[BaseGeometry]) -> Booleans:
    """Whether each place (n, 2) is in one of the shapes."""
    inside = np.zeros(len(middles), dtype=bool)
    if len(shapes):
        found = shapely.STRtree(shapes).query(shapely.points(middles), predicate="within")[0]
        inside[found] = True
    return inside


def _street_storeys(middles: Floats, streets: Sequence[Street]) -> Integers:
    """Storeys (n,) that the nearest street adds: one more along main streets, one less in yards."""
    storeys = np.full(len(middles), -1, dtype=np.int64)
    axes = [street for street in streets if street.layer == 0 and len(street.points) > 1]
    if not axes:
        return storeys
    tree = shapely.STRtree([shapely.LineString(street.points) for street in axes])
    of, found = tree.query(shapely.points(middles), predicate="dwithin", distance=_STREET)
    storeys[of] = 0
    is_main = np.array([street.profile.highway in _MAIN_STREETS for street in axes])
    storeys[of[is_main[found]]] = 1
    return storeys


def _scattered(ids: Integers) -> Floats:
    """Numbers (n,) in 0..1 that look random and depend on the ids alone (Knuth's hash)."""
    mixed = np.abs(ids.astype(np.int64)) % 2**31 * 2654435761 % 2**32
    return np.asarray((mixed >> 8) / 2.0**24)


def is_trade(tags: Tags) -> bool:
    """Whether an area is one of industry or trade, whose large buildings are halls."""
    return tags.get("landuse") in _TRADE
