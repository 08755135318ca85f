"""Where streets pass over others, over water and over railways, and where two are one surface."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers
from autosim.world.geometry.curves import arc_lengths, resample
from autosim.world.osm.osm_data import OsmData
from autosim.world.osm.tags import layer_of
from autosim.world.profiles.design_standard import STANDARD
from autosim.world.streets.streets import Street
from autosim.world.streets.waters import find_waters

ALONGSIDE = portable.cos(np.radians(40.0))
"""Least cosine (without unit) of the angle between two streets that lead along one another. Chosen:
up to 40 degrees two carriageways overlap on a long stretch, not in a crossing."""

_OVERLAP_SPACING = 4.0
"""Distance [m] between samples of a street over another one: less than any street is wide."""

_OBSTACLE_SPACING = 8.0
"""Distance [m] between places on a bridge above water: that of the heights of its profile."""

_JUNCTION_REACH = 60.0
"""Distance [m] along both streets from a node that they share within which an overlap does not
count. Chosen: there they part, and could not be one over the other with any grade."""

_CORNER = 1.0
"""Distance [m] by which the rounded corners of a junction reach beyond its carriageways; two axes
that cross nearer to a node than this meet there."""

_ONE_AXIS = 1.5
"""Distance [m] between two axes below which neither street can make room for the other: not even
half a lane fits between them."""

_ONE_OVERLAP = 12.0
"""Distance [m] along the upper street up to which two places belong to one overlap: three samples,
so that a missed one does not divide it."""

_RAILWAYS = frozenset({"rail", "light_rail", "tram", "narrow_gauge", "subway"})
_STREAMS = frozenset({"river", "canal", "stream"})


@dataclass(frozen=True, slots=True)
class GradeSeparations:
    """Places (n,) where street `upper` passes over street `lower`.

    `upper_s`, `lower_s` [m] are the arc lengths of the place along both. `is_beside`: the axis of
    each lies beside the other's carriageway there; only their edges overlap.
    """

    upper: Integers
    upper_s: Floats
    lower: Integers
    lower_s: Floats
    is_beside: Booleans

    def select(self, chosen: Booleans) -> "GradeSeparations":
        """Some of the places."""
        return GradeSeparations(
            self.upper[chosen],
            self.upper_s[chosen],
            self.lower[chosen],
            self.lower_s[chosen],
            self.is_beside[chosen],
        )


_Place = tuple[int, float, int, float, bool]
"""A row of `GradeSeparations`."""


def no_separations() -> GradeSeparations:
    """No places at all."""
    return _separations([])


@dataclass(frozen=True, slots=True)
class Obstacles:
    """Places (n,) at `s` [m] of streets that must lie at least `height` [m] above the terrain."""

    street: Integers
    s: Floats
    height: Floats


def find_crossings(streets: Sequence[Street]) -> GradeSeparations:
    """All places where the axis of a street lies over or under a carriageway of another level.

    Places near a node of both streets do not count: there one street leads into the other.
    """
    lines = np.array([shapely.LineString(street.points) for street in streets], dtype=object)
    halves = np.array([street.profile.width / 2.0 for street in streets])
    raised = np.array([k for k, s in enumerate(streets) if s.layer != 0], dtype=np.int64)
    if not len(raised):
        return no_separations()
    tree = shapely.STRtree(lines)
    reach = halves[raised] + halves.max(initial=0.0)
    pairs = tree.query(lines[raised], predicate="dwithin", distance=reach)
    rows: list[_Place] = []
    for a, b in {_ordered(streets, int(raised[i]), int(j)) for i, j in pairs.T}:
        if streets[a].layer != streets[b].layer:
            # Decks may not even touch with their edges; the ground makes room for a deck.
            on_decks = streets[a].layer * streets[b].layer > 0
            inner = float(max(halves[a], halves[b]))
            outer = float(halves[a] + halves[b]) if on_decks else inner
            overlaps = _overlaps(a, b, lines, (inner, outer))
            rows += _away_from_nodes(streets[a], streets[b], overlaps)
    return _separations(sorted(rows))


def overlaps_of(crossings: GradeSeparations) -> Integers:
    """The number (n,) of the overlap to which each place belongs."""
    order = np.lexsort((crossings.upper_s, crossings.lower, crossings.upper))
    columns = np.column_stack([crossings.upper, crossings.lower])[order]
    is_next = (np.diff(columns, axis=0) == 0).all(axis=1)
    is_next &= np.diff(crossings.upper_s[order]) < _ONE_OVERLAP
    numbers = np.zeros(len(order), dtype=np.int64)
    numbers[order] = np.concatenate([[0], np.cumsum(~is_next)]) if len(order) else order
    return numbers


def _ordered(streets: Sequence[Street], a: int, b: int) -> tuple[int, int]:
    """Two streets, the higher one first."""
    return (a, b) if (streets[a].layer, a) > (streets[b].layer, b) else (b, a)


def _away_from_nodes(upper: Street, lower: Street, rows: list[_Place]) -> list[_Place]:
    """The overlaps of two streets without those near a node of both."""
    shared = {upper.start, upper.end} & {lower.start, lower.end}
    if not shared:
        return rows
    first, second = (float(arc_lengths(street.points)[-1]) for street in (upper, lower))
    return [
        row
        for row in rows
        if _to_nodes(upper, row[1], first, shared) > _JUNCTION_REACH
        and _to_nodes(lower, row[3], second, shared) > _JUNCTION_REACH
    ]


def _to_nodes(street: Street, s: float, length: float, nodes: set[int]) -> float:
    """Distance [m] along a street from `s` to the nearest of its ends that is in `nodes`."""
    before = s if street.start in nodes else np.inf
    behind = length - s if street.end in nodes else np.inf
    return float(min(before, behind))


def _overlaps(
    upper: int, lower: int, lines: npt.NDArray[np.object_], reaches: tuple[float, float]
) -> list[_Place]:
    """Samples of the upper street over the lower one; where the axes cross, exactly there too.

    Samples farther from the other's axis than the first of `reaches` [m] lie beside it; those
    farther than the second are left out.
    """
    inner, outer = reaches
    if shapely.distance(lines[upper], lines[lower]) >= outer:
        return []
    points = _points(resample(shapely.get_coordinates(lines[upper]), _OVERLAP_SPACING))
    near = points[shapely.distance(points, lines[lower]) < outer]
    crossing = shapely.get_parts(shapely.intersection(lines[upper], lines[lower]))
    exact = crossing[shapely.get_type_id(crossing) == 0]
    places = np.concatenate([near, exact])
    at_upper = shapely.line_locate_point(lines[upper], places)
    at_lower = shapely.line_locate_point(lines[lower], places)
    is_beside = shapely.distance(places, lines[lower]) >= inner
    return [
        (upper, float(s), lower, float(t), bool(beside))
        for s, t, beside in zip(at_upper, at_lower, is_beside, strict=True)
    ]


def _separations(rows: Sequence[_Place]) -> GradeSeparations:
    table = np.array(rows, dtype=np.float64).reshape(-1, 5)
    return GradeSeparations(
        table[:, 0].astype(np.int64),
        table[:, 1],
        table[:, 2].astype(np.int64),
        table[:, 3],
        table[:, 4].astype(np.bool_),
    )


@dataclass(frozen=True, slots=True)
class Contacts:
    """Places (n,) where streets lie so close that their carriageways are one surface.

    Each is at `s` [m] of street `street` and at `other_s` [m] of street `other`. `is_crossing`:
    the streets lead across one another there, or share one axis, so neither can make room for the
    other.
    """

    street: Integers
    s: Floats
    other: Integers
    other_s: Floats
    is_crossing: Booleans


def find_contacts(
    streets: Sequence[Street], places: Floats, owners: Integers, s: Floats
) -> Contacts:
    """All places where streets lie so close that their carriageways are one surface.

    Args:
        streets: of all levels; a pair counts if both are on one level or share a node.
        places: (n, 2) [m] points on the axes of streets.
        owners: (n,) the street of each point.
        s: (n,) [m] the arc length of each point.
    """
    lines = np.array([shapely.LineString(street.points) for street in streets], dtype=object)
    halves = np.array([street.profile.width / 2.0 for street in streets])
    points = _points(places)
    reach = halves[owners] + halves.max(initial=0.0) + _CORNER
    rows, others = shapely.STRtree(lines).query(points, predicate="dwithin", distance=reach)
    meets = _meet(streets, owners[rows], others)
    levels = np.array([street.layer for street in streets])
    counts = meets | (levels[owners[rows]] == levels[others])
    counts &= owners[rows] != others
    rows, others, meets = rows[counts], others[counts], meets[counts]
    room = halves[owners[rows]] + halves[others] + np.where(meets, _CORNER, 0.0)
    gaps = shapely.distance(points[rows], lines[others])
    touch = gaps < room
    rows, others, gaps, meets = rows[touch], others[touch], gaps[touch], meets[touch]
    at = np.asarray(shapely.line_locate_point(lines[others], points[rows]))
    beside = (owners[rows], s[rows], others, at)
    across = _axes_across(streets, lines)
    parts = [np.concatenate(pair) for pair in zip(beside, across, strict=True)]
    is_crossing = np.arange(len(parts[0])) >= len(rows)
    ahead = (_ahead(lines[street], at) for street, at in (beside[:2], beside[2:]))
    is_aslant = np.abs(np.einsum("ij,ij->i", *ahead)) < ALONGSIDE
    is_crossing[: len(rows)] = (is_aslant & ~meets) | (gaps < _ONE_AXIS)
    return Contacts(
        parts[0].astype(np.int64), parts[1], parts[2].astype(np.int64), parts[3], is_crossing
    )


def _ahead(lines: npt.NDArray[np.object_], s: Floats) -> Floats:
    """Unit vectors (n, 2) along lines (n,) at arc lengths (n,) [m]."""
    ends = (shapely.line_interpolate_point(lines, np.maximum(s + d, 0.0)) for d in (-0.5, 0.5))
    before, behind = (shapely.get_coordinates(points) for points in ends)
    ahead = behind - before
    return np.asarray(ahead / np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-9))


def _meet(streets: Sequence[Street], first: Integers, second: Integers) -> Booleans:
    """Which pairs of streets (n,) share a node."""
    ends = np.array([(street.start, street.end) for street in streets])
    return np.asarray((ends[first][:, :, None] == ends[second][:, None, :]).any(axis=(1, 2)))


def _axes_across(
    streets: Sequence[Street], lines: npt.NDArray[np.object_]
) -> tuple[Integers, Floats, Integers, Floats]:
    """Where axes of one level cross without a node: streets, arc lengths [m], and the others'."""
    first, second = shapely.STRtree(lines).query(lines, predicate="crosses")
    levels = np.array([street.layer for street in streets])
    is_one = (first < second) & (levels[first] == levels[second])
    first, second = first[is_one], second[is_one]
    shared, of = shapely.get_parts(
        shapely.intersection(lines[first], lines[second]), return_index=True
    )
    is_point = shapely.get_type_id(shared) == 0
    shared, first, second = shared[is_point], first[of[is_point]], second[of[is_point]]
    s, other_s = (shapely.line_locate_point(lines[k], shared) for k in (first, second))
    lengths = shapely.length(lines)
    # At a node two streets share their height anyway.
    inner = np.minimum(s, lengths[first] - s) > _CORNER
    inner |= np.minimum(other_s, lengths[second] - other_s) > _CORNER
    return first[inner], s[inner], second[inner], other_s[inner]


def _points(places: Floats) -> npt.NDArray[np.object_]:
    return np.asarray(shapely.points(places), dtype=object)


def find_obstacles(data: OsmData, points: Floats, streets: Sequence[Street]) -> Obstacles:
    """Places of bridges above water and railways on the ground.

    Args:
        data: the map.
        points: (n, 2) places of the map's nodes in W [m].
        streets: those of the map.
    """
    bridges = [k for k, street in enumerate(streets) if street.layer > 0]
    shapes, heights = _things_below(data, points) if bridges else ([], [])
    rows: list[tuple[int, float, float]] = []
    tree = shapely.STRtree(shapes)
    for bridge in bridges:
        line = shapely.LineString(streets[bridge].points)
        for thing in tree.query(line, predicate="intersects").tolist():
            shared = shapely.get_coordinates(shapely.intersection(line, shapes[thing]))
            places = shapely.points(
                resample(shared, _OBSTACLE_SPACING) if len(shared) > 1 else shared
            )
            for s in np.atleast_1d(shapely.line_locate_point(line, places)):
                rows.append((bridge, float(s), heights[thing]))
    table = np.array(sorted(rows), dtype=np.float64).reshape(-1, 3)
    return Obstacles(table[:, 0].astype(np.int64), table[:, 1], table[:, 2])


def _things_below(data: OsmData, points: Floats) -> tuple[list[shapely.Geometry], list[float]]:
    shapes: list[shapely.Geometry] = list(find_waters(data, points))
    heights = [STANDARD.over_water] * len(shapes)
    for way in data.ways:
        is_railway = way.tags.get("railway") in _RAILWAYS
        is_stream = way.tags.get("waterway") in _STREAMS
        if (is_railway or is_stream) and len(way.refs) > 1 and layer_of(way.tags) == 0:
            shapes.append(shapely.LineString(points[data.rows(way.refs)]))
            heights.append(STANDARD.over_railway if is_railway else STANDARD.over_water)
    return shapes, heights
