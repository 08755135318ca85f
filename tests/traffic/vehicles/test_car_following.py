"""Vehicles behind each other, against the closed form of IDM+."""

import numpy as np
import pytest

from autosim.traffic.typed_rows import make_rows
from autosim.traffic.vehicle_kinds import FLEET, KIND_NAMES
from autosim.traffic.vehicles.vehicle_pool import (
    VehicleRow,
    init_driver,
    medians_of,
    stream_of_driver,
)
from autosim.world.lanes.roads import RoadNetwork
from tests.traffic.vehicles.towns import lane, line, put, ring, run, speeds, street, vehicles_on

KIND = KIND_NAMES.index("hatchback")
CAR = FLEET[KIND]
LIMIT = 13.9


def equilibrium_speed(spacing):
    """The speed [m/s] at which all follow each other, front to front `spacing` [m] apart."""
    driving = CAR.driving
    return min(LIMIT, (spacing - CAR.length - driving.least_gap) / driving.time_gap)


@pytest.mark.parametrize("count", [20, 45, 80, 130])
def test_the_flow_on_a_ring_is_that_of_the_model(count):
    roads = ring()
    lengths = roads.lengths()
    vehicles = vehicles_on(roads, count)
    spacing = lengths.sum() / count
    for place in range(count):
        station = place * spacing + 5.0
        which = int(station > lengths[0])
        at = max(station - which * lengths[0], CAR.length + 0.6)
        put(vehicles, place, which, min(at, lengths[which] - 0.1), 1.0)
    run(vehicles, 150.0)
    density = count / lengths.sum()
    assert density * speeds(vehicles).mean() == pytest.approx(
        density * equilibrium_speed(spacing), rel=0.05
    )
    assert vehicles.counts[0] == 0


def test_one_who_drives_alone_keeps_to_the_limit():
    vehicles = vehicles_on(street(1500.0), 1)
    put(vehicles, 0, 0, 10.0)
    run(vehicles, 30.0)
    assert vehicles.rows["speed"][0] == pytest.approx(LIMIT, rel=0.01)


def test_one_behind_who_brakes_as_hard_as_can_be_does_not_touch_him():
    vehicles = vehicles_on(street(1500.0), 2)
    put(vehicles, 0, 0, 60.0, 13.0)
    put(vehicles, 1, 0, 40.0, 13.0)
    step = run(vehicles, 6.0)
    vehicles.apply_orders(np.array([[0.0, 0.0, 0.0, -1.0, -1.0, 0.0, 0.0]]))
    run(vehicles, 10.0, begin=step)
    assert vehicles.rows["speed"] == pytest.approx(0.0, abs=0.2)
    assert vehicles.rows["station"][0] - CAR.length - vehicles.rows["station"][1] > 0.5
    assert vehicles.counts[0] == 0


def test_time_gaps_of_drivers_are_distributed_log_normally():
    (row,), (medians,), gaps = make_rows(VehicleRow, 1), medians_of(np.array([KIND])), []
    with np.errstate(over="ignore"):
        for serial in range(1000):
            stream = stream_of_driver(np.uint64(5), serial)
            init_driver(row, medians, stream, 1.0)
            gaps.append(row.time_gap)
    logarithms = np.log(gaps)
    assert np.median(gaps) == pytest.approx(CAR.driving.time_gap, rel=0.05)
    assert logarithms.std() == pytest.approx(0.45, rel=0.1)
    assert np.mean(np.array(gaps) < 0.7) > 0.15


def test_a_follower_keeps_its_time_gap_up_to_the_speed_it_wants():
    vehicles = vehicles_on(street(3000.0), 2)
    put(vehicles, 0, 0, 120.0, 12.0)
    put(vehicles, 1, 0, 90.0, 12.0)
    vehicles.apply_orders(np.array([[0.0, 0.95 * LIMIT, 0.0, -1.0, -1.0, 0.0, 0.0]]))
    run(vehicles, 90.0)
    gap = vehicles.rows["station"][0] - CAR.length - vehicles.rows["station"][1]
    wanted = CAR.driving.least_gap + CAR.driving.time_gap * 0.95 * LIMIT
    assert gap == pytest.approx(wanted, rel=0.05)


def test_the_median_headway_of_a_platoon_in_a_town_is_a_second_and_a_half():
    """Highway Capacity Manual: 1.5 s to 2 s; drivers differ, and some follow within a second."""
    count, spacing, speed = 40, 20.0, 0.85 * LIMIT
    vehicles = vehicles_on(street(4000.0), count, imperfection=1.0, seed=2)
    for place in range(count):
        put(vehicles, place, 0, count * spacing - spacing * place, speed, imperfection=1.0)
    vehicles.apply_orders(np.array([[0.0, speed, 0.0, -1.0, -1.0, 0.0, 0.0]]))
    run(vehicles, 120.0)
    rows = vehicles.rows[vehicles.rows["active"]]
    stations = np.sort(rows["station"])[::-1]
    headways = -np.diff(stations) / rows["speed"].mean()
    assert len(rows) == count
    assert rows["speed"].mean() == pytest.approx(speed, rel=0.05)
    assert np.median(headways) == pytest.approx(1.5, abs=0.2)
    assert 0.0 < np.mean(headways < 1.0) < 0.3
    assert vehicles.counts[0] == 0


@pytest.mark.parametrize(("leads_on", "room"), [(True, 3.0), (False, 0.0)])
def test_a_bus_that_cannot_turn_leaves_room_for_one_that_has(leads_on, room):
    """Which stands in the turn, close behind the end of the bus's lane, where its path ends."""
    turn = line((100.0, 0.0), (106.0, 1.0), (110.0, 8.0))
    roads = RoadNetwork.from_lanes(
        [
            lane(0, line((0.0, 0.0), (100.0, 0.0)), successors=(1,) if leads_on else ()),
            lane(1, turn, successors=(2,), is_connector=True, width=2.4),
            lane(1, line((110.0, 8.0), (110.0, 60.0))),
        ]
    )
    vehicles = vehicles_on(roads, 1, shares=(("bus", 1.0),))
    put(vehicles, 0, 0, 60.0, 5.0)
    stations = []
    run(vehicles, 40.0, each=lambda: stations.append(vehicles.rows["station"][0]))
    assert max(stations) == pytest.approx(100.0 - room, abs=0.6)
