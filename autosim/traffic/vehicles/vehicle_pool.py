"""The pool of vehicles: one row of numbers per slot, which holds the whole state of a vehicle."""

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.jit import jitable
from autosim.model.noise import normal, uniform
from autosim.portable import exp_of
from autosim.traffic.vehicle_kinds import FLEET, shares_of

PATH_LANES = 24
"""Number of lanes of a vehicle's path: from that under its rear to those that it plans, on which it
looks some hundred metres ahead."""

ACTIVE, STATION, SPEED, ACCELERATION = 0, 1, 2, 3
"""Columns: 1 for one on its way; the station [m] of its front on the lane `FRONT` of its path; its
speed [m/s] and its acceleration [m/s²], which holds between two decisions."""

OFFSET, REAR_OFFSET, CHANGE_FROM, CHANGE_LENGTH, CHANGED = 4, 5, 6, 7, 8
"""Columns of a lane change: how far [m] its front and its rear axle are to the left of the path,
how far they were at the beginning, over which way [m] it goes, and the part of it that is done."""

OLD_LANE, OLD_SHIFT = 9, 10
"""Columns: number of the lane that it leaves, -1 for none; station [m] there less that of its
path."""

ROLLED, COUNT, FRONT, COMMITTED = 11, 12, 13, 14
"""Columns: distance rolled [m]; number of lanes of its path, the place of that under its front; the
way [m] ahead of its front in which it has the right of way, up to the end of a junction."""

SERIAL, CHOICES, WAITED, BLOCKER, STOPPED_AT = 15, 16, 17, 18, 19
"""Columns: number of the driver, number of choices made; standing time [s]; the blocker (see
`town`); number of the lane at whose stop line it has stood."""

SPEED_FACTOR, TIME_GAP, LEAST_GAP, GAIN, EASE = 20, 21, 22, 23, 24
"""Columns of a driver: factor on the speed limit; time gap [s], minimum gap [m], maximum
acceleration [m/s²] and comfortable deceleration [m/s²] of the Intelligent Driver Model."""

NOISE, SINCE_CHANGE, TOUCHES, TOUCHES_ROBOT, LIGHTS = 25, 26, 27, 28, 29
"""Columns: error [m/s²] of the acceleration; time [s] since the last change of lane; whether it
touches traffic, or a robot, as flags; lights, as bits of `Light`."""

COLOUR, TOLD_SPEED, WISH, HELD, YAW = 30, 31, 32, 33, 34
"""Columns: number of the colour; ordered speed [m/s], NaN for none; requested lane change, 1 to
the left, -1 to the right; whether it waits for others, as a flag; yaw [rad]."""

ROUTE, ROUTE_PLACE, LEAVES, TOLD_STREET, ARRIVED = 35, 36, 37, 38, 39
"""Columns: number of streets of the route, -1 for none, and of those that the path has reached;
whether it is to leave as soon as it is out of sight, as a flag; number of the ordered street, -1
for none; whether it has come to the end of its route, as a flag."""

WANTS, LOST, DEPARTURE = 40, 41, 42
"""Columns: the distance [m] ahead of the front at which it waits for the right of way, else 0;
whether it has left its route, as a flag; number of the departure (see `autosim.config.demand`), -1
for none."""

PASSES, LETS_PASS = 43, 48
"""Columns: number of the vehicle that it passes in a junction, or that passes it, -1 for none; and
the distance [m] that this one has rolled when it is past, until which it stands itself, else 0."""

SERVED, DWELT = 44, 45
"""Columns of a bus: number of the stop at which it has stood last, -1 for none; for how long [s] it
stands at the next."""

HELD_WITHIN = 46
"""Column: the time [s] for which it had green and waited for a second signal in a junction."""

TOLD_WAY = 47
"""Column: a number that identifies the ordered route that it has taken, else 0."""

TARGET, GOAL = 49, 50
"""Columns of a trip: number of its target in `TripTable.targets`, -1 for none; station [m] on the
lane of that target at which the trip ends."""

PATH = 51
"""Column at which the lanes of the path begin, by their numbers."""

TRAIL, TRAIL_STREETS = PATH + PATH_LANES, 12
"""Column at which the numbers of the streets begin that it has left last, the newest first, each
plus 1 (0 for none); and how many these are: more than once round a block, with its junctions."""

WIDTH = TRAIL + TRAIL_STREETS
"""Number of columns of a row."""

COLUMNS = ("length", "width", "height", "front_axle", "wheelbase", "top", "lateral", "wheel")
"""The columns of `Kinds.sizes`."""

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


def sizes_of(kinds: Integers) -> Floats:
    """Data of the kind of each slot for kernels, (V, 8) by `COLUMNS`."""
    table = [
        (
            *(each.length, each.width, each.height, each.axles.places[0], each.axles.wheelbase),
            *(each.driving.top_speed, each.driving.lateral, each.axles.wheel_radius),
        )
        for each in FLEET
    ]
    return np.array(table)[kinds].reshape(-1, len(COLUMNS))


def driving_of(kinds: Integers) -> Floats:
    """Time gap, least gap, acceleration and deceleration (V, 4) of the kind of each place."""
    table = [each.driving[1:5] for each in FLEET]
    return np.array(table)[kinds].reshape(-1, 4)


@jitable
def stream_of_driver(seed: np.uint64, serial: float) -> np.uint64:
    """The stream of random numbers of a driver."""
    return seed ^ (np.uint64(int(serial) + 1) * np.uint64(0xD1342543DE82EF95))


@jitable
def init_driver(row: Floats, driving: Floats, stream: np.uint64, imperfection: float) -> None:
    """Initialises the preferences of a new driver.

    Args:
        row: of the pool; written.
        driving: (4,) medians of the kind of vehicle.
        stream: of random numbers of the driver.
        imperfection: how much drivers differ.
    """
    for k in range(5):
        error = imperfection * normal(stream, np.uint64(100 + 20 * k))
        if SPEED_FACTOR + k == TIME_GAP:
            factor = min(max(exp_of(_TIME_GAP_SPREAD * error), _SHORTEST_GAP), _LONGEST_GAP)
        else:
            factor = min(max(1.0 + _SPREAD * error, _FEWEST), _MOST)
        row[SPEED_FACTOR + k] = factor if k == 0 else factor * driving[k - 1]
    row[COLOUR] = np.floor(8.0 * uniform(stream, np.uint64(99)))


@jitable
def lane_on_path(row: Floats, place: int) -> int:
    """The number of a lane of a path."""
    return int(row[PATH + place])
