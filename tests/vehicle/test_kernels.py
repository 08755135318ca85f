"""The pieces of the model by themselves."""

import numpy as np
import pytest

from autosim.model.rigid_bodies.shapes import Box
from autosim.vehicle.body.body_state import body_parameters
from autosim.vehicle.commands.wheel_commands import BASE_SPEED, bounded, drive_torque
from autosim.vehicle.info.standing_height import CLEARANCE, standing_height
from autosim.vehicle.rolling.wheel_spin import slow_down
from autosim.vehicle.tyres.tyre_models import SLIDING, grip
from autosim.vehicle.wheels.ackermann import ackermann_geometry, wheel_angle
from autosim.vehicle.wheels.wheel_arrays import mount_wheels, wheel_parameters
from tests.vehicle.rig import GRAVITY, car, robot


def angles(position, is_steering, command):
    position = np.array(position, dtype=np.float64)
    geometry = ackermann_geometry(
        position, is_steering=np.array(is_steering), group=np.zeros(len(position), dtype=np.int64)
    )
    return [wheel_angle(command, *values) for values in zip(*geometry, strict=True)]


def test_steered_axles_meet_in_one_point():
    left, right, *_ = angles(
        [(1.3, 0.7, 0), (1.3, -0.7, 0), (-1.3, 0.7, 0), (-1.3, -0.7, 0)],
        [True, True, False, False],
        0.3,
    )
    radius = 2.6 / np.tan(0.3)
    assert 2.6 / np.tan(left) + 0.7 == pytest.approx(radius)
    assert 2.6 / np.tan(right) - 0.7 == pytest.approx(radius)


def test_a_vehicle_that_steers_all_wheels_turns_its_rear_ones_the_other_way():
    front, rear = angles([(1.0, 0, 0), (-1.0, 0, 0)], [True, True], 0.2)
    assert front == pytest.approx(0.2)
    assert rear == pytest.approx(-0.2)


def test_a_vehicle_steered_at_the_rear_takes_the_angle_of_its_rear_wheel():
    _, rear = angles([(1.0, 0, 0), (-1.0, 0, 0)], [False, True], -0.2)
    assert rear == pytest.approx(-0.2)


def test_a_single_wheel_takes_the_angle_as_it_is():
    assert angles([(1.0, 0.4, 0)], [True], 0.25) == [0.25]


def test_the_tyres_force_has_its_peak_at_slip_one_and_slides_at_seven_tenths():
    slips = np.linspace(0.01, 5.0, 500)
    forces = np.array([grip(slip) * slip for slip in slips])
    assert slips[forces.argmax()] == pytest.approx(1.0, abs=0.02)
    assert forces.max() == pytest.approx(1.0, abs=1e-3)
    assert grip(SLIDING) * SLIDING == pytest.approx(0.71, abs=0.005)


def test_dry_friction_stops_and_never_turns_back():
    assert slow_down(3.0, 1.0) == 2.0
    assert slow_down(-3.0, 1.0) == -2.0
    assert slow_down(0.5, 1.0) == 0.0


def test_a_motor_gives_full_force_then_full_power_then_nothing():
    assert drive_torque(100.0, 0.5, 0.0) == 50.0
    assert drive_torque(100.0, 0.5, 4 * BASE_SPEED) == pytest.approx(25.0)
    assert drive_torque(100.0, 0.5, 300.0) == 0.0
    assert drive_torque(-100.0, 0.5, 300.0) < 0.0


def test_bounds_hold_and_nan_is_zero():
    assert [bounded(x, -1.0, 2.0) for x in (-3.0, 0.5, 9.0, np.nan)] == [-1.0, 0.5, 2.0, 0.0]


def test_motor_and_brakes_are_shared_among_their_wheels():
    described = car(mass=1000.0)
    wheels = mount_wheels(described, first_body=0, first_actuator=0)
    arrays = wheel_parameters(wheels, [described.devices[0]], mass=np.array([1000.0]))
    assert arrays.drive_force.tolist() == [0.0, 0.0, 2000.0, 2000.0]
    assert arrays.brake_force.tolist() == [5000.0] * 4


def test_a_boxs_inertia_and_drag():
    assert Box((4.0, 2.0, 1.0)).moments(12.0) == (5.0, 17.0, 20.0)
    drag = body_parameters([car().parts[0]]).drag[0]
    assert drag[0] == pytest.approx(0.5 * 1.2041 * 0.35 * 1.7 * 0.9)


def test_without_wheels_a_robot_stands_on_its_box():
    box = robot("box", [car().parts[0]], [])
    assert standing_height(box, gravity=GRAVITY) == pytest.approx(0.45 + CLEARANCE)
