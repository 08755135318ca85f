"""How many vehicles a signalled approach lets through: by the model, by manuals, and by SUMO."""

from dataclasses import replace
from importlib.util import find_spec
from math import sqrt

import numpy as np
import pytest

from autosim.config.demand import Demand, Departure, StatedRoute, VehicleType
from autosim.config.world_settings import TrafficDescription
from autosim.engine.step.simulation import Simulation
from autosim.model.commands import Command
from autosim.traffic.demand.street_names import StreetNames
from autosim.traffic.signals.signal_plan import make_plan
from autosim.traffic.traffic_node import SIGNAL_ORDERS, V, traffic_arrays_of
from autosim.traffic.vehicle_kinds import FLEET, KIND_NAMES
from autosim.world.lanes.lane_rules import SignalState
from tests.traffic.signals.junctions import east_west, signalled_crossing
from tests.worlds import impreza_world

CAR = FLEET[KIND_NAMES.index("hatchback")]
QUEUE, FIRST = 13, 4
LIMIT = 50.0 / 3.6
TYPE = VehicleType(
    "car",
    CAR.name,
    (("speed_factor", 1.0),),
    (
        *(("carFollowModel", "IDM"), ("speedFactor", "1"), ("sigma", "0")),
        *(("tau", f"{CAR.driving.time_gap}"), ("minGap", f"{CAR.driving.least_gap}")),
        *(("accel", f"{CAR.driving.acceleration}"), ("decel", f"{CAR.driving.deceleration}")),
    ),
)


def mean_headway(times):
    """Mean time from one to the next at the line, without the first, who lose time at the start."""
    return float(np.diff(np.sort(times))[FIRST - 1 :].mean())


def headway_of_model():
    """Headway [s] of a queue that obeys IDM+, integrated by itself."""
    driving, dt = CAR.driving, 0.01
    places = -(CAR.length + driving.least_gap) * np.arange(QUEUE)
    speeds, times = np.zeros(QUEUE), np.full(QUEUE, np.nan)
    for step in range(6000):
        gaps = np.append(np.inf, places[:-1] - CAR.length - places[1:])
        closing = speeds - np.append(speeds[0], speeds[:-1])
        braking = 2.0 * sqrt(driving.acceleration * driving.deceleration)
        wanted = driving.least_gap + np.maximum(
            speeds * driving.time_gap + speeds * closing / braking, 0.0
        )
        free, behind = 1.0 - (speeds / LIMIT) ** 4, 1.0 - (wanted / gaps) ** 2
        gained = driving.acceleration * np.minimum(free, behind)
        speeds = np.maximum(speeds + gained * dt, 0.0)
        places = places + speeds * dt
        times[np.isnan(times) & (places > 0.5)] = step * dt
    return mean_headway(times)


def discharge(world, engine):
    """Mean headway [s] of a queue on the arm to the east that gets green after a long red."""
    roads = world.roads
    lane = next(each for each in east_west(world) if roads.lanes[each].position(0.0)[0] < -50.0)
    line = float(roads.lanes[lane].position(roads.lanes[lane].stop_line)[0])
    names, ways = StreetNames(roads), roads.lanes[lane].successors
    after = next(n for n in ways if abs(roads.lanes[n].turn) < 0.1)
    streets = [lane, roads.lanes[after].successors[0]]
    edges = [
        n for each in streets for n in range(len(names.names)) if names.first_lane_of(n) == each
    ]
    route = StatedRoute(tuple(names.names[each] for each in edges), "")
    departures = tuple(Departure(f"v{k}", 0.0, 0, 0, None, 0.0) for k in range(QUEUE))
    demand = Demand((TYPE,), (route,), departures)
    traffic = TrafficDescription(
        vehicles=QUEUE, shares=demand.shares(), imperfection=0.0, engine=engine, demand=demand
    )
    group = make_plan(world, most=64).lane_groups[lane]
    description = replace(impreza_world(), traffic=traffic, robots=())
    times = np.full(QUEUE, np.nan)
    with Simulation(description, compiled=world, report=lambda notice: None) as simulation:
        rows = traffic_arrays_of(simulation.state).vehicles
        for state, seconds in ((SignalState.RED, 70.0), (SignalState.GREEN, 60.0)):
            order = np.array([[group, float(state)]])
            simulation.queue([Command(f"traffic.{SIGNAL_ORDERS}", order.tobytes())])
            for step in range(round(seconds / simulation.step_seconds)):
                simulation.step()
                passed = (rows[:, V.kind] >= 0.0) & (rows[:, V.x] > line) & np.isnan(times)
                times[passed] = step * simulation.step_seconds
            if state == SignalState.RED:
                assert np.isnan(times).all()
    assert not np.isnan(times).any()
    return mean_headway(times)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return signalled_crossing(tmp_path_factory.mktemp("crossing"))


@pytest.fixture(scope="module")
def ours(world):
    return discharge(world, "autosim")


def test_a_queue_leaves_at_green_as_the_model_says(ours):
    assert ours == pytest.approx(headway_of_model(), rel=0.05)


def test_saturation_flow_is_that_of_the_capacity_manual(ours):
    # Highway Capacity Manual (2000), chapter 16: 1900 cars an hour and lane at best, less in towns.
    assert 3600.0 / ours == pytest.approx(1900.0, rel=0.15)


@pytest.mark.skipif(not find_spec("libsumo"), reason="SUMO is not installed")
def test_sumo_lets_as_many_through(world, ours):
    assert discharge(world, "sumo") == pytest.approx(ours, rel=0.1)
