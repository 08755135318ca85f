"""A car that drives: straight, in circles, as fast as it can."""

import numpy as np
import pytest

from autosim.vehicle.wheels.wheel_arrays import LOAD, SLIP_ANGLE, SLIP_RATIO, SPEED, STEERING
from tests.vehicle.rig import GRAVITY, WHEELBASE, Rig, car

RATES = [60, 120, 240, 480]


def test_drives_straight():
    with Rig([car()]) as rig:
        rig.run(10.0, drive=1.0)
        x, y, _ = rig.bodies.positions[0]
        assert x > 100.0
        assert abs(y) < 1e-6


def test_drives_backwards_with_negative_acceleration():
    with Rig([car()]) as rig:
        rig.run(3.0, drive=-0.5)
        assert rig.bodies.velocities[0, 0] < -3.0


def test_acceleration_is_force_over_mass():
    with Rig([car()]) as rig:
        rig.run(3.0, drive=0.5)
        wheels = 4 * 0.012 * 0.6
        expected = (2000.0 / 1400.0 - 0.012 * GRAVITY) / (1.0 + wheels) * 3.0
        assert rig.bodies.velocities[0, 0] == pytest.approx(expected, rel=0.02)


def turn_radius(rig: Rig) -> float:
    """Of the middle of the rear axle, from the centre of mass midway between the axles."""
    about_com = rig.forward_speed() / rig.bodies.angular_velocities[0, 2]
    return float(np.sqrt(about_com**2 - (WHEELBASE / 2.0) ** 2))


@pytest.mark.parametrize("hertz", RATES)
@pytest.mark.parametrize("angle", [0.1, 0.3, -0.3])
def test_turns_with_the_radius_of_its_steering_geometry(angle, hertz):
    with Rig([car()], hertz=hertz) as rig:
        rig.start(3.0)
        rig.hold_speed(8.0, 3.0, steering=angle)
        radius = turn_radius(rig) * np.sign(rig.bodies.angular_velocities[0, 2])
        assert radius == pytest.approx(WHEELBASE / np.tan(angle), rel=0.01)


def test_steering_is_limited_to_the_actuators_greatest_angle():
    with Rig([car()]) as rig:
        rig.run(0.1, steering=9.0)
        inner, outer = rig.wheels[:2, STEERING]
        mean = 2.0 / (1.0 / np.tan(inner) + 1.0 / np.tan(outer))
        assert np.arctan(mean) == pytest.approx(0.6)
        assert inner > 0.6 > outer


def test_commands_that_are_no_numbers_count_as_zero():
    with Rig([car()]) as rig:
        rig.run(0.5, steering=np.nan, drive=np.nan, brake=np.nan)
        assert np.isfinite(rig.bodies.positions).all()
        assert (rig.wheels[:, STEERING] == 0.0).all()


def drive_a_while(hertz: float) -> tuple[np.ndarray, float, float]:
    """Position [m], speed [m/s] and yaw rate [rad/s] after speeding up, turning and braking."""
    with Rig([car()], hertz=hertz) as rig:
        rig.run(5.0, drive=1.0)
        rig.run(3.0, drive=0.3, steering=0.05)
        turning = rig.bodies.angular_velocities[0, 2]
        rig.run(1.0, brake=0.2)
        return rig.bodies.positions[0].copy(), rig.forward_speed(), turning


def test_the_same_drive_at_every_rate():
    way = 82.0
    position, speed, turning = drive_a_while(480.0)
    for hertz in (60, 120, 240):
        other_position, other_speed, other_turning = drive_a_while(hertz)
        assert np.linalg.norm(other_position - position) < 0.01 * way
        assert other_speed == pytest.approx(speed, rel=0.01)
        assert other_turning == pytest.approx(turning, rel=0.01)


def test_top_speed_is_that_of_a_compact_car():
    speeds = []
    for start in (30.0, 70.0):
        with Rig([car()], half=3000.0, spacing=100.0, hertz=120) as rig:
            rig.start(start)
            rig.run(40.0, drive=1.0)
            speeds.append(rig.forward_speed())
    assert 40.0 < speeds[0] < speeds[1] < 62.0


def test_slips_have_the_signs_of_iso_8855():
    with Rig([car()]) as rig:
        rig.run(2.0, drive=1.0)
        assert (rig.wheels[2:, SLIP_RATIO] > 0.0).all()
        rig.run(0.5, brake=0.5)
        assert (rig.wheels[:, SLIP_RATIO] < 0.0).all()
    with Rig([car()]) as rig:
        rig.start(15.0)
        rig.hold_speed(2.0, 15.0, steering=0.03)
        # To the left: the tyres are pushed to the left and drift to the right.
        assert (rig.wheels[:, SLIP_ANGLE] < 0.0).all()
        assert rig.wheels[1, LOAD] > rig.wheels[0, LOAD]


def test_a_wheel_in_the_air_spins_up_and_is_stopped_by_its_brake():
    with Rig([car()], mesh=False, gravity=0.0) as rig:
        rig.run(1.0, drive=1.0)
        assert (rig.wheels[2:, SPEED] > 50.0).all()
        assert (rig.wheels[:, LOAD] == 0.0).all()
        rig.run(1.0, brake=1.0)
        assert (rig.wheels[:, SPEED] == 0.0).all()


def test_lateral_acceleration_stays_below_that_of_the_tyres():
    with Rig([car()]) as rig:
        rig.start(20.0)
        best = 0.0
        for angle in np.linspace(0.0, 0.25, 26):
            rig.hold_speed(0.6, 20.0, steering=angle)
            turning = rig.bodies.angular_velocities[0, 2]
            best = max(best, rig.forward_speed() * turning)
        assert 0.85 * GRAVITY < best <= 1.02 * GRAVITY
