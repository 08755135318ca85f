"""All that the vehicles of a world decide by, in one record for kernels."""

from typing import NamedTuple

from autosim.arrays import Floats, Integers
from autosim.traffic.typed_rows import Rows
from autosim.traffic.vehicles.lanes.lane_occupancy import LaneOccupancy
from autosim.traffic.vehicles.lanes.lane_table import LaneTable
from autosim.traffic.vehicles.vehicle_pool import DriverMedians, VehicleRow, VehicleSize

NO_CAUSE, ROBOT, PERSON, SIGNAL, RULE = -1, -2, -3, -4, -5
"""Codes of causes that hold a vehicle up and are not vehicles: none, a robot, a person, a signal,
an all-way stop sign."""


class TrafficContext(NamedTuple):
    """The lanes, the vehicles, and all that these may meet.

    `routes` (V, 2, n): the streets of the route of each place of the pool, by `RoadNetwork.roads`,
    and which of the lanes of each lead furthest along it, as bits by `LaneTable.places`; 0: all.
    `rows` (V,) of the pool; `kinds` (V,), `sizes` (V,) and `driving` (V,) of each place
    of it. `boxes` (V, 8), `robots` (R, 8) and `people` (P, 6): see `Surroundings`; `robot_lanes`
    (R,) and `robot_places` (R, 2) m: the lane that each robot is on, -1 for none, and where on it.
    `signals` (lanes,) what each shows; `signal_lanes` (k,) the lanes that may have a signal, `reds`
    (k,) the time [s] for which each of them has been red, and `signal_rows` (lanes,) the row of a
    lane in these two, -1 for none. `crossing_places` (z, 3) m and `crossing_wanted` (z,) 1
    where a pedestrian wants to cross. `counts` (5,): collisions, deadlocks, arrivals, drivers so
    far, red lights run.
    `kerb`: 1 where that is on the left, -1 on the right. `trial` (8,) is a box for numbers in
    between.
    """

    lanes: LaneTable
    routes: Floats
    register: LaneOccupancy
    """Road users by lane."""
    rows: Rows[VehicleRow]
    kinds: Integers
    sizes: Rows[VehicleSize]
    driving: Rows[DriverMedians]
    boxes: Floats
    robots: Floats
    people: Floats
    robot_lanes: Integers
    robot_places: Floats
    signals: Integers
    signal_lanes: Integers
    signal_rows: Integers
    reds: Floats
    crossing_places: Floats
    crossing_wanted: Integers
    counts: Floats
    kerb: float
    trial: Floats


COLLISIONS, DEADLOCKS, ARRIVALS, DRIVERS, RAN_RED = range(5)
"""Columns of `TrafficContext.counts`."""
