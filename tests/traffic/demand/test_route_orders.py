"""Programs tell vehicles their ways while these drive."""

import numpy as np
import pytest

from autosim.config.world_settings import TrafficDescription
from autosim.traffic.vehicles.native_vehicles import NativeVehicles
from autosim.traffic.vehicles.traffic_area import TrafficArea
from autosim.traffic.vehicles.vehicle_pool import lane_on_path
from tests.traffic.demand.towns import fork
from tests.traffic.vehicles.towns import BOUNDS, DT, run


def vehicles_on(lane, *, imperfection=0.0):
    traffic = TrafficDescription(
        vehicles=1, shares=(("hatchback", 1.0),), imperfection=imperfection
    )
    vehicles = NativeVehicles(TrafficArea(fork(), BOUNDS), traffic, step_seconds=DT)
    vehicles.wanted = 0
    vehicles.apply_orders(np.array([[0.0, 10.0, 0.0, -1.0, lane, 40.0, 0.0]]))
    assert vehicles.active() == 1
    vehicles.wanted = 1
    return vehicles


def lane_of(vehicles):
    row = vehicles.rows[0]
    return lane_on_path(row, row.front)


@pytest.mark.parametrize("lane", [0, 1])
@pytest.mark.parametrize("last", [4, 5])
def test_a_vehicle_drives_the_way_that_it_is_told(lane, last):
    vehicles = vehicles_on(lane)
    for step in range(round(40.0 / DT)):
        vehicles.apply_routes(np.array([[0.0, last]]))
        vehicles.advance(step)
        if lane_of(vehicles) >= 4:
            break
    assert lane_of(vehicles) == last
    assert vehicles.rows["active"][0]


def test_a_way_ends_with_its_order():
    vehicles = vehicles_on(0)
    vehicles.apply_routes(np.array([[0.0, 4.0]]))
    assert vehicles.rows["route"][0] == 2
    vehicles.apply_routes(np.zeros((0, 2)))
    assert vehicles.rows["route"][0] == -1


def test_a_way_is_taken_only_once_also_by_copies():
    vehicles, copy = vehicles_on(0), vehicles_on(0)
    ways = np.array([[0.0, 4.0]])
    vehicles.apply_routes(ways)
    run(vehicles, 8.0)
    for kept, memory in zip(vehicles.memories, copy.memories, strict=True):
        memory.rows[:] = kept.rows
    copy.restore()
    copy.apply_routes(ways)
    assert vehicles.rows.tobytes() == copy.rows.tobytes()


def test_a_street_to_which_no_way_leads_ends_a_way():
    vehicles = vehicles_on(0)
    vehicles.apply_routes(np.array([[0.0, 4.0], [0.0, 0.0], [7.0, 3.0], [0.0, 99.0]]))
    assert vehicles.rows["route"][0] == 2
