"""Engines, motors, gearboxes and differentials: what they do to wheels and cars."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.actuators.drivetrain import Differentials, ElectricMotor, Engine, Gearbox
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.vehicle.drivetrain.drivetrains import GEAR, MOTOR_SPEED
from autosim.vehicle.wheels.wheel_arrays import LOAD, SPEED
from tests.vehicle.rig import Rig, car

ENGINE = Engine(((100.0, 150.0), (400.0, 200.0), (600.0, 180.0)), 80.0, 650.0, 40.0, 0.15)
MANUAL = Gearbox((4.0, 2.5, 1.6, 1.2, 1.0), 4.0, 3.4, is_automatic=False, shift_seconds=0.3)
AUTOMATIC = replace(MANUAL, is_automatic=True, shift_up=580.0, shift_down=200.0)
MOTOR = ElectricMotor(torque=250.0, power=80e3, top_speed=1500.0, inertia=0.05)
RATES = [60, 240, 960]


def driven(*, powered: str = "rear", mass: float = 1400.0, **drivetrain):
    """A car with a drivetrain that acts on its `powered` wheels."""
    plain = car(mass=mass)
    devices = []
    for each in plain.devices:
        if isinstance(each, DriveActuator):
            each = replace(each, **drivetrain)
        elif isinstance(each, WheelDevice):
            each = replace(each, is_powered=powered in ("all", each.name.split("_")[0]))
        devices.append(each)
    return replace(plain, devices=tuple(devices))


def row(rig: Rig):
    return rig.vehicles.drivetrains.rows[0]


def test_an_engine_pulls_with_its_torque_times_the_ratio():
    box = replace(MANUAL, efficiency=0.9)
    with Rig([driven(engine=ENGINE, gearbox=box)]) as rig:
        rig.start(25.0 / 3.6)
        rig.run(0.5, drive=1.0)
        before, speed = rig.forward_speed(), row(rig)[MOTOR_SPEED]
        rig.run(0.2, drive=1.0)
        gained = (rig.forward_speed() - before) / 0.2
        speed = 0.5 * (speed + row(rig)[MOTOR_SPEED])
        ratio, radius = 4.0 * 3.4, 0.316
        force = np.interp(speed, *np.array(ENGINE.curve).T) * ratio * 0.9 / radius
        wheels = 4 * 0.012 * 0.6 * 1400.0
        inertia = 1400.0 + wheels + 0.15 * ratio**2 / radius**2
        resistance = 0.012 * 9.81 * 1400.0
        assert gained == pytest.approx((force - resistance) / inertia, rel=0.03)


@pytest.mark.parametrize("hertz", RATES)
def test_a_car_accelerates_alike_at_every_rate(hertz):
    with Rig([driven(engine=ENGINE, gearbox=AUTOMATIC)], hertz=hertz) as rig:
        rig.run(8.0, drive=1.0)
        assert rig.forward_speed() == pytest.approx(24.66, rel=0.005)
        assert row(rig)[GEAR] == 3.0


def test_an_automatic_gearbox_shifts_up_and_down_again():
    with Rig([driven(engine=ENGINE, gearbox=AUTOMATIC)]) as rig:
        gears = []
        for drive, brake in ((1.0, 0.0), (0.0, 0.5)):
            rig.commands[:] = (0.0, drive, brake)
            for _ in range(round(7.0 / rig.step_seconds)):
                rig.step()
                gears.append(row(rig)[GEAR])
        assert sorted(set(gears)) == [1.0, 2.0, 3.0]
        assert gears[-1] == 1.0
        assert np.abs(np.diff(gears)).max() == 1.0
        assert np.count_nonzero(np.diff(gears)) == 4


def test_no_torque_comes_through_while_it_shifts():
    with Rig([driven(engine=ENGINE, gearbox=MANUAL)]) as rig:
        rig.start(10.0)
        rig.run(0.5, drive=1.0)
        rig.all_commands[0, 4] = 2.0
        rig.run(0.05, drive=1.0)
        before = rig.forward_speed()
        rig.run(0.2, drive=1.0)
        assert rig.forward_speed() < before
        rig.run(0.5, drive=1.0)
        assert rig.forward_speed() > before
        assert row(rig)[GEAR] == 2.0


def test_an_engine_brakes_without_throttle_and_more_in_a_lower_gear():
    speeds = []
    for gear in (0.0, 4.0, 2.0):
        with Rig([driven(engine=ENGINE, gearbox=MANUAL)]) as rig:
            rig.start(20.0)
            rig.all_commands[0, 4] = gear
            rig.run(3.0)
            speeds.append(rig.forward_speed())
    assert speeds[0] > speeds[1] + 0.1 > speeds[2] + 1.0


def test_the_engine_is_not_driven_beyond_its_top_speed():
    with Rig([driven(engine=ENGINE, gearbox=MANUAL)]) as rig:
        rig.run(12.0, drive=1.0)
        top = 650.0 / (4.0 * 3.4) * 0.316
        assert rig.forward_speed() == pytest.approx(top, rel=0.01)


def test_reverse_goes_backwards_with_either_gearbox():
    for box in (MANUAL, AUTOMATIC):
        with Rig([driven(engine=ENGINE, gearbox=box)]) as rig:
            rig.all_commands[0, 4] = -1.0
            rig.run(2.0, drive=0.5)
            assert rig.bodies.velocities[0, 0] < -2.0


def test_a_negative_acceleration_reverses_an_automatic_car_only_where_it_stands():
    with Rig([driven(engine=ENGINE, gearbox=AUTOMATIC)]) as rig:
        rig.start(15.0)
        rig.run(1.0, drive=-1.0)
        assert row(rig)[GEAR] > 0.0
        assert rig.bodies.velocities[0, 0] > 12.0
        rig.run(4.0, brake=0.5)
        rig.run(2.0, drive=-0.5)
        assert row(rig)[GEAR] == -1.0
        assert rig.bodies.velocities[0, 0] < -2.0


def test_an_electric_motor_has_full_torque_then_full_power():
    with Rig([driven(electric_motor=MOTOR, gearbox=Gearbox(final=9.0))]) as rig:
        speeds = []
        for _ in range(4):
            rig.run(0.25, drive=1.0)
            speeds.append(rig.forward_speed())
        force = 250.0 * 9.0 / 0.316
        wheels = 4 * 0.012 * 0.6 * 1400.0
        inertia = 1400.0 + wheels + 0.05 * 81.0 / 0.316**2
        assert np.diff(speeds) / 0.25 == pytest.approx(
            (force - 0.012 * 13734.0) / inertia, rel=0.04
        )
        rig.start(30.0)
        rig.run(0.2, drive=1.0)
        before = rig.forward_speed()
        rig.run(0.2, drive=1.0)
        drag = 0.5 * 1.2041 * 0.35 * 1.7 * 0.9 * 900.0
        force = 80e3 / rig.forward_speed() - 0.012 * 13734.0 - drag
        assert (rig.forward_speed() - before) / 0.2 == pytest.approx(force / inertia, rel=0.05)


@pytest.mark.parametrize("hertz", RATES)
def test_a_wheel_in_the_air_takes_all_but_of_a_locked_differential(hertz):
    """The left wheels hang over nothing: the robot is held on its right ones by hand."""
    speeds = {}
    for lock in ("open", "limited", "locked"):
        kind = Differentials(rear=lock, preload=60.0)
        robot = driven(electric_motor=MOTOR, gearbox=Gearbox(final=5.0), differentials=kind)
        with Rig([robot], hertz=hertz) as rig:
            rig.start(5.0)
            rig.vehicles.wheels.friction[[0, 2]] = 0.0
            rig.run(1.0, drive=0.2)
            left, right = rig.wheels[2:4, SPEED]
            speeds[lock] = left - right
    assert speeds["open"] > 50.0
    assert 5.0 < speeds["limited"] < speeds["open"] - 5.0
    assert speeds["locked"] == pytest.approx(0.0, abs=1e-3)


def test_a_locked_differential_holds_a_car_out_of_a_turn():
    rates = {}
    for lock in ("open", "locked"):
        kind = Differentials(rear=lock)
        with Rig(
            [driven(electric_motor=MOTOR, gearbox=Gearbox(final=5.0), differentials=kind)]
        ) as rig:
            rig.start(4.0)
            rig.hold_speed(3.0, 4.0, steering=0.4)
            rates[lock] = rig.bodies.angular_velocities[0, 2]
            left, right = rig.wheels[2:4, SPEED]
            assert (right - left > 1.0) == (lock == "open")
    assert rates["locked"] < 0.98 * rates["open"]


def test_torque_is_shared_between_the_axles_as_given():
    kind = Differentials(rear_share=0.7)
    robot = driven(
        powered="all", electric_motor=MOTOR, gearbox=Gearbox(final=5.0), differentials=kind
    )
    with Rig([robot]) as rig:
        rig.run(1.0, drive=0.8)
        before = rig.forward_speed()
        rig.run(0.5, drive=0.8)
        gained = (rig.forward_speed() - before) / 0.5
        # The tyre has felt the car's speed at the beginning of the step.
        speed = rig.forward_speed() - gained * rig.step_seconds
        force = (rig.wheels[:, SPEED] * 0.316 - speed) * rig.wheels[:, LOAD]
        inertia = 0.012 * 0.6 * 1400.0 * 0.316
        spent = 0.012 * 0.316 * rig.wheels[:, LOAD] + inertia * gained
        torque = 0.8 * 250.0 * 5.0
        left = np.repeat([0.15, 0.35], 2) * torque - spent
        assert force[2:].mean() / force[:2].mean() == pytest.approx(left[2] / left[0], rel=0.03)


def test_a_locked_centre_differential_turns_both_axles_alike():
    kind = Differentials(front="open", centre="locked", rear="open")
    robot = driven(
        powered="all", electric_motor=MOTOR, gearbox=Gearbox(final=5.0), differentials=kind
    )
    with Rig([robot]) as rig:
        rig.vehicles.wheels.friction[[0, 1]] = 0.05
        rig.start(5.0)
        rig.run(1.0, drive=0.8)
        assert rig.wheels[:2, SPEED].mean() == pytest.approx(rig.wheels[2:, SPEED].mean(), abs=1e-3)


@pytest.mark.parametrize("hertz", RATES)
def test_brakes_stop_driven_wheels_and_hold_them_still(hertz):
    kind = Differentials(rear="locked")
    with Rig([driven(engine=ENGINE, gearbox=AUTOMATIC, differentials=kind)], hertz=hertz) as rig:
        rig.start(15.0)
        rig.run(5.0, brake=0.3)
        rig.run(1.0, brake=1.0)
        assert np.abs(rig.wheels[:, SPEED]).max() < 1e-6
        assert rig.forward_speed() < 1e-3


def test_more_than_one_vehicle_does_not_change_what_each_does():
    robots = [
        driven(engine=ENGINE, gearbox=AUTOMATIC, differentials=Differentials(rear="locked")),
        car(),
        driven(powered="all", electric_motor=MOTOR, gearbox=Gearbox(final=8.0)),
    ]
    together, alone = [], []
    with Rig(robots, places=[(0.0, 0.0), (0.0, 10.0), (0.0, 20.0)]) as rig:
        rig.all_commands[:, 1] = 0.7
        for _ in range(240):
            rig.step()
        together = rig.bodies.positions[:, 0].tolist()
    for each in robots:
        with Rig([each]) as rig:
            rig.run(1.0, drive=0.7)
            alone.append(float(rig.bodies.positions[0, 0]))
    assert together == pytest.approx(alone, rel=1e-6)
