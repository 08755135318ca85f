"""ABS and ESC, and what a steering motor makes of its commands."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.actuators.drivetrain import Engine, Gearbox
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.vehicle.commands.drive_controls import THROTTLE
from autosim.vehicle.wheels.wheel_arrays import SPEED, STEERING
from tests.vehicle.rig import WHEELBASE, Rig, car

RATES = [60, 240]
ICE = 0.15


def with_drive(robot=None, **values):
    """The car, its drive actuator with other values."""
    robot = robot or car()
    devices = (
        replace(each, **values) if isinstance(each, DriveActuator) else each
        for each in robot.devices
    )
    return replace(robot, devices=tuple(devices))


def stop(rig: Rig, *, steering: float = 0.0) -> None:
    """Brakes fully until the car stands, for 30 s at most."""
    while rig.forward_speed() > 0.3 and rig.bodies.positions[0, 0] < 290.0:
        rig.run(0.1, brake=1.0, steering=steering)


@pytest.mark.parametrize("hertz", RATES)
@pytest.mark.parametrize("friction", [1.0, ICE])
def test_abs_stops_no_later_than_locked_wheels_do(friction, hertz):
    ways = {}
    for has_abs in (False, True):
        robot = with_drive(has_abs=has_abs)
        with Rig([robot], hertz=hertz, friction=friction, half=600.0) as rig:
            rig.start(15.0)
            stop(rig)
            ways[has_abs] = rig.bodies.positions[0, 0]
    assert ways[True] < ways[False]
    assert ways[True] < 1.15 * 15.0**2 / (2.0 * friction * 9.81)


@pytest.mark.parametrize("hertz", RATES)
def test_abs_lets_wheels_roll_so_that_the_car_steers_on_ice(hertz):
    """Braking with turned wheels: locked ones slide straight on, rolling ones turn the car."""
    turned = {}
    for has_abs in (False, True):
        with Rig([with_drive(has_abs=has_abs)], hertz=hertz, friction=ICE) as rig:
            rig.start(15.0)
            rig.run(2.0, brake=1.0, steering=0.1)
            turned[has_abs] = rig.bodies.positions[0, 1]
            locked = np.abs(rig.wheels[:, SPEED]) < 1.0
            assert not has_abs or not locked.all()
            assert has_abs or locked.all()
    assert turned[True] > 0.5 > 20.0 * abs(turned[False])


def on_split_friction(rig: Rig, right: float) -> None:
    """Gives the tyres on the right another friction."""
    rig.vehicles.wheels.friction[[1, 3]] *= right


def test_esc_keeps_a_braking_car_straight_on_split_friction():
    yaws = {}
    for has_esc in (False, True):
        with Rig([with_drive(has_abs=True, has_esc=has_esc)]) as rig:
            on_split_friction(rig, 0.2)
            rig.start(20.0)
            rig.run(1.5, brake=1.0)
            _, _, z, w = rig.bodies.orientations[0]
            yaws[has_esc] = 2.0 * np.arctan2(z, w)
            if has_esc:
                assert abs(rig.bodies.positions[0, 1]) < 1.5
                assert rig.forward_speed() < 16.5
    assert yaws[False] > 0.3
    assert abs(yaws[True]) < 0.15


def test_esc_holds_a_car_that_would_spin():
    """A quick turn of the wheel on a slippery road with worn rear tyres."""
    slips = {}
    for has_esc in (False, True):
        with Rig([with_drive(has_esc=has_esc)], friction=0.6) as rig:
            rig.vehicles.wheels.friction[[2, 3]] *= 0.8
            rig.start(22.0)
            rig.run(0.5, steering=0.08)
            rig.run(2.0, steering=-0.08)
            _, _, z, w = rig.bodies.orientations[0]
            yaw = 2.0 * np.arctan2(z, w)
            vx, vy, _ = rig.bodies.velocities[0]
            slips[has_esc] = abs(np.angle(np.exp(1j * (np.arctan2(vy, vx) - yaw))))
    assert slips[False] > 0.5
    assert slips[True] < 0.2


def test_esc_lets_a_driver_brake_who_steers_against_what_turns_the_car():
    """On split friction a driver holds the car straight: ESC leaves him nearly all of ABS's way."""
    ways = {}
    for has_esc in (False, True):
        with Rig([with_drive(has_abs=True, has_esc=has_esc)]) as rig:
            on_split_friction(rig, 0.2)
            rig.start(20.0)
            while rig.forward_speed() > 0.5:
                _, _, z, w = rig.bodies.orientations[0]
                against = -2.0 * np.arctan2(z, w) - 0.15 * rig.bodies.angular_velocities[0, 2]
                rig.run(rig.step_seconds, brake=1.0, steering=against)
            ways[has_esc] = rig.bodies.positions[0, 0]
            assert abs(rig.bodies.positions[0, 1]) < 0.9
    assert ways[True] < 1.15 * ways[False]


def with_engine(**values):
    """The car with an engine and one gear, at full throttle on a slippery road."""
    gearbox = Gearbox(is_automatic=False, ratios=(3.0,), final=4.0)
    engine = Engine(curve=((80.0, 150.0), (600.0, 200.0)), idle_speed=80.0, top_speed=650.0)
    return with_drive(engine=engine, gearbox=gearbox, **values)


@pytest.mark.parametrize("make", [with_drive, with_engine], ids=["motor", "engine"])
def test_esc_takes_the_throttle_away_where_the_driven_wheels_push_the_rear_out(make):
    turned = {}
    for has_esc in (False, True):
        with Rig([make(has_esc=has_esc)], friction=0.4) as rig:
            rig.start(15.0)
            rig.run(0.4, steering=0.03)
            rig.run(2.0, steering=0.03, drive=1.0)
            vx, vy, _ = rig.bodies.velocities[0]
            _, _, z, w = rig.bodies.orientations[0]
            course = np.arctan2(vy, vx) - 2.0 * np.arctan2(z, w)
            turned[has_esc] = abs(np.angle(np.exp(1j * course)))
            throttle = rig.vehicles.controls.steering[0, THROTTLE]
            assert (throttle < 1.0) == has_esc
    assert turned[True] < 0.2 < 0.4 < turned[False]


def test_esc_does_nothing_in_a_turn_that_the_tyres_hold():
    ways = []
    for has_esc in (False, True):
        with Rig([with_drive(has_esc=has_esc)]) as rig:
            rig.start(12.0)
            for step in range(960):
                rig.hold_speed(rig.step_seconds, 12.0, steering=min(step * 0.0005, 0.05))
            ways.append(rig.bodies.positions[0].copy())
    np.testing.assert_allclose(ways[0], ways[1], atol=1e-9)


def test_brakes_are_shared_between_the_axles_as_the_balance_says():
    with Rig([with_drive(brake_balance=0.7)]) as rig:
        front, rear = rig.vehicles.wheels.brake_force[[0, 2]]
        assert front / rear == pytest.approx(0.7 / 0.3)
        total = rig.vehicles.wheels.brake_force.sum()
        assert total == pytest.approx(20.0 * 1400.0)


def test_the_hand_brake_acts_on_its_axle_alone():
    robot = with_drive(hand_brake_force=8.0)
    devices = (
        replace(each, has_hand_brake=each.name.startswith("rear"))
        if isinstance(each, WheelDevice)
        else each
        for each in robot.devices
    )
    with Rig([replace(robot, devices=tuple(devices))]) as rig:
        rig.start(15.0)
        rig.all_commands[0, 3] = 1.0
        rig.run(0.5)
        assert np.abs(rig.wheels[2:, SPEED]).max() < 0.1
        assert rig.wheels[:2, SPEED].min() > 30.0


@pytest.mark.parametrize("hertz", [60, 240, 960])
def test_the_steering_follows_late_and_no_faster_than_its_rate(hertz):
    with Rig([with_drive(steering_rate=0.5, steering_delay=0.1)], hertz=hertz) as rig:
        angles = []
        rig.commands[:] = (0.3, 0.0, 0.0)
        for _ in range(hertz):
            rig.step()
            angles.append(float(rig.vehicles.controls.steering[0, 0]))
        time = np.arange(1, hertz + 1) / hertz
        wanted = np.clip(0.5 * (time - 0.1), 0.0, 0.3)
        np.testing.assert_allclose(angles, wanted, atol=0.51 / hertz)
        assert rig.wheels[:2, STEERING].mean() == pytest.approx(0.3, abs=0.01)


def all_steered(**values):
    robot = with_drive(**values)
    devices = (
        replace(each, is_steering=True) if isinstance(each, WheelDevice) else each
        for each in robot.devices
    )
    return replace(robot, devices=tuple(devices))


@pytest.mark.parametrize("ratio", [-0.5, 0.3])
def test_a_steered_rear_axle_turns_the_car_about_the_point_between_the_axles(ratio):
    with Rig([all_steered(rear_steering=ratio)]) as rig:
        rig.start(3.0)
        rig.hold_speed(4.0, 3.0, steering=0.2)
        curvature = (np.tan(0.2) - np.tan(ratio * 0.2)) / WHEELBASE
        turning = rig.bodies.angular_velocities[0, 2] / rig.forward_speed()
        sideslip = 0.5 * (np.tan(0.2) + np.tan(ratio * 0.2))
        assert turning == pytest.approx(curvature * np.cos(np.arctan(sideslip)), rel=0.01)


def test_the_rear_axle_turns_with_the_front_one_at_speed():
    robot = all_steered(rear_steering=-0.5, fast_rear_steering=0.2, rear_steering_speed=20.0)
    with Rig([robot]) as rig:
        for speed, ratio in ((1.0, -0.465), (20.0, 0.2), (25.0, 0.2)):
            rig.start(speed)
            rig.run(0.05, steering=0.02)
            angles = rig.wheels[:, STEERING]
            assert angles[2:].mean() / angles[:2].mean() == pytest.approx(ratio, abs=0.01)


def test_a_trailer_brakes_with_its_car():
    chassis, trailer = car(), car(name="trailer")
    part = replace(trailer.parts[0], name="trailer", position=(-8.0, 0.0, 0.0))
    devices = []
    for each in trailer.devices:
        name = "drive_trailer" if isinstance(each, DriveActuator) else f"trailer_{each.name}"
        values = {"name": name, "part": "trailer"}
        if isinstance(each, WheelDevice):
            values["drive_actuator"] = "drive_trailer"
        else:
            values["brakes_with"] = "drive"
        devices.append(replace(each, **values))
    rig_of = replace(chassis, parts=(*chassis.parts, part), devices=(*chassis.devices, *devices))
    # The second rig tells whose actuators are meant where two robots have the same.
    with Rig([car(), rig_of], places=[(0.0, 10.0), (0.0, 0.0)]) as rig:
        rig.start(15.0)
        rig.all_commands[1, 2] = 0.5
        for _ in range(240):
            rig.step()
        speeds = np.linalg.norm(rig.bodies.velocities, axis=1)
        assert speeds[0] > 14.0
        assert speeds[1] < 9.0
        assert speeds[2] == pytest.approx(speeds[1], abs=0.5)
