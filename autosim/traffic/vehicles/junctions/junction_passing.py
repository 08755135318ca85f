"""Passing a vehicle that stands in a junction, by the free width rather than the lanes' strips.

The strips in which lanes overlap are as wide as the widest vehicle sweeps. A vehicle whose tail
alone stands in one, and which waits for the very vehicle that it blocks, can be passed.
"""

import numpy as np

from autosim.arrays import Floats
from autosim.jit import jitable
from autosim.portable import arctan2, sin_cos
from autosim.traffic.road_users import B
from autosim.traffic.vehicles.box_overlap import do_overlap
from autosim.traffic.vehicles.routes.vehicle_paths import find_on_path, place_on_path
from autosim.traffic.vehicles.traffic_context import TrafficContext

STANDING = 0.5
"""Speed [m/s] below which one counts as standing: half that of a walk."""

_AFTER = 5.0
"""Time [s] for which a vehicle has stood before its driver looks for a way past."""

_STILL = 0.05
"""Speed [m/s] below which the other one does not move at all."""

_CLEAR = 0.2
"""Clearance [m] to the other vehicle when passing."""

_STRIDE = 0.4
"""Spacing [m] of the positions along the path at which contact with the other one is checked."""

CHAIN = 32
"""Number of waiting vehicles that a driver traces back to their own one at most: longer circles are
jams."""

_ROUNDING = 0.01
"""Length [m] by which sums of distances may differ."""

_APART = 12.0
"""Gap [m] from which two who have passed each other look at the rules alone again."""


@jitable
def is_waiting_for(town: TrafficContext, u: int, i: int) -> bool:
    """Whether a vehicle stands because of another: directly, or behind others that wait for it."""
    rows = town.rows
    for _ in range(CHAIN):
        if u < 0 or u >= len(rows) or rows[u].speed >= STANDING:
            return False
        u = rows[u].blocker
        if u == i:
            return True
    return False


@jitable
def may_pass(town: TrafficContext, i: int, u: int, way: float) -> bool:
    """Whether a vehicle gets past another one that stands and waits for it.

    If so, the other one stands until it is past, and both look at each other from now on. Writes
    the rows of both.

    Args:
        town: all.
        i: the vehicle.
        u: the other one.
        way: [m] how far the front of the vehicle goes until both are past each other.
    """
    rows = town.rows
    if u >= len(rows) or rows[i].waited < _AFTER or rows[u].speed > _STILL:
        return False
    if rows[i].passes >= 0 or rows[u].passes >= 0 or not is_waiting_for(town, u, i):
        return False
    if not _is_room(town, i, u, way):
        return False
    rows[i].passes, rows[u].passes = u, i
    rows[i].lets_pass, rows[u].lets_pass = 0.0, rows[i].rolled + way
    return True


@jitable
def _is_room(town: TrafficContext, i: int, u: int, way: float) -> bool:
    """Whether a vehicle that goes its way nowhere touches another one where that is now."""
    town.trial[B.z] = town.boxes[u, B.z]
    for k in range(1, int(way / _STRIDE) + 2):
        place_trial(town, i, _STRIDE * k, _CLEAR)
        if do_overlap(town.trial, town.boxes[u]):
            return False
    return True


@jitable
def place_trial(town: TrafficContext, i: int, ahead: float, clear: float) -> None:
    """Writes into `TrafficContext.trial` where the body of a vehicle will be, but for the height.

    Args:
        town: all.
        i: the vehicle.
        ahead: [m] how far it will have gone along its path.
        clear: [m] by which the box is larger on all sides.
    """
    sizes, own, row = town.sizes[i], town.trial, town.rows[i]
    own[B.half_length], own[B.half_width] = sizes.length / 2.0 + clear, sizes.width / 2.0 + clear
    middle = sizes.front_axle + sizes.wheelbase - sizes.length / 2.0
    front_x, front_y, _, _ = place_on_path(town.lanes, row, ahead - sizes.front_axle, 0.0)
    x, y, _, _ = place_on_path(town.lanes, row, ahead - sizes.front_axle - sizes.wheelbase, 0.0)
    own[B.yaw] = arctan2(front_y - y, front_x - x)
    s, c = sin_cos(own[B.yaw])
    own[B.x], own[B.y] = x + middle * c, y + middle * s


@jitable
def find_passing_gap(town: TrafficContext, i: int, horizon: float) -> tuple[float, int]:
    """The gap [m] to the one whom a vehicle passes or who passes it, and who it is."""
    row = town.rows[i]
    u = row.passes
    if u < 0:
        return np.inf, u
    partner = town.rows[u]
    if not partner.active or partner.passes != i:
        row.passes, row.lets_pass = -1, 0.0
        return np.inf, u
    # Others may keep it from going: then it need not be waited for.
    end = row.rolled + row.committed + town.sizes[i].length
    if end < partner.lets_pass - _ROUNDING:
        row.passes = partner.passes = -1
        partner.lets_pass = 0.0
        return np.inf, u
    if partner.rolled < row.lets_pass:
        return 0.0, u
    row.lets_pass = 0.0
    own, other = town.boxes[i], town.boxes[u]
    x, y = other[B.x] - own[B.x], other[B.y] - own[B.y]
    reach = own[B.half_length] + other[B.half_length] + _APART
    if partner.lets_pass == 0.0 and x * x + y * y > reach * reach:
        row.passes = partner.passes = -1
        return np.inf, u
    return _gap(town, i, other, horizon), u


@jitable
def _gap(town: TrafficContext, i: int, other: Floats, horizon: float) -> float:
    """The gap [m] along a vehicle's path to a box, infinite where it goes past it."""
    row, sizes = town.rows[i], town.sizes[i]
    s, c = sin_cos(other[B.yaw])
    gap, beside = np.inf, sizes.width / 2.0 + 0.5 * _CLEAR
    for n in range(12):
        u = (n // 3 / 1.5 - 1.0) * other[B.half_length]
        v = (n % 3 - 1) * other[B.half_width]
        x, y = other[B.x] + c * u - s * v, other[B.y] + s * u + c * v
        at, across = find_on_path(town.lanes, row, x, y, other[B.z], horizon)
        if abs(across) < beside and 0.0 < at < gap:
            gap = at
    return gap
