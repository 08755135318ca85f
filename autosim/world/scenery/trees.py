"""Plants trees: single mapped ones, mapped rows, and random ones in woods and parks."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely

from autosim import portable
from autosim.arrays import Bytes, Floats
from autosim.world.compiled.compiled_world import PropKind
from autosim.world.geometry import overlays
from autosim.world.geometry.meshes import Surface
from autosim.world.osm.areas import Area, find_areas
from autosim.world.osm.tags import Tags, parse_length
from autosim.world.scenery.site import ROAD, STREET, Site

_SEED = 20080301
"""Seed of the places of random trees; any number does, and another one moves all of them."""

_ROW_SPACING = 9.0
"""Distance [m] between the trees of a mapped row: usual along avenues."""

_MAPPED_CLEARANCE, _RANDOM_CLEARANCE = 0.3, 1.5
"""Distance [m] that mapped and random trees keep from carriageways: a trunk; and some room more."""

_MAPPED_WALLS, _RANDOM_WALLS = 0.4, 3.0
"""Distance [m] that mapped and random trees keep from buildings: a trunk; and part of a crown."""

_METRES_PER_TREE = {"wood": 9.0, "park": 19.0}
"""Spacing [m] of random trees: chosen by looking, close enough to look like a wood or a park."""

_MOST_RANDOM = 5000
"""Number of random trees at most, so that a client draws them at a good rate."""

_SMALLEST_AREA = 60.0
"""Area [m²] of the smallest wood or park that gets random trees."""

_HEIGHTS = (5.5, 9.5)
"""Least and greatest height [m] of trees without a stated one: usual in towns."""

_LOWEST, _HIGHEST = 2.5, 35.0
"""Least and greatest height [m] of a tree; a stated number beyond is a slip of the map."""

_CONIFERS = 0.75
"""Value of the clump pattern above which a tree is a conifer: a share of one in six."""
_WOODS = frozenset({"forest"})
_PARKS = frozenset({"park", "garden"})


@dataclass(frozen=True, slots=True)
class Trees:
    """Trees: `places` (n, 2) [m], `kinds` (n,) of `PropKind`, `heights` (n,) [m].

    The first `mapped` of them are single nodes of the map.
    """

    places: Floats
    kinds: Bytes
    heights: Floats
    mapped: int


def find_trees(site: Site) -> Trees:
    """Plants the trees of a site, none on a carriageway or kerb, and random ones on no pavement.

    The same map gives the same trees.
    """
    nodes, places = site.nodes("natural", "tree")
    free = site.is_free(
        places, avoided=(*ROAD, Surface.WATER), clearance=_MAPPED_CLEARANCE, walls=_MAPPED_WALLS
    )
    mapped = places[free]
    tags = [node.tags for node, is_free in zip(nodes, free, strict=True) if is_free]
    rows = _rows_of_trees(site)
    others = np.vstack([rows, _random_trees(site)])
    kinds = np.array([_kind(each) for each in tags], dtype=np.uint8)
    return Trees(
        places=np.vstack([mapped, others]),
        kinds=np.concatenate([kinds, _kinds_by_place(others)]),
        heights=np.concatenate([_heights(mapped, tags), _heights_by_place(others)]),
        mapped=len(mapped),
    )


def _kind(tags: Tags) -> int:
    return PropKind.CONIFER if tags.get("leaf_type") == "needleleaved" else PropKind.BROADLEAF


def _kinds_by_place(places: Floats) -> Bytes:
    """One conifer in six, in clumps."""
    x, y = places.T
    clumps = portable.sin(x / 31.0) * portable.sin(y / 27.0) + 0.5 * portable.sin(x / 7.0 + y / 5.0)
    return np.where(clumps > _CONIFERS, PropKind.CONIFER, PropKind.BROADLEAF).astype(np.uint8)


def _heights(places: Floats, tags: Sequence[Tags]) -> Floats:
    stated = np.array([parse_length(each.get("height")) or np.nan for each in tags])
    heights = np.where(np.isnan(stated), _heights_by_place(places), stated)
    return np.clip(heights, _LOWEST, _HIGHEST)


def _heights_by_place(places: Floats) -> Floats:
    """Heights [m] that follow from the places alone, so that each tree keeps its height."""
    low, high = _HEIGHTS
    share = np.abs(portable.sin(places[:, 0] * 12.9898 + places[:, 1] * 78.233) * 43758.5453) % 1.0
    return np.asarray(low + (high - low) * share)


def _rows_of_trees(site: Site) -> Floats:
    parts = [np.zeros((0, 2))]
    for way in site.data.ways:
        if way.tags.get("natural") == "tree_row" and len(way.refs) > 1:
            line = shapely.LineString(site.points[site.data.rows(way.refs)])
            count = int(line.length // _ROW_SPACING) + 1
            at = np.linspace(0.0, line.length, count)
            parts.append(shapely.get_coordinates(shapely.line_interpolate_point(line, at)))
    places = np.vstack(parts)
    places = places[site.is_inside(places)]
    return places[
        site.is_free(
            places, avoided=(*ROAD, Surface.WATER), clearance=_MAPPED_CLEARANCE,
            walls=_MAPPED_WALLS,
        )
    ]  # fmt: skip


def _is_planted(tags: Tags) -> bool:
    return _vegetation(tags) is not None


def _vegetation(tags: Tags) -> str | None:
    if tags.get("natural") == "wood" or tags.get("landuse") in _WOODS:
        return "wood"
    return "park" if tags.get("leisure") in _PARKS else None


def _random_trees(site: Site) -> Floats:
    """Trees on a jittered grid in each wood and park, evenly thinned where there are too many."""
    window = shapely.box(*site.box)
    areas = find_areas(site.data, site.points, _is_planted)
    areas = [area for area in areas if area.shape.area > _SMALLEST_AREA]
    areas = [area for area in areas if shapely.intersects(area.shape, window)]
    places = np.vstack([np.zeros((0, 2)), *(_jittered(area, window) for area in areas)])
    places = places[site.is_inside(places)]
    if len(places) > _MOST_RANDOM:
        places = places[np.random.default_rng(_SEED).permutation(len(places))[:_MOST_RANDOM]]
    avoided = (*STREET, Surface.WATER)
    return places[
        site.is_free(places, avoided=avoided, clearance=_RANDOM_CLEARANCE, walls=_RANDOM_WALLS)
    ]


def _jittered(area: Area, window: shapely.Polygon) -> Floats:
    spacing = _METRES_PER_TREE[_vegetation(area.tags) or "park"]
    shape = overlays.intersection(area.shape, window)
    x_min, y_min, x_max, y_max = shape.bounds
    x, y = np.meshgrid(np.arange(x_min, x_max, spacing), np.arange(y_min, y_max, spacing))
    cells = np.column_stack([x.ravel(), y.ravel()])
    jitter = np.random.default_rng([_SEED, abs(area.id)]).uniform(0.0, spacing, cells.shape)
    places = cells + jitter
    shapely.prepare(shape)
    return places[shapely.contains_xy(shape, places[:, 0], places[:, 1])]
