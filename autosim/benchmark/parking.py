"""Free parking places between parked cars, and routes that end at them."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers
from autosim.benchmark.trace import SPEED, YAW, Trace, X, Y, corners
from autosim.config.suites import ParkingKind
from autosim.world.compiled.compiled_world import CAR, VAN, CompiledWorld, PropKind
from autosim.world.compiled.ground_index import on_carriageway
from autosim.world.lanes.roads import RoadNetwork

PARKED_SECONDS = 1.0
"""Time [s] of standing in a place after which a car has parked."""

MAX_ANGLE = 0.1
"""Angle [rad] to the place up to which a car stands straight: 20 cm over the length of a car."""

STANDING = 0.1
"""Speed [m/s] below which a car stands."""

_WIDTH = 2.3
"""Width [m] of a place along a street: that of its bay, and the gap to the lane."""

_DEPTH = 5.2
"""Depth [m] of a place across a street: a bay, and the gap to the lane."""

_CLEARANCE = 0.2
"""Distance [m] from parked cars at which a place ends."""

_ASIDE = 8.0
"""Distance [m] from the middle of its lane within which a car is parked along a street."""

_ALONG, _ACROSS = 0.2, 1.35
"""Angle [rad] with the lane up to which cars are parallel to it, and from which across it."""

_SAME_ROW = 0.6
"""Difference [m] of the distances from the lane up to which two cars are in one row."""

_PITCHES = {"parallel": 6.0, "perpendicular": 2.5}
"""Distance [m] of the middles of bays along a street (EAR 05, as the parked cars themselves)."""

_MAX_BAYS = 4
"""Number of bays in a gap that count as places: longer gaps are entrances."""


class ParkingPlace(NamedTuple):
    """A free place: a rectangle on the carriageway.

    Its middle `x`, `y` [m] in W, the direction `yaw` [rad] of cars in it, which is that of the lane
    where they park along it, and its `length` in that direction and `width` [m]. Across a street
    (`is_across`) cars may face either way.
    """

    x: float
    y: float
    yaw: float
    length: float
    width: float
    is_across: bool = False


class PlaceOnLane(NamedTuple):
    """A free place, the `lane` next to it, and the `station` [m] of its middle there."""

    place: ParkingPlace
    lane: int
    station: float


class _Row(NamedTuple):
    """Parked cars of one kind: lanes (n,), stations and distances (n, 2) [m], lengths (n, 2)."""

    lanes: Integers
    along: Floats
    sizes: Floats


def free_places(compiled: CompiledWorld, kind: ParkingKind) -> list[PlaceOnLane]:
    """The free bays between parked cars along streets, in order of lanes and stations.

    Args:
        compiled: the map.
        kind: whether cars park along the street (`parallel`) or across it (`perpendicular`).
    """
    row = _parked(compiled, kind)
    order = np.lexsort((row.along[:, 0], row.lanes))
    found: list[PlaceOnLane] = []
    for first, second in pairwise(order.tolist()):
        if row.lanes[first] == row.lanes[second]:
            found += _between(compiled.roads, row, first, second, kind)
    free = _are_on_street(compiled, found)
    return [each for each, is_free in zip(found, free.tolist(), strict=True) if is_free]


def _parked(compiled: CompiledWorld, kind: ParkingKind) -> _Row:
    props, roads = compiled.props, compiled.roads
    is_van = props.kinds == PropKind.PARKED_VAN
    rows = np.flatnonzero(is_van | (props.kinds == PropKind.PARKED_CAR))
    if not len(rows) or not len(roads.lanes):
        return _Row(np.zeros(0, np.int64), np.zeros((0, 2)), np.zeros((0, 2)))
    yaws = props.yaws[rows]
    lanes, along = roads.nearest_lanes(props.positions[rows])
    headings = [
        roads.lanes[lane].heading(station)
        for lane, station in zip(lanes.tolist(), along[:, 0].tolist(), strict=True)
    ]
    angles = np.abs(portable.wrapped(yaws - np.array(headings)))
    angles = np.minimum(angles, np.pi - angles)
    chosen = angles < _ALONG if kind == "parallel" else angles > _ACROSS
    chosen &= np.abs(along[:, 1]) < _ASIDE
    sizes = np.where(is_van[rows][:, None], VAN[:2], CAR[:2])
    return _Row(lanes[chosen], along[chosen], sizes[chosen])


def _between(
    roads: RoadNetwork, row: _Row, first: int, second: int, kind: ParkingKind
) -> list[PlaceOnLane]:
    """The free bays between two parked cars next to the same lane."""
    pitch = _PITCHES[kind]
    (s0, t0), (s1, t1) = row.along[[first, second]].tolist()
    bays = round((s1 - s0) / pitch) - 1
    if not 1 <= bays <= _MAX_BAYS or abs(t1 - t0) > _SAME_ROW:
        return []
    lane = int(row.lanes[first])
    view = roads.lanes[lane]
    axis = 0 if kind == "parallel" else 1
    room = s1 - s0 - 0.5 * float(row.sizes[first, axis] + row.sizes[second, axis])
    room = min(room - 2.0 * _CLEARANCE, (s1 - s0) / (bays + 1) * 2.0 - float(CAR[axis]))
    found = []
    for number in range(1, bays + 1):
        share = number / (bays + 1)
        station, aside = s0 + share * (s1 - s0), t0 + share * (t1 - t0)
        x, y, _ = view.position(station, aside).tolist()
        yaw = view.heading(station)
        if kind == "parallel":
            place = ParkingPlace(x, y, yaw, room, _WIDTH)
        else:
            yaw += float(np.copysign(np.pi / 2.0, aside))
            place = ParkingPlace(x, y, yaw, _DEPTH, room, is_across=True)
        found.append(PlaceOnLane(place, lane, station))
    return found


def _are_on_street(compiled: CompiledWorld, places: list[PlaceOnLane]) -> Booleans:
    """Whether a car in each place is on the carriageway with all its corners."""
    if not places:
        return np.zeros(0, dtype=np.bool_)
    rows = np.array([each.place[:3] for each in places])
    sizes = np.full(len(rows), 0.5 * CAR[0]), np.full(len(rows), 0.5 * CAR[1])
    plan = corners(rows[:, 0], rows[:, 1], rows[:, 2], *sizes)
    heights = [float(compiled.roads.lanes[each.lane].position(each.station)[2]) for each in places]
    points = np.dstack([plan, np.repeat(heights, 4).reshape(-1, 4, 1)]).reshape(-1, 3)
    return np.asarray(on_carriageway(compiled, points).reshape(-1, 4).all(axis=1))


def is_within(trace: Trace, place: ParkingPlace) -> Booleans:
    """Whether (n,) the car is in a place with all corners, and straight, in each sample."""
    car, outline = trace.car, trace.outline
    halves = np.full(len(car), outline.half_length), np.full(len(car), outline.half_width)
    plan = corners(car[:, X], car[:, Y], car[:, YAW], *halves)
    sine, cosine = float(portable.sin(place.yaw)), float(portable.cos(place.yaw))
    dx, dy = plan[..., 0] - place.x, plan[..., 1] - place.y
    is_in = np.abs(cosine * dx + sine * dy) <= 0.5 * place.length
    is_in &= np.abs(cosine * dy - sine * dx) <= 0.5 * place.width
    angle = np.abs(portable.wrapped(car[:, YAW] - place.yaw))
    if place.is_across:
        angle = np.minimum(angle, np.pi - angle)
    within: Booleans = is_in.all(axis=1) & (angle <= MAX_ANGLE)
    return within


def has_parked(trace: Trace, place: ParkingPlace) -> bool:
    """Whether the car has stood in a place for `PARKED_SECONDS` at the end of a trace."""
    samples = round(PARKED_SECONDS / trace.interval) + 1
    last = trace.last(samples)
    is_parked = (np.abs(last.car[:, SPEED]) < STANDING) & is_within(last, place)
    return len(is_parked) == samples and bool(is_parked.all())
