"""Collisions among vehicles, and jams in which each waits for another."""

from autosim.jit import compiled_without_refcounts, jitable
from autosim.portable import sin_cos
from autosim.traffic.road_users import B
from autosim.traffic.vehicles.box_overlap import do_overlap
from autosim.traffic.vehicles.junctions.junction_passing import STANDING
from autosim.traffic.vehicles.spawning import SPAWN_VISIBILITY, is_far_from_robots
from autosim.traffic.vehicles.traffic_context import (
    COLLISIONS,
    DEADLOCKS,
    NO_CAUSE,
    PERSON,
    ROBOT,
    RULE,
    SIGNAL,
    TrafficContext,
)

_STUCK = 30.0
"""Time [s] for which all of a circle have stood before it counts as one: longer than any who wait
for their turn."""

_LONG = 120.0
"""Waiting time [s] after which a vehicle counts as stuck, unless a robot, a person or a signal
holds it up: longer than the longest phase of signals."""

_LONGEST = 300.0
"""The same [s] before people and signals: some cycles of the slowest signal, in each of which
every waiting vehicle has had green."""

_NOSE_GAP = 8.0
"""Gap [m] between two that stand nose to nose: what a careful driver leaves, twice."""

_FACING = -0.7
"""Cosine (without unit) of the angle between two that face each other: 135° or more."""


@compiled_without_refcounts
def count_collisions(town: TrafficContext) -> None:
    """Counts the vehicles that have begun to touch each other. Writes rows and `counts`."""
    rows, boxes = town.rows, town.boxes
    for i in range(len(rows)):
        if not rows[i].active:
            continue
        touches = False
        for k in range(len(rows)):
            if k == i or not rows[k].active:
                continue
            if do_overlap(boxes[i], boxes[k]):
                touches = True
                if not rows[i].touches and (k > i or rows[k].touches):
                    town.counts[COLLISIONS] += 1
                break
        rows[i].touches = touches


@compiled_without_refcounts
def resolve_jams(town: TrafficContext) -> None:
    """Finds circles of vehicles that wait for each other, and removes one of each out of sight.

    Counts once each circle, each vehicle nose to nose with a robot, and each that is stuck
    otherwise: one of them has to leave; of a circle one that is out of sight, if there is one.
    """
    rows = town.rows
    for i in range(len(rows)):
        if not rows[i].active or rows[i].waited < _STUCK or rows[i].leaves:
            continue
        chosen, is_stuck = _chosen_of_circle(town, i)
        is_stuck |= _faces_robot(town, i)
        if is_stuck:
            town.counts[DEADLOCKS] += 1
            rows[chosen].leaves = True


@jitable
def _faces_robot(town: TrafficContext, i: int) -> bool:
    """Whether a vehicle stands before a robot that stands and faces it."""
    blocker, box = town.rows[i].blocker, town.boxes[i]
    if blocker != ROBOT and blocker < len(town.rows):
        return False
    s, c = sin_cos(box[B.yaw])
    for r in range(len(town.robots)):
        robot = town.robots[r]
        if robot[B.half_length] <= 0.0:
            continue
        robot_s, robot_c = sin_cos(robot[B.yaw])
        x, y = robot[B.x] - box[B.x], robot[B.y] - box[B.y]
        reach = box[B.half_length] + robot[B.half_length] + _NOSE_GAP
        is_slow = abs(robot[B.speed_x]) + abs(robot[B.speed_y]) < STANDING
        is_near = x * x + y * y < reach * reach and c * x + s * y > 0.0
        if is_slow and is_near and c * robot_c + s * robot_s < _FACING:
            return True
    return False


@jitable
def _chosen_of_circle(town: TrafficContext, i: int) -> tuple[int, bool]:
    """The vehicle of a jam that is to leave, and whether it is a jam without an end."""
    rows = town.rows
    at, chosen = i, i
    for _ in range(len(rows)):
        blocker = rows[at].blocker
        if blocker < 0 or blocker >= len(rows):
            is_long = blocker in (NO_CAUSE, RULE)
            is_long &= rows[at].waited > _LONG and rows[at].acceleration <= 0.0
            is_long |= blocker in (SIGNAL, PERSON) and rows[at].waited > _LONGEST
            return at, is_long and not rows[at].leaves
        if rows[blocker].waited < _STUCK or rows[blocker].leaves:
            return i, False
        if is_far_from_robots(
            town, town.boxes[blocker, B.x], town.boxes[blocker, B.y], SPAWN_VISIBILITY
        ):
            chosen = blocker
        at = blocker
        if at == i:
            return chosen, True
    return i, False
