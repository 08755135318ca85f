"""Whole towns: nobody touches anybody, and the same seed gives the same bytes."""

import numpy as np
import pytest

from autosim.config.descriptions import TrafficDescription
from autosim.loading.loader import load_world, world_for_osm
from autosim.traffic.vehicles.pool import ACTIVE, ROLLED, WAITED
from autosim.traffic.vehicles.vehicles import Vehicles
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.pipeline.cache import compile_world
from tests.paths import ROOT, SHARED
from tests.traffic.vehicles.towns import DT, digest, run, street, vehicles_on

CITY = SHARED / "osm" / "city"


def vehicles_in(world, count, seed=0):
    compiled = compile_world(world.terrain)
    vehicles = Vehicles(
        compiled.roads,
        TrafficDescription(vehicles=count),
        bounds=compiled.bounds,
        step_seconds=DT,
        seed=seed,
    )
    vehicles.begin()
    return vehicles


def circle_town():
    return load_world(ROOT / "worlds" / "circle_town.xml")


@pytest.mark.parametrize("seed", [1, 2])
def test_nobody_touches_anybody_in_the_shipped_town(seed):
    vehicles = vehicles_in(circle_town(), 120, seed)
    run(vehicles, 180.0)
    assert vehicles.counts[0] == 0
    driven = vehicles.rows[vehicles.rows[:, ACTIVE] != 0.0, ROLLED]
    assert np.median(driven) > 300.0


@pytest.mark.parametrize("name", ["tiny_roundabout.osm", "neukolln.osm", "bautzen.osm"])
def test_nobody_touches_anybody_on_real_maps(name):
    if not (CITY / name).exists():
        pytest.skip("needs the real maps")
    vehicles = vehicles_in(world_for_osm(CITY / name), 60)
    run(vehicles, 180.0)
    assert vehicles.counts[0] == 0
    assert vehicles.rows[:, ROLLED].max() > 200.0


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others():
    digests = []
    for seed in (3, 3, 4):
        vehicles = vehicles_in(circle_town(), 40, seed)
        run(vehicles, 10.0)
        digests.append(digest(vehicles))
    assert digests[0] == digests[1] != digests[2]


def test_a_world_without_lanes_has_no_vehicles():
    vehicles = vehicles_on(RoadNetwork.from_lanes(()), 5)
    vehicles.wanted = 5
    vehicles.begin()
    run(vehicles, 1.0)
    assert vehicles.active() == 0


def test_a_street_shorter_than_a_car_has_none_either():
    vehicles = vehicles_on(street(3.0), 5)
    vehicles.wanted = 5
    vehicles.begin()
    run(vehicles, 1.0)
    assert vehicles.active() == 0


def test_who_comes_to_the_end_of_the_map_has_arrived_and_others_come():
    roads = street(400.0)
    traffic = TrafficDescription(vehicles=6, shares=(("hatchback", 1.0),))
    vehicles = Vehicles(roads, traffic, bounds=(0.0, -9.0, 400.0, 9.0), step_seconds=DT)
    vehicles.begin()
    run(vehicles, 90.0)
    assert vehicles.counts[2] > 3
    assert vehicles.active() > 0


def test_there_are_no_more_than_streets_have_room_for():
    vehicles = vehicles_on(street(500.0), 100)
    vehicles.wanted = 100
    vehicles.begin()
    assert vehicles.capacity == 10
    assert 0 < vehicles.active() <= 10


def test_a_density_is_one_per_length_of_lane():
    traffic = TrafficDescription(vehicles=100, vehicle_density=6.0)
    vehicles = Vehicles(street(1000.0), traffic, bounds=(0.0, -9.0, 1000.0, 9.0), step_seconds=DT)
    vehicles.begin()
    assert vehicles.capacity == 6
    assert vehicles.active() == 6


def test_nobody_is_caught_in_the_inner_lane_of_a_roundabout():
    vehicles = vehicles_in(circle_town(), 60)
    run(vehicles, 200.0)
    assert vehicles.rows[:, WAITED].max() < 60.0
