"""Moves all people on foot: the collision-free speed model, along the ways of a network.

Speeds follow from the room ahead, directions from where one wants to go and from who is near
(Tordeux, Chraibi and Seyfried, Collision-free speed model for pedestrian dynamics, 2016). Decisions
come at a fixed rate, between which velocities hold.
"""

from math import sqrt

from autosim.arrays import Floats, Integers
from autosim.jit import compiled, jitable
from autosim.portable import arctan2, exp_of, wrapped
from autosim.traffic.pedestrians.cell_lists import CELL, CellList, Posts, fill_cells
from autosim.traffic.pedestrians.collision_free_speed import (
    FORCE,
    NOBODY,
    REACH,
    evasion_direction,
    free_headway,
    post_evasion,
    squeeze_factor,
)
from autosim.traffic.pedestrians.gap_acceptance import is_gap_accepted, may_cross
from autosim.traffic.pedestrians.pedestrian_rows import (
    Network,
    R,
    draw_destination,
    place_on_way,
    stream_of_person,
)
from autosim.traffic.pedestrians.vehicle_avoidance import (
    box_of,
    direction_from_box,
    evasion_velocity,
    fall_if_hit,
    find_near_vehicles,
)
from autosim.traffic.road_users import W
from autosim.traffic.traffic_node import P
from autosim.traffic.ways.walk_network import WayKind

_GAP_TIME = 0.7
"""Time [s] that people keep to who is ahead: with it people in a corridor are about as fast at each
density as Weidmann's (1993), see the tests."""

_AHEAD = 1.6
"""Look-ahead distance [m] along the way for choosing the direction."""

_ARRIVES = 0.55
"""Distance [m] from the end of a way at which the next begins: corners are cut a little."""

_BESIDE = 0.4
"""Share of half a way's width by which people keep to one side."""

_SPARE = 0.25
"""Distance [m] beyond half the width of a way to which people go: so far no wall is."""

_HELD = 0.2
"""Share of the pace below which a pedestrian counts as stuck: in a crowd people are faster."""

_ROUND = 2.0
"""Distance [m] by which a stuck pedestrian leaves a way across a street, round what blocks it."""

_STUCK, _TURNS_BACK = 2.0, 25.0
"""Time [s] after which people who do not get on try to get past, and after which they turn back."""

_GETS_DOWN, _GETS_UP = 0.45, 1.6
"""Times [s] that falling and getting up take."""

_SLIDES = 4.5
"""Deceleration [m/s²] of who slides over the ground: clothes on asphalt."""

_TURN = 5.0
"""Angular speed [rad/s] with which people turn, at most."""

_BODY = 0.3
"""Distance [m] that people keep from vehicles, beyond their own radius."""

_MOST_TURNED = 0.35
"""Cosine of the angle to a vehicle up to which it is ahead of a pedestrian."""

_PAVEMENT = int(WayKind.PAVEMENT)
"""The code of ways beside streets, as kernels know it."""


@compiled
def move_pedestrians(people: Floats, rows: Floats, seconds: float) -> None:
    """Moves people for one step, as they have decided; those who fall slide and get up."""
    for i in range(len(people)):
        person, row = people[i], rows[i]
        if person[P.kind] < 0.0:
            continue
        vx, vy = row[R.speed_x], row[R.speed_y]
        speed = sqrt(vx * vx + vy * vy)
        person[P.x] += vx * seconds
        person[P.y] += vy * seconds
        person[P.z] += row[R.speed_z] * seconds
        person[P.speed] = speed
        if row[R.down] > 0.0:
            person[P.posture] = min(1.0, person[P.posture] + seconds / _GETS_DOWN)
            row[R.down] -= seconds
            share = max(0.0, 1.0 - _SLIDES * seconds / max(speed, 1e-9))
            row[R.speed_x], row[R.speed_y] = vx * share, vy * share
        else:
            person[P.posture] = max(0.0, person[P.posture] - seconds / _GETS_UP)
            person[P.walked] += speed * seconds
            person[P.yaw] = wrapped(person[P.yaw] + row[R.turn] * seconds)


@compiled
def publish_pedestrians(people: Floats, rows: Floats, walkers: Floats) -> None:
    """Writes people (n, 9) as others see them: walkers (n, 6), see `Surroundings`."""
    for i in range(len(people)):
        walkers[i] = 0.0
        if people[i, P.kind] >= 0.0:
            for axis in range(3):
                walkers[i, axis] = people[i, P.x + axis]
            walkers[i, W.speed_x] = rows[i, R.speed_x]
            walkers[i, W.speed_y] = rows[i, R.speed_y]
            walkers[i, W.radius] = rows[i, R.radius]


@compiled
def decide_walking(
    people: Floats,
    rows: Floats,
    network: Network,
    cells: CellList,
    posts: Posts,
    vehicles: Floats,
    robots: Floats,
    lane_signals: Integers,
    way_signals: Integers,
    wishes: Floats,
    near: Integers,
    counts: Floats,
    wanted: Integers,
    seed: int,
    seconds: float,
    side: float,
) -> None:
    """Decides how all pedestrians walk for the next `seconds`.

    Args:
        people: (n, 9) of the state.
        rows: (n, WIDTH); written.
        network: the ways.
        cells: for all people; written.
        posts: what stands on pavements.
        vehicles: (v, 8) boxes, see `Surroundings`.
        robots: (r, 8) boxes.
        lane_signals: (lanes,) what each lane's signal shows.
        way_signals: (ways,) what the signal for people shows on ways across, -1 without.
        wishes: (n, 3) for numbers in between: directions and paces of all; written.
        near: (n, NEAR) scratch for the vehicles and robots near each; written.
        counts: (2,) numbers of pedestrians hit by vehicles, and by robots; written.
        wanted: (ways,) 1 for crossing ways that a pedestrian is on or waits at; written.
        seed: of all random numbers.
        seconds: up to the next decision.
        side: to which people keep: 1 right, -1 left.
    """
    fill_cells(cells, people)
    for i in range(len(people)):
        if people[i, P.kind] >= 0.0:
            near[i, 0] = 0
            find_near_vehicles(people[i], vehicles, 0, near[i])
            find_near_vehicles(people[i], robots, len(vehicles), near[i])
            fall_if_hit(people[i], rows[i], vehicles, robots, near[i], counts, seed, i)
    wanted[:] = 0
    for i in range(len(people)):
        person, row = people[i], rows[i]
        wishes[i, 2] = 0.0
        if person[P.kind] < 0.0 or row[R.down] > 0.0 or person[P.posture] > 0.0:
            continue
        _go_on(person, row, network, vehicles, robots, lane_signals, way_signals, seed, i, seconds)
        wishes[i, 0], wishes[i, 1], wishes[i, 2] = _wish(person, row, network, side)
        if row[R.wants] >= 0.0:
            wanted[int(row[R.wants])] = 1
    for i in range(len(people)):
        if people[i, P.kind] < 0.0 or rows[i, R.down] > 0.0:
            continue
        _walk(
            *(i, people, rows, network, cells, posts, wishes, seconds, side),
            *(vehicles, robots, near[i]),
        )


@jitable
def _go_on(
    person: Floats,
    row: Floats,
    network: Network,
    vehicles: Floats,
    robots: Floats,
    lane_signals: Integers,
    way_signals: Integers,
    seed: int,
    i: int,
    seconds: float,
) -> None:
    """Updates the position along the way, and takes the next way at its end if permitted."""
    way = int(row[R.way])
    row[R.station] = station_near(network, way, row[R.station], person[P.x], person[P.y])
    is_forward = row[R.forward] > 0.0
    left = network.lengths[way] - row[R.station] if is_forward else row[R.station]
    is_across = network.kinds[way] != _PAVEMENT
    if row[R.stuck] > _TURNS_BACK and (
        not is_across or is_gap_accepted(network, way, row[R.pace], vehicles, robots)
    ):
        # A stuck pedestrian turns back and chooses another destination.
        row[R.forward], row[R.stuck] = -row[R.forward], 0.0
        node = network.ends[way, 0 if is_forward else 1]
        draw_destination(row, node, network, stream_of_person(seed, i))
        return
    row[R.wants] = way if is_across else -1.0
    if left > _ARRIVES:
        row[R.waited] = 0.0
        return
    node = network.ends[way, 1 if is_forward else 0]
    if network.goals[int(row[R.goal])] == node:
        draw_destination(row, node, network, stream_of_person(seed, i))
    following = network.next_ways[int(row[R.careless]), int(row[R.goal]), node]
    if following < 0:
        draw_destination(row, node, network, stream_of_person(seed, i))
        return
    kind = network.kinds[following]
    if kind != _PAVEMENT and network.kinds[way] == _PAVEMENT:
        own = way_signals[following]
        is_free = may_cross(network, following, row[R.pace], vehicles, robots, lane_signals, own)
        row[R.wants] = following
        if not is_free:
            row[R.waited] += seconds
            return
    row[R.waited] = 0.0
    row[R.way] = following
    starts_here = network.ends[following, 0] == node
    row[R.forward] = 1.0 if starts_here else -1.0
    row[R.station] = 0.0 if starts_here else network.lengths[following]


@jitable
def station_near(network: Network, way: int, station: float, x: float, y: float) -> float:
    """The station [m] on a way of a place near a station."""
    for _ in range(3):
        k, _ = place_on_way(network, way, station)
        ux = network.points[k + 1, 0] - network.points[k, 0]
        uy = network.points[k + 1, 1] - network.points[k, 1]
        length = max(sqrt(ux * ux + uy * uy), 1e-9)
        along = ((x - network.points[k, 0]) * ux + (y - network.points[k, 1]) * uy) / length
        found = network.stations[k] + along
        if along > length and k < network.starts[way + 1] - 2:
            station = network.stations[k + 1] + 1e-6
        elif along < 0.0 and k > network.starts[way]:
            station = network.stations[k] - 1e-6
        else:
            break
    return float(min(max(found, 0.0), network.lengths[way]))


@jitable
def _wish(person: Floats, row: Floats, network: Network, side: float) -> tuple[float, float, float]:
    """Desired direction and speed [m/s] of a pedestrian."""
    way = int(row[R.way])
    forward = row[R.forward]
    target = min(max(row[R.station] + forward * _AHEAD, 0.0), network.lengths[way])
    k, share = place_on_way(network, way, target)
    ax, ay = network.points[k, 0], network.points[k, 1]
    ux, uy = network.points[k + 1, 0] - ax, network.points[k + 1, 1] - ay
    length = max(sqrt(ux * ux + uy * uy), 1e-9)
    half = max(network.half_widths[way], 0.0)
    aside = half * (0.5 * row[R.lean] - forward * side * _BESIDE)
    aside = min(max(aside, -half), half)
    gx = ax + share * ux - aside * uy / length - person[P.x]
    gy = ay + share * uy + aside * ux / length - person[P.y]
    norm = sqrt(gx * gx + gy * gy)
    if norm < 1e-6:
        gx, gy, norm = forward * ux, forward * uy, length
    return gx / norm, gy / norm, 0.0 if row[R.waited] > 0.0 else row[R.pace]


@jitable
def _walk(
    i: int,
    people: Floats,
    rows: Floats,
    network: Network,
    cells: CellList,
    posts: Posts,
    wishes: Floats,
    seconds: float,
    side: float,
    vehicles: Floats,
    robots: Floats,
    near: Integers,
) -> None:
    """Sets the velocity of a pedestrian: direction from the neighbours, speed from the headway."""
    person, row = people[i], rows[i]
    wx, wy = wishes[i, 0], wishes[i, 1]
    if row[R.stuck] > _STUCK:
        # To one side, and then to the other.
        turn = -side if row[R.stuck] % 6.0 < 3.0 else side
        wx, wy = 0.6 * wx - turn * wy, 0.6 * wy + turn * wx
    left = post_evasion(person, row, network, posts, side, wx, wy)
    wx, wy = wx - left * wy, wy + left * wx
    ex, ey = evasion_direction(i, people, rows, cells, wishes, side, wx, wy)
    for k in range(1, near[0] + 1):
        box = box_of(vehicles, robots, near[k])
        nx, ny, gap = direction_from_box(box, person[P.x], person[P.y])
        if gap < CELL:
            push = FORCE * exp_of((row[R.radius] + 0.1 - gap) / (2.0 * REACH))
            ex += push * nx
            ey += push * ny
    norm = sqrt(ex * ex + ey * ey)
    if norm < 1e-9:
        ex, ey, norm = wx, wy, 1.0
    ex, ey = ex / norm, ey / norm
    room = free_headway(i, people, rows, cells, posts, ex, ey)
    for k in range(1, near[0] + 1):
        box = box_of(vehicles, robots, near[k])
        nx, ny, gap = direction_from_box(box, person[P.x], person[P.y])
        if gap < NOBODY and -(ex * nx + ey * ny) > _MOST_TURNED:
            room = min(room, gap - squeeze_factor(row) * (row[R.radius] + _BODY))
    speed = min(wishes[i, 2], max(0.0, room / _GAP_TIME))
    onward = speed * (ex * wishes[i, 0] + ey * wishes[i, 1])
    is_held = wishes[i, 2] > 0.0 and onward < _HELD * wishes[i, 2]
    row[R.stuck] = row[R.stuck] + seconds if is_held else max(0.0, row[R.stuck] - 2.0 * seconds)
    vx, vy = _kept_in(person, row, network, speed * ex, speed * ey)
    vx, vy = evasion_velocity(person, row, vehicles, robots, near, seconds, vx, vy)
    row[R.speed_x], row[R.speed_y] = vx, vy
    _follow_ground(person, row, network, seconds)
    yaw = arctan2(vy, vx) if speed > 0.15 else arctan2(wy, wx)
    turn = wrapped(yaw - person[P.yaw]) / (3.0 * seconds)
    row[R.turn] = min(max(turn, -_TURN), _TURN)


@jitable
def _kept_in(
    person: Floats, row: Floats, network: Network, vx: float, vy: float
) -> tuple[float, float]:
    """A velocity without what would lead out of the way's width, beyond which walls may be."""
    way = int(row[R.way])
    k, _ = place_on_way(network, way, row[R.station])
    ax, ay = network.points[k, 0], network.points[k, 1]
    ux, uy = network.points[k + 1, 0] - ax, network.points[k + 1, 1] - ay
    length = max(sqrt(ux * ux + uy * uy), 1e-9)
    lx, ly = -uy / length, ux / length
    aside = (person[P.x] - ax) * lx + (person[P.y] - ay) * ly
    out = vx * lx + vy * ly
    most = network.half_widths[way] + _SPARE
    if row[R.stuck] > _STUCK and network.kinds[way] != _PAVEMENT:
        most += _ROUND
    if abs(aside) > most and aside * out > 0.0:
        return vx - out * lx, vy - out * ly
    return vx, vy


@jitable
def _follow_ground(person: Floats, row: Floats, network: Network, seconds: float) -> None:
    """Sets the speed up and down so that the feet come to the ground of the way."""
    way = int(row[R.way])
    k, share = place_on_way(network, way, row[R.station])
    low, high = network.points[k, 2], network.points[k + 1, 2]
    height = low + min(max(share, 0.0), 1.0) * (high - low)
    row[R.speed_z] = (height - person[P.z]) / seconds
