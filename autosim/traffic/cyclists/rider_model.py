"""Decisions of cyclists on the ways of a network: they follow each other, pass, brake and wait.

Each cyclist steers towards a point ahead on the way, and keeps to one side of it. Speeds follow
from the Intelligent Driver Model, behind whatever is within the cyclist's width ahead. Decisions
come at a fixed rate, between which accelerations and turns are constant.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.jit import compiled_without_refcounts, jitable
from autosim.portable import sin_cos
from autosim.traffic.cyclists.cyclist_model import CYCLIST
from autosim.traffic.cyclists.rider_gaps import PLACES, find_gap, gap_straight_ahead
from autosim.traffic.cyclists.rider_rows import RiderRow
from autosim.traffic.cyclists.rider_steering import (
    LOST_ANGLE,
    follow_ground,
    look_ahead,
    speed_in_bends,
    steer,
)
from autosim.traffic.pedestrians.gap_acceptance import may_cross
from autosim.traffic.pedestrians.pedestrian_motion import station_near
from autosim.traffic.pedestrians.pedestrian_rows import (
    Network,
    draw_destination,
    stream_of_person,
)
from autosim.traffic.road_users import RoadUsers
from autosim.traffic.typed_rows import Rows
from autosim.traffic.ways.crossing_ways import CrossingWays
from autosim.traffic.ways.walk_network import WayKind

_PAVEMENT = int(WayKind.PAVEMENT)
"""The code of ways off streets, as kernels know it."""


class RiderContext(NamedTuple):
    """All cyclists off the carriageways, and what they ride by."""

    rows: Rows[RiderRow]
    """Records (n,); written."""
    network: Network
    """The ways."""
    way_signals: Integers
    """State of the pedestrian signal at each way across (ways,); -1 without one."""
    wanted: Integers
    """1 for each crossing way (ways,) that a cyclist is on or waits at; written."""
    ahead: Floats
    """Points (14, 2) ahead of a cyclist, in between; written."""
    target: Floats
    """Points (2, 2) that a cyclist steers to, in between; written."""
    seed: int
    """Seed of all random numbers."""
    seconds: float
    """Time [s] between two decisions."""
    side: float
    """Side to which cyclists keep: 1 right, -1 left."""

    @classmethod
    def of(
        cls,
        rows: Rows[RiderRow],
        network: Network,
        crossings: CrossingWays,
        *,
        seed: int,
        seconds: float,
        side: float,
    ) -> "RiderContext":
        """The context of these cyclists."""
        ahead, target = np.zeros((PLACES, 2)), np.zeros((2, 2))
        signals, wanted = crossings.signals, crossings.wanted
        return cls(rows, network, signals, wanted, ahead, target, seed, seconds, side)


@compiled_without_refcounts
def decide_riders(riders: RiderContext, users: RoadUsers) -> None:
    """Decides for each cyclist how to ride until the next decision.

    Args:
        riders: written.
        users: the people on foot, the vehicles on lanes and the robots that they meet, and the
            signals of lanes.
    """
    riders.wanted[:] = 0
    for i in range(len(riders.rows)):
        row = riders.rows[i]
        if not row.about:
            continue
        stop = _go_on(riders, i, users)
        if row.wants >= 0:
            riders.wanted[row.wants] = 1
        _ride(riders, i, users, stop)


@jitable
def _go_on(riders: RiderContext, i: int, users: RoadUsers) -> float:
    """Updates a cyclist's position along the way, and takes the next way if permitted.

    Returns:
        Distance [m] to the place to stop at; infinite without one.
    """
    row, network = riders.rows[i], riders.network
    way = row.way
    row.station = station_near(network, way, row.station, row.x, row.y)
    stream = stream_of_person(riders.seed, i)
    if row.stuck > CYCLIST.turns_back_after:
        _turn_back(row, network, stream)
    is_forward = row.forward > 0
    left = network.lengths[way] - row.station if is_forward else row.station
    row.wants = way if network.kinds[way] != _PAVEMENT else -1
    node = network.ends[way, 1 if is_forward else 0]
    if network.goals[row.goal] == node and left <= CYCLIST.choice_distance:
        # The cyclist slows down for the next bend before reaching it.
        draw_destination(row, node, network, stream)
    following = network.next_ways[0, row.goal, node]
    if following < 0 or following == way:
        if left > CYCLIST.arrival_distance:
            return float(left)
        # No way leads on in the permitted direction: the cyclist turns back.
        draw_destination(row, node, network, stream)
        following = way
    if network.kinds[following] != _PAVEMENT and network.kinds[way] == _PAVEMENT:
        if left > 0.5 * row.speed * row.speed / CYCLIST.deceleration + CYCLIST.stop_distance + 1.0:
            return np.inf
        row.wants = following
        own, pace = riders.way_signals[following], 0.7 * row.pace
        if not may_cross(network, following, pace, users, own):
            return float(max(left - CYCLIST.stop_distance, 0.0))
    if left <= CYCLIST.arrival_distance:
        _take(row, network, following, node)
    return np.inf


@jitable
def _take(row: RiderRow, network: Network, following: int, node: int) -> None:
    """Puts a cyclist onto a way from a node; on the same way it turns round."""
    starts_here = network.ends[following, 0] == node
    if following == row.way:
        starts_here = row.forward < 0
    row.way, row.forward = following, 1 if starts_here else -1
    row.station = 0.0 if starts_here else network.lengths[following]


@jitable
def _turn_back(row: RiderRow, network: Network, stream: np.uint64) -> None:
    """Makes a stuck cyclist turn back; never against a one-way street."""
    way, row.stuck = row.way, 0.0
    if not network.one_ways[way]:
        row.forward = -row.forward
    draw_destination(row, network.ends[way, 1 if row.forward > 0 else 0], network, stream)


@jitable
def _ride(riders: RiderContext, i: int, users: RoadUsers, stop: float) -> None:
    """Sets the acceleration and the turn of a cyclist, who stops `stop` [m] ahead."""
    rows, network, ahead, row = riders.rows, riders.network, riders.ahead, riders.rows[i]
    seconds, side = riders.seconds, riders.side
    half = network.half_widths[row.way]
    own = side * min(max(CYCLIST.side_share * half, CYCLIST.min_aside), CYCLIST.max_aside)
    look_ahead(row, network, row.aside, ahead)
    gap, pace = find_gap(i, rows, ahead, users)
    goal = own
    if gap < PLACES and 0.0 <= pace < 0.7 * row.pace:
        # Passes on the other side, or evades on the own one; oncoming ones keep their side.
        goal, best = row.aside, gap
        for k in range(2):
            aside = (half + CYCLIST.over_edge) * (-side if k == 0 else side)
            look_ahead(row, network, aside, ahead)
            room, _ = find_gap(i, rows, ahead, users)
            if room > best + 3.0:
                goal, best = aside, room
    most = CYCLIST.sideways_speed * seconds
    row.aside += min(max(goal - row.aside, -most), most)
    look_ahead(row, network, row.aside, ahead)
    angle = steer(row, network, riders.target)
    wanted = row.pace * max(0.3, 1.0 - abs(angle))
    wanted = min(wanted, speed_in_bends(row, ahead))
    if abs(angle) > LOST_ANGLE:
        wanted = CYCLIST.turning_speed
    near, _ = gap_straight_ahead(i, rows, ahead, users)
    row.spin = 0.0
    if near < gap and near < CYCLIST.near_distance + CYCLIST.near_time * row.speed:
        if gap > 2.0 and row.speed < 0.3:
            # The target is behind: the bicycle is lifted round.
            row.spin = min(max(angle, -CYCLIST.spin), CYCLIST.spin)
        gap, pace = near, 0.0
    row.acceleration = _acceleration(row, wanted, gap, pace, stop, seconds)
    row.waited = 1.0 if stop < 2.0 or _stands_in_queue(i, rows) else 0.0
    stands = row.speed < 0.3
    if stands and (row.waited == 0.0 or (stop < 2.0 and min(gap, near) < CYCLIST.facing_gap)):
        row.stuck += seconds
    elif stands and stop < 2.0:
        # A vehicle on the crossing may wait for the cyclist in turn, without end.
        row.stuck += seconds * CYCLIST.turns_back_after / CYCLIST.max_wait
    else:
        row.stuck = max(0.0, row.stuck - 2.0 * seconds)
    follow_ground(row, network, seconds)


@jitable
def _stands_in_queue(i: int, rows: Rows[RiderRow]) -> bool:
    """Whether a cyclist stands behind another who waits at a street."""
    s, c = sin_cos(rows[i].yaw)
    for j in range(len(rows)):
        if j == i or not rows[j].about or rows[j].waited == 0.0:
            continue
        _, same = sin_cos(rows[j].yaw - rows[i].yaw)
        gx, gy = rows[j].x - rows[i].x, rows[j].y - rows[i].y
        along, across = c * gx + s * gy, abs(c * gy - s * gx)
        if same > 0.5 and 0.0 < along < CYCLIST.queue_distance and across < 1.0:
            return True
    return False


@jitable
def _acceleration(
    row: RiderRow, wanted: float, gap: float, pace: float, stop: float, seconds: float
) -> float:
    """The acceleration [m/s²] of a cyclist, by the Intelligent Driver Model."""
    speed = row.speed
    ratio = speed / max(wanted, 0.1)
    gain, ease = CYCLIST.acceleration, CYCLIST.deceleration
    free = max(gain * (1.0 - ratio * ratio * ratio * ratio), -ease)
    found = free
    closing = speed * (speed - max(pace, 0.0)) / (2.0 * sqrt(gain * ease))
    least = CYCLIST.least_gap * (1.0 if row.stuck < CYCLIST.stuck_after else 0.3)
    desired = least + max(0.0, speed * CYCLIST.time_gap + closing)
    ratio = desired / max(gap, 0.3)
    found = min(found, free - gain * ratio * ratio)
    if stop < np.inf:
        allowed = sqrt(2.0 * ease * max(stop - 0.1, 0.0))
        found = min(found, (allowed - speed) / max(0.3, seconds))
    return float(min(max(found, -CYCLIST.max_braking), gain))
