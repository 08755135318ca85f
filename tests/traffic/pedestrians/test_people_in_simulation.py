"""People in whole simulations: seen by signals, robots and their rays, and the same each time."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.config.world_settings import TrafficDescription
from autosim.engine.physics.inventory import PERSON_MASS
from autosim.engine.step.simulation import Simulation
from autosim.traffic.traffic_node import P, counters_of, traffic_arrays_of
from tests.traffic.signals.junctions import signalled_crossing
from tests.worlds import impreza_world

PEOPLE = 12


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return signalled_crossing(tmp_path_factory.mktemp("crossing"), with_people=True)


@pytest.fixture
def simulation(place):
    world = replace(
        impreza_world(position=(80.0, -2.0, None), yaw=0.0),
        traffic=TrafficDescription(people=PEOPLE),
    )
    with Simulation(world, compiled=place, report=lambda notice: None) as running:
        yield running


def steps(simulation, count):
    for _ in range(count):
        simulation.step()
    return traffic_arrays_of(simulation.state).people


def test_people_are_about_and_walk(simulation):
    before = steps(simulation, 1).copy()
    after = steps(simulation, 120)
    assert counters_of(simulation.state)["people_now"] == PEOPLE
    walked = after[:, P.walked] - before[:, P.walked]
    assert 0.3 < np.median(walked) < 0.9


def test_who_is_run_over_falls_and_the_collision_counts_once(simulation):
    people = steps(simulation, 1)
    x, y = people[3, [P.x, P.y]].tolist()
    simulation.place("impreza", (x - 5.0, y), yaw=0.0, velocity=(8.0, 0.0, 0.0))
    steps(simulation, 300)
    assert people[3, P.posture] == 1.0
    assert counters_of(simulation.state)["collisions_with_robots"] == 1
    assert counters_of(simulation.state)["collisions"] == 0
    assert people[3, P.x] > x + 1.0


def test_the_message_says_that_it_was_a_person(place):
    notices = []
    world = replace(
        impreza_world(position=(80.0, -2.0, None), yaw=0.0),
        traffic=TrafficDescription(people=PEOPLE),
    )
    with Simulation(world, compiled=place, report=notices.append) as simulation:
        x, y = steps(simulation, 1)[3, [P.x, P.y]].tolist()
        simulation.place("impreza", (x - 5.0, y), yaw=0.0, velocity=(8.0, 0.0, 0.0))
        steps(simulation, 240)
    assert ("impreza", "has collided with a person") in [(e.source, e.text) for e in notices]


def test_a_robot_feels_whom_it_hits_at_any_speed(simulation):
    people = steps(simulation, 1)
    x, y = people[3, [P.x, P.y]].tolist()
    simulation.place("impreza", (x - 5.0, y), yaw=0.0, velocity=(8.0, 0.0, 0.0))
    velocities = []
    while people[3, P.posture] == 0.0 and len(velocities) < 240:
        steps(simulation, 1)
        velocities.append(simulation.systems.bodies.states.velocities[0, :2].copy())
    before, after = np.hypot(*np.array(velocities[-3:]).T)[[0, 2]]
    assert before > 2.0
    assert after - before == pytest.approx(-before * PERSON_MASS / (PERSON_MASS + 1400.0), rel=0.4)


def test_a_snapshot_goes_on_as_the_run_did(simulation):
    steps(simulation, 50)
    kept = simulation.snapshot()
    ahead = steps(simulation, 60).tobytes()
    simulation.restore(kept)
    assert steps(simulation, 60).tobytes() == ahead
