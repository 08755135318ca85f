"""nuPlan's closed-loop score of an episode: a weighted mean times factors that fail it.

Source: nuplan-devkit v1.2, `docs/nuplan_metrics_aggeregation.md` (challenges 2 and 3) and
`docs/metrics_description.md`. Routes of the benchmark have no driven expert: the whole route
stands for the expert's progress.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Floats
from autosim.benchmark.infractions import (
    ScoredMap,
    car_boxes,
    contacts_of,
    lane_headings,
    road_users,
)
from autosim.benchmark.progress import RouteCourse
from autosim.benchmark.routes import Route
from autosim.benchmark.scores.comfort import comfort_of
from autosim.benchmark.trace import SPEED, YAW, Trace, X, Y, Z, corners, overlap

WEIGHTS = {"progress": 5.0, "time_to_collision": 5.0, "speed_limit": 4.0, "comfort": 2.0}
"""Weight of each term of the mean."""

RATE = 10.0
"""Samples [1/s] that are judged, as in nuPlan."""

MIN_PROGRESS = 0.2
"""Share of the route below which no progress was made."""

MIN_TIME_TO_COLLISION = 0.95
"""Least time [s] to a collision at constant velocity."""

MAX_OVERSPEED = 2.23
"""Speed [m/s] above the limit at which, driven all the time, the term is 0."""

DRIVABLE_TOLERANCE = 0.3
"""Distance [m] by which corners of the car may leave the carriageway."""

WRONG_WAY_TOLERANCE, WRONG_WAY_LIMIT = 2.0, 6.0
"""Distance [m] against the direction of a lane within 1 s: half the score above the first, none
above the second."""

_STOPPED = 5e-2
"""Speed [m/s] below which a road user has stopped."""

_AHEAD = float(np.radians(30.0))
"""Half the angle [rad] within which others are ahead of the car (`is_agent_ahead`)."""

_BEHIND = float(np.radians(150.0))
"""Angle [rad] from which others are behind the car (`is_agent_behind`)."""

_STEP = 0.1
"""Time [s] between projected boxes."""


@dataclass(frozen=True, slots=True)
class ClosedLoopScore:
    """The `score` [0, 100] and its terms, each in [0, 1].

    Factors are `no_at_fault_collisions`, `drivable_area`, `driving_direction` and
    `making_progress`; `progress`, `time_to_collision`, `speed_limit` and `comfort` are weighted.
    """

    score: float
    no_at_fault_collisions: float
    drivable_area: float
    driving_direction: float
    making_progress: float
    progress: float
    time_to_collision: float
    speed_limit: float
    comfort: float


def closed_loop_score(
    trace: Trace, route: Route, course: RouteCourse, surroundings: ScoredMap
) -> ClosedLoopScore:
    """The closed-loop score of an episode."""
    judged = trace.thinned(max(1, round(1.0 / (RATE * trace.interval))))
    in_lane = is_in_lane(judged, surroundings)
    progress = course.completion(route)
    factors = {
        "no_at_fault_collisions": collision_term(trace, is_in_lane(trace, surroundings)),
        "drivable_area": drivable_term(judged, surroundings),
        "driving_direction": direction_term(judged, surroundings),
        "making_progress": float(progress >= MIN_PROGRESS),
    }
    terms = {
        "progress": progress,
        "time_to_collision": float(not is_too_near(judged, in_lane).any()),
        "speed_limit": speed_term(judged, surroundings),
        "comfort": float(comfort_of(judged).is_comfortable),
    }
    return ClosedLoopScore(weighted_score(factors, terms), **factors, **terms)


def weighted_score(factors: dict[str, float], terms: dict[str, float]) -> float:
    """Score [0, 100] of factors and terms in [0, 1] by name."""
    mean = sum(WEIGHTS[name] * value for name, value in terms.items()) / sum(WEIGHTS.values())
    for value in factors.values():
        mean *= value
    return 100.0 * mean


def is_in_lane(trace: Trace, surroundings: ScoredMap) -> Booleans:
    """Whether (n,) the whole car is on the lane of its middle, or its middle in a junction."""
    roads = surroundings.roads
    lanes, _ = roads.nearest_lanes(trace.car[:, [X, Y, Z]], trace.car[:, YAW])
    box = car_boxes(trace)
    points = corners(*(box[:, k] for k in range(5)))
    inside = np.ones(len(lanes), dtype=np.bool_)
    for sample, lane in enumerate(lanes.tolist()):
        if roads.connectors[lane]:
            continue
        view, half = roads.lanes[lane], 0.5 * float(roads.widths[lane])
        inside[sample] = all(
            abs(view.local_coordinates(point)[1]) <= half for point in points[sample]
        )
    return inside


def collision_term(trace: Trace, in_lane: Booleans) -> float:
    """1 without collisions that are the car's fault, 0.5 with one with a fixed object, else 0."""
    boxes, speeds = road_users(trace)
    fixed = 0
    for each in contacts_of(trace):
        before = max(each.sample - 1, 0)
        if each.partner < 0:
            fixed += 1
        elif is_at_fault(
            trace.car[before],
            boxes[before, each.partner],
            float(speeds[before, each.partner]),
            bool(in_lane[before]),
        ):
            return 0.0
    return 1.0 if fixed == 0 else 0.5 if fixed == 1 else 0.0


def is_at_fault(car: Floats, other: Floats, other_speed: float, is_in_own_lane: bool) -> bool:
    """Whether a collision with a road user is the car's fault.

    Args:
        car: its row (6,) in the trace, before the collision.
        other: box (5,) of the road user.
        other_speed: [m/s].
        is_in_own_lane: whether the car is within one lane.
    """
    if abs(car[SPEED]) <= _STOPPED:
        return False
    if abs(other_speed) <= _STOPPED:
        return True
    bearing = abs(float(bearings(car[None], other[None, None])[0, 0]))
    if bearing >= _BEHIND:
        return False
    return bearing < _AHEAD or not is_in_own_lane


def bearings(cars: Floats, boxes: Floats) -> Floats:
    """Angles (n, m) [rad] from the heading of cars (n, 6) to the middles of boxes (n, m, 5)."""
    dx, dy = boxes[..., 0] - cars[:, None, X], boxes[..., 1] - cars[:, None, Y]
    found: Floats = portable.wrapped(portable.arctan2(dy, dx) - cars[:, None, YAW])
    return found


def drivable_term(trace: Trace, surroundings: ScoredMap) -> float:
    """0 where a corner of the car was farther off the carriageway than the tolerance, else 1."""
    box = car_boxes(trace)
    points = corners(*(box[:, k] for k in range(5))).reshape(-1, 2)
    heights = np.repeat(trace.car[:, Z], 4)
    placed = np.column_stack([points, heights])
    off = np.flatnonzero(~surroundings.is_drivable(placed))
    if not len(off):
        return 1.0
    angles: Floats = np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False)
    around = np.zeros((8, 3))
    around[:, 0] = DRIVABLE_TOLERANCE * portable.cos(angles)
    around[:, 1] = DRIVABLE_TOLERANCE * portable.sin(angles)
    near = (placed[off, None] + around).reshape(-1, 3)
    reached = surroundings.is_drivable(near).reshape(-1, 8).any(axis=1)
    return float(reached.all())


def direction_term(trace: Trace, surroundings: ScoredMap) -> float:
    """1, 0.5 or 0 by the distance driven against the direction of lanes within 1 s."""
    roads, middle = surroundings.roads, trace.car[:, [X, Y, Z]]
    # The lane in the direction of the car counts where it is on one.
    lanes, place = roads.nearest_lanes(middle, trace.car[:, YAW])
    aside = np.abs(place[:, 1]) > 0.5 * roads.widths[lanes]
    any_lane, any_place = roads.nearest_lanes(middle)
    lanes, place = np.where(aside, any_lane, lanes), np.where(aside[:, None], any_place, place)
    along = portable.cos(trace.car[:, YAW] - lane_headings(roads, lanes, place))
    steps = trace.car[:, SPEED] * trace.interval * along
    steps = np.where(roads.connectors[lanes], 0.0, steps)
    window = max(1, round(1.0 / trace.interval))
    total = np.concatenate([[0.0], np.cumsum(np.minimum(steps, 0.0))])
    against = total[:-window] - total[window:] if len(total) > window else -total[-1:]
    most = float(against.max(initial=0.0))
    return 1.0 if most < WRONG_WAY_TOLERANCE else 0.5 if most < WRONG_WAY_LIMIT else 0.0


def is_too_near(trace: Trace, in_lane: Booleans) -> Booleans:
    """Whether (n,) a collision was less than `MIN_TIME_TO_COLLISION` away at constant velocities.

    Road users ahead count; those at the sides only where the car is not within one lane.
    """
    boxes, speeds = road_users(trace)
    own, car = car_boxes(trace)[:, None], trace.car
    bearing = np.abs(bearings(car, boxes))
    counts = (bearing < _AHEAD) | (~in_lane[:, None] & (bearing < _BEHIND))
    counts &= np.abs(car[:, None, SPEED]) > _STOPPED
    counts &= ~overlap(own, boxes)
    found: Booleans = np.zeros(len(car), dtype=np.bool_)
    times = np.arange(1, 100) * _STEP
    for time in times[times < MIN_TIME_TO_COLLISION].tolist():
        meets = counts & overlap(
            _moved(own, car[:, None, SPEED], time), _moved(boxes, speeds, time)
        )
        found |= meets.any(axis=1)
    return found


def _moved(boxes: Floats, speeds: Floats, seconds: float) -> Floats:
    """Boxes (..., 5) after some time at their speeds, along their headings."""
    moved = boxes.copy()
    moved[..., 0] += seconds * speeds * portable.cos(boxes[..., 2])
    moved[..., 1] += seconds * speeds * portable.sin(boxes[..., 2])
    return moved


def speed_term(trace: Trace, surroundings: ScoredMap) -> float:
    """1 less the integral of the speed above the limit, by `MAX_OVERSPEED` for the whole time."""
    if trace.seconds <= 0.0:
        return 1.0
    roads = surroundings.roads
    lanes, _ = roads.nearest_lanes(trace.car[:, [X, Y, Z]], trace.car[:, YAW])
    limits = lane_limits(surroundings, lanes.tolist())
    over = np.maximum(np.abs(trace.car[:, SPEED]) - limits, 0.0)
    integral = float(over[:-1].sum()) * trace.interval
    return max(0.0, 1.0 - integral / (MAX_OVERSPEED * trace.seconds))


def lane_limits(surroundings: ScoredMap, lanes: Sequence[int]) -> Floats:
    """Speed limits (n,) [m/s]; in junctions the larger of the lanes that they join."""
    roads = surroundings.roads
    limits = roads.speed_limits.copy()
    for lane in sorted(set(lanes)):
        if roads.connectors[lane]:
            following = [float(roads.speed_limits[k]) for k in roads.lanes[lane].successors]
            limits[lane] = max([float(limits[lane]), *following])
    found: Floats = limits[np.array(lanes, dtype=np.int64)]
    return found
