"""Robots that find out by their own sensors how they move, and know how well."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.config.descriptions import Device, RobotDescription
from autosim.config.diagnostics import ConfigError
from autosim.config.noises import Bias, Delay, Hold, RandomWalk, WhiteGaussianNoise
from autosim.kinds.device_banks import DeviceBanks
from autosim.kinds.owners.ins import INS
from autosim.kinds.sensors.motion.imu import IMU
from autosim.kinds.sensors.motion.velocimeter import VelocimeterSensor
from autosim.kinds.sensors.place.compass import CompassSensor
from autosim.kinds.sensors.place.gps import GPSSensor
from autosim.loading.loader import load_robot
from autosim.simulation.belief import ACCELERATION, ANGULAR_VELOCITY, TRUTH_WORDS, VELOCITY
from autosim.simulation.bodies import BodyStates, rotation_matrices
from autosim.simulation.state import time_after
from tests.kinds.owners.rig import Fleet, band

STEP = 0.01


def gaussian(deviation: float, **field: str) -> WhiteGaussianNoise:
    return WhiteGaussianNoise(20.0 * deviation, **field)


RATE, FORCE = "angular_velocity", "acceleration"
UNIT = IMU(
    "unit",
    "body",
    (
        gaussian(0.005, field=RATE),
        Bias(0.02, 0.01, field=RATE),
        RandomWalk(1e-4, field=RATE),
        gaussian(0.05, field=FORCE),
        Bias(0.0, 0.1, field=FORCE),
        RandomWalk(1e-3, field=FORCE),
    ),
)
COMPASS = CompassSensor("compass", "body", (gaussian(0.03), Hold(20.0)))
SPEED = VelocimeterSensor("speed", "body", (gaussian(0.1), Delay(0.05)))
CLIMB = VelocimeterSensor("climb", "body", (gaussian(0.1),), axis=(0.0, 0.0, 1.0))
GPS = GPSSensor("gps", "body", (gaussian(1.0), Delay(0.2)), position=(0.5, 0.2, 0.8), rate=5.0)
ALL = (UNIT, COMPASS, SPEED, CLIMB, GPS)
NINS = INS("ins", "body")


class Trip:
    """Many equal robots on the same way, each with its own errors: like runs with other seeds."""

    def __init__(self, *sensors: Device, robots: int = 100, seed: int = 1) -> None:
        devices = (*sensors, NINS)
        self.robot = RobotDescription("r", None, (), (), devices)
        self.fleet = Fleet.of(
            NINS,
            *sensors,
            robots=robots,
            seed=seed,
            step_seconds=STEP,
            description=self.robot,
        )
        self.banks = DeviceBanks(self.fleet.devices, self.fleet.context)
        self.bodies = BodyStates(robots)
        self.bodies.velocities[:] = (5.0, 0.0, 0.0)
        self.step = -1

    def go(self, steps: int) -> None:
        for _ in range(steps):
            self.step += 1
            if self.step:
                self._move(self.step * STEP)
            self._sense()

    def _move(self, time: float) -> None:
        """As physics moves: first orientation and velocity, then the position."""
        bodies = self.bodies
        rate = np.array([0.05 * np.sin(time), 0.05 * np.cos(0.7 * time), 0.4 * np.sin(0.3 * time)])
        rate_W = bodies.rotations[0] @ rate
        half = 0.5 * STEP * rate_W
        turn = np.array([*half, 1.0])
        bodies.orientations[:] = _product(turn / np.linalg.norm(turn), bodies.orientations[0])
        bodies.rotations[:] = rotation_matrices(bodies.orientations)
        bodies.angular_velocities[:] = rate_W
        force = np.array([np.sin(0.5 * time), 5.0 * rate[2], 0.3 * np.sin(2.0 * time)])
        bodies.velocities += STEP * (bodies.rotations[0] @ force)
        bodies.positions += STEP * bodies.velocities

    def _sense(self) -> None:
        fleet, bodies = self.fleet, self.bodies
        fleet.state.ints[:2] = self.step, time_after(self.step, STEP)
        truth = np.zeros(TRUTH_WORDS)
        before = fleet.truth(0).velocity
        truth[0] = fleet.state.time
        truth[1:4], truth[4:8] = bodies.positions[0], bodies.orientations[0]
        truth[VELOCITY:ANGULAR_VELOCITY] = bodies.velocities[0]
        truth[ANGULAR_VELOCITY:ACCELERATION] = bodies.angular_velocities[0]
        truth[ACCELERATION:] = (bodies.velocities[0] - before) / STEP if self.step else 0.0
        fleet.set_truth(truth)
        self.banks.sense(bodies, fleet.state)

    def deviations(self) -> np.ndarray:
        """What the robots believe their errors to be (9,)."""
        return np.sqrt(np.diag(self.fleet.belief(0).covariance))


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    x, y, z, w = a
    return np.array([[w, -z, y, x], [z, w, -x, y], [-y, x, w, z], [-x, -y, -z, w]]) @ b


def test_the_covariance_is_that_of_the_errors_in_a_hundred_runs():
    trip = Trip(*ALL)
    for errors in (slice(0, 3), slice(0, 6), slice(0, 9)):
        trip.go(350)
        low, high = band(errors.stop, 100)
        assert low < trip.fleet.consistency(errors) < high
    # Receiver, compass and velocimeters hold the errors down.
    assert (trip.deviations()[:2] < 0.5).all()
    assert (trip.deviations()[3:6] < 0.02).all()
    errors = trip.fleet.errors()
    assert np.sqrt(np.mean(errors[:, :2] ** 2)) < 0.5


def test_without_a_receiver_it_drifts_and_knows_it():
    trip = Trip(UNIT)
    trip.go(1000)
    low, high = band(9, 100)
    assert low < trip.fleet.consistency() < high
    assert trip.deviations()[0] > 5.0


def test_a_delay_that_is_known_costs_little():
    """A fix that is taken for a new one would be wrong by a metre and more."""
    late = Trip(UNIT, COMPASS, SPEED, CLIMB, replace(GPS, noises=(gaussian(0.2), Delay(0.3))))
    late.go(800)
    low, high = band(3, 100)
    assert low < late.fleet.consistency(slice(0, 3)) < high
    assert late.deviations()[0] < 0.2


def test_it_finds_the_biases():
    trip = Trip(*ALL, robots=20)
    trip.go(1500)
    for mounted in trip.fleet.devices[INS]:
        start = mounted.node.start // 8
        found = trip.fleet.state.floats[start : start + 6]
        assert np.abs(found[:3]).max() < 0.5
        assert np.abs(found[3:]).max() < 0.05
    gyroscope = trip.fleet.devices[INS][0].node.start // 8 + 3
    assert trip.fleet.state.floats[gyroscope : gyroscope + 3].any()


def test_rates_and_accelerations_are_believed_too():
    trip = Trip(*ALL, robots=30)
    trip.go(1000)
    truth = trip.fleet.truth(0)
    beliefs = [trip.fleet.belief(k) for k in range(30)]
    rates = np.mean([each.angular_velocity for each in beliefs], axis=0)
    np.testing.assert_allclose(rates, truth.angular_velocity, atol=0.01)
    forces = np.mean([each.acceleration for each in beliefs], axis=0)
    np.testing.assert_allclose(forces, truth.acceleration, atol=0.15)


def test_the_same_seed_gives_the_same_bytes_and_another_robot_changes_none():
    first, again, more = Trip(*ALL, robots=2), Trip(*ALL, robots=2), Trip(*ALL, robots=3)
    for trip in (first, again, more):
        trip.go(60)
    assert bytes(first.fleet.state.buffer) == bytes(again.fleet.state.buffer)
    for robot in range(2):
        believed, same = first.fleet.belief(robot), more.fleet.belief(robot)
        np.testing.assert_array_equal(believed.words(), same.words())


def test_a_filter_that_forgets_begins_anew():
    trip = Trip(*ALL, robots=1)
    trip.go(300)
    (memory,) = (each for each in trip.banks.memories if each.kind == "INS")
    memory.rows[:] = np.nan
    trip.go(1)
    assert trip.deviations()[0] == pytest.approx(NINS.start_position)
    trip.go(100)
    assert trip.deviations()[0] < NINS.start_position


ROBOT = """<Robot name="r"><Parts>{}</Parts><Devices>
  <INS name="ins"><Part name="body"/></INS>
  {}
</Devices></Robot>"""
BOX = '<Box name="{}"><Size x="1" y="1" z="1"/><Mass value="1"/></Box>'
SENSORS = '<IMU name="unit"><Part name="body"/></IMU>'
ASIDE = SENSORS.replace("/></IMU", '/><Position x="0" y="0" z="1"/></IMU')


@pytest.mark.parametrize(
    ("parts", "sensors", "fault"),
    [
        ([BOX.format("body")], "", "needs an <IMU> on the part 'body'"),
        ([BOX.format("body")], ASIDE, "at the centre of its part"),
        ([BOX.format("head"), BOX.format("body")], SENSORS, "expected the first part of the robot"),
    ],
)
def test_what_it_lacks_is_an_error(tmp_path, parts, sensors, fault):
    (tmp_path / "robot.xml").write_text(ROBOT.format("".join(parts), sensors))
    with pytest.raises(ConfigError, match=fault):
        load_robot(tmp_path / "robot.xml")


def test_a_robot_with_all_it_needs_loads(tmp_path):
    (tmp_path / "robot.xml").write_text(ROBOT.format(BOX.format("body"), SENSORS))
    assert load_robot(tmp_path / "robot.xml").devices[0] == NINS
