"""Plants the gardens of houses where the map shows nothing: hedges along streets, and trees.

They stand on plain ground alone, so that what the map does show stays as it is. They are drawn, and
nothing collides with them, as their exact places are not known.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely
from shapely.geometry.base import BaseGeometry

from autosim import portable
from autosim.arrays import Booleans, Bytes, Floats, Integers
from autosim.world.compiled.compiled_world import HEDGE, PropKind
from autosim.world.geometry.meshes import Surface
from autosim.world.osm.areas import Area
from autosim.world.osm.tags import Tags
from autosim.world.scenery.site import Site

_SEED = 20261128
"""Seed of hedges and trees, with the number of houses: another one moves all of them."""

_HOUSES = frozenset(
    {"house", "detached", "semidetached_house", "bungalow", "villa", "farm", "cabin"}
)
"""Values of `building` of houses with gardens."""

_STREETS = frozenset(
    {"residential", "unclassified", "living_street", "tertiary", "secondary", "service"}
)
"""Values of `highway` of streets with front gardens."""

_PLAIN = (Surface.GROUND, Surface.PARK)
_OTHER = tuple(surface for surface in Surface if surface not in _PLAIN)
"""Surfaces on which no garden is."""

_FRONT = 28.0
"""Greatest distance [m] from the axis of a street to a house whose front garden reaches it."""

_OFFSETS = np.arange(2.0, 14.0, 0.5)
"""Distances [m] from the axis at which the ground is asked for the edge of the street."""

_BACK, _HEDGE_ROOM, _HEDGE_WALLS = 0.7, 0.5, 1.2
"""Distance [m] of a hedge from the edge of the street, and what it keeps from other surfaces and
from walls."""

_WITH_HEDGE, _GATES = 0.6, 0.18
"""Share of the houses with a hedge, and of its pieces that are left out, as gates and drives."""

_TREES = 3
"""Number of places around a house that are tried for a tree; about half of them are free."""

_TREE_DISTANCES, _TREE_ROOM, _TREE_WALLS = (5.0, 15.0), 1.8, 2.5
"""Distances [m] of trees beyond half the width of a house, and what they keep from other surfaces
and from walls."""

_TREE_HEIGHTS = (3.2, 7.5)
"""Least and greatest height [m] of trees in gardens: fruit trees, and a birch."""

_MOST = 4000
"""Number of hedges and of trees at most, so that a client draws them at a good rate."""


@dataclass(frozen=True, slots=True)
class Gardens:
    """Hedges and trees.

    Attributes:
        places: (n, 2) [m] in W.
        kinds: (n,) of `PropKind`.
        heights: (n,) [m].
        yaws: (n,) [rad]; hedges are long across it.
    """

    places: Floats
    kinds: Bytes
    heights: Floats
    yaws: Floats


def garden_houses(areas: Sequence[Area]) -> list[BaseGeometry]:
    """The outlines of the houses that have gardens."""
    return [area.shape for area in areas if area.tags.get("building") in _HOUSES]


def plant_gardens(site: Site, houses: Sequence[BaseGeometry]) -> Gardens:
    """Plants gardens around houses. The same map gives the same ones."""
    shapes = np.array([each for each in houses if shapely.intersects(each, site.window)], object)
    if not len(shapes):
        return Gardens(np.zeros((0, 2)), np.zeros(0, np.uint8), np.zeros(0), np.zeros(0))
    generator = np.random.default_rng([_SEED, len(shapes)])
    hedges, hedge_yaws = _hedges(site, shapes, generator)
    trees = _trees(site, shapes, generator)
    counts = len(hedges), len(trees)
    low, high = _TREE_HEIGHTS
    return Gardens(
        places=np.vstack([hedges, trees]),
        kinds=np.repeat(np.array([PropKind.HEDGE, PropKind.BROADLEAF], dtype=np.uint8), counts),
        heights=np.append(
            np.full(counts[0], HEDGE[2]), low + (high - low) * generator.random(counts[1])
        ),
        yaws=np.append(hedge_yaws, 2.0 * np.pi * generator.random(counts[1])),
    )


Shapes = npt.NDArray[np.object_]


def _hedges(site: Site, houses: Shapes, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Places (n, 2) [m] and yaws (n,) [rad] of hedges between streets and houses."""
    has_hedge = generator.random(len(houses)) < _WITH_HEDGE
    found = list(_beside_streets(site))
    if not found:
        return np.zeros((0, 2)), np.zeros(0)
    axis, across = (np.vstack(parts) for parts in zip(*found, strict=True))
    house, is_near = _nearest(houses, axis + 0.5 * _FRONT * across)
    chosen = is_near & has_hedge[house] & (generator.random(len(axis)) >= _GATES)
    axis, across = axis[chosen], across[chosen]
    around = axis[:, None] + _OFFSETS[:, None] * across[:, None]
    surfaces = site.ground.surfaces_at(around.reshape(-1, 2)).reshape(-1, len(_OFFSETS))
    is_plain = np.isin(surfaces, _PLAIN)
    first = is_plain.argmax(axis=1)
    # Where the ground is plain at once, no street is there: it is somewhere below or above.
    has_edge = is_plain.any(axis=1) & (first > 0)
    places = (axis + (_OFFSETS[first] + _BACK)[:, None] * across)[has_edge]
    across = across[has_edge]
    along = np.column_stack([-across[:, 1], across[:, 0]])
    free = _is_free(site, places, room=_HEDGE_ROOM, walls=_HEDGE_WALLS)
    for end in (-0.5, 0.5):
        ends = places + end * HEDGE[1] * along
        free &= _is_free(site, ends, room=_HEDGE_ROOM, walls=_HEDGE_WALLS)
    free[np.flatnonzero(free)[_MOST:]] = False
    yaws = portable.arctan2(across[free, 1], across[free, 0])
    return places[free], np.asarray(yaws)


def _beside_streets(site: Site) -> Iterator[tuple[Floats, Floats]]:
    """Points (n, 2) [m] of the axis of each street, and unit vectors (n, 2) to one side of it."""
    for way in site.data.ways:
        if not _has_front_gardens(way.tags) or len(way.refs) < 2:
            continue
        line = shapely.LineString(site.points[site.data.rows(way.refs)])
        count = int(line.length // HEDGE[1])
        if count < 2:
            continue
        at = HEDGE[1] * np.arange(count + 1)
        points = shapely.get_coordinates(shapely.line_interpolate_point(line, at))
        steps = np.diff(points, axis=0)
        lengths = np.linalg.norm(steps, axis=1, keepdims=True)
        left = np.column_stack([-steps[:, 1], steps[:, 0]]) / np.maximum(lengths, 1e-6)
        middles = 0.5 * (points[1:] + points[:-1])
        inside = site.is_inside(middles)
        for side in (1.0, -1.0):
            yield middles[inside], side * left[inside]


def _has_front_gardens(tags: Tags) -> bool:
    return tags.get("highway") in _STREETS and not {"bridge", "tunnel", "area"} & tags.keys()


def _trees(site: Site, houses: Shapes, generator: np.random.Generator) -> Floats:
    """Places (n, 2) [m] of trees about houses."""
    middles = np.repeat(shapely.get_coordinates(shapely.centroid(houses)), _TREES, axis=0)
    half = np.repeat(0.5 * np.sqrt(shapely.area(houses)), _TREES)
    angles = 2.0 * np.pi * generator.random(len(middles))
    distances = half + generator.uniform(*_TREE_DISTANCES, len(middles))
    out = np.column_stack([portable.cos(angles), portable.sin(angles)])
    places = middles + distances[:, None] * out
    places = places[site.is_inside(places)]
    return places[_is_free(site, places, room=_TREE_ROOM, walls=_TREE_WALLS)][:_MOST]


def _is_free(site: Site, places: Floats, *, room: float, walls: float) -> Booleans:
    """Whether places (n, 2) are on plain ground, clear of everything else."""
    return site.is_free(places, avoided=_OTHER, clearance=room, walls=walls)


def _nearest(houses: Shapes, places: Floats) -> tuple[Integers, Booleans]:
    """The nearest house (n,) to each place (n, 2), and whether it is near enough."""
    points = shapely.points(places)
    nearest = shapely.STRtree(houses).nearest(points)
    gaps = shapely.distance(houses[nearest], points)
    return np.asarray(nearest), np.asarray(gaps < 0.5 * _FRONT)
