"""Gears and the hand brake of a drive actuator."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.config.descriptions import Device
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.actuators.wheel import WheelDevice
from tests.vehicle.rig import Rig, car, robot

HAND_BRAKE, GEAR = 3, 4
"""Columns of the commands."""


def speed_after_a_push(gear: float, push: float) -> float:
    with Rig([car()]) as rig:
        rig.run(0.5)
        rig.all_commands[:, GEAR] = gear
        rig.run(1.0, drive=push)
        return float(rig.bodies.velocities[0, 0])


def test_in_reverse_a_push_drives_backwards_as_fast_as_forwards():
    forwards = speed_after_a_push(1.0, 0.5)
    assert forwards > 1.0
    assert speed_after_a_push(-1.0, 0.5) == pytest.approx(-forwards, rel=0.02)


def test_in_neutral_the_motor_does_nothing():
    assert speed_after_a_push(0.0, 1.0) == pytest.approx(0.0, abs=1e-3)


def with_hand_brake(force: float):
    def given(device: Device) -> Device:
        if isinstance(device, DriveActuator):
            return replace(device, hand_brake_force=force)
        if isinstance(device, WheelDevice):
            return replace(device, has_hand_brake=not device.is_steering)
        return device

    plain = car()
    return robot(plain.name, list(plain.parts), [given(each) for each in plain.devices])


def test_the_hand_brake_slows_by_its_force_on_its_wheels_alone():
    with Rig([with_hand_brake(2.0)]) as rig, Rig([with_hand_brake(0.0)]) as free:
        for each in (rig, free):
            each.start(10.0)
            each.all_commands[:, HAND_BRAKE] = 1.0
            each.run(2.0)
        rotating = rig.wheels[:, 2] * 0.316
        assert free.forward_speed() - rig.forward_speed() == pytest.approx(2.0 * 2.0, rel=0.1)
        assert np.all(rotating > 0.0)  # braked, not locked


def test_it_holds_a_car_on_a_slope_that_its_foot_brake_let_go():
    with Rig([with_hand_brake(5.0)], slope=(0.1, 0.0)) as rig:
        rig.all_commands[:, HAND_BRAKE] = 1.0
        rig.run(1.0)
        settled = rig.bodies.positions.copy()
        rig.run(2.0)
        assert rig.bodies.positions == pytest.approx(settled, abs=1e-3)
