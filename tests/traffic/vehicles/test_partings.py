"""Vehicles that leave a road at a small angle, before others that stay on it."""

import numpy as np
import pytest

from autosim.traffic.vehicles.lanes.lane_table import LEAVING
from autosim.traffic.vehicles.vehicle_pool import lane_on_path
from autosim.world.lanes.roads import RoadNetwork
from tests.traffic.vehicles.towns import lane, line, put, run, vehicles_on

LIMIT = 17.0
EXIT, ON = 2, 4


def exit_road():
    """A road 0 → 3 → 4 to the east; 1 → 2 leaves it, and both ways overlap beyond junction 1."""
    return RoadNetwork.from_lanes(
        [
            lane(0, line((-500.0, 0.0), (0.0, 0.0)), successors=(1, 3), limit=LIMIT),
            lane(1, line((0.0, 0.0), (10.0, 0.6)), successors=(2,), is_connector=True, limit=LIMIT),
            lane(1, line((10.0, 0.6), (400.0, 60.0)), limit=LIMIT),
            lane(2, line((0.0, 0.0), (10.0, 0.0)), successors=(4,), is_connector=True, limit=LIMIT),
            lane(2, line((10.0, 0.0), (400.0, 0.0)), limit=LIMIT),
        ]
    )


def follow_one_that_leaves(gap, speed):
    """The least speed [m/s] of a vehicle behind one that leaves, and the vehicles after 12 s."""
    vehicles, slowest = vehicles_on(exit_road(), 2), np.inf
    put(vehicles, 0, 0, 400.0, speed)
    put(vehicles, 1, 0, 400.0 - gap, speed)
    vehicles.apply_orders(np.array([order(0, speed, street=1), order(1, -1.0, street=2)]))

    def look():
        nonlocal slowest
        slowest = min(slowest, vehicles.rows["speed"][1])

    run(vehicles, 12.0, each=look)
    return slowest, vehicles


def order(vehicle, speed, street):
    """Columns of `VEHICLE_ORDER_COLUMNS`."""
    return [float(vehicle), speed, 0.0, float(street), -1.0, 0.0, 0.0]


def test_ways_that_still_overlap_behind_a_junction_part_there():
    table = vehicles_on(exit_road(), 1).town.lanes
    rows = slice(table.conflict_starts[EXIT], table.conflict_starts[EXIT + 1])
    others, codes = table.conflicts[rows, 0].tolist(), table.conflicts[rows, 1].tolist()
    found = dict(zip(others, zip(codes, table.shifts[rows], strict=True), strict=True))
    assert found[ON] == (LEAVING, pytest.approx(0.0, abs=0.1))
    assert found[ON - 1] == (LEAVING, pytest.approx(-10.0, abs=0.1))


def test_one_behind_a_vehicle_that_leaves_the_road_does_not_brake_for_the_junction():
    slowest, vehicles = follow_one_that_leaves(gap=30.0, speed=16.0)
    assert slowest > 15.5
    assert lane_on_path(vehicles.rows[1], vehicles.rows["front"][1]) == ON
    assert vehicles.counts[0] == 0
