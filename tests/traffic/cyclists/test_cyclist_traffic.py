"""Cyclists ride on cycleways: on their side, behind each other, and not before cars."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.config.world_settings import TrafficDescription
from autosim.engine.step.simulation import Simulation
from autosim.traffic.cyclists.cyclist_traffic import Cyclists
from autosim.traffic.cyclists.rider_collisions import box_of_rider
from autosim.traffic.cyclists.rider_rows import HALF_LENGTH
from autosim.traffic.road_users import BOX, WALKER, B, RoadUsers, W
from autosim.traffic.traffic_node import V, counters_of, traffic_arrays_of
from autosim.traffic.vehicle_kinds import KIND_NAMES
from autosim.traffic.vehicles.box_overlap import do_overlap
from autosim.traffic.ways.network_builder import WalkableWorld, find_ride_network
from autosim.traffic.ways.walk_network import WayKind, network_of_lines
from tests.world.maps import RESIDENTIAL, build_map
from tests.worlds import impreza_world

SECONDS = 1.0 / 60.0
BICYCLE = KIND_NAMES.index("bicycle")
BICYCLES = np.full(60, BICYCLE, dtype=np.int64)
NO_BOXES, NO_PEOPLE = np.zeros((0, BOX)), np.zeros((0, WALKER))
NO_SIGNALS = np.zeros(0, dtype=np.int64)


def square_of_ways(edge=120.0, kinds=(WayKind.PAVEMENT,) * 4, one_ways=None, half=1.3):
    """A cycleway, usually 3 m wide, round a square with its corner at the origin."""
    nodes = np.array([(0.0, 0.0, 0.0), (edge, 0.0, 0.0), (edge, edge, 0.0), (0.0, edge, 0.0)])
    lines = [
        (np.stack([nodes[k], nodes[(k + 1) % 4]]), k, (k + 1) % 4, half, kinds[k]) for k in range(4)
    ]
    return network_of_lines(lines, nodes, [()] * 4, one_ways)


def riders(network, count):
    found = Cyclists(
        *(network, BICYCLES[: round(1.5 * count)]),
        seed=1,
        step_seconds=SECONDS,
        crossings=np.zeros((0, 3)),
        keeps_right=True,
    )
    found.begin()
    return found


def ride(found, seconds, *, vehicles=NO_BOXES, people=NO_PEOPLE):
    around = RoadUsers(vehicles, NO_BOXES, people, NO_SIGNALS)
    for step in range(round(seconds / SECONDS)):
        found.advance(step, around)
    return found.rows


def car(x, y):
    box = np.zeros((1, BOX))
    box[0, B.x], box[0, B.y] = x, y
    box[0, B.half_length], box[0, B.half_width] = 0.9, 2.3
    return box


def to_the_right(row, edge=120.0):
    """How far [m] somebody rides to the right of the middle of his way, far from its ends."""
    x, y = row.x, row.y
    left = (y, edge - x, edge - y, x)[row.way]
    along = (x, y, x, y)[row.way]
    return -row.forward * left if 25.0 < along < edge - 25.0 else None


def test_they_ride_at_15_to_20_kilometres_an_hour_on_their_side():
    found, beside = riders(square_of_ways(), 6), []
    for _ in range(40):
        beside += [to_the_right(row) for row in ride(found, 1.0)]
    assert 3.0 * 40.0 < np.median(found.rows["rolled"]) < 5.5 * 40.0
    known = np.array([each for each in beside if each is not None])
    assert len(known) > 60
    assert 0.3 < np.quantile(known, 0.1) < np.quantile(known, 0.9) < 1.2


def test_they_stay_near_their_ways_round_corners():
    found = riders(square_of_ways(edge=80.0), 6)
    for _ in range(40):
        rows = ride(found, 1.0)
        x, y = rows["x"], rows["y"]
        off = np.min(np.abs(np.stack([x, x - 80.0, y, y - 80.0])), axis=0)
        assert off.max() < 2.0


def test_a_car_on_the_way_stops_them_and_is_not_hit():
    found = riders(square_of_ways(), 6)
    rows = ride(found, 60.0, vehicles=car(60.0, 0.0))
    assert sum(found.touches) == 0
    assert (rows["rolled"] > 0.0).all()


def boxes_of(found):
    boxes = np.zeros((len(found.rows), BOX))
    for row, box in zip(found.rows, boxes, strict=True):
        box_of_rider(row, box)
    return boxes


def test_they_never_touch_each_other_on_a_path_too_narrow_to_pass():
    found = riders(square_of_ways(edge=80.0, half=0.15), 8)
    for _ in range(400):
        ride(found, 0.2)
        boxes = boxes_of(found)[found.rows["about"]]
        pairs = [(a, b) for k, a in enumerate(boxes) for b in boxes[:k]]
        assert not any(do_overlap(a, b) for a, b in pairs)
    assert found.touches.riders == 0
    assert np.median(found.rows["rolled"]) > 60.0


def test_a_cyclist_stops_at_once_before_what_comes_into_his_way():
    found = riders(square_of_ways(), 1)
    row = ride(found, 5.0)[0]
    assert row.speed > 3.0
    nose = HALF_LENGTH + 0.9 + 0.1
    ahead = car(row.x + nose * np.cos(row.yaw), row.y + nose * np.sin(row.yaw))
    ahead[0, B.yaw] = row.yaw
    ride(found, 2.0, vehicles=ahead)
    assert sum(found.touches) == 0
    assert not do_overlap(boxes_of(found)[0], ahead[0])


@pytest.mark.parametrize("speed", [0.05, 3.0])
def test_a_vehicle_that_moves_onto_a_cyclist_counts_however_slow_it_is(speed):
    found = riders(square_of_ways(), 1)
    row = ride(found, 1.0)[0]
    onto = car(row.x + 1.0, row.y)
    onto[0, B.speed_x] = -speed
    ride(found, 1.0, vehicles=onto)
    assert found.touches == (0, 0, 1)


def test_somebody_on_foot_who_walks_against_a_cyclist_counts_once():
    found, person = riders(square_of_ways(), 1), np.zeros((1, WALKER))
    row = ride(found, 1.0)[0]
    person[0, W.x : W.y + 1], person[0, W.radius] = (row.x, row.y), 0.2
    ride(found, 1.0, people=person)
    assert found.touches == (0, 1, 0)


def test_they_pass_people_who_stand_on_their_side():
    people = np.zeros((4, WALKER))
    people[:, W.x : W.y + 1] = (60.0, -0.6), (120.6, 60.0), (60.0, 120.6), (-0.6, 60.0)
    people[:, W.radius] = 0.2
    found, near = riders(square_of_ways(), 4), np.inf
    for _ in range(120):
        rows = ride(found, 0.5, people=people)
        places = np.column_stack([rows["x"], rows["y"]])
        gaps = places[:, None] - people[None, :, : W.y + 1]
        near = min(near, np.hypot(gaps[..., 0], gaps[..., 1]).min())
    assert 0.5 < near < 3.0
    assert np.sort(rows["rolled"])[1] > 120.0


def test_they_wait_for_cars_before_they_cross_a_street():
    kinds = (WayKind.PAVEMENT, WayKind.UNMARKED, WayKind.PAVEMENT, WayKind.PAVEMENT)
    cars = np.concatenate([car(120.0, y) for y in np.arange(5.0, 116.0, 5.0).tolist()])
    found = riders(square_of_ways(kinds=kinds), 4)
    for _ in range(60):
        rows = ride(found, 1.0, vehicles=cars)
        on_street = rows["way"] == 1
        assert not on_street.any()
    assert sum(found.touches) == 0


def test_no_cyclist_waits_without_end_for_a_vehicle_that_stands_on_a_crossing():
    kinds = (WayKind.PAVEMENT, WayKind.UNMARKED, WayKind.PAVEMENT, WayKind.PAVEMENT)
    found, stands = riders(square_of_ways(kinds=kinds), 4), car(120.0, 2.2)
    stood = np.zeros(len(found.rows))
    longest = 0.0
    for _ in range(240):
        rows = ride(found, 1.0, vehicles=stands)
        is_first = (rows["speed"] < 0.3) & (rows["wants"] == 1)
        stood = np.where(is_first, stood + 1.0, 0.0)
        longest = max(longest, stood.max())
    assert 20.0 < longest < 175.0
    assert sum(found.touches) == 0


def test_nobody_rides_against_a_one_way():
    found = riders(square_of_ways(one_ways=[True] * 4), 6)
    for _ in range(60):
        assert (ride(found, 1.0)["forward"] == 1).all()


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    west, east = (-100.0, 12.0), (100.0, 12.0)
    arc = (east, (100.0, 55.0), (-100.0, 55.0), west)
    ways = [(((-120.0, 0.0), (0.0, 0.0), (120.0, 0.0)), RESIDENTIAL)]
    ways += [((west, east), {"highway": "cycleway"}), (arc, {"highway": "cycleway"})]
    ways += [(((-100.0, 30.0), (-60.0, 30.0)), {"highway": "steps", "bicycle": "yes"})]
    return build_map(tmp_path_factory.mktemp("cycleway"), ways, side="right")


def test_the_network_of_cyclists_has_cycleways_and_no_steps(place):
    network = find_ride_network(WalkableWorld(place))
    assert network.lengths.sum() == pytest.approx(486.0, abs=2.0)


@pytest.fixture
def simulation(place):
    world = replace(
        impreza_world(position=(0.0, -2.0, None), yaw=0.0),
        traffic=TrafficDescription(vehicles=6, shares=(("bicycle", 1.0),)),
    )
    with Simulation(world, compiled=place, report=lambda notice: None) as running:
        yield running


def test_bicycles_of_the_pool_are_found_on_the_cycleway(simulation):
    for _ in range(240):
        simulation.step()
    vehicles = traffic_arrays_of(simulation.state).vehicles
    on_cycleway = (vehicles[:, V.kind] == BICYCLE) & (vehicles[:, V.y] > 10.0)
    assert on_cycleway.sum() == 5
    assert (vehicles[on_cycleway, V.rolled] > 1.0).all()
    counters = counters_of(simulation.state)
    assert counters["vehicles_now"] == (vehicles[:, V.kind] >= 0.0).sum()
    assert counters["collisions"] == 0


def test_a_snapshot_goes_on_as_the_run_did(simulation):
    for _ in range(60):
        simulation.step()
    kept = simulation.snapshot()
    ahead = [
        simulation.step() or traffic_arrays_of(simulation.state).vehicles.tobytes()
        for _ in range(60)
    ]
    simulation.restore(kept)
    again = [
        simulation.step() or traffic_arrays_of(simulation.state).vehicles.tobytes()
        for _ in range(60)
    ]
    assert ahead[-1] == again[-1]
