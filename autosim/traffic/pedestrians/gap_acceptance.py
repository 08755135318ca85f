"""Whether a pedestrian may step onto the street: signals, and the gaps between vehicles."""

from math import sqrt

from autosim.arrays import Floats
from autosim.jit import jitable
from autosim.portable import sin_cos
from autosim.traffic.pedestrians.pedestrian_model import PEDESTRIAN
from autosim.traffic.pedestrians.pedestrian_rows import Network
from autosim.traffic.road_users import B, RoadUsers
from autosim.traffic.ways.walk_network import WayKind

_MARKED = int(WayKind.CROSSING)
"""The code of ways across at marked crossings, as kernels know it."""

_OFF, _RED, _GREEN, _FLASHING = 0, 1, 3, 5
"""Codes of what signals show; those that are off or flash say nothing."""

_STANDS = 0.3
"""Speed [m/s] below which a vehicle stands."""


@jitable
def may_cross(network: Network, way: int, pace: float, users: RoadUsers, own: int) -> bool:
    """Whether a pedestrian at an end of a crossing way may go; `own` is their signal."""
    if own > _OFF and own not in (_FLASHING, _GREEN):
        return False
    if own != _GREEN:
        # At their own green, pedestrians go before vehicles that turn across the crossing.
        for k in range(network.lane_starts[way], network.lane_starts[way + 1]):
            lane = network.lanes[k]
            if lane < len(users.lane_signals):
                shown = users.lane_signals[lane]
                if shown > _OFF and shown not in (_FLASHING, _RED):
                    return False
    return _is_free(network, way, pace, users, True)


@jitable
def is_gap_accepted(network: Network, way: int, pace: float, users: RoadUsers) -> bool:
    """Whether a pedestrian on a crossing way may go, also past standing vehicles."""
    return _is_free(network, way, pace, users, False)


@jitable
def _is_free(
    network: Network, way: int, pace: float, users: RoadUsers, heeds_standing: bool
) -> bool:
    """Whether no vehicle or robot is in the way, or comes before the pedestrian is across."""
    return _is_free_of(network, way, pace, users.vehicles, heeds_standing) and _is_free_of(
        network, way, pace, users.robots, heeds_standing
    )


@jitable
def _is_free_of(
    network: Network, way: int, pace: float, boxes: Floats, heeds_standing: bool
) -> bool:
    first, last = network.starts[way], network.starts[way + 1] - 1
    ax, ay = network.points[first, 0], network.points[first, 1]
    bx, by = network.points[last, 0], network.points[last, 1]
    z = network.points[first, 2]
    time = network.lengths[way] / pace + PEDESTRIAN.gap_margin
    yields = network.kinds[way] == _MARKED
    for k in range(len(boxes)):
        box = boxes[k]
        if box[B.half_length] <= 0.0 or abs(box[B.z] - z) > 3.0:
            continue
        speed = sqrt(box[B.speed_x] ** 2 + box[B.speed_y] ** 2)
        reach = 0.0 if speed < _STANDS else time
        x, y = box[B.x], box[B.y]
        dx, dy = box[B.speed_x] * reach, box[B.speed_y] * reach
        if speed < _STANDS:
            # All of it, from its rear to its front.
            sine, cosine = sin_cos(box[B.yaw])
            x, y = x - box[B.half_length] * cosine, y - box[B.half_length] * sine
            dx, dy = 2.0 * box[B.half_length] * cosine, 2.0 * box[B.half_length] * sine
        extent = 3.0 * box[B.half_length] + box[B.half_width] + speed * reach + network.lengths[way]
        if abs(x - ax) > extent or abs(y - ay) > extent:
            continue
        gap = _between_segments(ax, ay, bx, by, x, y, x + dx, y + dy)
        if gap > box[B.half_width] + PEDESTRIAN.gap_side:
            continue
        if speed < _STANDS:
            # Who stands on the crossing is in the way; who waits before it is not.
            if heeds_standing and gap < box[B.half_width]:
                return False
            continue
        ahead = _from_segment(ax, ay, bx, by, x, y) - box[B.half_length]
        stops = speed * PEDESTRIAN.expected_reaction + speed * speed / (
            2.0 * PEDESTRIAN.expected_braking
        )
        if not yields or ahead < stops:
            return False
    return True


@jitable
def _from_segment(ax: float, ay: float, bx: float, by: float, x: float, y: float) -> float:
    """The distance [m] of a point from a segment."""
    ux, uy = bx - ax, by - ay
    square = max(ux * ux + uy * uy, 1e-12)
    share = min(max(((x - ax) * ux + (y - ay) * uy) / square, 0.0), 1.0)
    gx, gy = x - ax - share * ux, y - ay - share * uy
    return sqrt(gx * gx + gy * gy)


@jitable
def _between_segments(
    ax: float, ay: float, bx: float, by: float, cx: float, cy: float, dx: float, dy: float
) -> float:
    """The distance [m] between two segments in the plane."""
    first = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    second = (bx - ax) * (dy - ay) - (by - ay) * (dx - ax)
    third = (dx - cx) * (ay - cy) - (dy - cy) * (ax - cx)
    fourth = (dx - cx) * (by - cy) - (dy - cy) * (bx - cx)
    if first * second < 0.0 and third * fourth < 0.0:
        return 0.0
    return min(
        _from_segment(ax, ay, bx, by, cx, cy),
        _from_segment(ax, ay, bx, by, dx, dy),
        _from_segment(cx, cy, dx, dy, ax, ay),
        _from_segment(cx, cy, dx, dy, bx, by),
    )
