"""Makes scenarios of CommonRoad files (2018b, 2020a): obstacles and the planning problem.

Obstacles move as they were recorded. The first planning problem is the robot's: its initial state
is where it starts, and its goal has to be reached without a collision.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.config.diagnostics import ConfigError, Diagnostics, printable
from autosim.config.scenarios import (
    Actor,
    CollisionCondition,
    Criterion,
    ReachAreaCondition,
    Scenario,
    WorldPosition,
)
from autosim.traffic.scenarios.ego import EGO
from autosim.traffic.scenarios.recorded.recorded_scenario import RecordedActor, kind_of, scenario_of
from autosim.world.lanelets.commonroad_file import number_of, open_commonroad, points_of, shift_of
from autosim.world.opendrive.xodr_elements import XodrElement

_NEAR = 2.0
"""Radius [m] of a goal region without a size."""

_SIDES = 32
"""Number of sides of the polygon for a round goal region."""

_OBSTACLES = ("dynamicObstacle", "staticObstacle", "obstacle")


def read_commonroad_scenario(path: Path, found: Diagnostics) -> Scenario | None:
    """The scenario of a file; None, with diagnostics, if it has errors."""
    try:
        root = open_commonroad(path, found)
    except ConfigError:
        return None
    step = root.number("timeStepSize")
    if not step > 0.0:
        root.error("timeStepSize is not above 0")
    shift = shift_of(root)
    recorded, lost = [], Counter[str]()
    for name in _OBSTACLES:
        for element in root.children(name):
            actor = _obstacle(element, step, shift)
            if kind_of(actor.kind, actor.length, actor.width) is None:
                lost[actor.kind] += 1
            elif len(actor.times):
                recorded.append(actor)
    for kind, count in sorted(lost.items()):
        shown = printable(kind, 40) or "without a type"
        found.warning(path, 0, f"{count} obstacles {shown} are left out: traffic has no such kind")
    problem = root.child("planningProblem")
    tested = [] if problem is None else [_ego(problem, shift)]
    if found.errors:
        return None
    scenario = scenario_of(root.text("benchmarkID") or path.stem, recorded, tested)
    if problem is None:
        return scenario
    scenario = _with_goal(scenario, problem, root, step, shift)
    return None if found.errors else scenario


def _obstacle(element: XodrElement, step: float, shift: Floats) -> RecordedActor:
    id_ = element.whole("id")
    named = element.named(f"obstacle {id_}")
    kind = _text(named, "type")
    states = [*named.children("initialState"), *named.below("trajectory", "state")]
    rows = [row for state in states if (row := _state(state, shift)) is not None]
    table = np.array(rows).reshape(-1, 4)
    times = table[:, 0] * step
    kept = np.concatenate([[True], np.diff(times) > 0.0]) if len(times) else np.zeros(0, np.bool_)
    length, width = _size(named)
    return RecordedActor(
        name=f"obstacle_{id_}",
        kind=kind,
        times=times[kept],
        poses=table[kept, 1:],
        length=length,
        width=width,
    )


def _text(element: XodrElement, name: str) -> str:
    child = element.child(name)
    return "" if child is None else (child.node.text or "").strip()


def _size(element: XodrElement) -> tuple[float, float]:
    """Length and width [m] of an obstacle; 0: unknown."""
    for shape in element.below("shape", "rectangle"):
        length, width = shape.child("length"), shape.child("width")
        if length is not None and width is not None:
            return number_of(length), number_of(width)
    for shape in element.below("shape", "circle"):
        radius = shape.child("radius")
        if radius is not None:
            return 2.0 * number_of(radius), 2.0 * number_of(radius)
    for shape in element.below("shape", "polygon"):
        points = points_of(shape)
        if len(points):
            length, width = np.ptp(points[:, :2], axis=0).tolist()
            return length, width
    return 0.0, 0.0


def _state(state: XodrElement, shift: Floats) -> tuple[float, float, float, float] | None:
    """The time step, x, y [m] and yaw [rad] of a state; None for one without a position."""
    place = state.child("position")
    if place is None:
        state.error("a state has no <position>")
        return None
    points = [points_of(place), *(points_of(each) for each in place.below("polygon"))]
    centers = [*place.below("rectangle", "center"), *place.below("circle", "center")]
    points += [np.append(_center(each), 0.0)[None] for each in centers]
    every = np.vstack(points)
    if not len(every):
        state.error("the position of a state has no point")
        return None
    x, y = (every[:, :2].mean(axis=0) + shift).tolist()
    return _value(state, "time"), x, y, _value(state, "orientation")


def _center(center: XodrElement) -> Floats:
    """The point (2,) [m] of an element with x and y, in the coordinates of the file."""
    values = [center.child(name) for name in "xy"]
    return np.array([0.0 if each is None else number_of(each) for each in values])


def _value(state: XodrElement, name: str) -> float:
    """An exact value of a state, or the middle of its interval; 0 where it is missing."""
    values = [number_of(each) for each in state.below(name, "exact")]
    if values:
        return values[0]
    ends = [number_of(each) for each in state.below(name, "intervalStart")]
    ends += [number_of(each) for each in state.below(name, "intervalEnd")]
    return sum(ends) / len(ends) if ends else 0.0


def _ego(problem: XodrElement, shift: Floats) -> Actor:
    initial = problem.child("initialState")
    row = None if initial is None else _state(initial, shift)
    if initial is None or row is None:
        problem.error("a planning problem has no initial position")
        return Actor(EGO[0], "saloon")
    place = WorldPosition(row[1], row[2], row[3])
    return Actor(EGO[0], "saloon", place=place, speed=max(_value(initial, "velocity"), 0.0))


def _with_goal(
    scenario: Scenario, problem: XodrElement, root: XodrElement, step: float, shift: Floats
) -> Scenario:
    """The scenario with the criteria and the duration of a planning problem."""
    criteria = [Criterion("no collision", "never", CollisionCondition(EGO[0]))]
    ends = [number_of(each) for each in problem.below("goalState", "time", "intervalEnd")]
    ends += [number_of(each) for each in problem.below("goalState", "time", "exact")]
    areas = tuple(
        tuple((float(x), float(y)) for x, y in area.tolist())
        for area in _goals(problem, root, shift)
        if len(area) > 2
    )
    if areas:
        criteria.append(Criterion("goal", "once", ReachAreaCondition(EGO[0], areas)))
    seconds = max([end * step for end in ends], default=scenario.seconds)
    return Scenario(
        scenario.name, max(seconds, step), actors=scenario.actors, criteria=tuple(criteria)
    )


def _goals(problem: XodrElement, root: XodrElement, shift: Floats) -> Iterator[Floats]:
    """The corners (n, 2) [m] in W of the areas of the goals that state a place."""
    bounds = {each.text("id"): each for each in root.children("lanelet")}
    for place in problem.below("goalState", "position"):
        for named in place.children("lanelet"):
            lanelet = bounds.get(named.text("ref"))
            if lanelet is None:
                ref = printable(named.text("ref"), 40)
                named.error(f"the goal names the lanelet '{ref}', which is missing")
                continue
            left, right = (
                np.vstack([np.zeros((0, 3)), *(points_of(each) for each in lanelet.children(name))])
                for name in ("leftBound", "rightBound")
            )
            yield np.vstack([left, right[::-1]])[:, :2] + shift
        for shape in place.children("rectangle", "circle", "polygon"):
            yield _area(shape) + shift


def _area(shape: XodrElement) -> Floats:
    """The corners (n, 2) [m] of a shape, in the coordinates of the file."""
    if shape.tag == "polygon":
        return np.asarray(points_of(shape)[:, :2])
    named = shape.child("center")
    center = np.zeros(2) if named is None else _center(named)
    values = {
        name: number_of(each)
        for name in ("length", "width", "orientation", "radius")
        if (each := shape.child(name)) is not None
    }
    if shape.tag == "circle":
        angles: Floats = np.linspace(0.0, 2.0 * np.pi, _SIDES, endpoint=False, dtype=np.float64)
        sines, cosines = portable.sin_cos(angles)
        return center + values.get("radius", _NEAR) * np.column_stack([cosines, sines])
    half = [values.get(name, 2.0 * _NEAR) / 2.0 for name in ("length", "width")]
    sine, cosine = (float(each) for each in portable.sin_cos(values.get("orientation", 0.0)))
    local = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]) * half
    x = cosine * local[:, 0] - sine * local[:, 1]
    y = sine * local[:, 0] + cosine * local[:, 1]
    return center + np.column_stack([x, y])
