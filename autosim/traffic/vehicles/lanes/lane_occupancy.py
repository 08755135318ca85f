"""Occupancy of the lanes, now and soon: lists by lane, rebuilt each time.

Each road user is listed on each lane of its path: on those under it and on those that it plans.
Robots are listed on the lane that they drive on and on those that may follow.
"""

from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Integers, Integers32
from autosim.jit import jitable
from autosim.traffic.road_users import B
from autosim.traffic.typed_rows import Rows
from autosim.traffic.vehicles.lanes.lane_table import LaneTable
from autosim.traffic.vehicles.vehicle_pool import (
    PATH_LANES,
    VehicleRow,
    VehicleSize,
    lane_on_path,
)

_ROBOT_NOTES = 16
"""Number of lanes on which a robot is noted at most: its own and two junctions ahead."""

_ROBOT_AHEAD = 60.0
"""Distance [m] up to which others expect a robot on the lanes that follow its own."""

_ROBOT_BRAKES = 4.0
"""Deceleration [m/s²] with which a robot could still stop: where it could not it has the right of
way, whatever the rules say."""


class LaneOccupancy(NamedTuple):
    """Entries of n vehicles and robots, robots after the vehicles.

    `heads` (lanes,) the first entry of each lane, -1 for none; `nexts` the following; `who` and
    `offsets` [m] of each entry: distance from its front to the beginning of the lane. `used` (2,)
    numbers of entries and of lanes in `touched`.

    Of each road user (n,): `lengths` [m], `speeds` [m/s], `commits` [m], see
    `VehicleRow.committed`, `holds`: whether it waits for others, and `waits`: how long [s].
    """

    heads: Integers32
    nexts: Integers32
    who: Integers32
    offsets: Floats
    used: Integers
    touched: Integers32
    lengths: Floats
    speeds: Floats
    commits: Floats
    holds: Integers
    waits: Floats

    @classmethod
    def of(cls, lanes: int, vehicles: int, robots: int) -> "LaneOccupancy":
        """An empty occupancy for these numbers."""
        notes = vehicles * (PATH_LANES + 3) + robots * _ROBOT_NOTES
        everybody = vehicles + robots
        return cls(
            np.full(lanes, -1, dtype=np.int32),
            np.zeros(notes, dtype=np.int32),
            np.zeros(notes, dtype=np.int32),
            np.zeros(notes),
            np.zeros(2, dtype=np.int64),
            np.zeros(min(lanes, notes), dtype=np.int32),
            lengths=np.zeros(everybody),
            speeds=np.zeros(everybody),
            commits=np.zeros(everybody),
            holds=np.zeros(everybody, dtype=np.int64),
            waits=np.zeros(everybody),
        )


@jitable
def add_user(register: LaneOccupancy, lane: int, who: int, offset: float) -> None:
    """Adds a road user to a lane."""
    k = register.used[0]
    if k >= register.nexts.size:
        return
    if register.heads[lane] < 0 and register.used[1] < register.touched.size:
        register.touched[register.used[1]] = lane
        register.used[1] += 1
    register.nexts[k], register.heads[lane] = register.heads[lane], k
    register.who[k], register.offsets[k] = who, offset
    register.used[0] += 1


@jitable
def add_path(register: LaneOccupancy, lanes: LaneTable, row: VehicleRow, who: int) -> None:
    """Notes a vehicle on all lanes of its path."""
    offset = -row.station
    for place in range(row.front - 1, -1, -1):
        offset -= lanes.lengths[lane_on_path(row, place)]
    for place in range(row.count):
        lane = lane_on_path(row, place)
        add_user(register, lane, who, offset)
        offset += lanes.lengths[lane]
    if row.old_lane >= 0:
        add_user(register, row.old_lane, who, -row.station - row.old_shift)


@jitable
def fill_occupancy(
    register: LaneOccupancy,
    lanes: LaneTable,
    rows: Rows[VehicleRow],
    sizes: Rows[VehicleSize],
    robots: Floats,
    robot_lanes: Integers,
    robot_places: Floats,
) -> None:
    """Rebuilds the entries of all road users.

    Args:
        register: written.
        lanes: all.
        rows: of the pool.
        sizes: of the kind of each place of the pool.
        robots: (r, 8) boxes.
        robot_lanes: (r,) the lane that each is on, -1 for none.
        robot_places: (r, 2) m along it and to its left.
    """
    for k in range(register.used[1]):
        register.heads[register.touched[k]] = -1
    register.used[:] = 0
    for i in range(len(rows)):
        row = rows[i]
        if not row.active:
            continue
        register.lengths[i], register.speeds[i] = sizes[i].length, row.speed
        register.commits[i], register.holds[i] = row.committed, row.held
        register.waits[i] = row.waited
        add_path(register, lanes, row, i)
    for r in range(len(robots)):
        if robot_lanes[r] >= 0:
            _note_robot(register, lanes, robots[r], len(rows) + r, robot_lanes[r], robot_places[r])


@jitable
def _note_robot(
    register: LaneOccupancy, lanes: LaneTable, box: Floats, who: int, lane: int, place: Floats
) -> None:
    speed = np.sqrt(box[B.speed_x] ** 2 + box[B.speed_y] ** 2)
    register.lengths[who], register.speeds[who] = 2.0 * box[B.half_length], speed
    register.commits[who] = speed * speed / (2.0 * _ROBOT_BRAKES)
    register.holds[who], register.waits[who] = 0, 0.0
    offset = -place[0] - box[B.half_length]
    add_user(register, lane, who, offset)
    if speed < 0.5 and offset + lanes.lengths[lane] > 5.0:
        return
    left = _ROBOT_NOTES - 1
    for k in range(lanes.successor_starts[lane], lanes.successor_starts[lane + 1]):
        following, begin = lanes.successors[k], offset + lanes.lengths[lane]
        if begin > _ROBOT_AHEAD or left == 0:
            break
        add_user(register, following, who, begin)
        left -= 1
        if lanes.connectors[following] and left > 0:
            after = lanes.successor_starts[following]
            if after < lanes.successor_starts[following + 1]:
                add_user(register, lanes.successors[after], who, begin + lanes.lengths[following])
                left -= 1
