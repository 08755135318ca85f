"""Collisions among vehicles, and jams in which each waits for another."""

from autosim.jit import compilable, uncounted
from autosim.traffic.surroundings import B
from autosim.traffic.vehicles.boxes import do_overlap
from autosim.traffic.vehicles.pool import (
    ACCELERATION,
    ACTIVE,
    BLOCKER,
    LEAVES,
    TOUCHES,
    WAITED,
)
from autosim.traffic.vehicles.spawning import SIGHT, is_far_from_robots
from autosim.traffic.vehicles.town import COLLISIONS, DEADLOCKS, NOBODY, PERSON, RULE, SIGNAL, Town

_STUCK = 30.0
"""Time [s] for which all of a circle have stood before it counts as one: longer than any who wait
for their turn."""

_LONG = 120.0
"""Time [s] after which one counts as stuck whoever holds him up, but for a robot, a person or a
signal: longer than the longest phase of signals."""

_LONGEST = 300.0
"""The same [s] before people and signals: some cycles of the slowest signal, in which nobody who
waits for it did not have green."""


@uncounted
def count_collisions(town: Town) -> None:
    """Counts the vehicles that have begun to touch each other. Writes rows and `counts`."""
    rows, boxes = town.rows, town.boxes
    for i in range(len(rows)):
        if rows[i, ACTIVE] == 0.0:
            continue
        touches = 0.0
        for k in range(len(rows)):
            if k == i or rows[k, ACTIVE] == 0.0:
                continue
            if do_overlap(boxes[i], boxes[k]):
                touches = 1.0
                if rows[i, TOUCHES] == 0.0 and (k > i or rows[k, TOUCHES] != 0.0):
                    town.counts[COLLISIONS] += 1
                break
        rows[i, TOUCHES] = touches


@uncounted
def resolve_jams(town: Town) -> None:
    """Finds circles of vehicles that wait for each other, and lets one of each go out of sight.

    Counts each circle, and each vehicle that is stuck otherwise, once: one is told to leave. Of a
    circle that is one whom nobody sees, if there is one.
    """
    rows = town.rows
    for i in range(len(rows)):
        if rows[i, ACTIVE] == 0.0 or rows[i, WAITED] < _STUCK or rows[i, LEAVES] != 0.0:
            continue
        chosen, is_stuck = _chosen_of_circle(town, i)
        if is_stuck:
            town.counts[DEADLOCKS] += 1
            rows[chosen, LEAVES] = 1.0


@compilable
def _chosen_of_circle(town: Town, i: int) -> tuple[int, bool]:
    """The vehicle of a jam that is to leave, and whether it is a jam without an end."""
    rows = town.rows
    at, chosen = i, i
    for _ in range(len(rows)):
        blocker = int(rows[at, BLOCKER])
        if blocker < 0 or blocker >= len(rows):
            is_long = blocker in (NOBODY, RULE)
            is_long &= rows[at, WAITED] > _LONG and rows[at, ACCELERATION] <= 0.0
            is_long |= blocker in (SIGNAL, PERSON) and rows[at, WAITED] > _LONGEST
            return at, is_long and rows[at, LEAVES] == 0.0
        if rows[blocker, WAITED] < _STUCK or rows[blocker, LEAVES] != 0.0:
            return i, False
        if is_far_from_robots(town, town.boxes[blocker, B.x], town.boxes[blocker, B.y], SIGHT):
            chosen = blocker
        at = blocker
        if at == i:
            return chosen, True
    return i, False
