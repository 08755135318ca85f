"""Moves all people on foot: the collision-free speed model, along the ways of a network.

Speeds follow from the room ahead, directions from where one wants to go and from who is near
(Tordeux, Chraibi and Seyfried, Collision-free speed model for pedestrian dynamics, 2016). Decisions
come at a fixed rate, between which velocities hold.
"""

from math import sqrt

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.jit import compilable, compiled
from autosim.portable import arctan2, exp_of, sin_cos, wrapped
from autosim.simulation.noise import uniform
from autosim.traffic.node import P
from autosim.traffic.people.gaps import may_cross
from autosim.traffic.people.neighbours import CELL, Cells, Posts, cell_of, head_of, sort_into
from autosim.traffic.people.walk_network import WayKind
from autosim.traffic.people.walkers import (
    Network,
    R,
    draw_goal,
    place_on_way,
    stream_of_person,
)
from autosim.traffic.surroundings import B, W

_GAP_TIME = 0.7
"""Time [s] that people keep to who is ahead: with it people in a corridor are about as fast at each
density as Weidmann's (1993), see the tests."""

_FORCE, _REACH = 4.0, 0.12
"""How much those near turn people aside (a factor to the wish to go on, without unit), and the
distance [m] over which that falls to a third: as calibrated for the model."""

_AHEAD = 1.6
"""Distance [m] on its way to which somebody looks for where to go next."""

_ARRIVES = 0.55
"""Distance [m] from the end of a way at which the next begins: corners are cut a little."""

_BESIDE = 0.4
"""Share of half a way's width by which people keep to one side."""

_OVERTAKES = 1.0
"""How much people turn aside for who is slower, as a factor to the wish to go on."""

_CLEAR = 0.25
"""Distance [m] that people keep from posts as they pass."""

_MIDDLE = 0.1
"""Distance [m] of a post from the middle of a way up to which either side has as much room."""

_DODGE = 1.8
"""How much people turn aside for a post right before them, as a factor to the wish to go on."""

_SPARE = 0.25
"""Distance [m] beyond half the width of a way to which people go: so far no wall is."""

_STUCK, _TURNS_BACK = 2.0, 25.0
"""Time [s] after which people who do not get on try to get past, and after which they turn back."""

_FALLS = 0.7
"""Speed [m/s] of a vehicle against somebody at which he falls."""

_LIES = (12.0, 20.0)
"""Least time [s] for which somebody lies, and the range of it."""

_GETS_DOWN, _GETS_UP = 0.45, 1.6
"""Times [s] that falling and getting up take."""

_SLIDES = 4.5
"""Deceleration [m/s²] of who slides over the ground: clothes on asphalt."""

_TURN = 5.0
"""Angular speed [rad/s] with which people turn, at most."""

_FAR = 16.0
"""Distance [m] along x or y beyond which no vehicle is near somebody, however long it is."""

NEAR = 9
"""Number of words of a list of vehicles near somebody: their count, and eight of them."""

_BODY = 0.3
"""Distance [m] that people keep from vehicles, beyond their own radius."""

_MOST_TURNED = 0.35
"""Cosine of the angle to a vehicle up to which it is ahead of somebody."""

_NOBODY = 1e9
"""A distance [m] at which nobody is."""

_PAVEMENT = int(WayKind.PAVEMENT)
"""The code of ways beside streets, as kernels know it."""


@compiled
def move(people: Floats, rows: Floats, seconds: float) -> None:
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
def show(people: Floats, rows: Floats, walkers: Floats) -> None:
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
def decide(
    people: Floats,
    rows: Floats,
    network: Network,
    cells: Cells,
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
    """Decides for everybody how to walk for the next `seconds`.

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
        near: (n, NEAR) for numbers in between: the vehicles and robots near each; written.
        counts: (2,) how many have fallen before vehicles, and before robots; written.
        wanted: (ways,) 1 for ways across streets that somebody is on or waits at; written.
        seed: of all random numbers.
        seconds: up to the next decision.
        side: to which people keep: 1 right, -1 left.
    """
    sort_into(cells, people)
    for i in range(len(people)):
        if people[i, P.kind] >= 0.0:
            near[i, 0] = 0
            _find_near(people[i], vehicles, 0, near[i])
            _find_near(people[i], robots, len(vehicles), near[i])
            _hit_by(people[i], rows[i], vehicles, robots, near[i], counts, seed, i)
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


@compilable
def _find_near(person: Floats, boxes: Floats, first: int, near: Integers) -> None:
    """Adds the vehicles near somebody to his list: `near` has their number, and then who they are.

    The boxes are counted from `first` on.
    """
    x, y = person[P.x], person[P.y]
    for k in range(len(boxes)):
        gx, gy = x - boxes[k, B.x], y - boxes[k, B.y]
        if abs(gx) < _FAR and abs(gy) < _FAR and boxes[k, B.half_length] > 0.0:
            reach = boxes[k, B.half_length] + boxes[k, B.half_width] + CELL
            is_near = abs(gx) < reach and abs(gy) < reach
            if is_near and abs(person[P.z] - boxes[k, B.z]) < 2.0 and near[0] < len(near) - 1:
                near[0] += 1
                near[near[0]] = first + k


@compilable
def _box_of(vehicles: Floats, robots: Floats, number: int) -> Floats:
    """A box by its number, those of robots after those of vehicles."""
    is_vehicle = number < len(vehicles)
    box: Floats = vehicles[number] if is_vehicle else robots[number - len(vehicles)]
    return box


@compilable
def _hit_by(
    person: Floats,
    row: Floats,
    vehicles: Floats,
    robots: Floats,
    near: Integers,
    counts: Floats,
    seed: int,
    i: int,
) -> None:
    """Lets somebody fall whom a vehicle hits."""
    for k in range(1, near[0] + 1):
        place = 0 if near[k] < len(vehicles) else 1
        box = _box_of(vehicles, robots, near[k])
        nx, ny, gap = _from_box(box, person[P.x], person[P.y])
        if gap > row[R.radius]:
            continue
        against = (box[B.speed_x] - row[R.speed_x]) * nx + (box[B.speed_y] - row[R.speed_y]) * ny
        if row[R.down] <= 0.0 and against > _FALLS:
            chance = uniform(stream_of_person(seed, i), np.uint64(10000 + int(counts[place])))
            row[R.down] = _LIES[0] + _LIES[1] * chance
            counts[place] += 1
            row[R.speed_x] += 0.8 * against * nx
            row[R.speed_y] += 0.8 * against * ny
            row[R.speed_z] = 0.0


@compilable
def _from_box(box: Floats, x: float, y: float) -> tuple[float, float, float]:
    """The direction from a box to a place, and the distance [m] between them, 0 inside."""
    gx, gy = x - box[B.x], y - box[B.y]
    s, c = sin_cos(box[B.yaw])
    along, across = c * gx + s * gy, c * gy - s * gx
    ox = along - min(max(along, -box[B.half_length]), box[B.half_length])
    oy = across - min(max(across, -box[B.half_width]), box[B.half_width])
    gap = sqrt(ox * ox + oy * oy)
    if gap <= 0.0:
        # Inside: out by the nearest side.
        if box[B.half_length] - abs(along) < box[B.half_width] - abs(across):
            ox, oy = (1.0 if along > 0.0 else -1.0), 0.0
        else:
            ox, oy = 0.0, (1.0 if across > 0.0 else -1.0)
    norm = max(gap, 1.0) if gap <= 0.0 else gap
    return (c * ox - s * oy) / norm, (s * ox + c * oy) / norm, gap


@compilable
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
    """Finds where on his way somebody is, and takes the next at its end if he may."""
    way = int(row[R.way])
    row[R.station] = _station(network, way, row[R.station], person[P.x], person[P.y])
    is_forward = row[R.forward] > 0.0
    left = network.lengths[way] - row[R.station] if is_forward else row[R.station]
    if row[R.stuck] > _TURNS_BACK:
        # Whoever gets nowhere turns back, and goes elsewhere.
        row[R.forward], row[R.stuck] = -row[R.forward], 0.0
        node = network.ends[way, 0 if is_forward else 1]
        draw_goal(row, node, network, stream_of_person(seed, i))
        return
    row[R.wants] = way if network.kinds[way] != _PAVEMENT else -1.0
    if left > _ARRIVES:
        row[R.waited] = 0.0
        return
    node = network.ends[way, 1 if is_forward else 0]
    if network.goals[int(row[R.goal])] == node:
        draw_goal(row, node, network, stream_of_person(seed, i))
    following = network.next_ways[int(row[R.careless]), int(row[R.goal]), node]
    if following < 0:
        draw_goal(row, node, network, stream_of_person(seed, i))
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


@compilable
def _station(network: Network, way: int, station: float, x: float, y: float) -> float:
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


@compilable
def _wish(person: Floats, row: Floats, network: Network, side: float) -> tuple[float, float, float]:
    """The direction in which somebody would like to go, and how fast [m/s]."""
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


@compilable
def _walk(
    i: int,
    people: Floats,
    rows: Floats,
    network: Network,
    cells: Cells,
    posts: Posts,
    wishes: Floats,
    seconds: float,
    side: float,
    vehicles: Floats,
    robots: Floats,
    near: Integers,
) -> None:
    """Sets the velocity of somebody: his direction by who is near, his speed by the room ahead."""
    person, row = people[i], rows[i]
    wx, wy = wishes[i, 0], wishes[i, 1]
    if row[R.stuck] > _STUCK:
        # To one side, and then to the other.
        turn = -side if row[R.stuck] % 6.0 < 3.0 else side
        wx, wy = 0.6 * wx - turn * wy, 0.6 * wy + turn * wx
    left = _past_posts(person, row, network, posts, side, wx, wy)
    wx, wy = wx - left * wy, wy + left * wx
    ex, ey = _pushed(i, people, rows, cells, wishes, side, wx, wy)
    for k in range(1, near[0] + 1):
        box = _box_of(vehicles, robots, near[k])
        nx, ny, gap = _from_box(box, person[P.x], person[P.y])
        if gap < CELL:
            push = _FORCE * exp_of((row[R.radius] + 0.1 - gap) / (2.0 * _REACH))
            ex += push * nx
            ey += push * ny
    norm = sqrt(ex * ex + ey * ey)
    if norm < 1e-9:
        ex, ey, norm = wx, wy, 1.0
    ex, ey = ex / norm, ey / norm
    room = _room(i, people, rows, cells, posts, ex, ey)
    for k in range(1, near[0] + 1):
        box = _box_of(vehicles, robots, near[k])
        nx, ny, gap = _from_box(box, person[P.x], person[P.y])
        if gap < _NOBODY and -(ex * nx + ey * ny) > _MOST_TURNED:
            room = min(room, gap - row[R.radius] - _BODY)
    speed = min(wishes[i, 2], max(0.0, room / _GAP_TIME))
    is_held = wishes[i, 2] > 0.0 and speed < 0.1 * wishes[i, 2]
    row[R.stuck] = row[R.stuck] + seconds if is_held else max(0.0, row[R.stuck] - 2.0 * seconds)
    vx, vy = _kept_in(person, row, network, speed * ex, speed * ey)
    row[R.speed_x], row[R.speed_y] = vx, vy
    _follow_ground(person, row, network, seconds)
    yaw = arctan2(vy, vx) if speed > 0.15 else arctan2(wy, wx)
    turn = wrapped(yaw - person[P.yaw]) / (3.0 * seconds)
    row[R.turn] = min(max(turn, -_TURN), _TURN)


@compilable
def _pushed(
    i: int,
    people: Floats,
    rows: Floats,
    cells: Cells,
    wishes: Floats,
    side: float,
    wx: float,
    wy: float,
) -> tuple[float, float]:
    """The direction in which somebody turns, by where he wants to go and who is near."""
    ex, ey = wx, wy
    x, y = people[i, P.x], people[i, P.y]
    column, row = cell_of(x, y)
    for across in range(column - 1, column + 2):
        for along in range(row - 1, row + 2):
            j = cells.heads[head_of(across, along, len(cells.heads))]
            while j >= 0:
                gx, gy = x - people[j, P.x], y - people[j, P.y]
                gap = sqrt(gx * gx + gy * gy)
                is_here = cell_of(people[j, P.x], people[j, P.y]) == (across, along)
                if j != i and is_here and 1e-6 < gap < CELL:
                    touch = rows[i, R.radius] + rows[j, R.radius]
                    push = _FORCE * exp_of((touch - gap) / _REACH) / gap
                    ex += push * gx
                    ey += push * gy
                    if -(wx * gx + wy * gy) > 0.7 * gap:
                        left = _past_person(people[j], rows[j], wishes, i, j, gx, gy, gap, side)
                        ex -= left * wy
                        ey += left * wx
                j = cells.nexts[j]
    return ex, ey


@compilable
def _past_person(
    other: Floats,
    row: Floats,
    wishes: Floats,
    i: int,
    j: int,
    gx: float,
    gy: float,
    gap: float,
    side: float,
) -> float:
    """How far to the left somebody turns for another ahead, as a factor to the wish to go on."""
    wx, wy = wishes[i, 0], wishes[i, 1]
    if wishes[j, 0] * gx + wishes[j, 1] * gy > 0.5 * gap and row[R.down] <= 0.0:
        # He comes towards one: both keep to the same side.
        return -side * (1.0 - gap / CELL)
    pace = wx * row[R.speed_x] + wy * row[R.speed_y]
    if pace > 0.85 * wishes[i, 2]:
        return 0.0
    # He is slower: one overtakes where one is already beside him.
    return (1.0 if wx * gy - wy * gx > 0.0 else -1.0) * _OVERTAKES * (1.0 - gap / CELL)


@compilable
def _past_posts(
    person: Floats,
    row: Floats,
    network: Network,
    posts: Posts,
    side: float,
    wx: float,
    wy: float,
) -> float:
    """How far to the left somebody turns for posts ahead, as a factor to the wish to go on.

    He passes where his way has more room beside the post.
    """
    left = 0.0
    x, y = person[P.x], person[P.y]
    column, line = cell_of(x, y)
    for place in range(9):
        cell = column + place // 3 - 1, line + place % 3 - 1
        k = posts.cells.heads[head_of(cell[0], cell[1], len(posts.cells.heads))]
        while k >= 0:
            px, py = posts.places[k, 0], posts.places[k, 1]
            if cell_of(px, py) == cell:
                touch = row[R.radius] + posts.places[k, 2]
                needed = _need(px - x, py - y, touch, wx, wy)
                room = row[R.forward] * _aside(px, py, row, network)
                left += needed * (-side if side * room > -_MIDDLE else side)
            k = posts.cells.nexts[k]
    return left


@compilable
def _need(gx: float, gy: float, touch: float, wx: float, wy: float) -> float:
    """How much somebody has to turn for a post at (gx, gy) [m] from him, if it is in his way."""
    ahead, across = wx * gx + wy * gy, abs(wx * gy - wy * gx)
    if ahead < -touch or ahead > CELL or across > touch + _CLEAR:
        return 0.0
    share = min(1.0, (touch + _CLEAR - across) / (0.6 * _CLEAR))
    return _DODGE * share * (1.0 - max(ahead, 0.0) / CELL)


@compilable
def _room(
    i: int, people: Floats, rows: Floats, cells: Cells, posts: Posts, ex: float, ey: float
) -> float:
    """The free way [m] ahead of somebody up to who is next."""
    room = _NOBODY
    x, y = people[i, P.x], people[i, P.y]
    column, row = cell_of(x, y)
    for across in range(column - 1, column + 2):
        for along in range(row - 1, row + 2):
            j = cells.heads[head_of(across, along, len(cells.heads))]
            while j >= 0:
                if j != i:
                    touch = rows[i, R.radius] + rows[j, R.radius]
                    gx, gy = people[j, P.x] - x, people[j, P.y] - y
                    room = min(room, _free_way(gx, gy, touch, ex, ey))
                j = cells.nexts[j]
            k = posts.cells.heads[head_of(across, along, len(posts.cells.heads))]
            while k >= 0:
                touch = rows[i, R.radius] + posts.places[k, 2]
                gx, gy = posts.places[k, 0] - x, posts.places[k, 1] - y
                room = min(room, _free_way(gx, gy, touch, ex, ey))
                k = posts.cells.nexts[k]
    return room


@compilable
def _free_way(gx: float, gy: float, touch: float, ex: float, ey: float) -> float:
    """The free way [m] in a direction up to somebody at (gx, gy) [m] whom one meets at `touch`."""
    ahead = ex * gx + ey * gy
    aside = ex * gy - ey * gx
    if ahead <= 0.0 or abs(aside) > touch:
        return _NOBODY
    return sqrt(gx * gx + gy * gy) - touch


@compilable
def _aside(x: float, y: float, row: Floats, network: Network) -> float:
    """How far [m] a place is to the left of the middle of somebody's way, seen along the way."""
    k, _ = place_on_way(network, int(row[R.way]), row[R.station])
    ax, ay = network.points[k, 0], network.points[k, 1]
    ux, uy = network.points[k + 1, 0] - ax, network.points[k + 1, 1] - ay
    length = max(sqrt(ux * ux + uy * uy), 1e-9)
    return float((ux * (y - ay) - uy * (x - ax)) / length)


@compilable
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
    if abs(aside) > network.half_widths[way] + _SPARE and aside * out > 0.0:
        return vx - out * lx, vy - out * ly
    return vx, vy


@compilable
def _follow_ground(person: Floats, row: Floats, network: Network, seconds: float) -> None:
    """Sets the speed up and down so that the feet come to the ground of the way."""
    way = int(row[R.way])
    k, share = place_on_way(network, way, row[R.station])
    low, high = network.points[k, 2], network.points[k + 1, 2]
    height = low + min(max(share, 0.0), 1.0) * (high - low)
    row[R.speed_z] = (height - person[P.z]) / seconds
