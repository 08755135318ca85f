"""Steering of cyclists: points ahead on their way, the curvature to them, and the ground."""

from math import sqrt

from autosim.arrays import Floats
from autosim.jit import jitable
from autosim.portable import arctan2, sin_cos, wrapped
from autosim.traffic.cyclists.cyclist_model import CYCLIST
from autosim.traffic.cyclists.rider_rows import HALF_LENGTH, RiderRow
from autosim.traffic.pedestrians.pedestrian_rows import Network, place_on_way

_BENDS = 9
"""Number of the points ahead at which bends reduce the speed."""

LOST_ANGLE = 1.2
"""Angle [rad] to the target beyond which a bicycle turns as tightly as it can: about 70°."""


@jitable
def look_ahead(row: RiderRow, network: Network, aside: float, ahead: Floats) -> None:
    """Writes the points (n, 2) ahead on the way, one metre apart, offset from its middle."""
    way, forward, station = row.way, row.forward, row.station
    for k in range(len(ahead)):
        at = station + forward * (k + HALF_LENGTH)
        left = network.lengths[way] - at if forward > 0 else at
        if left < 0.0:
            node = network.ends[way, 1 if forward > 0 else 0]
            following = network.next_ways[0, row.goal, node]
            if following >= 0 and following != way:
                way = following
                starts_here = network.ends[way, 0] == node
                forward = 1 if starts_here else -1
                at = -left if starts_here else network.lengths[way] + left
                station = at - forward * (k + HALF_LENGTH)
            at = min(max(at, 0.0), network.lengths[way])
        x, y, _, ux, uy, _ = place_and_slope(network, way, at)
        most = network.half_widths[way] + CYCLIST.over_edge
        beside = forward * min(max(aside, -most), most)
        ahead[k, 0] = x + uy * beside
        ahead[k, 1] = y - ux * beside


@jitable
def speed_in_bends(row: RiderRow, ahead: Floats) -> float:
    """Speed [m/s] from which a cyclist can slow down for each bend ahead."""
    least = 1e9
    for k in range(_BENDS):
        x, y = ahead[k + 2, 0] - ahead[k, 0], ahead[k + 2, 1] - ahead[k, 1]
        if x * x + y * y < 0.04:
            continue
        bend = abs(wrapped(arctan2(y, x) - row.yaw))
        if bend > 0.1:
            within = CYCLIST.lateral * (CYCLIST.steering_distance + 0.3 * k) / bend
            least = min(least, sqrt(within + 2.0 * CYCLIST.deceleration * max(k - 1.0, 0.0)))
    return float(max(least, CYCLIST.turning_speed))


@jitable
def steer(row: RiderRow, network: Network, target: Floats) -> float:
    """Sets the turn [rad] per metre of a cyclist; returns the angle [rad] to the target.

    `target` (2, 2) is for numbers in between.
    """
    reach = CYCLIST.steering_distance + CYCLIST.steering_time * row.speed
    start = row.station
    row.station = start + row.forward * (reach - HALF_LENGTH)
    look_ahead(row, network, row.aside, target)
    row.station = start
    gx, gy = target[0, 0] - row.x, target[0, 1] - row.y
    length = max(sqrt(gx * gx + gy * gy), 0.3)
    angle = wrapped(arctan2(gy, gx) - row.yaw)
    s, _ = sin_cos(angle)
    bend = 2.0 * s / length
    if abs(angle) > LOST_ANGLE:
        bend = (1.0 if angle > 0.0 else -1.0) * CYCLIST.turn_rate / CYCLIST.turning_speed
    most = CYCLIST.turn_rate / max(row.speed, CYCLIST.turning_speed)
    row.turn = min(max(bend, -most), most)
    return float(angle)


@jitable
def follow_ground(row: RiderRow, network: Network, seconds: float) -> None:
    """Sets the speed up and down so that the wheels come to the ground, and the pitch."""
    _, _, z, _, _, slope = place_and_slope(network, row.way, row.station)
    row.speed_z = (z - row.z) / seconds
    row.pitch = -arctan2(row.forward * slope, 1.0)


@jitable
def place_and_slope(
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
