"""Moves all people on foot: the collision-free speed model, along the ways of a network.

Speeds follow from the room ahead, directions from where one wants to go and from who is near
(Tordeux, Chraibi and Seyfried, Collision-free speed model for pedestrian dynamics, 2016). Decisions
come at a fixed rate, between which velocities hold.
"""

from math import sqrt
from typing import NamedTuple

from autosim.arrays import Floats, Integers
from autosim.jit import compiled, jitable
from autosim.portable import arctan2, exp_of, wrapped
from autosim.traffic.pedestrians.cell_lists import CELL, CellList, Posts, fill_cells
from autosim.traffic.pedestrians.collision_free_speed import (
    FREE_DISTANCE,
    evasion_direction,
    free_headway,
    post_evasion,
    squeeze_factor,
)
from autosim.traffic.pedestrians.gap_acceptance import is_gap_accepted, may_cross
from autosim.traffic.pedestrians.pedestrian_model import PEDESTRIAN
from autosim.traffic.pedestrians.pedestrian_rows import (
    Network,
    PedestrianRow,
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
from autosim.traffic.road_users import RoadUsers, W
from autosim.traffic.traffic_node import P
from autosim.traffic.typed_rows import Rows
from autosim.traffic.ways.walk_network import WayKind

_PAVEMENT = int(WayKind.PAVEMENT)
"""The code of ways beside streets, as kernels know it."""


@compiled
def move_pedestrians(people: Floats, rows: Rows[PedestrianRow], seconds: float) -> None:
    """Moves people for one step, as they have decided; those who fall slide and get up."""
    for i in range(len(people)):
        person, row = people[i], rows[i]
        if person[P.kind] < 0.0:
            continue
        vx, vy = row.speed_x, row.speed_y
        speed = sqrt(vx * vx + vy * vy)
        person[P.x] += vx * seconds
        person[P.y] += vy * seconds
        person[P.z] += row.speed_z * seconds
        person[P.speed] = speed
        if row.down > 0.0:
            person[P.posture] = min(1.0, person[P.posture] + seconds / PEDESTRIAN.falling_time)
            row.down -= seconds
            share = max(0.0, 1.0 - PEDESTRIAN.sliding_deceleration * seconds / max(speed, 1e-9))
            row.speed_x, row.speed_y = vx * share, vy * share
        else:
            person[P.posture] = max(0.0, person[P.posture] - seconds / PEDESTRIAN.rising_time)
            person[P.walked] += speed * seconds
            person[P.yaw] = wrapped(person[P.yaw] + row.turn * seconds)


@compiled
def publish_pedestrians(people: Floats, rows: Rows[PedestrianRow], walkers: Floats) -> None:
    """Writes people (n, 9) as others see them: walkers (n, 6), see `Surroundings`."""
    for i in range(len(people)):
        walkers[i] = 0.0
        if people[i, P.kind] >= 0.0:
            for axis in range(3):
                walkers[i, axis] = people[i, P.x + axis]
            walkers[i, W.speed_x] = rows[i].speed_x
            walkers[i, W.speed_y] = rows[i].speed_y
            walkers[i, W.radius] = rows[i].radius


class PedestrianContext(NamedTuple):
    """All pedestrians, and what they walk by."""

    rows: Rows[PedestrianRow]
    """Records (n,); written."""
    network: Network
    """The ways."""
    way_signals: Integers
    """State of the pedestrian signal at each way across (ways,); -1 without one."""
    wanted: Integers
    """1 for each crossing way (ways,) that a pedestrian is on or waits at; written."""
    posts: Posts
    """Posts on pavements."""
    cells: CellList
    """Cells for all pedestrians; written."""
    wishes: Floats
    """Desired direction and speed [m/s] (n, 3) of each, in between; written."""
    near: Integers
    """Vehicles and robots near each (n, NEAR), in between; written."""
    falls: Floats
    """Numbers (2,) of pedestrians hit by vehicles, and by robots; written."""
    seed: int
    """Seed of all random numbers."""
    seconds: float
    """Time [s] between two decisions."""
    side: float
    """Side to which pedestrians keep: 1 right, -1 left."""


@compiled
def decide_walking(crowd: PedestrianContext, people: Floats, users: RoadUsers) -> None:
    """Decides how all pedestrians walk until the next decision.

    Args:
        crowd: written.
        people: (n, 9) of the state.
        users: the vehicles and robots that they meet, and the signals of lanes.
    """
    rows, near, wishes = crowd.rows, crowd.near, crowd.wishes
    # Neighbours, vehicles near by, and falls.
    fill_cells(crowd.cells, people)
    for i in range(len(people)):
        if people[i, P.kind] >= 0.0:
            near[i, 0] = 0
            find_near_vehicles(people[i], users.vehicles, 0, near[i])
            find_near_vehicles(people[i], users.robots, len(users.vehicles), near[i])
            fall_if_hit(
                *(people[i], rows[i], users.vehicles, users.robots, near[i]),
                *(crowd.falls, crowd.seed, i),
            )
    # Ways and desired velocities.
    crowd.wanted[:] = 0
    for i in range(len(people)):
        person, row = people[i], rows[i]
        wishes[i, 2] = 0.0
        if person[P.kind] < 0.0 or row.down > 0.0 or person[P.posture] > 0.0:
            continue
        _go_on(crowd, person, i, users)
        wishes[i, 0], wishes[i, 1], wishes[i, 2] = _wish(person, row, crowd.network, crowd.side)
        if row.wants >= 0:
            crowd.wanted[row.wants] = 1
    # Velocities among the others.
    for i in range(len(people)):
        if people[i, P.kind] >= 0.0 and rows[i].down <= 0.0:
            _walk(crowd, people, i, users)


@jitable
def _go_on(crowd: PedestrianContext, person: Floats, i: int, users: RoadUsers) -> None:
    """Updates the position along the way, and takes the next way at its end if permitted."""
    network, row, way = crowd.network, crowd.rows[i], crowd.rows[i].way
    row.station = station_near(network, way, row.station, person[P.x], person[P.y])
    is_forward = row.forward > 0
    left = network.lengths[way] - row.station if is_forward else row.station
    is_across = network.kinds[way] != _PAVEMENT
    if row.stuck > PEDESTRIAN.turns_back_after and (
        not is_across or is_gap_accepted(network, way, row.pace, users)
    ):
        # A stuck pedestrian turns back and chooses another destination.
        row.forward, row.stuck = -row.forward, 0.0
        node = network.ends[way, 0 if is_forward else 1]
        draw_destination(row, node, network, stream_of_person(crowd.seed, i))
        return
    row.wants = way if is_across else -1
    if left > PEDESTRIAN.arrival_distance:
        row.waited = 0.0
        return
    node = network.ends[way, 1 if is_forward else 0]
    if network.goals[row.goal] == node:
        draw_destination(row, node, network, stream_of_person(crowd.seed, i))
    following = network.next_ways[int(row.careless), row.goal, node]
    if following < 0:
        draw_destination(row, node, network, stream_of_person(crowd.seed, i))
        return
    kind = network.kinds[following]
    if kind != _PAVEMENT and network.kinds[way] == _PAVEMENT:
        own = crowd.way_signals[following]
        is_free = may_cross(network, following, row.pace, users, own)
        row.wants = following
        if not is_free:
            row.waited += crowd.seconds
            return
    row.waited = 0.0
    row.way = following
    starts_here = network.ends[following, 0] == node
    row.forward = 1 if starts_here else -1
    row.station = 0.0 if starts_here else network.lengths[following]


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
def _wish(
    person: Floats, row: PedestrianRow, network: Network, side: float
) -> tuple[float, float, float]:
    """Desired direction and speed [m/s] of a pedestrian."""
    way = row.way
    forward = row.forward
    target = min(max(row.station + forward * PEDESTRIAN.look_ahead, 0.0), network.lengths[way])
    k, share = place_on_way(network, way, target)
    ax, ay = network.points[k, 0], network.points[k, 1]
    ux, uy = network.points[k + 1, 0] - ax, network.points[k + 1, 1] - ay
    length = max(sqrt(ux * ux + uy * uy), 1e-9)
    half = max(network.half_widths[way], 0.0)
    aside = half * (0.5 * row.lean - forward * side * PEDESTRIAN.side_share)
    aside = min(max(aside, -half), half)
    gx = ax + share * ux - aside * uy / length - person[P.x]
    gy = ay + share * uy + aside * ux / length - person[P.y]
    norm = sqrt(gx * gx + gy * gy)
    if norm < 1e-6:
        gx, gy, norm = forward * ux, forward * uy, length
    return gx / norm, gy / norm, 0.0 if row.waited > 0.0 else row.pace


@jitable
def _walk(crowd: PedestrianContext, people: Floats, i: int, users: RoadUsers) -> None:
    """Sets the velocity of a pedestrian: direction from the neighbours, speed from the headway."""
    person, row, rows, near = people[i], crowd.rows[i], crowd.rows, crowd.near[i]
    network, cells, posts, wishes = crowd.network, crowd.cells, crowd.posts, crowd.wishes
    side, seconds, vehicles, robots = crowd.side, crowd.seconds, users.vehicles, users.robots
    wx, wy = wishes[i, 0], wishes[i, 1]
    if row.stuck > PEDESTRIAN.stuck_after:
        # To one side, and then to the other.
        turn = -side if row.stuck % 6.0 < 3.0 else side
        wx, wy = 0.6 * wx - turn * wy, 0.6 * wy + turn * wx
    left = post_evasion(person, row, network, posts, side, wx, wy)
    wx, wy = wx - left * wy, wy + left * wx
    ex, ey = evasion_direction(i, people, rows, cells, wishes, side, wx, wy)
    for k in range(1, near[0] + 1):
        box = box_of(vehicles, robots, near[k])
        nx, ny, gap = direction_from_box(box, person[P.x], person[P.y])
        if gap < CELL:
            push = PEDESTRIAN.repulsion * exp_of(
                (row.radius + 0.1 - gap) / (2.0 * PEDESTRIAN.repulsion_reach)
            )
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
        if gap < FREE_DISTANCE and -(ex * nx + ey * ny) > PEDESTRIAN.ahead_cosine:
            room = min(
                room, gap - squeeze_factor(row) * (row.radius + PEDESTRIAN.vehicle_clearance)
            )
    speed = min(wishes[i, 2], max(0.0, room / PEDESTRIAN.time_gap))
    onward = speed * (ex * wishes[i, 0] + ey * wishes[i, 1])
    is_held = wishes[i, 2] > 0.0 and onward < PEDESTRIAN.held_share * wishes[i, 2]
    row.stuck = row.stuck + seconds if is_held else max(0.0, row.stuck - 2.0 * seconds)
    vx, vy = _kept_in(person, row, network, speed * ex, speed * ey)
    vx, vy = evasion_velocity(person, row, vehicles, robots, near, seconds, vx, vy)
    row.speed_x, row.speed_y = vx, vy
    _follow_ground(person, row, network, seconds)
    yaw = arctan2(vy, vx) if speed > 0.15 else arctan2(wy, wx)
    turn = wrapped(yaw - person[P.yaw]) / (3.0 * seconds)
    row.turn = min(max(turn, -PEDESTRIAN.turn_rate), PEDESTRIAN.turn_rate)


@jitable
def _kept_in(
    person: Floats, row: PedestrianRow, network: Network, vx: float, vy: float
) -> tuple[float, float]:
    """A velocity without what would lead out of the way's width, beyond which walls may be."""
    way = row.way
    k, _ = place_on_way(network, way, row.station)
    ax, ay = network.points[k, 0], network.points[k, 1]
    ux, uy = network.points[k + 1, 0] - ax, network.points[k + 1, 1] - ay
    length = max(sqrt(ux * ux + uy * uy), 1e-9)
    lx, ly = -uy / length, ux / length
    aside = (person[P.x] - ax) * lx + (person[P.y] - ay) * ly
    out = vx * lx + vy * ly
    most = network.half_widths[way] + PEDESTRIAN.over_edge
    if row.stuck > PEDESTRIAN.stuck_after and network.kinds[way] != _PAVEMENT:
        most += PEDESTRIAN.detour_width
    if abs(aside) > most and aside * out > 0.0:
        return vx - out * lx, vy - out * ly
    return vx, vy


@jitable
def _follow_ground(person: Floats, row: PedestrianRow, network: Network, seconds: float) -> None:
    """Sets the speed up and down so that the feet come to the ground of the way."""
    way = row.way
    k, share = place_on_way(network, way, row.station)
    low, high = network.points[k, 2], network.points[k + 1, 2]
    height = low + min(max(share, 0.0), 1.0) * (high - low)
    row.speed_z = (height - person[P.z]) / seconds
