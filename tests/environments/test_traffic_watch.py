"""Road users around a car: observations and terminations, on cases computed by hand."""

from dataclasses import dataclass

import numpy as np
import pytest

import autosim.environments  # noqa: F401 (it registers the names)
from autosim.environments.driving import DrivingEnv
from autosim.environments.observations import ObservationSource
from autosim.environments.shipped import traffic
from autosim.environments.situation import Situation
from autosim.environments.traffic_endings import (
    HitPerson,
    HitVehicle,
    NearestRoadUsers,
    RanRed,
    TimeToCollisionBelow,
)
from autosim.environments.traffic_watch import TrafficWatch
from autosim.traffic.traffic_node import traffic_arrays_of
from autosim.world.lanes.lane_rules import Control, SignalState


@dataclass
class Stage:
    """An environment whose vehicles and people the test places around the car."""

    environment: DrivingEnv
    watch: TrafficWatch

    def clear(self) -> None:
        arrays = traffic_arrays_of(self.environment.state)
        assert arrays is not None
        arrays.vehicles[:, 0] = arrays.people[:, 0] = -1.0

    def place(self, x: float, y: float, yaw: float, speed: float, *, person: bool = False) -> None:
        """Puts a saloon, or a person, x [m] ahead of a car that is at the origin."""
        arrays = traffic_arrays_of(self.environment.state)
        assert arrays is not None
        rows = arrays.people if person else arrays.vehicles
        row = rows[np.flatnonzero(rows[:, 0] < 0.0)[0]]
        row[[0, 1, 2, 3, 4]] = 0.0, x, y, 0.0, yaw
        row[5 if person else 7] = speed

    def situation(self, speed: float = 0.0, collisions: int = 0) -> Situation:
        self.watch.pose[:] = 0.0, 0.0, 0.0, 0.0, speed
        return Situation(0.1, speed=speed, collisions=collisions, traffic=self.watch)


@pytest.fixture(scope="module")
def shared() -> DrivingEnv:
    environment: DrivingEnv = traffic(vehicles=4, people=4)
    environment.reset(seed=1)
    return environment


@pytest.fixture
def stage(shared: DrivingEnv) -> Stage:
    watch = TrafficWatch(shared.run.compiled, shared.run.world.robots[0].robot, shared.run.world)
    watch.begin(shared.state)
    stage = Stage(shared, watch)
    stage.clear()
    return stage


def test_what_the_car_has_hit_is_a_person_or_a_vehicle(stage: Stage) -> None:
    assert not HitPerson().is_met(stage.situation(collisions=1))
    stage.place(2.0, 0.0, 0.0, 0.0)
    assert HitVehicle().is_met(stage.situation(collisions=1))
    assert not HitPerson().is_met(stage.situation(collisions=1))
    assert not HitVehicle().is_met(stage.situation(collisions=0))
    stage.clear()
    stage.place(2.0, 0.0, 0.0, 0.0, person=True)
    assert HitPerson().is_met(stage.situation(collisions=1))


def test_the_time_to_collision_is_that_of_constant_velocities(stage: Stage) -> None:
    # Two cars, 40 m from middle to middle, approach each other at 10 m/s each: about 1.8 s.
    stage.place(40.0, 0.0, np.pi, 10.0)
    situation = stage.situation(speed=10.0)
    assert situation.traffic is not None
    assert situation.traffic.time_to_collision() == pytest.approx(1.8, abs=0.21)
    assert TimeToCollisionBelow(2.1).is_met(situation)
    assert not TimeToCollisionBelow(1.0).is_met(situation)
    stage.clear()
    stage.place(40.0, 6.0, np.pi, 10.0)
    assert stage.situation(speed=10.0).traffic is not None
    assert np.isinf(stage.watch.time_to_collision())


def test_the_nearest_road_users_come_first_in_the_frame_of_the_car(stage: Stage) -> None:
    stage.place(30.0, 0.0, 0.0, 5.0)
    stage.place(0.0, 10.0, np.pi / 2, 5.0)
    stage.place(200.0, 0.0, 0.0, 0.0)
    stage.place(5.0, -5.0, np.pi, 1.0, person=True)
    seen = NearestRoadUsers(vehicles=2, people=2, distance=50.0)
    state = stage.environment.state
    out = np.full(24, 9.0, dtype=np.float32)
    source = ObservationSource(state, np.zeros(16), stage.situation(speed=10.0))
    seen.reader(state, "impreza")(source, out)
    assert out[:12] == pytest.approx(
        [1.0, 0.0, 0.2, -1.0, 0.5, 0.5, 1.0, 0.6, 0.0, -0.5, 0.0, 0.0], abs=1e-6
    )
    assert np.abs(out[12:18]) == pytest.approx([1.0, 0.1, 0.1, 1.1, 0.0, 1.0], abs=1e-6)
    assert not out[18:].any()


def test_a_stop_line_is_passed_at_red(stage: Stage) -> None:
    roads = stage.watch.compiled.roads
    controls = roads.traffic.controls
    signalled = np.flatnonzero(controls == Control.SIGNALS)
    if not len(signalled):
        pytest.skip("the shipped town has no signals")
    lane = roads.lanes[int(signalled[0])]
    assert lane.stop_line is not None
    arrays = traffic_arrays_of(stage.environment.state)
    assert arrays is not None
    for shown, expected in ((SignalState.RED, True), (SignalState.GREEN, False)):
        arrays.signals[:] = int(shown)
        stage.watch.begin(stage.environment.state)
        came = []
        for station in (lane.stop_line - 6.0, lane.stop_line - 4.0, lane.stop_line + 1.0):
            x, y = lane.position(station)[:2]
            situation = stage.situation()
            stage.watch.pose[:] = x, y, 0.0, lane.heading(station), 0.0
            came.append(RanRed().is_met(situation))
        assert any(came) == expected


def test_an_episode_in_traffic_has_one_digest(shared: DrivingEnv) -> None:
    digests = []
    for _ in range(2):
        seen, _ = shared.reset(seed=5)
        assert seen.shape == (16 + 60,)
        for _ in range(3):
            shared.step(np.array([0.0, 0.5], dtype=np.float32))
        digests.append(shared.digest)
    assert digests[0] == digests[1]
