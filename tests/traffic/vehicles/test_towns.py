"""Whole towns: nobody touches anybody, and the same seed gives the same bytes."""

import numpy as np
import pytest

from autosim.config.world_settings import TrafficDescription
from autosim.loading.loader import load_world, world_for_osm
from autosim.traffic.vehicles.native_vehicles import NativeVehicles
from autosim.traffic.vehicles.traffic_area import TrafficArea
from autosim.traffic.vehicles.vehicle_pool import lane_on_path
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.pipeline.cache import compile_world
from tests.paths import ROOT, SHARED
from tests.traffic.vehicles.towns import (
    DT,
    digest,
    lane,
    line,
    put,
    run,
    speeds,
    street,
    vehicles_on,
)

CITY = SHARED / "osm" / "city"


def vehicles_in(world, count, seed=0):
    compiled = compile_world(world.terrain)
    vehicles = NativeVehicles(
        TrafficArea(compiled.roads, compiled.bounds),
        TrafficDescription(vehicles=count),
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
    means = []
    run(vehicles, 180.0, each=lambda: means.append(speeds(vehicles).mean()))
    assert vehicles.counts[0] == 0
    assert 180.0 * np.mean(means) > 300.0


@pytest.mark.parametrize("name", ["tiny_roundabout.osm", "neukolln.osm", "bautzen.osm"])
def test_nobody_touches_anybody_on_real_maps(name):
    if not (CITY / name).exists():
        pytest.skip("needs the real maps")
    vehicles = vehicles_in(world_for_osm(CITY / name), 60)
    run(vehicles, 180.0)
    assert vehicles.counts[0] == 0
    assert vehicles.rows["rolled"].max() > 200.0


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
    vehicles = NativeVehicles(TrafficArea(roads, (0.0, -9.0, 400.0, 9.0)), traffic, step_seconds=DT)
    vehicles.begin()
    run(vehicles, 90.0)
    assert vehicles.counts[2] > 3
    assert vehicles.active() > 0


def test_there_are_no_more_than_streets_have_room_for():
    vehicles = vehicles_on(street(500.0), 100)
    vehicles.wanted = 100
    vehicles.begin()
    assert vehicles.capacity == 20
    assert 0 < vehicles.active() <= 20


def test_no_vehicle_appears_in_front_of_people():
    vehicles = vehicles_on(street(500.0), 5, people=50)
    vehicles.wanted = 5
    vehicles.people[:, 0] = np.arange(0.0, 500.0, 10.0)
    vehicles.people[:, 1] = 2.0
    vehicles.people[:, 5] = 0.2
    vehicles.begin()
    assert vehicles.active() == 0
    vehicles.people[:] = 0.0
    vehicles.begin()
    assert vehicles.active() > 0


def test_a_density_is_one_per_length_of_lane():
    traffic = TrafficDescription(vehicles=100, vehicle_density=6.0)
    vehicles = NativeVehicles(
        TrafficArea(street(1000.0), (0.0, -9.0, 1000.0, 9.0)), traffic, step_seconds=DT
    )
    vehicles.begin()
    assert vehicles.capacity == 6
    assert vehicles.active() == 6


def test_nobody_is_caught_in_the_inner_lane_of_a_roundabout():
    vehicles = vehicles_in(circle_town(), 60)
    run(vehicles, 200.0)
    assert vehicles.rows["waited"].max() < 60.0


def block(*exits, side=60.0):
    """Four streets round a block, from which other streets lead away at some of its corners.

    Streets 0, 2, 4, 6 go round, connectors 1, 3, 5, 7 lead on; behind them are those that lead
    away, a connector and a street each.
    """
    corners = side * np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
    round_it, away = [], []
    for k in range(4):
        here, there, after = corners[k], corners[(k + 1) % 4], corners[(k + 2) % 4]
        along, turned = (there - here) / side, (after - there) / side
        ways = (2 * k + 1, *((8 + len(away),) if k in exits else ()))
        bend = line(there - 8.0 * along, there - 2.0 * along + 2.0 * turned, there + 8.0 * turned)
        follower = (2 * k + 2) % 8
        straight = line(here + 8.0 * along, there - 8.0 * along)
        round_it += [
            lane(2 * k, straight, successors=ways),
            lane(2 * k + 1, bend, successors=(follower,), is_connector=True),
        ]
        if k in exits:
            on = there - 8.0 * along, there + 8.0 * along, there + 200.0 * along
            way, number = ways[1], 10 + 2 * k
            away += [
                lane(number, line(*on[:2]), successors=(way + 1,), is_connector=True),
                lane(number + 1, line(*on[1:])),
            ]
    return RoadNetwork.from_lanes([*round_it, *away])


@pytest.mark.parametrize("exits", [(0,), (0, 1, 2, 3)])
def test_nobody_drives_round_a_block(exits):
    """Neither where a way can only lead back, nor where each corner has a way out."""
    vehicles = vehicles_on(block(*exits), 4)
    lanes = vehicles.town.lanes
    lanes.allowed[:] = lanes.lasting[:] = True
    lanes.weights[:] = np.where(lanes.successors < 8, 9.0, 1.0)
    for place in range(4):
        put(vehicles, place, 0, 43.0 - 10.0 * place)
    vehicles.wanted = 0
    begun, opposite, again = 0, set(), set()
    for _ in range(80):
        begun = run(vehicles, 0.5, begin=begun)
        for place in np.flatnonzero(vehicles.rows["active"]).tolist():
            row = vehicles.rows[place]
            at = lane_on_path(row, row.front)
            if at == 4:
                opposite.add(place)
            elif at == 0 and place in opposite:
                again.add(place)
    assert not again
