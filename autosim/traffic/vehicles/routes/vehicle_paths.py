"""Places on the paths of vehicles, and the lanes under them."""

from math import sqrt

import numpy as np

from autosim.jit import inlined, jitable
from autosim.traffic.vehicles.lanes.lane_table import LaneTable
from autosim.traffic.vehicles.vehicle_pool import TRAIL_STREETS, VehicleRow, lane_on_path


@jitable
def planned_distance(lanes: LaneTable, row: VehicleRow) -> float:
    """Length [m] of the planned path ahead of a vehicle's front."""
    way = -row.station
    for place in range(row.front, row.count):
        way += lanes.lengths[lane_on_path(row, place)]
    return float(way)


@jitable
def drop_passed(lanes: LaneTable, row: VehicleRow, length: float) -> None:
    """Forgets the lanes that the rear of a vehicle has left."""
    behind = row.station
    kept = row.front
    while kept > 0 and behind < length + 1.0:
        kept -= 1
        behind += lanes.lengths[lane_on_path(row, kept)]
    if kept == 0:
        return
    for place in range(kept):
        _leave_street(lanes, row, lane_on_path(row, place))
    count = row.count
    for place in range(kept, count):
        row.path[place - kept] = row.path[place]
    row.count -= kept
    row.front -= kept


@jitable
def _leave_street(lanes: LaneTable, row: VehicleRow, lane: int) -> None:
    """Remembers the street of a lane as the last one that the vehicle has left."""
    street = lanes.roads[lane] + 1
    if lanes.connectors[lane] or row.trail[0] == street:
        return
    for place in range(TRAIL_STREETS - 1, 0, -1):
        row.trail[place] = row.trail[place - 1]
    row.trail[0] = street


@jitable
def place_on_path(
    lanes: LaneTable, row: VehicleRow, ahead: float, offset: float
) -> tuple[float, float, float, float]:
    """Position and direction of a place on a path.

    Args:
        lanes: all.
        row: of the vehicle.
        ahead: [m] of its front, negative behind.
        offset: [m] to the left.

    Returns:
        x, y, z [m] in W and the direction of driving [rad].
    """
    place, station = row.front, row.station + ahead
    while station < 0.0 and place > 0:
        place -= 1
        station += lanes.lengths[lane_on_path(row, place)]
    while place < row.count - 1 and station > lanes.lengths[lane_on_path(row, place)]:
        station -= lanes.lengths[lane_on_path(row, place)]
        place += 1
    return place_on_lane(lanes, lane_on_path(row, place), station, offset)


@jitable
def point_before(lanes: LaneTable, lane: int, station: float) -> int:
    """The row of the last point of a lane at or before a station [m], but never its last point."""
    low, end = lanes.starts[lane], lanes.starts[lane + 1] - 1
    while end - low > 1:
        middle = (low + end) // 2
        if lanes.stations[middle] <= station:
            low = middle
        else:
            end = middle
    return int(low)


@jitable
def place_on_lane(
    lanes: LaneTable, lane: int, station: float, offset: float
) -> tuple[float, float, float, float]:
    """x, y, z [m] in W and the heading [rad] `station` [m] along a lane, `offset` to the left."""
    k = point_before(lanes, lane, station)
    a, b = lanes.points[k], lanes.points[k + 1]
    span = lanes.stations[k + 1] - lanes.stations[k]
    share = (station - lanes.stations[k]) / span
    ahead_x, ahead_y = (b[0] - a[0]) / span, (b[1] - a[1]) / span
    x = a[0] + share * (b[0] - a[0]) - offset * ahead_y
    y = a[1] + share * (b[1] - a[1]) + offset * ahead_x
    part = min(max(share, 0.0), 1.0)
    z = a[2] + part * (b[2] - a[2])
    turn = lanes.tangents[k + 1] - lanes.tangents[k]
    turn -= 2.0 * np.pi * np.rint(turn / (2.0 * np.pi))
    return x, y, z, lanes.tangents[k] + part * turn


@jitable
def bend_speed(lanes: LaneTable, lane: int, station: float) -> float:
    """Speed [m/s] at which bends are driven there, see `LaneTable.bends`."""
    k = point_before(lanes, lane, station)
    span = lanes.stations[k + 1] - lanes.stations[k]
    share = min(max((station - lanes.stations[k]) / span, 0.0), 1.0)
    return float(lanes.bends[k] + share * (lanes.bends[k + 1] - lanes.bends[k]))


@jitable
def find_on_path(
    lanes: LaneTable, row: VehicleRow, x: float, y: float, z: float, horizon: float
) -> tuple[float, float]:
    """The place of the path ahead that is nearest to a point.

    Args:
        lanes: all.
        row: of the vehicle.
        x: [m] in W.
        y: [m] in W.
        z: [m] in W; on another level the point is nowhere near.
        horizon: [m] how far ahead to look.

    Returns:
        How far [m] ahead of the front it is, and how far to the left; infinite where nothing is
        near. Places beside the vehicle are ahead by a negative number.
    """
    best, ahead, across = np.inf, np.inf, np.inf
    base = -row.station
    for place in range(row.front, row.count):
        lane = lane_on_path(row, place)
        if base > horizon:
            break
        first = lanes.starts[lane]
        if base < 0.0:
            first = point_before(lanes, lane, -base)
        for k in range(first, lanes.starts[lane + 1] - 1):
            if base + lanes.stations[k] > horizon:
                break
            d, s, t = _nearest(lanes, k, x, y, z)
            if d < best:
                best, ahead, across = d, base + s, t
        base += lanes.lengths[lane]
    return ahead, across


@inlined
def _nearest(lanes: LaneTable, k: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Squared distance of a point from the segment after point k, its station and its offset."""
    ax, ay = lanes.points[k, 0], lanes.points[k, 1]
    ux, uy = lanes.points[k + 1, 0] - ax, lanes.points[k + 1, 1] - ay
    squared = max(ux * ux + uy * uy, 1e-9)
    share = min(max(((x - ax) * ux + (y - ay) * uy) / squared, 0.0), 1.0)
    gap_x, gap_y = x - ax - share * ux, y - ay - share * uy
    distance = gap_x * gap_x + gap_y * gap_y
    height = lanes.points[k, 2] + share * (lanes.points[k + 1, 2] - lanes.points[k, 2])
    if abs(height - z) > 2.5:
        distance = np.inf
    side = 1.0 if ux * gap_y - uy * gap_x >= 0.0 else -1.0
    span = lanes.stations[k + 1] - lanes.stations[k]
    return distance, lanes.stations[k] + share * span, side * sqrt(distance)
