"""Buses stop at the stops of the map, for as long as people take, and go on."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.traffic.vehicle_kinds import Light
from tests.traffic.vehicles.towns import put, run, speeds, street, vehicles_on
from tests.world.maps import build_map

STOP = 200.0


def street_with_stop():
    roads = street(900.0)
    rules = replace(
        roads.traffic,
        bus_stop_lanes=np.zeros(1, dtype=np.int32),
        bus_stop_stations=np.array([STOP]),
    )
    return replace(roads, traffic=rules)


@pytest.mark.parametrize(("kind", "stops"), [("bus", True), ("lorry", False)])
def test_only_a_bus_stops_and_it_goes_on(kind, stops):
    vehicles = vehicles_on(street_with_stop(), 1, shares=((kind, 1.0),))
    put(vehicles, 0, 0, 100.0, speed=10.0)
    row, stood, seen = vehicles.rows[0], [], []

    def look():
        if row.speed < 0.1:
            stood.append(row.station)
            seen.append(row.lights)

    run(vehicles, 38.0, each=look)
    assert bool(stood) is stops
    assert row.station > STOP + 50.0
    if stops:
        assert np.abs(np.array(stood) - STOP).max() < 1.5
        assert 9.0 < len(stood) / 240.0 < 23.0
        assert np.mean([lights & Light.RIGHT_INDICATOR > 0 for lights in seen]) > 0.9


def test_others_wait_behind_it():
    vehicles = vehicles_on(street_with_stop(), 2, shares=(("bus", 1.0), ("hatchback", 1.0)))
    # The first place of the pool is the car.
    put(vehicles, 1, 0, 150.0, speed=8.0)
    put(vehicles, 0, 0, 110.0, speed=8.0)
    run(vehicles, 15.0)
    assert speeds(vehicles).max() < 0.5
    assert vehicles.rows["station"][0] < STOP - 12.0


def test_the_map_says_where_stops_are(tmp_path):
    """Traffic keeps right: a pole south of a street is that of the lane to the east."""
    ways = [(((-150.0, 0.0), (150.0, 0.0)), {"highway": "tertiary"})]
    nodes = [
        ((20.0, -6.0), {"highway": "bus_stop"}),
        ((24.0, -6.0), {"public_transport": "platform", "bus": "yes"}),
        ((20.0, 40.0), {"highway": "bus_stop"}),
    ]
    world = build_map(tmp_path, ways, side="right", nodes=nodes)
    rules = world.roads.traffic
    assert len(rules.bus_stop_lanes) == 1
    lane = world.roads.lanes[int(rules.bus_stop_lanes[0])]
    assert abs(lane.heading(10.0)) < 0.1
    assert lane.position(float(rules.bus_stop_stations[0]))[0] == pytest.approx(20.0, abs=0.5)
