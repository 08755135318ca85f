"""Moves cyclists along the ways of a network: they follow each other, pass, brake and wait.

Each cyclist steers towards a point ahead on the way, and keeps to one side of it. Speeds follow
from the Intelligent Driver Model, behind whatever is within the cyclist's width ahead. Decisions
come at a fixed rate, between which accelerations and turns are constant.
"""

from math import sqrt

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.jit import compiled, jitable
from autosim.model.noise import uniform
from autosim.portable import arctan2, sin_cos, wrapped
from autosim.traffic.cyclists.rider_rows import HALF_LENGTH, HALF_WIDTH, C
from autosim.traffic.pedestrians.gap_acceptance import may_cross
from autosim.traffic.pedestrians.pedestrian_motion import station_near
from autosim.traffic.pedestrians.pedestrian_rows import (
    Network,
    R,
    draw_destination,
    place_on_way,
    stream_of_person,
)
from autosim.traffic.road_users import B, W
from autosim.traffic.ways.walk_network import WayKind

MIN_DESIRED_SPEED, MAX_DESIRED_SPEED = 4.2, 5.5
"""Speeds [m/s] at which cyclists ride on a free way: 15 to 20 km/h."""

_GAIN, _EASE, _HARDEST = 0.9, 1.6, 4.5
"""Acceleration, comfortable and hardest deceleration [m/s²]; beyond the last one goes over the
handlebars."""

_TIME_GAP, _LEAST_GAP = 0.8, 0.9
"""Time gap [s] and least gap [m] to who is ahead."""

_LATERAL = 1.8
"""Lateral acceleration [m/s²] in bends: a lean of ten degrees."""

_BESIDE, _BESIDE_STUCK = 0.22, 0.1
"""Distance [m] that cyclists keep from others to their side, and that when they do not get on."""

_KEEPS, _LEAST_ASIDE, _MOST_ASIDE = 0.5, 0.55, 0.8
"""Share of half a way's width by which they keep to their side, and the least and greatest distance
[m] of it: who comes towards one passes."""

_OVER = 0.2
"""Distance [m] beyond half the width of a way to which they go to pass: so far no wall is."""

_SHIFTS = 0.8
"""Speed [m/s] at which they go over to the other side of a way."""

_PLACES = 14
"""Number of points ahead on the way, one metre apart, that a cyclist considers: more than the
stopping distance."""

_NEAR, _NEAR_LATER = 0.5, 0.6
"""Distance [m], and additional time [s], within which obstacles straight ahead count, too."""

_SPIN = 0.8
"""Largest angular speed [rad/s] when the bicycle is lifted round on the spot."""

_BENDS = 9
"""Number of these points at which bends reduce the speed."""

_STEERS, _STEERS_LATER = 1.3, 0.35
"""Distance [m], and additional time [s], of the point ahead that a cyclist steers to."""

_TURN, _TURNS_AT = 1.7, 0.8
"""Angular speed [rad/s] of a bicycle at most, and the speed [m/s] with which one turns round."""

_ARRIVES = 0.6
"""Distance [m] from the end of a way at which the next begins: corners are cut a little."""

_DECIDES = 12.0
"""Distance [m] from the next node at which the following way is chosen."""

_STOPS = 0.9
"""Distance [m] before the end of a way at which the middle of a bicycle stands that waits."""

_QUEUE = 4.0
"""Distance [m] of the middles of two bicycles behind each other in a queue, at most."""

_FORESEES = 0.9
"""Time [s] over which the motion of others is predicted."""

_STUCK, _TURNS_BACK = 4.0, 20.0
"""Times [s] without progress after which a cyclist squeezes past, and turns back."""

_FACED = 2.5
"""Gap [m] to a vehicle ahead of a cyclist who waits at a street, up to which the vehicle may be
waiting for the cyclist in turn."""

_MAX_WAIT = 150.0
"""Time [s] for which a cyclist waits at a street before turning back: longer than any red."""

_TRIES = 20
"""Number of places that are tried for a cyclist."""

_APART = 6.0
"""Distance [m] between cyclists at first."""

_PAVEMENT = int(WayKind.PAVEMENT)
"""The code of ways off streets, as kernels know it."""


@compiled
def place_riders(rows: Floats, network: Network, ways: Integers, ends: Floats, seed: int) -> None:
    """Puts cyclists somewhere on their ways.

    Args:
        rows: (n, WIDTH); written.
        network: the ways.
        ways: (w,) those on which they may be.
        ends: (w,) the lengths of these ways, added up [m].
        seed: of all random numbers.
    """
    for i in range(len(rows)):
        row, stream = rows[i], stream_of_person(seed, i)
        row[:] = 0.0
        pace = uniform(stream, np.uint64(1))
        row[R.pace], row[R.radius] = (
            MIN_DESIRED_SPEED + (MAX_DESIRED_SPEED - MIN_DESIRED_SPEED) * pace,
            0.35,
        )
        row[C.colour] = np.floor(8.0 * uniform(stream, np.uint64(2)))
        row[R.wants] = -1.0
        for attempt in range(_TRIES):
            at = uniform(stream, np.uint64(40 + attempt)) * ends[-1]
            k = min(np.searchsorted(ends, at), len(ways) - 1)
            way = ways[k]
            station = network.lengths[way] - (ends[k] - at)
            forward = 1.0
            if not network.one_ways[way] and uniform(stream, np.uint64(3)) < 0.5:
                forward = -1.0
            row[R.way], row[R.station], row[R.forward] = way, station, forward
            if _stand(rows, i, network, stream):
                break


@jitable
def _stand(rows: Floats, i: int, network: Network, stream: np.uint64) -> bool:
    """Places a cyclist as its row says, if the place is free; whether it was."""
    row = rows[i]
    way = int(row[R.way])
    x, y, z, ux, uy, _ = _at(network, way, row[R.station])
    for j in range(i):
        gx, gy = rows[j, C.x] - x, rows[j, C.y] - y
        if rows[j, C.about] != 0.0 and gx * gx + gy * gy < _APART * _APART:
            return False
    row[C.x], row[C.y], row[C.z] = x, y, z
    row[C.yaw] = arctan2(row[R.forward] * uy, row[R.forward] * ux)
    row[C.speed], row[C.about] = 0.5 * row[R.pace], 1.0
    draw_destination(row, network.ends[way, 1 if row[R.forward] > 0.0 else 0], network, stream)
    return True


@compiled
def decide_riders(
    rows: Floats,
    network: Network,
    people: Floats,
    vehicles: Floats,
    robots: Floats,
    lane_signals: Integers,
    way_signals: Integers,
    wanted: Integers,
    seed: int,
    seconds: float,
    side: float,
) -> None:
    """Decides for each cyclist how to ride for the next `seconds`.

    Args:
        rows: (n, WIDTH); written.
        network: the ways.
        people: (p, 6) on foot, see `Surroundings`.
        vehicles: (v, 8) boxes of those on lanes.
        robots: (r, 8) boxes.
        lane_signals: (lanes,) what each lane's signal shows.
        way_signals: (ways,) what the signal for people shows on ways across, -1 without.
        wanted: (ways,) 1 for crossing ways that a cyclist is on or waits at; written.
        seed: of all random numbers.
        seconds: up to the next decision.
        side: to which they keep: 1 right, -1 left.
    """
    wanted[:] = 0
    ahead = np.zeros((_PLACES, 2))
    for i in range(len(rows)):
        row = rows[i]
        if row[C.about] == 0.0:
            continue
        stop = _go_on(row, network, vehicles, robots, lane_signals, way_signals, seed, i)
        if row[R.wants] >= 0.0:
            wanted[int(row[R.wants])] = 1
        _ride(i, rows, network, ahead, people, vehicles, robots, stop, seconds, side)


@jitable
def _go_on(
    row: Floats,
    network: Network,
    vehicles: Floats,
    robots: Floats,
    lane_signals: Integers,
    way_signals: Integers,
    seed: int,
    i: int,
) -> float:
    """Updates a cyclist's position along the way, and takes the next way if permitted.

    Returns:
        Distance [m] to the place to stop at; infinite without one.
    """
    way = int(row[R.way])
    row[R.station] = station_near(network, way, row[R.station], row[C.x], row[C.y])
    stream = stream_of_person(seed, i)
    if row[R.stuck] > _TURNS_BACK:
        _turn_back(row, network, stream)
    is_forward = row[R.forward] > 0.0
    left = network.lengths[way] - row[R.station] if is_forward else row[R.station]
    row[R.wants] = way if network.kinds[way] != _PAVEMENT else -1.0
    node = network.ends[way, 1 if is_forward else 0]
    if network.goals[int(row[R.goal])] == node and left <= _DECIDES:
        # The cyclist slows down for the next bend before reaching it.
        draw_destination(row, node, network, stream)
    following = network.next_ways[0, int(row[R.goal]), node]
    if following < 0 or following == way:
        if left > _ARRIVES:
            return float(left)
        # No way leads on in the permitted direction: the cyclist turns back.
        draw_destination(row, node, network, stream)
        following = way
    if network.kinds[following] != _PAVEMENT and network.kinds[way] == _PAVEMENT:
        if left > 0.5 * row[C.speed] * row[C.speed] / _EASE + _STOPS + 1.0:
            return np.inf
        row[R.wants] = following
        own, pace = way_signals[following], 0.7 * row[R.pace]
        if not may_cross(network, following, pace, vehicles, robots, lane_signals, own):
            return float(max(left - _STOPS, 0.0))
    if left <= _ARRIVES:
        _take(row, network, following, node)
    return np.inf


@jitable
def _take(row: Floats, network: Network, following: int, node: int) -> None:
    """Puts a cyclist onto a way from a node; on the same way it turns round."""
    starts_here = network.ends[following, 0] == node
    if following == int(row[R.way]):
        starts_here = row[R.forward] < 0.0
    row[R.way], row[R.forward] = following, 1.0 if starts_here else -1.0
    row[R.station] = 0.0 if starts_here else network.lengths[following]


@jitable
def _turn_back(row: Floats, network: Network, stream: np.uint64) -> None:
    """Makes a stuck cyclist turn back; never against a one-way street."""
    way, row[R.stuck] = int(row[R.way]), 0.0
    if not network.one_ways[way]:
        row[R.forward] = -row[R.forward]
    draw_destination(row, network.ends[way, 1 if row[R.forward] > 0.0 else 0], network, stream)


@jitable
def _ride(
    i: int,
    rows: Floats,
    network: Network,
    ahead: Floats,
    people: Floats,
    vehicles: Floats,
    robots: Floats,
    stop: float,
    seconds: float,
    side: float,
) -> None:
    """Sets the acceleration and the turn of a cyclist."""
    row = rows[i]
    half = network.half_widths[int(row[R.way])]
    own = side * min(max(_KEEPS * half, _LEAST_ASIDE), _MOST_ASIDE)
    _look(row, network, row[C.aside], ahead)
    gap, pace = _gap(i, rows, ahead, people, vehicles, robots)
    goal = own
    if gap < _PLACES and 0.0 <= pace < 0.7 * row[R.pace]:
        # Passes on the other side, or evades on the own one; oncoming ones keep their side.
        goal, best = row[C.aside], gap
        for k in range(2):
            aside = (half + _OVER) * (-side if k == 0 else side)
            _look(row, network, aside, ahead)
            room, _ = _gap(i, rows, ahead, people, vehicles, robots)
            if room > best + 3.0:
                goal, best = aside, room
    most = _SHIFTS * seconds
    row[C.aside] += min(max(goal - row[C.aside], -most), most)
    _look(row, network, row[C.aside], ahead)
    angle = _steer(row, network)
    wanted = row[R.pace] * max(0.3, 1.0 - abs(angle))
    wanted = min(wanted, _speed_in_bends(row, ahead))
    if abs(angle) > 1.2:
        wanted = _TURNS_AT
    near, _ = _gap_before(i, rows, ahead, people, vehicles, robots)
    row[C.spin] = 0.0
    if near < gap and near < _NEAR + _NEAR_LATER * row[C.speed]:
        if gap > 2.0 and row[C.speed] < 0.3:
            # The target is behind: the bicycle is lifted round.
            row[C.spin] = min(max(angle, -_SPIN), _SPIN)
        gap, pace = near, 0.0
    row[C.acceleration] = _acceleration(row, wanted, gap, pace, stop, seconds)
    row[R.waited] = 1.0 if stop < 2.0 or _stands_in_queue(i, rows) else 0.0
    stands = row[C.speed] < 0.3
    if stands and (row[R.waited] == 0.0 or (stop < 2.0 and min(gap, near) < _FACED)):
        row[R.stuck] += seconds
    elif stands and stop < 2.0:
        # A vehicle on the crossing may wait for the cyclist in turn, without end.
        row[R.stuck] += seconds * _TURNS_BACK / _MAX_WAIT
    else:
        row[R.stuck] = max(0.0, row[R.stuck] - 2.0 * seconds)
    _follow_ground(row, network, seconds)


@jitable
def _stands_in_queue(i: int, rows: Floats) -> bool:
    """Whether a cyclist stands behind another who waits at a street."""
    s, c = sin_cos(rows[i, C.yaw])
    for j in range(len(rows)):
        if j == i or rows[j, C.about] == 0.0 or rows[j, R.waited] == 0.0:
            continue
        _, same = sin_cos(rows[j, C.yaw] - rows[i, C.yaw])
        gx, gy = rows[j, C.x] - rows[i, C.x], rows[j, C.y] - rows[i, C.y]
        along, across = c * gx + s * gy, abs(c * gy - s * gx)
        if same > 0.5 and 0.0 < along < _QUEUE and across < 1.0:
            return True
    return False


@jitable
def _speed_in_bends(row: Floats, ahead: Floats) -> float:
    """Speed [m/s] from which a cyclist can slow down for each bend ahead."""
    least = 1e9
    for k in range(_BENDS):
        x, y = ahead[k + 2, 0] - ahead[k, 0], ahead[k + 2, 1] - ahead[k, 1]
        if x * x + y * y < 0.04:
            continue
        bend = abs(wrapped(arctan2(y, x) - row[C.yaw]))
        if bend > 0.1:
            within = _LATERAL * (_STEERS + 0.3 * k) / bend
            least = min(least, sqrt(within + 2.0 * _EASE * max(k - 1.0, 0.0)))
    return float(max(least, _TURNS_AT))


@jitable
def _acceleration(
    row: Floats, wanted: float, gap: float, pace: float, stop: float, seconds: float
) -> float:
    """The acceleration [m/s²] of a cyclist, by the Intelligent Driver Model."""
    speed = row[C.speed]
    ratio = speed / max(wanted, 0.1)
    free = max(_GAIN * (1.0 - ratio * ratio * ratio * ratio), -_EASE)
    found = free
    closing = speed * (speed - max(pace, 0.0)) / (2.0 * sqrt(_GAIN * _EASE))
    least = _LEAST_GAP * (1.0 if row[R.stuck] < _STUCK else 0.3)
    desired = least + max(0.0, speed * _TIME_GAP + closing)
    found = min(found, free - _GAIN * (desired / max(gap, 0.3)) * (desired / max(gap, 0.3)))
    if stop < np.inf:
        allowed = sqrt(2.0 * _EASE * max(stop - 0.1, 0.0))
        found = min(found, (allowed - speed) / max(0.3, seconds))
    return float(min(max(found, -_HARDEST), _GAIN))


@jitable
def _look(row: Floats, network: Network, aside: float, ahead: Floats) -> None:
    """Writes the points (n, 2) ahead on the way, one metre apart, offset from its middle."""
    way, forward, station = int(row[R.way]), row[R.forward], row[R.station]
    for k in range(len(ahead)):
        at = station + forward * (k + HALF_LENGTH)
        left = network.lengths[way] - at if forward > 0.0 else at
        if left < 0.0:
            node = network.ends[way, 1 if forward > 0.0 else 0]
            following = network.next_ways[0, int(row[R.goal]), node]
            if following >= 0 and following != way:
                way = following
                starts_here = network.ends[way, 0] == node
                forward = 1.0 if starts_here else -1.0
                at = -left if starts_here else network.lengths[way] + left
                station = at - forward * (k + HALF_LENGTH)
            at = min(max(at, 0.0), network.lengths[way])
        x, y, _, ux, uy, _ = _at(network, way, at)
        most = network.half_widths[way] + _OVER
        beside = forward * min(max(aside, -most), most)
        ahead[k, 0] = x + uy * beside
        ahead[k, 1] = y - ux * beside


@jitable
def _gap(
    i: int, rows: Floats, ahead: Floats, people: Floats, vehicles: Floats, robots: Floats
) -> tuple[float, float]:
    """Gap [m] to the nearest on the way ahead, and its speed [m/s] along the way."""
    row = rows[i]
    gap, pace = 1e9, row[R.pace]
    beside = HALF_WIDTH + (_BESIDE if row[R.stuck] < _STUCK else _BESIDE_STUCK)
    g, v = _gap_to_riders(i, rows, ahead, beside + HALF_WIDTH)
    if g < gap:
        gap, pace = g, v
    for j in range(len(people)):
        reach = people[j, W.radius]
        if reach <= 0.0:
            continue
        g, v = _gap_to(
            *(row, ahead, people[j, W.x], people[j, W.y], people[j, W.z]),
            *(people[j, W.speed_x], people[j, W.speed_y], reach, beside + reach, False),
        )
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
def _gap_before(
    i: int, rows: Floats, ahead: Floats, people: Floats, vehicles: Floats, robots: Floats
) -> tuple[float, float]:
    """Gap [m] to the nearest straight ahead of the bicycle, which may be across the way."""
    row = rows[i]
    s, c = sin_cos(row[C.yaw])
    for k in range(len(ahead)):
        ahead[k, 0] = row[C.x] + (k + HALF_LENGTH) * c
        ahead[k, 1] = row[C.y] + (k + HALF_LENGTH) * s
    return _gap(i, rows, ahead, people, vehicles, robots)


@jitable
def _gap_to_riders(i: int, rows: Floats, ahead: Floats, beside: float) -> tuple[float, float]:
    """The same, to other cyclists; of two who would meet, the first in the pool goes first."""
    row, gap, pace = rows[i], 1e9, 0.0
    for j in range(len(rows)):
        if j == i or rows[j, C.about] == 0.0:
            continue
        g, v = _gap_to(
            *(row, ahead, rows[j, C.x], rows[j, C.y], rows[j, C.z]),
            *(rows[j, R.speed_x], rows[j, R.speed_y], HALF_LENGTH, beside, i < j),
        )
        _, c = sin_cos(rows[j, C.yaw] - row[C.yaw])
        v = v if c > -0.3 else -1.0
        if g < gap:
            gap, pace = g, v
    return gap, pace


@jitable
def _gap_to(
    row: Floats,
    ahead: Floats,
    x: float,
    y: float,
    z: float,
    vx: float,
    vy: float,
    reach: float,
    beside: float,
    goes_first: bool,
) -> tuple[float, float]:
    """Gap [m] to a round obstacle, and its speed [m/s] along the way; far away if not in it."""
    gx, gy = x - row[C.x], y - row[C.y]
    far = _PLACES + 6.0
    if gx * gx + gy * gy > far * far or abs(z - row[C.z]) > 2.0:
        return 1e9, 0.0
    gap, pace = 1e9, 0.0
    for moment in range(1 if goes_first else 2):
        later = moment * _FORESEES
        px, py = x + later * vx, y + later * vy
        at = _first_within(ahead, px, py, beside)
        if at < 0:
            continue
        # The predicted position counts only if the cyclist is there at about that time.
        if moment == 1 and at > row[C.speed] * (later + 0.6):
            continue
        k = min(at, len(ahead) - 2)
        ux, uy = ahead[k + 1, 0] - ahead[k, 0], ahead[k + 1, 1] - ahead[k, 1]
        along = vx * ux + vy * uy
        if at - reach < gap:
            gap, pace = max(at - reach, 0.0), max(along, 0.0)
    return gap, pace


@jitable
def _gap_to_box(row: Floats, ahead: Floats, box: Floats, beside: float) -> tuple[float, float]:
    """The same for a box: the nearest point of the way ahead that it covers."""
    gx, gy = box[B.x] - row[C.x], box[B.y] - row[C.y]
    far = _PLACES + 6.0 + box[B.half_length]
    if box[B.half_length] <= 0.0:
        return 1e9, 0.0
    if gx * gx + gy * gy > far * far or abs(box[B.z] - row[C.z]) > 2.0:
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


@jitable
def _steer(row: Floats, network: Network) -> float:
    """Sets the turn [rad] per metre of a cyclist; returns the angle [rad] to the target."""
    reach = _STEERS + _STEERS_LATER * row[C.speed]
    target = np.zeros((2, 2))
    start = row[R.station]
    row[R.station] = start + row[R.forward] * (reach - HALF_LENGTH)
    _look(row, network, row[C.aside], target)
    row[R.station] = start
    gx, gy = target[0, 0] - row[C.x], target[0, 1] - row[C.y]
    length = max(sqrt(gx * gx + gy * gy), 0.3)
    angle = wrapped(arctan2(gy, gx) - row[C.yaw])
    s, _ = sin_cos(angle)
    bend = 2.0 * s / length
    if abs(angle) > 1.2:
        bend = (1.0 if angle > 0.0 else -1.0) * _TURN / _TURNS_AT
    most = _TURN / max(row[C.speed], _TURNS_AT)
    row[R.turn] = min(max(bend, -most), most)
    return float(angle)


@jitable
def _follow_ground(row: Floats, network: Network, seconds: float) -> None:
    """Sets the speed up and down so that the wheels come to the ground, and the pitch."""
    _, _, z, _, _, slope = _at(network, int(row[R.way]), row[R.station])
    row[R.speed_z] = (z - row[C.z]) / seconds
    row[C.pitch] = -arctan2(row[R.forward] * slope, 1.0)


@jitable
def _at(
    network: Network, way: int, station: float
) -> tuple[float, float, float, float, float, float]:
    """A place x, y, z [m] on a way, the direction of the way there, and its slope."""
    k, share = place_on_way(network, way, station)
    share = min(max(share, 0.0), 1.0)
    ax, ay, az = network.points[k, 0], network.points[k, 1], network.points[k, 2]
    bx, by, bz = network.points[k + 1, 0], network.points[k + 1, 1], network.points[k + 1, 2]
    gx, gy, gz = bx - ax, by - ay, bz - az
    length = max(sqrt(gx * gx + gy * gy), 1e-9)
    x, y, z = ax + share * gx, ay + share * gy, az + share * gz
    return x, y, z, gx / length, gy / length, gz / length
