"""Actors that look where they drive: they brake for others in their way."""

import numpy as np

from autosim.arrays import Floats
from autosim.jit import compiled
from autosim.portable import arctan2, hypot
from autosim.traffic.road_users import BOX, B
from autosim.traffic.vehicle_kinds import FLEET, KIND_NAMES
from autosim.traffic.vehicles.box_overlap import do_overlap

_PIECE = 0.5
"""Length [m] of the pieces of a way: so exactly gaps are known."""

_BESIDE = 0.3
"""Room [m] that drivers leave beside others, as those of traffic do."""

_BEHIND = 1.5
"""Gap [m] that is left behind who stands."""

_LATE = 2.5
"""Deceleration [m/s²] that has to be needed before an actor brakes: until then it does as told."""

_HARDEST = 8.0
"""Deceleration [m/s²] of an emergency stop on a dry road."""

_CLOSE = 3.0
"""Gap [m], and more by a second's way, within which who has braked goes no faster than who is
ahead."""

_NOTHING = 0.25
"""Gap [m] that counts as none: half a piece, since gaps are known no better."""

RESUMES = 2.0
"""Acceleration [m/s²] with which an actor resumes its commanded speed after braking."""


def look_ahead_distance(speed: float) -> float:
    """Look-ahead distance [m] from the front of an actor at that speed."""
    return speed * speed / (2.0 * _LATE) + speed + 10.0


def idm_acceleration(kind: str, speed: float, desired: float, gap: float, ahead: float) -> float:
    """Acceleration [m/s²] by the Intelligent Driver Model (Treiber, Hennecke and Helbing, 2000).

    Args:
        kind: of the vehicle, whose drivers' parameters count.
        speed: own [m/s].
        desired: speed on a free road [m/s].
        gap: to the obstacle [m], infinite for none.
        ahead: speed of the obstacle along the way [m/s].
    """
    driver = FLEET[KIND_NAMES.index(kind)].driving
    share = speed / max(desired, _NOTHING)
    free = 1.0 - share * share * share * share
    if not np.isfinite(gap):
        return max(driver.acceleration * free, -_HARDEST)
    both = float(np.sqrt(driver.acceleration * driver.deceleration))
    brakes = speed * (speed - ahead) / (2.0 * both)
    wanted = driver.least_gap + max(speed * driver.time_gap + brakes, 0.0)
    near = wanted / max(gap, _NOTHING)
    return max(driver.acceleration * (free - near * near), -_HARDEST)


def max_acceleration(speed: float, gap: float, ahead: float, *, has_braked: bool) -> float:
    """Upper limit of the acceleration [m/s²] due to an obstacle; infinite for none.

    Args:
        speed: own [m/s].
        gap: to the obstacle [m], infinite for none.
        ahead: speed of the obstacle along the way [m/s].
        has_braked: whether the actor is slower than commanded because of others.
    """
    gap -= _BEHIND
    closing = max(speed - ahead, 0.0)
    needed = closing * closing / (2.0 * max(gap, _NOTHING))
    if needed > _LATE:
        return -min(needed, _HARDEST)
    if has_braked and gap < _CLOSE + speed:
        return min(ahead - speed, RESUMES)
    return float(np.inf)


@compiled
def find_obstacle_gap(
    way: Floats, front: float, half_width: float, boxes: Floats, own: int
) -> Floats:
    """The nearest obstacle ahead of an actor.

    Args:
        way: (n, 3) m in W, where the middle of the actor will come along, from where it is.
        front: half its length [m].
        half_width: of what it sweeps [m].
        boxes: (m, 8) of all, see `Surroundings`.
        own: row of the actor.

    Returns:
        (2,) the gap [m] ahead of its front, infinite for none; the speed along the way [m/s].
    """
    found = np.array([np.inf, 0.0])
    piece = np.zeros(BOX)
    piece[B.half_length], piece[B.half_width] = 0.5 * _PIECE, half_width + _BESIDE
    passed, next_one = 0.0, front + 0.5 * _PIECE
    for k in range(len(way) - 1):
        x, y, z = way[k + 1, 0] - way[k, 0], way[k + 1, 1] - way[k, 1], way[k + 1, 2] - way[k, 2]
        length = hypot(x, y)
        while next_one <= passed + length and length > 0.0:
            share = (next_one - passed) / length
            piece[B.x], piece[B.y] = way[k, 0] + share * x, way[k, 1] + share * y
            piece[B.z], piece[B.yaw] = way[k, 2] + share * z, arctan2(y, x)
            for r in range(len(boxes)):
                box = boxes[r]
                if r == own or box[B.half_length] <= 0.0 or not do_overlap(piece, box):
                    continue
                along = (box[B.speed_x] * x + box[B.speed_y] * y) / length
                if np.isinf(found[0]) or along < found[1]:
                    found[0], found[1] = next_one - 0.5 * _PIECE - front, along
            if not np.isinf(found[0]):
                return found
            next_one += _PIECE
        passed += length
    return found
