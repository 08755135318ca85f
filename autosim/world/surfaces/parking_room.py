"""Room for parked cars along streets, by geometry and by the map's tags."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import shapely

from autosim.arrays import Booleans, Floats, Integers
from autosim.config.descriptions import DrivingSide
from autosim.world.geometry.extent import Box
from autosim.world.geometry.polylines import Polylines
from autosim.world.lanes.lane_drafts import LanePlan
from autosim.world.levels.elevation import LevelledStreets
from autosim.world.levels.level_division import GROUND
from autosim.world.osm.areas import Area
from autosim.world.osm.highways import BUILT_IN
from autosim.world.osm.osm_data import OsmData
from autosim.world.osm.street_parking import SideBays, is_car_park
from autosim.world.osm.tags import Tags
from autosim.world.streets.bus_stop_tags import is_bus_stop
from autosim.world.streets.crossings import is_crossing
from autosim.world.streets.pavings import is_path
from autosim.world.streets.street_ends import StreetNodes
from autosim.world.streets.street_finding import Street
from autosim.world.streets.street_profiles import side_bays
from autosim.world.surfaces.parking_strips import (
    BayRows,
    ParkingStretch,
    ParkingStrips,
    no_strips,
    rows_of,
    strips_of,
)

_BEFORE_JUNCTION = 5.0
"""Distance [m] of bays from the carriageway of a street that joins: StVO § 12 (3) 1."""

_BESIDE_STREET = 1.0
"""Distance [m] of bays from the carriageway of any other street: a kerb and a step."""

_AT_CROSSING, _AT_RAILS, _AT_STOP = 6.5, 10.0, 15.0
"""Distance [m] of the middle of a bay from a crossing, 5 m before its edge (StVO § 12), from rails,
and from a bus stop (StVO, sign 224)."""

_STOP_REACH, _ON_AXIS = 9.0, 1.0
"""Distances [m] from an axis up to which a bus stop belongs to a street, and to both sides."""

_NODE_REACH = 30.0
"""Distance [m] from bays beyond which no node matters: over the width of any street and a stop."""

_WALLS, _POSTS, _PATHS = 1.0, 0.5, 0.6
"""Distances [m] of bays from buildings, where people pass, from trees and lamps, and from the
middle of paths."""

_TURN_ROOM = 1.6
"""Distance [m] of bays from the middle of a way where two streets merely continue each other: half
a bus and a margin."""

_BESIDE_TURN = 1.0
"""Distance [m] of bays from the lane's width along a way through a junction: bays begin behind stop
lines and the posts beside them."""

_HEAD_ROOM = 1.0
"""Distance [m] of bays from a turning head."""

_SHARPEST = 1.0 / 40.0
"""Largest curvature [1/m] of a street beside bays: the tail of a lorry stays on its lane."""

_TOUCH = 0.02
"""Distance [m] by which a bay may seem to lie on the lane beside it: rounding."""

_TOLERANCE = 0.2
"""Distance [m] by which a bay may seem to lie on its own street, where this one bends."""

_NO_GAP = 0.01
"""Length [m] of a gap between two stretches that is none."""

_SHRUNK = 0.9
"""Share of a bay's size that is compared with others: neighbours touch."""


@dataclass(frozen=True, slots=True)
class _Places:
    """Bays with their shapes, and the lines of all streets with half their widths [m].

    `nodes` are those of the map near bays: tags and place (2,) [m] of each.
    """

    bays: BayRows
    shapes: npt.NDArray[np.object_]
    lines: npt.NDArray[np.object_]
    halves: Floats
    nodes: list[tuple[Tags, Floats]]


def _places(data: OsmData, points: Floats, streets: Sequence[Street], bays: BayRows) -> _Places:
    shapes = bays.shapes()
    lines = Polylines.of([street.points for street in streets]).shapes()
    halves = np.array([street.profile.width / 2.0 for street in streets])
    spots = points[data.rows(tuple(node.id for node in data.tagged_nodes))].reshape(-1, 2)
    tree = shapely.STRtree(shapes)
    near = np.unique(
        tree.query(shapely.points(spots), predicate="dwithin", distance=_NODE_REACH)[0]
    )
    nodes = [(data.tagged_nodes[row].tags, spots[row]) for row in near.tolist()]
    return _Places(bays, shapes, lines, halves, nodes)


def find_parking_strips(
    data: OsmData,
    points: Floats,
    *,
    levelled: LevelledStreets,
    plan: LanePlan,
    buildings: Sequence[Area],
    side: DrivingSide,
    box: Box,
) -> ParkingStrips:
    """The strips along all streets on the ground whose tags say that cars park.

    Args:
        data: the map.
        points: (n, 2) places of its nodes in W [m].
        levelled: the streets and their levels.
        plan: lanes and the ways through junctions.
        buildings: areas of buildings.
        side: where traffic keeps.
        box: the ground of the world.
    """
    streets = levelled.streets
    stretches = find_stretches(data, points, levelled)
    if not stretches:
        return no_strips()
    bays = rows_of(streets, stretches, side=side)
    places = _places(data, points, streets, bays)
    free = _is_straight(bays) & _off_streets(places, streets) & _off_turns(places, plan, streets)
    free &= ~_at_nodes(places)
    free &= _off_obstacles(places, data, points, buildings)
    chosen = np.flatnonzero(free)
    chosen = chosen[_first_of_overlapping(bays.select(chosen))]
    return strips_of(bays.select(chosen), streets, box)


def find_stretches(
    data: OsmData, points: Floats, levelled: LevelledStreets
) -> list[ParkingStretch]:
    """The stretches of streets on the ground along which the tags of their ways say cars park."""
    sides: dict[int, SideBays] = {}
    for way in data.ways:
        kind = BUILT_IN.get(way.tags.get("highway", ""))
        own = (None, None) if kind is None else side_bays(way.tags, kind)
        if any(own):
            sides[way.id] = own
    streets = levelled.streets
    chosen = [
        number
        for number in (_on_ground(levelled) if sides else ())
        if any(part.way in sides for part in streets[number].parts)
    ]
    ways = {part.way for number in chosen for part in streets[number].parts}
    last = {way.id: (way.refs[0], way.refs[-1]) for way in data.ways if way.id in ways}
    found: list[ParkingStretch] = []
    for number in chosen:
        street = streets[number]
        # A street goes from one way to the next where the first one ends.
        nodes = tuple(last[part.way][int(part.is_forward)] for part in street.parts[:-1])
        changes = shapely.points(points[data.rows(nodes)].reshape(-1, 2))
        axis = shapely.LineString(street.points)
        found_at = np.asarray(shapely.line_locate_point(axis, changes))
        at = [0.0, *found_at.tolist(), float(axis.length)]
        for part, start, end in zip(street.parts, at[:-1], at[1:], strict=True):
            left, right = sides.get(part.way, (None, None))
            for sign, bays in ((1, left), (-1, right)):
                if bays is not None:
                    side = sign if part.is_forward else -sign
                    found.append(ParkingStretch(number, side, start, end, bays))
    return _joined(sorted(found, key=lambda each: (each.street, -each.sign, each.start)))


def _joined(stretches: Sequence[ParkingStretch]) -> list[ParkingStretch]:
    """Stretches in order, with those that continue each other joined."""
    joined: list[ParkingStretch] = []
    for each in stretches:
        before = joined[-1] if joined else None
        if before is not None and _goes_on(before, each):
            joined[-1] = replace(before, end=each.end)
        else:
            joined.append(each)
    return joined


def _goes_on(first: ParkingStretch, second: ParkingStretch) -> bool:
    """Whether a stretch only continues the one before."""
    is_alike = first == replace(second, start=first.start, end=first.end)
    return is_alike and second.start - first.end < _NO_GAP


def _on_ground(levelled: LevelledStreets) -> list[int]:
    """The streets that lie on the ground from end to end, with the whole of their width."""
    leaving = {transition.street for transition in levelled.levels.transitions}
    return [
        number
        for number, pieces in enumerate(levelled.levels.pieces)
        if number not in leaving
        and number not in levelled.adjacent.side_clearances
        and pieces
        and all(piece.level == GROUND for piece in pieces)
    ]


def _is_straight(bays: BayRows) -> Booleans:
    """Whether a street is straight enough beside each bay."""
    near, far = (bays.corners[:, pair] for pair in ([0, 1], [3, 2]))
    lengths = [np.linalg.norm(side[:, 1] - side[:, 0], axis=1) for side in (near, far)]
    turns = np.abs(lengths[1] - lengths[0]) / bays.depths
    return np.asarray(turns <= _SHARPEST * np.maximum(lengths[0], 1e-9))


def _off_streets(places: _Places, streets: Sequence[Street]) -> Booleans:
    """Whether bays keep clear of the carriageways of all streets, their own in bends too."""
    bays = places.bays
    tree = shapely.STRtree(places.shapes)
    street, bay = tree.query(
        places.lines, predicate="dwithin", distance=places.halves + _BEFORE_JUNCTION
    )
    gaps = shapely.distance(places.lines[street], places.shapes[bay]) - places.halves[street]
    joins, goes_on = _relations(streets, street, bays.streets[bay])
    least = np.where(joins, _BEFORE_JUNCTION, _BESIDE_STREET)
    least[goes_on | (street == bays.streets[bay])] = -_TOLERANCE
    free = np.ones(len(bays), dtype=np.bool_)
    free[bay[gaps < least]] = False
    return free


def _relations(
    streets: Sequence[Street], first: Integers, second: Integers
) -> tuple[Booleans, Booleans]:
    """Whether two streets (n,) meet at a junction, and whether one only continues the other."""
    nodes = StreetNodes.of(streets)
    ends = np.array([(nodes.stand_ins[s.start], nodes.stand_ins[s.end]) for s in streets])
    arms = np.array([[len(nodes.ends.get(node, ())) for node in pair] for pair in ends.tolist()])
    meets, continues = (np.zeros(len(first), dtype=np.bool_) for _ in range(2))
    for a in (0, 1):
        for b in (0, 1):
            is_one = ends[first, a] == ends[second, b]
            meets |= is_one & (arms[first, a] != 2)
            continues |= is_one & (arms[first, a] == 2)
    return meets, continues & ~meets


def _off_turns(places: _Places, plan: LanePlan, streets: Sequence[Street]) -> Booleans:
    """Whether bays keep clear of the ways through junctions, and of turning heads."""
    free = np.ones(len(places.bays), dtype=np.bool_)
    tree = shapely.STRtree(places.shapes)
    turns = [draft for draft in plan.drafts if draft.is_connector]
    if turns:
        halves = np.array([draft.width / 2.0 for draft in turns])
        origins, ends = np.array([(draft.origin, draft.street) for draft in turns]).T
        goes_on = _relations(streets, origins, ends)[1]
        on = np.minimum(halves - _TOUCH, _TURN_ROOM)
        reach = np.where(goes_on, on, halves + _BESIDE_TURN)
        lines = Polylines.of([draft.points for draft in turns]).shapes()
        free[tree.query(lines, predicate="dwithin", distance=reach)[1]] = False
    for head in plan.turning_heads:
        near = tree.query(
            shapely.Point(head.centre), predicate="dwithin", distance=head.radius + _HEAD_ROOM
        )
        free[near] = False
    return free


def _at_nodes(places: _Places) -> Booleans:
    """Whether bays are too near along their street to a crossing, to rails or to a bus stop."""
    found = [(place, reach) for tags, place in places.nodes if (reach := _reach(tags))]
    taken = np.zeros(len(places.bays), dtype=np.bool_)
    if not found:
        return taken
    spots = np.array([place for place, _ in found])
    along, across = np.array([reach for _, reach in found]).T
    own = np.unique(places.bays.streets)
    tree = shapely.STRtree(places.lines[own])
    node, row = tree.query(shapely.points(spots), predicate="dwithin", distance=across)
    street = own[row]
    at = shapely.line_locate_point(places.lines[street], shapely.points(spots[node]))
    sides = _sides(places, street, at, spots[node])
    for number, station, reach, side in zip(
        street.tolist(), at.tolist(), along[node].tolist(), sides.tolist(), strict=True
    ):
        is_near = places.bays.streets == number
        is_near &= np.abs(places.bays.stations - station) < reach + _half_pitch(places.bays)
        taken |= is_near & ((side == 0) | (places.bays.sides == side))
    return taken


def _half_pitch(bays: BayRows) -> Floats:
    return np.asarray(np.linalg.norm(bays.corners[:, 1] - bays.corners[:, 0], axis=1) / 2.0)


def _reach(tags: Tags) -> tuple[float, float] | None:
    """Distances [m] without parking around a node, along its street and to the side."""
    if is_crossing(tags):
        return _AT_CROSSING, _ON_AXIS
    if tags.get("railway") in ("level_crossing", "tram_level_crossing"):
        return _AT_RAILS, _ON_AXIS
    return (_AT_STOP, _STOP_REACH) if is_bus_stop(tags) else None


def _sides(places: _Places, street: Integers, at: Floats, spots: Floats) -> Integers:
    """On which side (n,) of streets places lie: 1 left, -1 right, 0 on the axis."""
    foot, ahead = (
        shapely.get_coordinates(shapely.line_interpolate_point(places.lines[street], s))
        for s in (at, at + 1.0)
    )
    back = shapely.get_coordinates(
        shapely.line_interpolate_point(places.lines[street], np.maximum(at - 1.0, 0.0))
    )
    along, gap = ahead - back, spots - foot
    is_aside = np.linalg.norm(gap, axis=1) > _ON_AXIS
    return np.asarray(
        np.where(is_aside, np.sign(along[:, 0] * gap[:, 1] - along[:, 1] * gap[:, 0]), 0.0)
    ).astype(np.int64)


def _off_obstacles(
    places: _Places, data: OsmData, points: Floats, buildings: Sequence[Area]
) -> Booleans:
    """Whether bays keep clear of buildings, car parks, paths, trees and lamps."""
    tree = shapely.STRtree(places.shapes)
    posts = np.array([place for tags, place in places.nodes if _is_post(tags)]).reshape(-1, 2)
    car_parks = [
        shapely.Polygon(points[data.rows(way.refs)])
        for way in data.ways
        if is_car_park(way.tags) and len(way.refs) > 3 and way.refs[0] == way.refs[-1]
    ]
    free = np.ones(len(places.bays), dtype=np.bool_)
    for shapes, distance in (
        (np.array([area.shape for area in buildings], dtype=object), _WALLS),
        (shapely.points(posts), _POSTS),
        (_paths(data, points), _PATHS),
        (np.array(car_parks, dtype=object), 0.0),
    ):
        free[tree.query(shapes, predicate="dwithin", distance=distance)[1]] = False
    return free


def _paths(data: OsmData, points: Floats) -> npt.NDArray[np.object_]:
    """The lines of all paths."""
    refs = [
        way.refs
        for way in data.ways
        if way.tags.get("highway", "residential") not in BUILT_IN
        if len(way.refs) > 1 and is_path(way.tags)
    ]
    of = np.repeat(np.arange(len(refs)), [len(each) for each in refs])
    rows = data.rows(tuple(ref for each in refs for ref in each))
    return np.atleast_1d(np.asarray(shapely.linestrings(points[rows], indices=of), dtype=object))


def _is_post(tags: Tags) -> bool:
    return tags.get("natural") == "tree" or tags.get("highway") == "street_lamp"


def _first_of_overlapping(bays: BayRows) -> Booleans:
    """Whether no bay of another row, which comes before, lies on the place of each."""
    middles = bays.corners.mean(axis=1, keepdims=True)
    shapes = shapely.polygons(middles + _SHRUNK * (bays.corners - middles))
    first, second = shapely.STRtree(shapes).query(shapes, predicate="intersects")
    kept = np.ones(len(bays), dtype=np.bool_)
    kept[second[first < second]] = False
    return kept
