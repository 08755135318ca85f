"""Collisions among vehicles, and jams in which each waits for another."""

from autosim.arrays import Floats
from autosim.jit import compilable, uncounted
from autosim.portable import sin_cos
from autosim.traffic.surroundings import B
from autosim.traffic.vehicles.pool import ACTIVE, BLOCKER, LEAVES, TOUCHES, WAITED
from autosim.traffic.vehicles.spawning import SIGHT, is_far_from_robots
from autosim.traffic.vehicles.town import COLLISIONS, DEADLOCKS, NOBODY, RULE, Town

_SAME_LEVEL = 2.0
"""Difference in height [m] from which two vehicles are on different levels."""

_STUCK = 30.0
"""Time [s] for which all of a circle have stood before it counts as one: longer than any who wait
for their turn."""

_LONG = 120.0
"""Time [s] after which one counts as stuck whoever holds him up, but for a robot, a person or a
signal: longer than the longest phase of signals."""


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


@compilable
def do_overlap(a: Floats, b: Floats) -> bool:
    """Whether two boxes touch in plan, on one level: by the theorem of separating axes."""
    x, y = b[B.x] - a[B.x], b[B.y] - a[B.y]
    reach = a[B.half_length] + a[B.half_width] + b[B.half_length] + b[B.half_width]
    if x * x + y * y > reach * reach or abs(b[B.z] - a[B.z]) > _SAME_LEVEL:
        return False
    sa, ca = sin_cos(a[B.yaw])
    sb, cb = sin_cos(b[B.yaw])
    cosine, sine = abs(ca * cb + sa * sb), abs(sa * cb - ca * sb)
    al, aw, bl, bw = a[B.half_length], a[B.half_width], b[B.half_length], b[B.half_width]
    if abs(ca * x + sa * y) > al + bl * cosine + bw * sine:
        return False
    if abs(ca * y - sa * x) > aw + bl * sine + bw * cosine:
        return False
    if abs(cb * x + sb * y) > bl + al * cosine + aw * sine:
        return False
    return bool(abs(cb * y - sb * x) <= bw + al * sine + aw * cosine)


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
            return at, is_long and rows[at, WAITED] > _LONG and rows[at, LEAVES] == 0.0
        if rows[blocker, WAITED] < _STUCK or rows[blocker, LEAVES] != 0.0:
            return i, False
        if is_far_from_robots(town, town.boxes[blocker, B.x], town.boxes[blocker, B.y], SIGHT):
            chosen = blocker
        at = blocker
        if at == i:
            return chosen, True
    return i, False
