"""Evaluates the conditions of a scenario at one step."""

from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.config.scenarios import (
    CollisionCondition,
    Condition,
    DistanceCondition,
    EventCondition,
    ReachAreaCondition,
    ReachPositionCondition,
    SpeedCondition,
    TimeCondition,
    ValueRange,
)
from autosim.traffic.road_users import B
from autosim.traffic.scenarios.scenario_positions import ActorPose, LanePositions, PositionError
from autosim.traffic.vehicles.box_overlap import do_overlap

_LEAST_SPEED = 0.1
"""Speed [m/s] below which there is no headway: the vehicle stands."""

_AHEAD = 0.5
"""Cosine (without unit) of the angle from the heading within which others are ahead: 60°."""


@dataclass(frozen=True, slots=True)
class ScenarioState:
    """All that conditions look at.

    `boxes` (n, 8) as of `Surroundings`, of all who have `names` and then of all others whom one can
    hit; a half length of 0: not there. `seconds` since the beginning; `events`: the step in which
    each happened, by name, -1: not yet; `step` now, of `step_seconds`.
    """

    names: dict[str, int]
    boxes: Floats
    seconds: float
    step: int
    step_seconds: float
    events: dict[str, int]
    lanes: LanePositions
    """Finds positions on lanes."""

    def pose_of(self, name: str) -> ActorPose:
        """Pose of a participant."""
        box = self.boxes[self.names[name]]
        return ActorPose(float(box[B.x]), float(box[B.y]), float(box[B.z]), float(box[B.yaw]))

    def is_there(self, name: str) -> bool:
        """Whether a participant is in the world."""
        return bool(self.boxes[self.names[name], B.half_length] > 0.0)


def is_met(condition: Condition, now: ScenarioState) -> bool:
    """Whether a condition is true; false for participants that are absent."""
    if isinstance(condition, TimeCondition):
        return _is_within(now.seconds, condition.bounds)
    if isinstance(condition, EventCondition):
        step = now.events.get(condition.event, -1)
        return step >= 0 and (now.step - step) * now.step_seconds >= condition.seconds
    others = (
        [condition.to]
        if isinstance(condition, DistanceCondition | CollisionCondition) and condition.to
        else []
    )
    if not all(now.is_there(name) for name in (condition.of, *others)):
        return False
    if isinstance(condition, SpeedCondition):
        box = now.boxes[now.names[condition.of]]
        return _is_within(float(portable.hypot(box[B.speed_x], box[B.speed_y])), condition.bounds)
    if isinstance(condition, ReachPositionCondition):
        try:
            goal, _ = now.lanes.find(condition.place, now.pose_of)
        except PositionError:
            return False
        here = now.pose_of(condition.of)
        return bool(portable.hypot(goal.x - here.x, goal.y - here.y) <= condition.within)
    if isinstance(condition, ReachAreaCondition):
        here = now.pose_of(condition.of)
        return any(is_inside(here.x, here.y, np.array(area)) for area in condition.areas)
    if isinstance(condition, CollisionCondition):
        return _collides(condition, now)
    return _is_within(_gap(condition, now), condition.bounds)


def is_inside(x: float, y: float, corners: Floats) -> bool:
    """Whether a point is inside a polygon (n, 2): a ray to the east meets its edges an odd time."""
    ends = np.roll(corners, -1, axis=0)
    crosses = (corners[:, 1] > y) != (ends[:, 1] > y)
    a, b = corners[crosses], ends[crosses]
    east = a[:, 0] + (y - a[:, 1]) / (b[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0])
    return bool(np.count_nonzero(east > x) % 2)


def _is_within(value: float, bounds: ValueRange) -> bool:
    return bounds.least <= value <= bounds.most


def _collides(condition: CollisionCondition, now: ScenarioState) -> bool:
    own = now.names[condition.of]
    rows: Integers = np.flatnonzero(now.boxes[:, B.half_length] > 0.0)
    if condition.to:
        rows = np.array([now.names[condition.to]])
    return any(do_overlap(now.boxes[own], now.boxes[row]) for row in rows.tolist() if row != own)


def _gap(condition: DistanceCondition, now: ScenarioState) -> float:
    first, second = (now.boxes[now.names[name]] for name in (condition.of, condition.to))
    metres, way = _between(first, second)
    if condition.measure == "metres":
        return metres
    speed = first[[B.speed_x, B.speed_y]]
    heading = np.array([portable.cos(first[B.yaw]), portable.sin(first[B.yaw])])
    if condition.measure == "headway":
        is_ahead = float(portable.dot(heading, way)) > _AHEAD * float(portable.length(way))
        rate = float(portable.hypot(speed[0], speed[1]))
        return metres / rate if is_ahead and rate > _LEAST_SPEED else np.inf
    # Both keep their velocities: the gap shrinks by their closing speed along the line between.
    closing = speed - second[[B.speed_x, B.speed_y]]
    rate = float(portable.dot(closing, way)) / max(float(portable.length(way)), 1e-9)
    return metres / rate if rate > _LEAST_SPEED else np.inf


def _between(first: Floats, second: Floats) -> tuple[float, Floats]:
    """The gap [m] between two boxes, and the way (2,) from the middle of one to the other's."""
    corners = [_corners(box) for box in (first, second)]
    way = second[[B.x, B.y]] - first[[B.x, B.y]]
    if do_overlap(first, second):
        return 0.0, way
    gaps = [_to_edges(corner, corners[1 - k]) for k in (0, 1) for corner in corners[k]]
    return min(gaps), way


def _corners(box: Floats) -> Floats:
    c, s = float(portable.cos(box[B.yaw])), float(portable.sin(box[B.yaw]))
    length, width = box[B.half_length], box[B.half_width]
    ends = np.array([(length, width), (-length, width), (-length, -width), (length, -width)])
    turn = np.array([(c, -s), (s, c)])
    return np.asarray((ends[:, None, :] * turn).sum(axis=2) + box[[B.x, B.y]])


def _to_edges(point: Floats, corners: Floats) -> float:
    """Distance [m] from a point to the nearest edge of a box."""
    ways = np.roll(corners, -1, axis=0) - corners
    along = ((point - corners) * ways).sum(axis=1) / np.maximum((ways * ways).sum(axis=1), 1e-12)
    feet = corners + np.clip(along, 0.0, 1.0)[:, None] * ways
    return float(portable.hypot(*(point - feet).T).min())
