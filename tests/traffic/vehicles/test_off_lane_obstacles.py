"""Vehicles stop before what stands in their way."""

import numpy as np
import pytest

from autosim.traffic.vehicles.box_overlap import do_overlap
from autosim.traffic.vehicles.traffic_context import DEADLOCKS
from autosim.world.lanes.roads import RoadNetwork
from tests.traffic.vehicles.towns import lane, line, put, run, street, vehicles_on


def test_one_stops_behind_a_robot_that_stands_on_the_lane():
    vehicles = vehicles_on(street(), 1, robots=1)
    vehicles.robots[0] = 200.0, 0.0, 0.0, 0.0, 2.0, 0.9, 0.0, 0.0
    put(vehicles, 0, 0, 60.0, 13.0)
    run(vehicles, 40.0)
    assert vehicles.rows["speed"][0] == pytest.approx(0.0, abs=0.1)
    assert 190.0 < vehicles.rows["station"][0] < 197.7


def test_one_stops_before_a_robot_that_lies_across_the_lane():
    vehicles = vehicles_on(street(), 1, robots=1)
    vehicles.robots[0] = 200.0, 1.0, 0.0, np.pi / 2, 2.0, 0.9, 0.0, 0.0
    put(vehicles, 0, 0, 60.0, 13.0)
    run(vehicles, 40.0)
    assert 190.0 < vehicles.rows["station"][0] < 198.8


def test_one_passes_a_robot_beside_the_lane():
    vehicles = vehicles_on(street(), 1, robots=1)
    vehicles.robots[0] = 200.0, 4.0, 0.0, 0.0, 2.0, 0.9, 0.0, 0.0
    put(vehicles, 0, 0, 60.0, 13.0)
    run(vehicles, 20.0)
    assert vehicles.rows["station"][0] > 250.0


def test_one_brakes_hard_for_somebody_who_steps_onto_the_lane():
    vehicles = vehicles_on(street(), 1, people=1)
    put(vehicles, 0, 0, 60.0, 13.0)
    vehicles.people[0] = 88.0, 0.0, 0.0, 0.0, 0.0, 0.3
    run(vehicles, 10.0)
    assert vehicles.rows["speed"][0] == pytest.approx(0.0, abs=0.1)
    assert vehicles.rows["station"][0] < 87.7


def test_one_that_creeps_through_people_stops_for_a_bicycle_that_stands_across():
    vehicles = vehicles_on(street(), 2, people=1)
    put(vehicles, 0, 0, 60.0, 0.0)
    vehicles.elsewhere[1], vehicles.wanted = True, 2
    bicycle = 68.0, 0.0, 0.0, np.pi / 2, 0.9, 0.3, 0.0, 0.0
    vehicles.people[0] = 68.0, 0.0, 0.0, 0.0, 0.0, 0.35

    def stand_there():
        vehicles.boxes[1] = bicycle

    stand_there()
    run(vehicles, 100.0, each=stand_there)
    front = vehicles.rows["station"][0]
    assert 62.0 < front < 67.7


def test_a_long_vehicle_does_not_swing_its_tail_over_a_bicycle_beside_it():
    bend = [(0.0, 0.0), (60.0, 0.0)]
    bend += [
        (60.0 + 12.0 * np.sin(a), -12.0 * (1.0 - np.cos(a))) for a in np.linspace(0.1, 1.5, 15)
    ]
    roads = RoadNetwork.from_lanes([lane(0, line(*bend, (72.0, -80.0), spacing=1.0))])
    vehicles = vehicles_on(roads, 2, shares=(("bus", 1.0),))
    vehicles.town.lanes.allowed[:] = True
    put(vehicles, 0, 0, 50.0, 5.0)
    vehicles.elsewhere[1], vehicles.wanted = True, 2
    # On the outside of the bend, before its beginning: beside the lane, but not beside its tail.
    bicycle = np.array([57.0, 1.9, 0.0, 0.0, 0.9, 0.3, 0.0, 0.0])

    def stand_there():
        vehicles.boxes[1] = bicycle
        assert not do_overlap(vehicles.boxes[0], bicycle)

    stand_there()
    begun = run(vehicles, 20.0, each=stand_there)
    assert vehicles.rows["speed"][0] == 0.0
    assert vehicles.rows["station"][0] > 55.0
    bicycle[1] = 20.0
    run(vehicles, 10.0, begin=begun, each=stand_there)
    assert vehicles.rows["station"][0] > 80.0


@pytest.mark.parametrize(("yaw", "jams"), [(np.pi, 1), (0.0, 0)])
def test_standing_nose_to_nose_with_a_robot_is_a_jam_and_behind_one_is_not(yaw, jams):
    vehicles = vehicles_on(street(), 1, robots=1)
    vehicles.robots[0] = 100.0, 0.0, 0.0, yaw, 2.0, 0.9, 0.0, 0.0
    put(vehicles, 0, 0, 60.0, 10.0)
    begun = run(vehicles, 30.0)
    assert vehicles.counts[DEADLOCKS] == 0
    run(vehicles, 40.0, begin=begun)
    assert vehicles.counts[DEADLOCKS] == jams
