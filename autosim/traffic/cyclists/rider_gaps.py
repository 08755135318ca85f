"""Gaps of cyclists to other road users on the way ahead and straight ahead of the bicycle."""

from math import sqrt

from autosim.arrays import Floats
from autosim.jit import jitable
from autosim.portable import sin_cos
from autosim.traffic.cyclists.cyclist_model import CYCLIST
from autosim.traffic.cyclists.rider_rows import HALF_LENGTH, HALF_WIDTH, RiderRow
from autosim.traffic.road_users import B, RoadUsers, W
from autosim.traffic.typed_rows import Rows

PLACES = 14
"""Number of points ahead on the way, one metre apart, that a cyclist considers: more than the
stopping distance."""

_REACH = PLACES + 6.0
"""Distance [m] beyond which no obstacle is considered."""


@jitable
def find_gap(i: int, rows: Rows[RiderRow], ahead: Floats, users: RoadUsers) -> tuple[float, float]:
    """Gap [m] to the nearest on the way ahead, and its speed [m/s] along the way."""
    row = rows[i]
    gap, pace = 1e9, row.pace
    is_stuck = row.stuck >= CYCLIST.stuck_after
    beside = HALF_WIDTH + (CYCLIST.clearance_stuck if is_stuck else CYCLIST.clearance)
    g, v = _gap_to_riders(i, rows, ahead, beside + HALF_WIDTH)
    if g < gap:
        gap, pace = g, v
    people, vehicles, robots = users.people, users.vehicles, users.robots
    for j in range(len(people)):
        reach = people[j, W.radius]
        if reach <= 0.0:
            continue
        place = people[j, W.x], people[j, W.y], people[j, W.z]
        velocity = people[j, W.speed_x], people[j, W.speed_y]
        g, v = _gap_to(row, ahead, place, velocity, reach, beside + reach, False)
        if g < gap:
            gap, pace = g, v
    for j in range(len(vehicles)):
        g, v = _gap_to_box(row, ahead, vehicles[j], beside)
        if g < gap:
            gap, pace = g, v
    for j in range(len(robots)):
        g, v = _gap_to_box(row, ahead, robots[j], beside)
        if g < gap:
            gap, pace = g, v
    return gap, pace


@jitable
def gap_straight_ahead(
    i: int, rows: Rows[RiderRow], ahead: Floats, users: RoadUsers
) -> tuple[float, float]:
    """Gap [m] to the nearest straight ahead of the bicycle, which may be across the way."""
    row = rows[i]
    s, c = sin_cos(row.yaw)
    for k in range(len(ahead)):
        ahead[k, 0] = row.x + (k + HALF_LENGTH) * c
        ahead[k, 1] = row.y + (k + HALF_LENGTH) * s
    return find_gap(i, rows, ahead, users)


@jitable
def _gap_to_riders(
    i: int, rows: Rows[RiderRow], ahead: Floats, beside: float
) -> tuple[float, float]:
    """The same, to other cyclists; of two who would meet, the first in the pool goes first."""
    row, gap, pace = rows[i], 1e9, 0.0
    for j in range(len(rows)):
        if j == i or not rows[j].about:
            continue
        other = rows[j]
        place, velocity = (other.x, other.y, other.z), (other.speed_x, other.speed_y)
        g, v = _gap_to(row, ahead, place, velocity, HALF_LENGTH, beside, i < j)
        _, c = sin_cos(rows[j].yaw - row.yaw)
        v = v if c > -0.3 else -1.0
        if g < gap:
            gap, pace = g, v
    return gap, pace


@jitable
def _gap_to(
    row: RiderRow,
    ahead: Floats,
    place: tuple[float, float, float],
    velocity: tuple[float, float],
    reach: float,
    beside: float,
    goes_first: bool,
) -> tuple[float, float]:
    """Gap [m] to a round obstacle, and its speed [m/s] along the way; far away if not in it."""
    x, y, z = place
    vx, vy = velocity
    gx, gy = x - row.x, y - row.y
    far = _REACH
    if gx * gx + gy * gy > far * far or abs(z - row.z) > 2.0:
        return 1e9, 0.0
    gap, pace = 1e9, 0.0
    for moment in range(1 if goes_first else 2):
        later = moment * CYCLIST.prediction_time
        px, py = x + later * vx, y + later * vy
        at = _first_within(ahead, px, py, beside)
        if at < 0:
            continue
        # The predicted position counts only if the cyclist is there at about that time.
        if moment == 1 and at > row.speed * (later + 0.6):
            continue
        k = min(at, len(ahead) - 2)
        ux, uy = ahead[k + 1, 0] - ahead[k, 0], ahead[k + 1, 1] - ahead[k, 1]
        along = vx * ux + vy * uy
        if at - reach < gap:
            gap, pace = max(at - reach, 0.0), max(along, 0.0)
    return gap, pace


@jitable
def _gap_to_box(row: RiderRow, ahead: Floats, box: Floats, beside: float) -> tuple[float, float]:
    """The same for a box: the nearest point of the way ahead that it covers."""
    gx, gy = box[B.x] - row.x, box[B.y] - row.y
    far = _REACH + box[B.half_length]
    if box[B.half_length] <= 0.0:
        return 1e9, 0.0
    if gx * gx + gy * gy > far * far or abs(box[B.z] - row.z) > 2.0:
        return 1e9, 0.0
    s, c = sin_cos(box[B.yaw])
    for k in range(len(ahead)):
        x, y = ahead[k, 0] - box[B.x], ahead[k, 1] - box[B.y]
        along, across = abs(c * x + s * y), abs(c * y - s * x)
        if along < box[B.half_length] + beside and across < box[B.half_width] + beside:
            n = min(k, len(ahead) - 2)
            ux, uy = ahead[n + 1, 0] - ahead[n, 0], ahead[n + 1, 1] - ahead[n, 1]
            return max(k - 0.5, 0.0), max(box[B.speed_x] * ux + box[B.speed_y] * uy, 0.0)
    return 1e9, 0.0


@jitable
def _first_within(ahead: Floats, x: float, y: float, beside: float) -> int:
    """The first of the places ahead near which a place is; -1 for none."""
    for k in range(len(ahead) - 1):
        ux, uy = ahead[k + 1, 0] - ahead[k, 0], ahead[k + 1, 1] - ahead[k, 1]
        gx, gy = x - ahead[k, 0], y - ahead[k, 1]
        square = ux * ux + uy * uy
        if square < 1e-6:
            continue
        share = (gx * ux + gy * uy) / square
        if -0.3 <= share <= 1.0:
            across = (ux * gy - uy * gx) / sqrt(square)
            if abs(across) < beside:
                return k
    return -1
