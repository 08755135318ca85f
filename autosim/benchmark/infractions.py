"""Infractions of an episode, each with its time and place, found in its trace."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Floats, Integers
from autosim.benchmark.progress import RouteCourse
from autosim.benchmark.routes import LineOnRoute, Route
from autosim.benchmark.trace import (
    COLLISIONS,
    KIND,
    PERSON_HALF,
    SPEED,
    YAW,
    Trace,
    X,
    Y,
    Z,
    overlap,
)
from autosim.world.lanes.lane_rules import Control, SignalState
from autosim.world.lanes.roads import RoadNetwork

_CONTACT = 0.4
"""Distance [m] up to which a road user counts as what the car has hit: it moves within a sample."""

_SAME_SECONDS = 5.0
"""Time [s] within which the same partner counts once (`MAX_ID_TIME` of CARLA's CollisionTest)."""

_LINE_TOLERANCE = 0.5
"""Distance [m] behind a stop line from which it counts as crossed."""

_STOP_SPEED = 0.1
"""Speed [m/s] below which a car has stopped (`SPEED_THRESHOLD` of CARLA's RunningStopTest)."""

_STOP_ZONE = 6.0
"""Distance [m] before a stop line within which a car has to stop."""

_WRONG_WAY = float(np.radians(120.0))
"""Angle [rad] to the direction of a lane from which it is driven the wrong way
(`MAX_ROUTE_ANGLE` of CARLA's OutsideRouteLanesTest)."""

_MUST_WAIT = (SignalState.RED, SignalState.RED_AMBER)

_MIN_SPEED_PARTS = 4
"""Number of parts of a route for each of which the mean speed is compared with that of traffic."""

_TRAFFIC_RADIUS = 100.0
"""Distance [m] within which vehicles count as surrounding traffic."""


@dataclass(frozen=True, slots=True)
class Infraction:
    """An infraction of a `kind`: `time` [s] since the start, place `x`, `y` [m] in W, and a `text`.

    `value`: share of the route [%] of `outside_route_lanes`, share of the speed of traffic [%] of
    `min_speed`, else 0.
    """

    kind: str
    time: float
    x: float
    y: float
    text: str
    value: float = 0.0


@dataclass(frozen=True, slots=True)
class ScoredMap:
    """Map data that scores need: the lanes, `roads`, and what follows.

    `signal_numbers` (lanes,) of the signal of each lane, -1: none; `is_drivable`: whether points
    (n, 3) [m] in W lie on a carriageway.
    """

    roads: RoadNetwork
    signal_numbers: Integers
    is_drivable: Callable[[Floats], Booleans]


def find_infractions(
    trace: Trace, route: Route, course: RouteCourse, surroundings: ScoredMap, ended_by: str
) -> list[Infraction]:
    """All infractions of an episode, in order of time."""
    found = [
        *_collisions(trace),
        *_line_infractions(trace, route, course, surroundings),
        *_outside_lanes(trace, route, course, surroundings),
        *_slow_parts(trace, route, course),
        *_ending(trace, course, ended_by),
    ]
    return sorted(found, key=lambda each: each.time)


def _at(trace: Trace, sample: int, kind: str, text: str, value: float = 0.0) -> Infraction:
    car = trace.car[sample]
    time = round(sample * trace.interval, 6)
    return Infraction(kind, time, float(car[X]), float(car[Y]), text, value)


def road_users(trace: Trace) -> tuple[Floats, Floats]:
    """Boxes (n, v + p, 5) and speeds (n, v + p) of vehicles, then people; see `overlap`."""
    vehicles = np.concatenate([trace.vehicles[..., [X, Y, YAW]], trace.vehicle_halves()], axis=-1)
    half = np.where(trace.people[..., KIND, None] >= 0.0, PERSON_HALF, 0.0)
    people = np.concatenate([trace.people[..., [X, Y, YAW]], half, half], axis=-1)
    boxes = np.concatenate([vehicles, people], axis=1)
    speeds = np.concatenate([trace.vehicles[..., SPEED], trace.people[..., SPEED]], axis=1)
    return boxes, speeds


def car_boxes(trace: Trace, margin: float = 0.0) -> Floats:
    """Boxes (n, 5) of the car, larger by `margin` [m] on each side."""
    outline = trace.outline
    halves = (outline.half_length + margin, outline.half_width + margin)
    return np.column_stack([trace.car[:, [X, Y, YAW]], np.tile(halves, (len(trace.car), 1))])


@dataclass(frozen=True, slots=True)
class Contact:
    """A collision at a `sample`; `partner`: row in `road_users`, -1: a fixed object."""

    sample: int
    partner: int


def contacts_of(trace: Trace) -> Iterator[Contact]:
    """Collisions of the car; the same partner within `_SAME_SECONDS` counts once."""
    counts = trace.car[:, COLLISIONS]
    boxes, _ = road_users(trace)
    last: dict[int, float] = {}
    for sample in (np.flatnonzero(np.diff(counts) > 0.0) + 1).tolist():
        own = car_boxes(trace, _CONTACT)[sample]
        touching = np.flatnonzero(
            overlap(own, boxes[sample]) | overlap(own, boxes[max(sample - 1, 0)])
        ).tolist()
        # People first: a person whom the car pushes into a vehicle is what it has hit.
        partner = touching[-1] if touching else -1
        time = sample * trace.interval
        if time - last.get(partner, -np.inf) > _SAME_SECONDS:
            yield Contact(sample, partner)
        last[partner] = time


def _collisions(trace: Trace) -> Iterator[Infraction]:
    vehicles = trace.vehicles.shape[1]
    for sample, partner in ((each.sample, each.partner) for each in contacts_of(trace)):
        speed = f"at {trace.car[max(sample - 1, 0), SPEED]:.1f} m/s"
        if partner < 0:
            yield _at(trace, sample, "collision_layout", f"hit something fixed {speed}")
        elif partner < vehicles:
            yield _at(trace, sample, "collision_vehicle", f"hit vehicle {partner} {speed}")
        else:
            text = f"hit pedestrian {partner - vehicles} {speed}"
            yield _at(trace, sample, "collision_pedestrian", text)


def _line_infractions(
    trace: Trace, route: Route, course: RouteCourse, surroundings: ScoredMap
) -> Iterator[Infraction]:
    fronts = course.stations + trace.outline.half_length
    for line in route.lines:
        passed = np.flatnonzero(fronts > line.station + _LINE_TOLERANCE)
        if not len(passed) or passed[0] == 0:
            continue
        sample = int(passed[0])
        if line.control in (Control.STOP, Control.ALL_WAY_STOP):
            is_near = fronts[:sample] > line.station - _STOP_ZONE
            speeds = np.abs(trace.car[:sample, SPEED][is_near])
            if speeds.min(initial=np.inf) > _STOP_SPEED:
                yield _at(trace, sample, "stop_sign", f"passed the stop line of lane {line.lane}")
        elif _is_red(trace, sample, line, surroundings):
            yield _at(trace, sample, "red_light", f"passed the red signal of lane {line.lane}")


def _is_red(trace: Trace, sample: int, line: LineOnRoute, surroundings: ScoredMap) -> bool:
    number = int(surroundings.signal_numbers[line.lane])
    return 0 <= number < trace.signals.shape[1] and trace.signals[sample, number] in _MUST_WAIT


def outside_of_lanes(trace: Trace, surroundings: ScoredMap) -> Booleans:
    """Whether (n,) the car is off the carriageway or drives a lane the wrong way."""
    middle = trace.car[:, [X, Y, Z]]
    roads = surroundings.roads
    lanes, coordinates = roads.nearest_lanes(middle)
    on_lane = np.abs(coordinates[:, 1]) < 0.5 * roads.widths[lanes]
    turned = np.abs(portable.wrapped(trace.car[:, YAW] - lane_headings(roads, lanes, coordinates)))
    is_wrong = on_lane & (turned > _WRONG_WAY) & ~roads.connectors[lanes]
    # A lane of the right direction at the same place: streets of one lane that both share.
    own, place = roads.nearest_lanes(middle, trace.car[:, YAW])
    aligned = (
        np.abs(portable.wrapped(trace.car[:, YAW] - lane_headings(roads, own, place))) < np.pi / 2
    )
    is_shared = aligned & (np.abs(place[:, 1]) < 0.5 * roads.widths[own])
    outside: Booleans = (is_wrong & ~is_shared) | ~surroundings.is_drivable(middle)
    return outside


def lane_headings(roads: RoadNetwork, lanes: Integers, coordinates: Floats) -> Floats:
    """Headings (n,) [rad] of lanes at stations `coordinates[:, 0]` [m]."""
    found = [
        roads.lanes[lane].heading(station)
        for lane, station in zip(lanes.tolist(), coordinates[:, 0].tolist(), strict=True)
    ]
    return np.array(found, dtype=np.float64)


def _outside_lanes(
    trace: Trace, route: Route, course: RouteCourse, surroundings: ScoredMap
) -> Iterator[Infraction]:
    outside = outside_of_lanes(trace, surroundings)
    steps = np.abs(trace.car[:, SPEED]) * trace.interval
    driven = max(float(course.stations.max(initial=0.0)), 1.0)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], outside, [False]]).astype(np.int64)))
    for first, last in edges.reshape(-1, 2).tolist():
        metres = float(steps[first:last].sum())
        share = min(100.0 * metres / driven, 100.0)
        if metres > 0.0:
            text = f"{metres:.1f} m outside the lanes of the route"
            yield _at(trace, first, "outside_route_lanes", text, share)


def _slow_parts(trace: Trace, route: Route, course: RouteCourse) -> Iterator[Infraction]:
    part = np.minimum(course.rows * _MIN_SPEED_PARTS // max(route.goal_row, 1), _MIN_SPEED_PARTS)
    gaps = trace.vehicles[..., :2] - trace.car[:, None, :2]
    near = portable.hypot(gaps[..., 0], gaps[..., 1]) < _TRAFFIC_RADIUS
    near &= trace.vehicles[..., KIND] >= 0.0
    # A car that parks is slow in the last part.
    for number in range(_MIN_SPEED_PARTS - (route.place is not None)):
        rows = np.flatnonzero(part == number)
        is_whole = bool((part > number).any())
        others = trace.vehicles[rows][..., SPEED][near[rows]]
        if not is_whole or not len(others) or others.mean() <= _STOP_SPEED:
            continue
        share = 100.0 * float(np.abs(trace.car[rows, SPEED]).mean() / others.mean())
        if share < 100.0:
            text = f"{share:.0f} % of the speed of surrounding traffic in part {number + 1} of 4"
            yield _at(trace, int(rows[-1]), "min_speed", text, share)


_ENDINGS = {
    "deviated": ("route_deviation", "left the route"),
    "blocked": ("agent_blocked", "stood still for too long"),
    "timeout": ("route_timeout", "used up the time limit"),
    "failed": ("agent_failed", "the agent failed"),
}
"""Infraction and text of each ending that is not the goal."""


def _ending(trace: Trace, course: RouteCourse, ended_by: str) -> Iterator[Infraction]:
    if ended_by in _ENDINGS:
        kind, text = _ENDINGS[ended_by]
        row = len(trace.car) - 1
        yield _at(trace, row, kind, f"{text}, {course.stations[row]:.0f} m along the route")
