"""Scenarios in a simulation: actors do what they are told, and criteria are judged."""

import math
from dataclasses import replace

import numpy as np
import pytest

from autosim.config.scenarios import (
    Actor,
    ChangeLane,
    CollisionCondition,
    Criterion,
    DistanceCondition,
    DriveTo,
    EventCondition,
    FollowPath,
    LanePosition,
    Move,
    ReachPositionCondition,
    RelativePosition,
    Remove,
    Scenario,
    ScenarioEvent,
    SetSpeed,
    SpeedCondition,
    TimeCondition,
    ValueRange,
    WorldPosition,
)
from autosim.config.world_settings import TrafficDescription
from autosim.engine.step.simulation import Simulation
from autosim.errors import UserError
from autosim.traffic.scenarios.scenario_run import FAILED, PASSED, RUNNING
from autosim.traffic.traffic_node import FREE, P, V, traffic_arrays_of
from tests.worlds import impreza_world

STEPS = 60
"""Steps in a second: cars of scenarios need no more."""


class Running:
    def __init__(self, world, scenario, robots=0):
        described = impreza_world(robots=robots)
        if robots:
            car = replace(described.robots[0], position=(-100.0, -1.6, None), yaw=0.0)
            described = replace(described, robots=(car,))
        physics = replace(described.physics, step_seconds=1.0 / STEPS)
        traffic = TrafficDescription(scenario=scenario)
        described = replace(described, physics=physics, traffic=traffic)
        self.simulation = Simulation(described, compiled=world, report=lambda notice: None)

    def run(self, seconds):
        """Vehicles (steps, V, 12) and people (steps, P, 9)."""
        arrays = traffic_arrays_of(self.simulation.state)
        vehicles, people = [], []
        for _ in range(round(seconds * STEPS)):
            self.simulation.step()
            vehicles.append(arrays.vehicles.copy())
            people.append(arrays.people.copy())
        return np.array(vehicles), np.array(people)

    def value(self, name):
        node = self.simulation.tree.find("traffic.scenario")
        field = next(each for each in node.fields if each.name == name)
        return self.simulation.state.value(node, field)


def eastbound(world, x, y=-3.0):
    lane, station, _ = world.roads.nearest_lane((x, y), 0.0)
    return LanePosition(lane, station)


def after(seconds):
    return ((TimeCondition(ValueRange(least=seconds)),),)


def test_an_actor_keeps_its_lane_and_its_speed(street):
    car = Actor("car", "saloon", eastbound(street, -100.0), speed=10.0)
    vehicles, _ = Running(street, Scenario("calm", 10.0, (car,))).run(5.0)
    assert vehicles[-1, 0, V.x] - vehicles[0, 0, V.x] == pytest.approx(49.8, abs=0.5)
    assert np.ptp(vehicles[:, 0, V.y]) < 0.1
    np.testing.assert_allclose(vehicles[:, 0, V.speed], 10.0)


def test_a_car_cuts_in_before_another_one_and_brakes(street):
    own, other = eastbound(street, -100.0, -1.6), eastbound(street, -120.0, -5.0)
    actors = (Actor("slow", "van", own, 8.0), Actor("car", "saloon", other, 14.0))
    passed = (
        DistanceCondition("slow", "car", ValueRange(least=5.0)),
        ReachPositionCondition("car", RelativePosition("slow", 10.0, -1), 6.0),
    )
    events = (
        ScenarioEvent("cuts in", (passed,), (ChangeLane("car", 1, 2.0),)),
        ScenarioEvent("brakes", ((EventCondition("cuts in", 2.0),),), (SetSpeed("car", 5.0, 2.0),)),
    )
    criteria = (
        Criterion("no crash", "never", CollisionCondition("slow")),
        Criterion("brakes", "once", SpeedCondition("car", ValueRange(most=6.0))),
    )
    run = Running(street, Scenario("cut-in", 9.0, actors, events, criteria))
    vehicles, _ = run.run(9.1)
    slow, car = vehicles[:, 0], vehicles[:, 1]
    assert car[0, V.y] < slow[0, V.y] - 2.5
    assert car[-1, V.y] == pytest.approx(slow[-1, V.y], abs=0.3)
    assert car[-1, V.speed] == pytest.approx(5.0)
    assert (car[:, V.lights].astype(int) & 1).any()
    assert (car[:, V.lights].astype(int) & 4).any()
    assert run.value("events").tolist()[0] > 0
    assert run.value("status") in (PASSED, FAILED)


def test_somebody_runs_onto_the_street_and_is_hit_by_the_one_who_does_not_brake(street):
    car = Actor(
        "car", "saloon", eastbound(street, -60.0, -5.0), speed=10.0, brakes_for_others=False
    )
    child = Actor("child", "person", RelativePosition("car", ahead=40.0, left=-5.0))
    runs = FollowPath("child", (RelativePosition("child", left=12.0),))
    events = (
        ScenarioEvent(
            "runs",
            ((DistanceCondition("car", "child", ValueRange(most=1.7), "headway"),),),
            (SetSpeed("child", 3.0), runs),
        ),
    )
    criteria = (Criterion("nobody is hit", "never", CollisionCondition("car", "child")),)
    run = Running(street, Scenario("child", 8.0, (car, child), events, criteria))
    assert run.value("status") == RUNNING
    _, people = run.run(8.1)
    assert np.ptp(people[:, 0, P.y]) == pytest.approx(12.0, abs=0.3)
    assert people[:, 0, P.walked].max() == pytest.approx(12.0, abs=0.3)
    assert run.value("status") == FAILED
    braking = (
        *events,
        ScenarioEvent("brakes", ((EventCondition("runs"),),), (SetSpeed("car", 0.0, 1.2),)),
    )
    saved = Running(street, Scenario("child", 8.0, (car, child), braking, criteria))
    saved.run(8.1)
    assert saved.value("status") == PASSED


def test_a_wrong_way_driver_comes_against_the_lane(street):
    car = Actor("ghost", "estate", eastbound(street, 100.0), speed=20.0, is_opposite=True)
    vehicles, _ = Running(street, Scenario("wrong way", 9.0, (car,))).run(5.0)
    assert vehicles[-1, 0, V.x] - vehicles[0, 0, V.x] == pytest.approx(-99.6, abs=0.5)
    assert abs(vehicles[-1, 0, V.yaw]) == pytest.approx(math.pi, abs=0.05)


def test_robots_take_part_and_meet_actors(street):
    """The car of the user stands, and one that does not look runs into it: both are told."""
    car = Actor(
        "car",
        "saloon",
        RelativePosition("impreza", ahead=-30.0),
        speed=12.0,
        brakes_for_others=False,
    )
    criteria = (Criterion("no crash", "never", CollisionCondition("impreza")),)
    run = Running(street, Scenario("rear-end", 4.0, (car,), criteria=criteria), robots=1)
    run.run(4.1)
    assert run.value("status") == FAILED
    robot = run.simulation.tree.find("impreza")
    assert run.simulation.state.value(robot, robot.fields[1]) > 0


def test_an_actor_follows_a_path_at_stated_times_and_vanishes(street):
    places = (WorldPosition(0.0, -2.0), WorldPosition(20.0, -2.0), WorldPosition(20.0, 10.0))
    events = (
        ScenarioEvent("goes", after(0.0), (FollowPath("car", places, (1.0, 3.0, 5.0)),)),
        ScenarioEvent("leaves", after(6.0), (Remove("car"),)),
    )
    car = Actor("car", "hatchback", WorldPosition(-10.0, -2.0))
    vehicles, _ = Running(street, Scenario("path", 9.0, (car,), events)).run(7.0)
    shown = vehicles[:, 0]
    assert shown[3 * STEPS, V.x] == pytest.approx(20.0, abs=0.5)
    assert shown[4 * STEPS, V.yaw] == pytest.approx(math.pi / 2, abs=0.01)
    assert shown[4 * STEPS, V.speed] == pytest.approx(6.0, abs=0.1)
    assert shown[-1, V.kind] == FREE


def test_a_vehicle_takes_the_shortest_way_to_a_place(tmp_path):
    from tests.traffic.signals.junctions import signalled_crossing

    world = signalled_crossing(tmp_path)
    start = world.roads.nearest_lane((-60.0, -2.0), 0.0)
    car = Actor("car", "saloon", LanePosition(start[0], start[1]), speed=10.0)
    events = (
        ScenarioEvent(
            "goes", after(0.0), (DriveTo("car", (WorldPosition(2.0, 60.0, math.pi / 2),)),)
        ),
    )
    vehicles, _ = Running(world, Scenario("left", 20.0, (car,), events)).run(10.0)
    assert vehicles[-1, 0, V.yaw] == pytest.approx(math.pi / 2, abs=0.1)
    assert vehicles[-1, 0, V.y] > 20.0


def test_a_lane_that_is_not_there_is_refused_or_fails_the_test(street):
    car = Actor("car", "saloon", eastbound(street, -100.0, -5.0), speed=5.0)
    other = Actor("other", "saloon", RelativePosition("car", lanes=-1))
    with pytest.raises(UserError, match="no lane to the right of lane"):
        Running(street, Scenario("lanes", 1.0, (car, other)))
    moves = ScenarioEvent("moves", after(0.2), (Move("car", RelativePosition("car", lanes=-1)),))
    run = Running(street, Scenario("lanes", 5.0, (car,), (moves,)))
    run.run(0.5)
    assert run.value("status") == FAILED


def test_names_of_nobody_are_refused(street):
    criteria = (Criterion("no crash", "never", CollisionCondition("impreza", "cra")),)
    with pytest.raises(UserError, match="names 'impreza', 'cra', who take no part in it"):
        Running(street, Scenario("names", 1.0, criteria=criteria))


def test_a_criterion_that_never_came_true_breaks_the_scenario(street):
    car = Actor("car", "saloon", eastbound(street, -100.0), speed=5.0)
    criteria = (
        Criterion("arrives", "once", ReachPositionCondition("car", WorldPosition(200.0, 0.0), 5.0)),
        Criterion("slow", "always", SpeedCondition("car", ValueRange(most=6.0))),
    )
    run = Running(street, Scenario("late", 1.0, (car,), criteria=criteria))
    run.run(1.2)
    assert run.value("criteria").tolist() == [2, 1]
    assert run.value("status") == FAILED


def test_the_same_scenario_has_the_same_bytes(street):
    car = Actor("car", "saloon", eastbound(street, -100.0), speed=10.0)
    scenario = Scenario(
        "same", 5.0, (car,), (ScenarioEvent("e", after(1.0), (ChangeLane("car", 1),)),)
    )
    first, second = (Running(street, scenario).run(4.0)[0] for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_an_actor_that_looks_waits_behind_who_stands_and_goes_on(street):
    own, other = eastbound(street, -100.0, -5.0), eastbound(street, -40.0, -5.0)
    actors = (Actor("car", "saloon", own, 12.0), Actor("van", "van", other))
    events = (ScenarioEvent("is towed away", after(9.0), (Remove("van"),)),)
    vehicles, _ = Running(street, Scenario("queue", 30.0, actors, events)).run(16.0)
    car, van = vehicles[:, 0], vehicles[0, 1]
    waiting = car[9 * STEPS - 2]
    assert waiting[V.speed] == 0.0
    assert 1.0 < van[V.x] - waiting[V.x] - (4.45 + 5.3) / 2.0 < 4.0
    is_fast = car[: 9 * STEPS - 1, V.speed] > 0.5
    assert np.diff(car[: 9 * STEPS, V.speed])[is_fast].min() * STEPS > -5.0
    assert car[-1, V.speed] == 12.0


def test_an_actor_that_looks_follows_who_is_slower(street):
    own, other = eastbound(street, -200.0, -5.0), eastbound(street, -170.0, -5.0)
    actors = (Actor("car", "saloon", own, 14.0), Actor("van", "van", other, 6.0))
    vehicles, _ = Running(street, Scenario("queue", 30.0, actors)).run(25.0)
    assert vehicles[-1, 0, V.speed] == pytest.approx(6.0, abs=0.05)
    gaps = vehicles[:, 1, V.x] - vehicles[:, 0, V.x] - (4.45 + 5.3) / 2.0
    assert gaps.min() > 1.0


def test_an_actor_that_looks_brakes_for_somebody_on_its_path(street):
    car = Actor("car", "saloon", WorldPosition(-60.0, -2.0), speed=10.0)
    child = Actor("child", "person", WorldPosition(0.0, -2.0))
    events = (
        ScenarioEvent("goes", after(0.0), (FollowPath("car", (WorldPosition(50.0, -2.0),)),)),
    )
    vehicles, _ = Running(street, Scenario("path", 30.0, (car, child), events)).run(12.0)
    assert vehicles[-1, 0, V.speed] == 0.0
    assert vehicles[-1, 0, V.x] == pytest.approx(-4.0, abs=1.5)


def test_an_actor_goes_on_from_a_snapshot_in_the_middle_of_its_path(tmp_path):
    from tests.traffic.signals.junctions import signalled_crossing

    world = signalled_crossing(tmp_path)
    lane, station, _ = world.roads.nearest_lane((-60.0, -2.0), 0.0)
    start, goal = LanePosition(lane, station), WorldPosition(2.0, 60.0, math.pi / 2)
    actors = (
        Actor("walker", "person", WorldPosition(30.0, 20.0), speed=1.5),
        Actor("turns", "saloon", start, speed=9.0),
        Actor("follows", "van", RelativePosition("turns", ahead=-20.0), speed=9.0),
    )
    walk = FollowPath("walker", (WorldPosition(30.0, 25.0), WorldPosition(40.0, 25.0)))
    drive = FollowPath(
        "follows", (RelativePosition("follows", ahead=40.0), WorldPosition(0.0, -40.0)), (4.0, 9.0)
    )
    events = (
        ScenarioEvent("go", after(0.3), (walk, DriveTo("turns", (goal,)), drive)),
        ScenarioEvent("late", after(6.5), (SetSpeed("turns", 2.0, 1.0),)),
    )
    scenario = Scenario("middle", 60.0, actors, events)
    first, second = Running(world, scenario), Running(world, scenario)
    first.run(5.28)
    second.simulation.restore(first.simulation.snapshot())
    first.run(6.0)
    second.run(6.0)
    states = [run.simulation.state.to_bitstream() for run in (first, second)]
    assert states[0] == states[1]
    assert first.value("events").min() > 0
