"""What accelerometers and inertial measurement units feel, against motions that are known."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.config.descriptions import PlacedRobot
from autosim.config.noise_records import Bias
from autosim.engine.step.simulation import Simulation
from autosim.kinds.sensors.motion.accelerometer import Accelerometer, AccelerometerBank
from autosim.kinds.sensors.motion.imu import IMU, KIND, IMUBank
from autosim.model.bodies import BodyStates
from autosim.model.noise import NoiseField, NoisyValue
from tests.kinds.rig import CONTEXT, QUIET, mount
from tests.worlds import flat_world, impreza_world

STEP, G = CONTEXT.step_seconds, CONTEXT.gravity
PLACE = (1.5, -0.4, 0.3)


def felt(poses, *, position=PLACE):
    """What an IMU feels at the end: (angular velocity, specific force) in B.

    Args:
        poses: of each step: yaw [rad], velocity (3,) in W, angular velocity about z [rad/s].
        position: where the unit is, in B.
    """
    devices, state = mount(IMU("imu", "", position=position))
    bank, bodies = IMUBank(devices, CONTEXT), BodyStates(1)
    for yaw, velocity, turning in poses:
        bodies.orientations[0] = (0, 0, np.sin(yaw / 2), np.cos(yaw / 2))
        bodies.velocities[0], bodies.angular_velocities[0] = velocity, (0, 0, turning)
        bodies.update_rotations()
        bank.sense(bodies, state, QUIET)
    start = devices[0].node.start // 8
    return state.floats[start : start + 3], state.floats[start + 3 : start + 6]


def turn(rate, growth=0.0, *, radius=0.0, steps=3):
    """A body that drives around a circle: `rate` [rad/s] at time 0, and its `growth` [rad/s²]."""
    times = STEP * np.arange(steps)
    yaws, rates = rate * times + growth * times**2 / 2, rate + growth * times
    for yaw, speed in zip(yaws, rates, strict=True):
        velocity = radius * speed * np.array([np.cos(yaw), np.sin(yaw), 0.0])
        yield yaw, velocity, speed


def test_at_rest_it_feels_g_upwards_from_the_first_step_on():
    for steps in (1, 2):
        turning, force = felt([(0.7, (0, 0, 0), 0.0)] * steps)
        assert (*turning, *force) == pytest.approx((0, 0, 0, 0, 0, G), abs=1e-12)


def test_the_first_value_knows_of_no_acceleration():
    assert felt([(0.0, (30, 0, 0), 0.0)])[1] == pytest.approx((0, 0, G))


def test_in_free_fall_it_feels_nothing():
    fall = [(0.0, (3, 0, -G * STEP * step), 0.0) for step in range(5)]
    assert felt(fall)[1] == pytest.approx((0, 0, 0), abs=1e-10)


@pytest.mark.parametrize("yaw", [0.0, 2.0])
def test_it_feels_the_acceleration_along_the_axes_of_its_part(yaw):
    ahead, left = np.array([np.cos(yaw), np.sin(yaw), 0]), np.array([-np.sin(yaw), np.cos(yaw), 0])
    speeds = [(2.0 * ahead - 1.0 * left) * step * STEP for step in range(3)]
    assert felt([(yaw, speed, 0.0) for speed in speeds])[1] == pytest.approx((2, -1, G))


def in_last_axes(force, rate):
    """A force in the axes of the middle of a step, in those of its end."""
    half = 0.5 * STEP * rate
    x, y, z = force
    return np.cos(half) * x + np.sin(half) * y, np.cos(half) * y - np.sin(half) * x, z


def test_in_a_bend_it_feels_the_force_towards_its_middle():
    """A left-hand bend of 20 m at 1.5 rad/s, seen from the place of the unit."""
    turning, force = felt(turn(1.5, radius=20.0))
    x, y, _ = PLACE
    assert turning == pytest.approx((0, 0, 1.5))
    expected = in_last_axes((-(1.5**2) * x, 1.5**2 * (20.0 - y), G), 1.5)
    assert force == pytest.approx(expected, abs=1e-3)


def test_where_the_part_turns_faster_and_faster_it_feels_the_turn_itself():
    rate, growth = 2.0, 3.0
    _, force = felt(turn(rate, growth))
    x, y, _ = PLACE
    mean = rate + 1.5 * growth * STEP
    expected = in_last_axes((-growth * y - mean**2 * x, growth * x - mean**2 * y, G), mean)
    assert force == pytest.approx(expected, abs=1e-3)


def test_an_accelerometer_feels_the_same_at_the_same_place():
    sensors = (Accelerometer("here", "", position=PLACE), Accelerometer("centre", ""))
    devices, state = mount(*sensors)
    bank, bodies = AccelerometerBank(devices, CONTEXT), BodyStates(1)
    poses = list(turn(2.0, 3.0, radius=20.0))
    for yaw, velocity, turning in poses:
        bodies.orientations[0] = (0, 0, np.sin(yaw / 2), np.cos(yaw / 2))
        bodies.velocities[0], bodies.angular_velocities[0] = velocity, (0, 0, turning)
        bodies.update_rotations()
        bank.sense(bodies, state, QUIET)
    for mounted, position in zip(devices, (PLACE, (0, 0, 0)), strict=True):
        start = mounted.node.start // 8
        _, force = felt(poses, position=position)
        assert state.floats[start : start + 3] == pytest.approx(force)


def test_noise_acts_on_the_field_that_it_names():
    sources = (
        Bias(0.5, field="acceleration"),
        Bias(0.1, field="angular_velocity"),
        Bias(0.01),
    )
    devices, state = mount(IMU("imu", "", noises=sources))
    channels = [
        NoisyValue("imu" + name, "imu", name.split(".")[1], sources)
        for name in KIND.channels(devices[0].device, STEP)
    ]
    noise = NoiseField(channels, seed=0, step_seconds=STEP)
    IMUBank(devices, CONTEXT).sense(BodyStates(1), state, noise)
    start = devices[0].node.start // 8
    expected = (0.11, 0.11, 0.11, 0.51, 0.51, G + 0.51)
    assert state.floats[start : start + 6] == pytest.approx(expected)


def driving():
    """The car with a unit on its roof."""
    world = impreza_world()
    car = world.robots[0].robot
    car = replace(car, devices=(*car.devices, IMU("imu", "chassis", position=(0, 0, 0.6))))
    placed = PlacedRobot("car", car, position=(-150.0, 0.0, None), yaw=0.0)
    return Simulation(
        replace(world, robots=(placed,)), compiled=flat_world(), report=lambda notice: None
    )


def forces_of(simulation, steps):
    """The specific forces of the next steps."""
    node = simulation.tree.find("car.chassis.imu")
    rows = []
    for _ in range(steps):
        simulation.step()
        rows.append(simulation.state.value(node, node.fields[1]))
    return np.array(rows)


def test_a_car_that_stands_feels_g_and_one_that_is_placed_elsewhere_no_jump():
    with driving() as simulation:
        forces_of(simulation, 240)
        np.testing.assert_allclose(forces_of(simulation, 5).mean(axis=0), (0, 0, G), atol=0.05)
        simulation.place("car", (0.0, 50.0), yaw=2.0, velocity=(20.0, 0.0, 0.0))
        node = simulation.tree.find("car.chassis.imu")
        assert simulation.state.value(node, node.fields[1])[2] == pytest.approx(G, abs=0.01)
        # It brakes; were the velocity before another's, the first value would be 4800 m/s².
        assert np.abs(forces_of(simulation, 60) - (0, 0, G)).max() < 12.0


def test_a_snapshot_goes_on_with_the_same_forces():
    with driving() as first, driving() as second:
        first.place("car", (-100.0, 0.0), velocity=(20.0, 0.0, 0.0), angular_velocity=(0, 0, 1.0))
        forces_of(first, 20)
        second.restore(first.snapshot())
        # The engine's contacts are its own: the bodies part by little, an unknown step by 100 m/s².
        np.testing.assert_allclose(forces_of(second, 3), forces_of(first, 3), atol=0.05)
