"""Robots that find out by their own sensors how they move, and know how well."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from autosim.config.descriptions import Device, RobotDescription
from autosim.config.diagnostics import ConfigError, Diagnostics
from autosim.config.noise_records import Bias, Delay, Hold, RandomWalk, WhiteGaussianNoise
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.kinds.device_banks import DeviceBanks
from autosim.kinds.owners.ins_device import INS
from autosim.kinds.sensors.driving.odometer import Odometer
from autosim.kinds.sensors.driving.wheel_encoder import WheelEncoder
from autosim.kinds.sensors.motion.imu import IMU
from autosim.kinds.sensors.motion.velocimeter import VelocimeterSensor
from autosim.kinds.sensors.positioning.barometer import Barometer
from autosim.kinds.sensors.positioning.compass import CompassSensor
from autosim.kinds.sensors.positioning.gps import GPSSensor
from autosim.loading.loader import load_robot
from autosim.model.belief import ACCELERATION, ANGULAR_VELOCITY, TRUTH_WORDS, VELOCITY
from autosim.model.bodies import BodyStates, rotation_matrices
from autosim.model.state import time_after
from tests.kinds.owners.rig import Fleet, band

STEP = 0.01
WINDOW = 11
"""Number of steps over which the filter counts what wheels roll, and takes slides for new."""


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
DOPPLER = tuple(gaussian(0.1, field=f"{axis}_speed") for axis in ("east", "north"))
GPS = GPSSensor(
    "gps", "body", (gaussian(1.0), *DOPPLER, Delay(0.2)), position=(0.5, 0.2, 0.8), update_rate=5.0
)
ALL = (UNIT, COMPASS, SPEED, CLIMB, GPS)
NINS = INS("ins", "body", rolling_deviation=0.1, sliding_deviation=0.2)
LEFT = WheelDevice("left", "body", position=(-1.0, 0.6, -0.3), radius=0.3)
RIGHT = WheelDevice("right", "body", position=(-1.0, -0.6, -0.3), radius=0.3)
FRONT = WheelDevice("front", "body", position=(1.0, 0.0, -0.3), radius=0.3, is_steering=True)
WHEELS = (LEFT, RIGHT, FRONT)
ENCODER = WheelEncoder("ticks", "body", wheel="left")
ODOMETER = Odometer("way", "body", (Hold(20.0), Delay(0.05)), wheel="right")
BAROMETER = Barometer("air", "body", (gaussian(6.0), Hold(25.0)), position=(0.2, 0.0, 0.5))
NAVIGATOR = replace(GPS, has_gga=True)
ROVER = (UNIT, COMPASS, *WHEELS, ENCODER, ODOMETER, BAROMETER, NAVIGATOR)
"""All that a robot on wheels may have."""


class Trip:
    """Many equal robots on the same way, each with its own errors: like runs with other seeds."""

    def __init__(self, *sensors: Device, robots: int = 100, seed: int = 1, ins: INS = NINS) -> None:
        devices = (*sensors, ins)
        self.robot = RobotDescription("r", None, (), (), devices)
        self.fleet = Fleet.of(
            ins,
            *sensors,
            robots=robots,
            seed=seed,
            step_seconds=STEP,
            description=self.robot,
        )
        self.banks = DeviceBanks(self.fleet.devices, self.fleet.context)
        self.bodies = BodyStates(robots)
        self.bodies.velocities[:] = (5.0, 0.0, 0.0)
        self.wheels = [wheel for wheel in WHEELS if wheel in sensors]
        self.rolled = np.zeros((len(self.wheels), robots))
        self.speed, self.slips = 5.0, np.zeros((len(self.wheels), robots))
        self.slides = np.zeros((robots, 3))
        self.random = np.random.default_rng(seed)
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
        if self.wheels:
            self._roll(time, rate)
        else:
            force = np.array([np.sin(0.5 * time), 5.0 * rate[2], 0.3 * np.sin(2.0 * time)])
            bodies.velocities += STEP * (bodies.rotations[0] @ force)
        bodies.positions += STEP * bodies.velocities

    def _roll(self, time: float, rate: np.ndarray) -> None:
        """As the rear axle rolls: now and then a little aside, and each wheel with some slip."""
        if self.step % WINDOW == 0:
            shape = self.slides[:, 1:].shape
            self.slides[:, 1:] = NINS.sliding_deviation * self.random.normal(size=shape)
            self.slips = NINS.rolling_deviation * self.random.normal(size=self.slips.shape)
        self.speed += STEP * np.sin(0.5 * time)
        axle = np.cross(rate, (-1.0, 0.0, -0.3))
        velocities_B = np.array([self.speed, 0.0, 0.0]) + self.slides - axle
        self.bodies.velocities[:] = velocities_B @ self.bodies.rotations[0].T
        for wheel, rolled, slip in zip(self.wheels, self.rolled, self.slips, strict=True):
            speed = velocities_B[:, 0] + np.cross(rate, wheel.position)[0] + slip
            rolled += STEP * speed / wheel.radius

    def _sense(self) -> None:
        fleet, bodies = self.fleet, self.bodies
        fleet.state.ints[:2] = self.step, time_after(self.step, STEP)
        truth = np.zeros(TRUTH_WORDS)
        before = fleet.truth(0).velocity
        truth[0] = fleet.state.time
        truth[4:8] = bodies.orientations[0]
        truth[ANGULAR_VELOCITY:ACCELERATION] = bodies.angular_velocities[0]
        truth[ACCELERATION:] = (bodies.velocities[0] - before) / STEP if self.step else 0.0
        truths = np.tile(truth, (len(fleet), 1))
        truths[:, 1:4], truths[:, VELOCITY:ANGULAR_VELOCITY] = bodies.positions, bodies.velocities
        fleet.set_truth(truths)
        for wheel, rolled in zip(self.wheels, self.rolled, strict=True):
            fleet.set_field(WheelDevice, wheel.name, "rotation", rolled)
        self.banks.sense(bodies, fleet.state)

    def deviations(self) -> np.ndarray:
        """What the robots believe their errors to be (9,)."""
        return np.sqrt(np.diag(self.fleet.belief(0).covariance))


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    x, y, z, w = a
    return np.array([[w, -z, y, x], [z, w, -x, y], [-y, x, w, z], [-x, -y, -z, w]]) @ b


def test_receiver_compass_and_velocimeters_hold_the_errors_down():
    trip = Trip(*ALL, robots=30)
    trip.go(800)
    assert (trip.deviations()[:2] < 0.5).all()
    assert (trip.deviations()[3:6] < 0.02).all()
    errors = trip.fleet.errors()
    assert np.sqrt(np.mean(errors[:, :2] ** 2)) < 0.5


@pytest.mark.parametrize(
    ("sensors", "start_turn"), [(ROVER, 0.01), (ALL, 0.03)], ids=["rover", "tilted"]
)
def test_the_covariance_is_right_for_many_seeds(sensors, start_turn):
    """Six times a hundred runs: of 24 values in bands of 95 % one or two lie outside."""
    outside = 0
    for seed in range(6):
        trip = Trip(*sensors, seed=seed, ins=replace(NINS, start_turn=start_turn))
        trip.go(250)
        for errors in (slice(0, 3), slice(3, 6), slice(6, 9), slice(0, 9)):
            low, high = band(errors.stop - errors.start, 100)
            outside += not low < trip.fleet.consistency(errors) < high
    assert outside <= binom.ppf(0.999, 24, 0.05)


def test_a_robot_on_wheels_needs_no_velocimeters():
    """It neither slides nor rises; without that, errors of the tilt would carry it off."""
    trip = Trip(UNIT, COMPASS, *WHEELS, ENCODER)
    trip.go(1000)
    assert (trip.deviations()[6:] < 0.15).all()
    assert np.abs(trip.fleet.errors()[:, 6:]).max() < 0.6
    free = Trip(UNIT, COMPASS, robots=5)
    free.go(1000)
    assert (free.deviations()[6:8] > 0.5).all()


@pytest.mark.parametrize("meter", [ENCODER, ODOMETER], ids=["encoder", "odometer"])
def test_a_wheel_tells_the_speed(meter):
    """Also late: a window that is taken for a new one would lag in a robot that speeds up."""
    trip = Trip(UNIT, COMPASS, *WHEELS, meter, robots=30)
    trip.go(400)
    assert np.abs(np.mean(trip.fleet.errors()[:, 6])) < 0.05
    assert trip.deviations()[6] < 0.1


def test_a_steered_wheel_is_not_read():
    """It rolls along a direction that nobody tells."""
    steered = replace(ENCODER, wheel="front")
    trip, without = Trip(UNIT, *WHEELS, steered, robots=2), Trip(UNIT, *WHEELS, robots=2)
    for each in (trip, without):
        each.go(60)
    np.testing.assert_array_equal(trip.deviations(), without.deviations())


@pytest.mark.parametrize(
    ("sensor", "error"),
    [(BAROMETER, 2), (replace(GPS, has_gga=True), 2), (NAVIGATOR, 6)],
    ids=["barometer", "height of a receiver", "speed of a receiver"],
)
def test_what_it_measures_stays_bounded(sensor, error):
    trip, without = Trip(UNIT, sensor, robots=30), Trip(UNIT, robots=2)
    for each in (trip, without):
        each.go(800)
    assert trip.deviations()[error] < 0.3 * without.deviations()[error]
    errors = trip.fleet.errors()[:, error]
    assert np.sqrt(np.mean(errors**2)) < 1.4 * trip.deviations()[error]


def test_without_a_receiver_it_drifts_and_knows_it():
    trip = Trip(UNIT)
    trip.go(600)
    low, high = band(9, 100)
    assert low < trip.fleet.consistency() < high
    assert trip.deviations()[0] > 2.0


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


@pytest.mark.parametrize("noise", ['<Bias deviation="9"/>', '<RandomWalk density="1"/>'])
def test_an_error_that_lasts_and_that_it_does_not_know_of_is_warned_of(tmp_path, noise):
    air = f'<Barometer name="air"><Part name="body"/>{noise}</Barometer>'
    (tmp_path / "robot.xml").write_text(ROBOT.format(BOX.format("body"), SENSORS + air))
    found = Diagnostics()
    load_robot(tmp_path / "robot.xml", diagnostics=found)
    assert "of <Barometer> 'air'" in str(found.warnings[0])


def test_a_robot_with_all_it_needs_loads(tmp_path):
    (tmp_path / "robot.xml").write_text(ROBOT.format(BOX.format("body"), SENSORS))
    assert load_robot(tmp_path / "robot.xml").devices[0] == INS("ins", "body")
