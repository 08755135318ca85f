"""The pool of vehicles: one record per slot, which holds the whole state of a vehicle."""

from typing import Annotated

import numpy as np

from autosim.arrays import Integers
from autosim.jit import jitable
from autosim.model.noise import normal, uniform
from autosim.portable import exp_of
from autosim.traffic.typed_rows import RowRecord, Rows, make_rows
from autosim.traffic.vehicle_kinds import FLEET, shares_of

PATH_LANES = 24
"""Number of lanes of a vehicle's path: from that under its rear to those that it plans, on which it
looks some hundred metres ahead."""

TRAIL_STREETS = 12
"""Number of streets that a vehicle remembers: more than once round a block, with its junctions."""


class VehicleRow(RowRecord):
    """Record of a vehicle: its whole state. Ids are -1 for none."""

    active: bool
    """Whether the vehicle is under way; else the slot is empty."""
    station: float
    """Station [m] of the front on the lane `front` of the path."""
    speed: float
    """Speed [m/s]."""
    acceleration: float
    """Acceleration [m/s²], which holds between two decisions."""
    offset: float
    """Distance [m] of the front axle to the left of the path."""
    rear_offset: float
    """Distance [m] of the rear axle to the left of the path."""
    change_from: float
    """Offset [m] at the beginning of a lane change; 0 without one."""
    change_length: float
    """Distance [m] over which the lane change extends."""
    changed: float
    """The part [m] of it that is done."""
    old_lane: int
    """Number of the lane that the vehicle leaves."""
    old_shift: float
    """Station [m] on that lane less the station on the path."""
    rolled: float
    """Distance travelled [m]."""
    count: int
    """Number of lanes of the path."""
    front: int
    """Place in the path of the lane under the front."""
    committed: float
    """Distance [m] ahead of the front in which the vehicle has the right of way, up to the end of a
    junction."""
    serial: int
    """Number of the driver."""
    choices: int
    """Number of choices made."""
    waited: float
    """Standing time [s]."""
    blocker: int
    """Number of the road user that holds the vehicle up, or a code, see `traffic_context`."""
    stopped_at: int
    """Number of the lane at whose stop line the vehicle has stood."""
    speed_factor: float
    """Factor of the driver on the speed limit."""
    time_gap: float
    """Time gap [s] of the driver to the leader."""
    least_gap: float
    """Minimum gap [m] of the driver to the leader."""
    gain: float
    """Maximum acceleration [m/s²] of the driver."""
    ease: float
    """Comfortable deceleration [m/s²] of the driver."""
    noise: float
    """Error [m/s²] of the acceleration."""
    since_change: float
    """Time [s] since the last lane change."""
    touches: bool
    """Whether the vehicle touches traffic."""
    touches_robot: bool
    """Whether the vehicle touches a robot."""
    lights: int
    """Bits of `Light`."""
    colour: int
    """Number of the colour."""
    told_speed: float
    """Ordered speed [m/s]; NaN for none."""
    wish: int
    """Requested lane change: 1 to the left, -1 to the right, 0 for none."""
    held: int
    """Code of why the vehicle waits at a junction, see `right_of_way`."""
    yaw: float
    """Yaw [rad] counter-clockwise from east."""
    route: int
    """Number of streets of the route; -1 without a route."""
    route_place: int
    """Number of these that the path has reached."""
    leaves: bool
    """Whether the vehicle is to leave as soon as it is out of sight."""
    told_street: int
    """Number of the ordered street."""
    arrived: bool
    """Whether the vehicle has come to the end of its route."""
    wants: float
    """Distance [m] ahead of the front for which the vehicle waits for the right of way, else 0."""
    lost: bool
    """Whether the vehicle has left its route."""
    departure: int
    """Number of the departure, see `autosim.config.demand`."""
    passes: int
    """Number of the vehicle that this one passes in a junction, or that passes this one."""
    served: int
    """Number of the stop at which a bus has stood last."""
    dwelt: float
    """Time [s] for which a bus has stood at the next stop."""
    held_within: float
    """Time [s] for which the vehicle had green and waited for a second signal in a junction."""
    told_way: int
    """Number of the ordered route that the vehicle has taken; 0 for none."""
    lets_pass: float
    """Distance [m] that the passing vehicle has rolled when it is past, else 0."""
    target: int
    """Number of the target of a trip in `TripTable.targets`."""
    goal: float
    """Station [m] on the lane of that target at which the trip ends."""
    path: Annotated[Integers, PATH_LANES]
    """Numbers of the lanes of the path."""
    trail: Annotated[Integers, TRAIL_STREETS]
    """Numbers of the streets that the vehicle has left last, the newest first, each plus 1."""


class VehicleSize(RowRecord):
    """Dimensions and limits of the kind of a vehicle."""

    length: float
    """Length [m]."""
    width: float
    """Width [m]."""
    height: float
    """Height [m]."""
    front_axle: float
    """Distance [m] of the front axle behind the front."""
    wheelbase: float
    """Distance [m] of the rear axle behind the front axle."""
    top_speed: float
    """Highest speed [m/s]."""
    lateral: float
    """Lateral acceleration [m/s²] in curves."""
    wheel_radius: float
    """Radius [m] of the wheels."""


class DriverMedians(RowRecord):
    """Medians of the drivers of a kind of vehicle, see `DriverModel`."""

    time_gap: float
    """Time gap [s]."""
    least_gap: float
    """Minimum gap [m]."""
    acceleration: float
    """Maximum acceleration [m/s²]."""
    deceleration: float
    """Comfortable deceleration [m/s²]."""


FREE_ROW = make_rows(VehicleRow, 1)
"""The record (1,) of an empty slot."""

_SPREAD = 0.08
"""Ratio of the deviation of what drivers prefer to its mean: that of desired speeds in free traffic
is 5 to 15 % (Treiber and Kesting, Traffic Flow Dynamics, 2013, section 12.1)."""

_FEWEST, _MOST = 0.7, 1.3
"""Bounds of the factors by which drivers differ, which exclude unrealistic drivers."""

_TIME_GAP_SPREAD = 0.45
"""Deviation of the logarithm of drivers' time gaps, which are distributed log-normally: about a
quarter of followers leave less than 0.8 s, and as many more than 1.3 s (W. Knospe, L. Santen, A.
Schadschneider, M. Schreckenberg, Single-vehicle data of highway traffic, Physical Review E 65,
2002; Treiber and Kesting, 2013, section 4.3)."""

_SHORTEST_GAP, _LONGEST_GAP = 0.5, 2.5
"""Factors between which drivers' time gaps differ."""


def kinds_of_pool(vehicles: int, shares: tuple[tuple[str, float], ...]) -> Integers:
    """The kind (vehicles,) of each place of a pool: as many of each as its share, well mixed.

    A place keeps its kind, so that its body and its model never change.
    """
    wanted = shares_of(shares)
    kinds = np.zeros(vehicles, dtype=np.int64)
    given = np.zeros(len(wanted))
    for place in range(vehicles):
        given_now = wanted * (place + 1) - given
        kinds[place] = int(np.argmax(given_now))
        given[kinds[place]] += 1.0
    return kinds


def sizes_of(kinds: Integers) -> Rows[VehicleSize]:
    """Dimensions and limits (V,) of the kind of each slot."""
    rows = make_rows(VehicleSize, len(kinds))
    for row, kind in zip(rows, kinds.tolist(), strict=True):
        found = FLEET[kind]
        row.length, row.width, row.height = found.length, found.width, found.height
        row.front_axle, row.wheelbase = found.axles.places[0], found.axles.wheelbase
        row.top_speed, row.lateral = found.driving.top_speed, found.driving.lateral
        row.wheel_radius = found.axles.wheel_radius
    return rows


def medians_of(kinds: Integers) -> Rows[DriverMedians]:
    """Medians (V,) of the drivers of the kind of each slot."""
    rows = make_rows(DriverMedians, len(kinds))
    for row, kind in zip(rows, kinds.tolist(), strict=True):
        found = FLEET[kind].driving
        row.time_gap, row.least_gap = found.time_gap, found.least_gap
        row.acceleration, row.deceleration = found.acceleration, found.deceleration
    return rows


@jitable
def stream_of_driver(seed: np.uint64, serial: int) -> np.uint64:
    """The stream of random numbers of a driver."""
    return seed ^ (np.uint64(serial + 1) * np.uint64(0xD1342543DE82EF95))


@jitable
def init_driver(
    row: VehicleRow, medians: DriverMedians, stream: np.uint64, imperfection: float
) -> None:
    """Initialises the preferences of a new driver.

    Args:
        row: of the vehicle; written.
        medians: of the kind of vehicle.
        stream: of random numbers of the driver.
        imperfection: how much drivers differ.
    """
    row.speed_factor = _factor(stream, 0, imperfection)
    error = imperfection * normal(stream, np.uint64(120))
    factor = min(max(exp_of(_TIME_GAP_SPREAD * error), _SHORTEST_GAP), _LONGEST_GAP)
    row.time_gap = factor * medians.time_gap
    row.least_gap = _factor(stream, 2, imperfection) * medians.least_gap
    row.gain = _factor(stream, 3, imperfection) * medians.acceleration
    row.ease = _factor(stream, 4, imperfection) * medians.deceleration
    row.colour = int(8.0 * uniform(stream, np.uint64(99)))


@jitable
def _factor(stream: np.uint64, number: int, imperfection: float) -> float:
    """The factor by which a driver differs from the median in the preference of that number."""
    error = imperfection * normal(stream, np.uint64(100 + 20 * number))
    return min(max(1.0 + _SPREAD * error, _FEWEST), _MOST)


@jitable
def lane_on_path(row: VehicleRow, place: int) -> int:
    """The number of a lane of a path."""
    return int(row.path[place])
