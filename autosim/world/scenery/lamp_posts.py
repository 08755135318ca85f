"""Sets up street lamps: those of the map, and others along streets that are lit without any."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import shapely
from scipy.spatial import cKDTree

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers
from autosim.world.osm.osm_data import OsmNode, OsmWay
from autosim.world.osm.tags import Tags, parse_length
from autosim.world.scenery.site import ROAD, Site

_SPACING = 30.0
"""Distance [m] along a street from one lamp to the next: five times their height, as is usual."""

_SHORT = 10.0
"""Length [m] of a way below which its neighbours light it."""

_APART = 16.0
"""Least distance [m] between a guessed lamp and any other: streets cross, and have two ways."""

_MAPPED_APART = 27.0
"""Least distance [m] of a guessed lamp from one of the map, which lights this place."""

_HEIGHT, _HIGH = 6.5, 8.5
"""Height [m] of a lamp without a stated one, and of a guessed one along a main road."""

_LOWEST, _HIGHEST = 3.0, 14.0
"""Least and greatest height [m] of a lamp; a stated number beyond is a slip of the map."""

_ASIDE = np.arange(1.5, 16.0, 0.5)
"""Distances [m] from the middle of a street at which room for a lamp is looked for."""

_CLEARANCE, _WALLS = 0.4, 0.3
"""Distance [m] that guessed lamps keep from carriageways and from buildings."""

_HOUSES = 30.0
"""Distance [m] within which houses make a street a lit one, where the map does not say."""

_MOST = 4000
"""Number of guessed lamps at most, so that a client draws them at a good rate."""

_LIT = frozenset({"yes", "24/7", "automatic", "sunset-sunrise", "dusk-dawn"})
_MAIN = frozenset({"trunk", "primary", "secondary"})
_IN_TOWNS = _MAIN | {"tertiary", "residential", "living_street", "pedestrian"}
_STREETS = (
    _IN_TOWNS
    | {"unclassified", "motorway", "service", "motorway_link", "trunk_link"}
    | {
        "primary_link",
        "secondary_link",
        "tertiary_link",
    }
)


_MOST_NODES = 2000
"""Largest number of nodes of a line that is sampled: each sample costs a walk along the line. It is
that of a way of OpenStreetMap."""


@dataclass(frozen=True, slots=True)
class LampPosts:
    """Lamps: `places` (n, 2) [m], `heights` (n,) [m]. The first `mapped` are nodes of the map."""

    places: Floats
    heights: Floats
    mapped: int


def place_lamp_posts(site: Site, nodes: list[OsmNode], places: Floats) -> LampPosts:
    """The lamps of the map at `places` (n, 2) [m], and those that lit streets have besides.

    The same map gives the same lamps.
    """
    heights = [parse_length(node.tags.get("height")) or _HEIGHT for node in nodes]
    mapped = np.clip(np.array(heights, dtype=np.float64), _LOWEST, _HIGHEST)
    guessed, guessed_heights = _guessed(site, places)
    return LampPosts(
        places=np.vstack([places, guessed]),
        heights=np.concatenate([mapped, guessed_heights]),
        mapped=len(places),
    )


def _guessed(site: Site, mapped: Floats) -> tuple[Floats, Floats]:
    places, heights = _along_streets(site)
    if len(mapped) and len(places):
        is_dark = cKDTree(mapped).query(places)[0] > _MAPPED_APART
        places, heights = places[is_dark], heights[is_dark]
    kept = _apart(places)[:_MOST]
    return places[kept], heights[kept]


def _along_streets(site: Site) -> tuple[Floats, Floats]:
    """Places and heights of lamps beside lit streets, to the right and left of each in turn."""
    ways = [way for way in site.data.ways if len(way.refs) > 1 and _may_be_lit(way.tags)]
    if not ways:
        return np.zeros((0, 2)), np.zeros(0)
    ways = [piece for way in ways for piece in _short_pieces(way)]
    middles, sideways, of = _samples(site, ways)
    is_lit = np.array([way.tags.get("lit") in _LIT for way in ways])[of]
    is_lit[~is_lit] = _has_neighbours(shapely.STRtree(site.buildings), middles[~is_lit])
    middles, sideways, of = middles[is_lit], sideways[is_lit], of[is_lit]
    places, has_room = _beside(site, middles, sideways)
    is_main = np.array([way.tags["highway"] in _MAIN for way in ways])[of[has_room]]
    return places, np.where(is_main, _HIGH, _HEIGHT)


def _may_be_lit(tags: Tags) -> bool:
    """Whether a way is a street that the map calls lit, or that houses beside it may make so."""
    lit = tags.get("lit", "")
    return _is_street(tags) and (lit in _LIT or (not lit and tags["highway"] in _IN_TOWNS))


def _is_street(tags: Tags) -> bool:
    is_raised = tags.get("bridge", "no") != "no" or tags.get("tunnel", "no") != "no"
    return tags.get("highway") in _STREETS and not is_raised


def _short_pieces(way: OsmWay) -> list[OsmWay]:
    """A way in pieces of at most `_MOST_NODES` nodes, each of which begins where one ends."""
    starts = range(0, max(len(way.refs) - 1, 1), _MOST_NODES - 1)
    return [replace(way, refs=way.refs[start : start + _MOST_NODES]) for start in starts]


def _samples(site: Site, ways: Sequence[OsmWay]) -> tuple[Floats, Floats, Integers]:
    """Places (n, 2) on streets, unit vectors (n, 2) to their right and left in turn, and rows (n,).

    A row is that of the way on which the place is.
    """
    sizes = [len(way.refs) for way in ways]
    points = site.points[site.data.rows(tuple(ref for way in ways for ref in way.refs))]
    rows = np.repeat(np.arange(len(ways)), sizes)
    lines = np.asarray(shapely.linestrings(points, indices=rows))
    lengths = shapely.length(lines)
    counts = np.maximum(np.rint(lengths / _SPACING), lengths > _SHORT).astype(np.int64)
    of = np.repeat(np.arange(len(ways)), counts)
    numbers = np.arange(len(of)) - (np.cumsum(counts) - counts)[of]
    at = (numbers + 0.5) * (lengths / np.maximum(counts, 1))[of]
    middles = shapely.get_coordinates(shapely.line_interpolate_point(lines[of], at))
    ahead = shapely.get_coordinates(shapely.line_interpolate_point(lines[of], at + 0.5))
    along = ahead - middles
    along /= np.maximum(portable.hypot(along[:, :1], along[:, 1:]), 1e-9)
    ids = np.array([way.id for way in ways])
    side = np.where((numbers + ids[of]) % 2 == 0, 1.0, -1.0)[:, None]
    sideways = side * np.column_stack([along[:, 1], -along[:, 0]])
    inside = site.is_inside(middles)
    return middles[inside], sideways[inside], of[inside]


def _has_neighbours(houses: shapely.STRtree, places: Floats) -> Booleans:
    rows, _ = houses.query(shapely.points(places), predicate="dwithin", distance=_HOUSES)
    has = np.zeros(len(places), dtype=np.bool_)
    has[rows] = True
    return has


def _beside(site: Site, middles: Floats, sideways: Floats) -> tuple[Floats, Booleans]:
    """The nearest free places to the side of middles (n, 2), and which middles (n,) have one."""
    tried = middles[:, None] + _ASIDE[:, None] * sideways[:, None]
    free = site.is_free(
        tried.reshape(-1, 2), avoided=ROAD, clearance=_CLEARANCE, walls=_WALLS
    ).reshape(len(middles), len(_ASIDE))
    nearest = tried[np.arange(len(middles)), free.argmax(axis=1)]
    has_room = free.any(axis=1) & site.is_inside(nearest)
    return nearest[has_room], has_room


def _apart(places: Floats) -> list[int]:
    """The rows of places (n, 2) that keep away from those before them."""
    if not len(places):
        return []
    neighbours = cKDTree(places).query_ball_point(places, _APART)
    kept, is_taken = [], np.zeros(len(places), dtype=np.bool_)
    for row, near in enumerate(neighbours):
        if not is_taken[row]:
            kept.append(row)
            is_taken[near] = True
    return kept
