"""Vehicles set out at their times and drive where their routes lead."""

import pytest

from autosim.traffic.demand.route_resolution import DemandError, resolve_routes
from autosim.traffic.vehicles.traffic_context import ARRIVALS, COLLISIONS
from tests.traffic.demand.towns import demand_of, edges_of, fork, lanes_passed, vehicles_with
from tests.traffic.vehicles.towns import run


@pytest.mark.parametrize(("route", "last"), [("10 20", 5), ("10 30", 4)])
def test_a_vehicle_changes_lanes_for_its_route_and_vanishes_at_its_end(route, last):
    for lane in (0, 1):
        vehicles = vehicles_with(fork(), demand_of(route, lane=lane))
        passed = lanes_passed(vehicles, 60.0)
        assert passed[-1] == last
        assert len(passed) == (3 if (lane == 0) == (last == 5) else 4)
        assert vehicles.counts[ARRIVALS] == 1
        assert vehicles.active() == 0


def test_vehicles_set_out_at_their_times_and_one_after_the_other():
    vehicles = vehicles_with(fork(), demand_of("10 20", "10 20", "10 30", seconds=2.0))
    vehicles.begin()
    step = run(vehicles, 1.9)
    assert vehicles.active() == 0
    step = run(vehicles, 0.3, begin=step)
    assert vehicles.active() == 2
    assert vehicles.departures.waiting() == 1
    run(vehicles, 10.0, begin=step)
    assert vehicles.active() == 3
    assert vehicles.counts[COLLISIONS] == 0


def test_what_has_set_out_is_remembered():
    demand = demand_of("10 20", "10 30", seconds=1.0)
    first, second = (vehicles_with(fork(), demand) for _ in range(2))
    first.begin()
    step = run(first, 8.0)
    second.begin()
    for kept, memory in zip(first.memories, second.memories, strict=True):
        memory.rows[:] = kept.rows
    second.restore()
    for each in (first, second):
        run(each, 15.0, begin=step)
    assert first.rows.tobytes() == second.rows.tobytes()
    assert first.counts[ARRIVALS] == second.counts[ARRIVALS]


def test_no_vehicle_sets_out_where_somebody_stands():
    vehicles = vehicles_with(fork(), demand_of("10 20", lane=0), people=1)
    vehicles.people[0] = (8.0, -4.5, 0.0, 0.0, 0.0, 0.2)
    vehicles.begin()
    step = run(vehicles, 2.0)
    assert (vehicles.active(), vehicles.departures.waiting()) == (0, 1)
    # On the pavement people keep nobody from setting out.
    vehicles.people[0, 1] = -7.0
    run(vehicles, 1.0, begin=step)
    assert vehicles.active() == 1


def test_a_name_of_another_network_means_its_way():
    edges = edges_of(fork())
    assert edges.names == ("10", "20", "30")
    demand = demand_of("10#3 10#4 20#0")
    (way,) = resolve_routes(demand, edges).values()
    assert [edges.names[edge] for edge in way] == ["10", "20"]


@pytest.mark.parametrize(
    ("route", "told"),
    [
        ("10 street21", "town.rou.xml:2: there is no street 'street21'"),
        ("10 300", "town.rou.xml:2: there is no street '300'; did you mean '30'"),
        ("20 30", "no way leads a hatchback from '20' to '30'"),
        ("-10 20", "way 10 has no lane in the direction of '-10'"),
    ],
)
def test_a_route_that_does_not_fit_the_map_is_an_error_with_its_line(route, told):
    with pytest.raises(DemandError, match=r"town\.rou\.xml:2") as error:
        vehicles_with(fork(), demand_of(route))
    assert told in str(error.value)


def test_a_place_of_the_pool_is_free_again_for_the_next():
    routes = ["10 20"] * 3
    vehicles = vehicles_with(fork(), demand_of(*routes), count=1)
    vehicles.begin()
    seen = 0
    for step in range(240 * 130):
        vehicles.advance(step)
        seen = max(seen, int(vehicles.rows["active"].sum()))
    assert seen == 1
    assert vehicles.counts[ARRIVALS] == 3
