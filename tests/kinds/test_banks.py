import numpy as np
import pytest

from autosim.config.noise_records import WhiteNoise
from autosim.kinds.nmea import read_rmc
from autosim.kinds.sensors.motion.gyroscope import GyroscopeBank, GyroscopeSensor
from autosim.kinds.sensors.motion.velocimeter import VelocimeterBank, VelocimeterSensor
from autosim.kinds.sensors.positioning.compass import CompassBank, CompassSensor
from autosim.kinds.sensors.positioning.gps import GPSBank, GPSSensor
from autosim.kinds.sensors.positioning.inclinometer import InclinometerBank, InclinometerSensor
from autosim.model.bodies import BodyStates, rotation_matrices
from autosim.model.noise import NoiseField, NoisyValue
from tests.kinds.rig import CONTEXT, QUIET, mount


def off_by(offset):
    """A noise that always adds the same to the first value."""
    channel = NoisyValue("device", "device", "", (WhiteNoise(0.0, offset),))
    return NoiseField([channel], seed=0, step_seconds=1 / 240)


def body(*, yaw=0.0, velocity=(0, 0, 0), angular_velocity=(0, 0, 0), quaternion=None):
    bodies = BodyStates(1)
    bodies.orientations[0] = quaternion or (0, 0, np.sin(yaw / 2), np.cos(yaw / 2))
    bodies.velocities[0] = velocity
    bodies.angular_velocities[0] = angular_velocity
    bodies.update_rotations()
    return bodies


def readings(state, devices):
    return state.floats[[mounted.node.start // 8 for mounted in devices]]


def test_rotation_matrices_turn_x_to_where_the_quaternion_says():
    quarter = rotation_matrices(np.array([[0, 0, np.sqrt(0.5), np.sqrt(0.5)]]))[0]
    np.testing.assert_allclose(quarter @ (1, 0, 0), (0, 1, 0), atol=1e-12)


def test_a_gyroscope_measures_the_rate_about_its_own_axis():
    devices, state = mount(
        GyroscopeSensor("yaw", "", axis=(0, 0, 1)), GyroscopeSensor("roll", "", axis=(1, 0, 0))
    )
    bodies = body(yaw=np.pi / 2, angular_velocity=(0, 0.5, 0.25))
    GyroscopeBank(devices, CONTEXT).sense(bodies, state, QUIET)
    np.testing.assert_allclose(readings(state, devices), (0.25, 0.5))


def test_alpha_is_the_weight_of_the_newest_sample():
    devices, state = mount(VelocimeterSensor("v", "", alpha=0.25))
    bank = VelocimeterBank(devices, CONTEXT)
    bank.sense(body(velocity=(4, 0, 0)), state, QUIET)
    assert readings(state, devices)[0] == 4.0
    bank.sense(body(velocity=(8, 0, 0)), state, QUIET)
    assert readings(state, devices)[0] == 5.0


@pytest.mark.parametrize(
    ("yaw", "heading"), [(np.pi / 2, 0), (0, np.pi / 2), (-np.pi / 2, np.pi), (np.pi, 1.5 * np.pi)]
)
def test_a_compass_counts_clockwise_from_north(yaw, heading):
    devices, state = mount(CompassSensor("compass", ""))
    CompassBank(devices, CONTEXT).sense(body(yaw=yaw), state, QUIET)
    difference = readings(state, devices)[0] - heading
    assert abs(np.angle(np.exp(1j * difference))) < 1e-12


def turned(angle, axis):
    """The quaternion of a turn by `angle` [rad] about a unit `axis`."""
    return np.array([*np.sin(angle / 2) * np.array(axis), np.cos(angle / 2)])


def after(second, first):
    """The quaternion of `first`, then `second`, both about axes of W."""
    (v, w), (u, s) = (second[:3], second[3]), (first[:3], first[3])
    return np.array([*(w * u + s * v + np.cross(v, u)), w * s - v @ u])


def tilt(axis, quaternion, noise=0.0):
    """What an inclinometer about `axis` says on a body of this orientation."""
    devices, state = mount(InclinometerSensor("tilt", "", axis=axis))
    bank = InclinometerBank(devices, CONTEXT)
    bank.sense(body(quaternion=tuple(quaternion)), state, off_by(noise))
    return readings(state, devices)[0]


NOSE_UP, LEFT_UP = (0.0, -1.0, 0.0), (1.0, 0.0, 0.0)
HEADINGS = np.linspace(-2 * np.pi, 2 * np.pi, 33)
GRADES = (-0.3, -0.05, 0.0, 0.12, 1.0)


@pytest.mark.parametrize("grade", GRADES)
def test_on_a_slope_an_inclinometer_shows_the_grade_along_each_of_its_axes(grade):
    """The slope rises to the north, and the car turns around on it."""
    slope = turned(np.arctan(grade), (1.0, 0.0, 0.0))
    for yaw in HEADINGS:
        stands = after(slope, turned(yaw, (0.0, 0.0, 1.0)))
        ahead, left = grade * np.sin(yaw), grade * np.cos(yaw)
        assert tilt(NOSE_UP, stands) == pytest.approx(np.arctan(ahead), abs=1e-12)
        assert tilt(LEFT_UP, stands) == pytest.approx(np.arctan(left), abs=1e-12)


@pytest.mark.parametrize("yaw", HEADINGS)
def test_on_the_flat_an_inclinometer_shows_nothing_whatever_the_heading(yaw):
    for axis in (NOSE_UP, LEFT_UP, (0.6, 0.0, 0.8)):
        assert tilt(axis, turned(yaw, (0.0, 0.0, 1.0))) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("axis", [NOSE_UP, LEFT_UP, (0.6, 0.64, 0.48)])
def test_an_inclinometer_follows_a_full_turn_about_its_axis(axis):
    for angle in np.linspace(-3.1, 3.1, 32):
        for yaw in HEADINGS[::8]:
            stands = after(turned(yaw, (0.0, 0.0, 1.0)), turned(angle, axis))
            assert tilt(axis, stands) == pytest.approx(angle, abs=1e-12)


def test_while_its_axis_stands_upright_an_inclinometer_says_0():
    for yaw in HEADINGS:
        upright = after(turned(yaw, (0.0, 0.0, 1.0)), turned(np.pi / 2, (1.0, 0.0, 0.0)))
        assert tilt((0.0, 1.0, 0.0), upright) == 0.0


def test_an_inclinometer_stays_within_half_a_turn_also_with_noise():
    on_its_roof = (0.0, 1.0, 0.0, 0.0)
    assert tilt((0.0, 1.0, 0.0), on_its_roof, noise=0.1) == pytest.approx(0.1 - np.pi)


def test_gps_is_renewed_at_its_own_rate():
    devices, state = mount(GPSSensor("gps", "", update_rate=10.0, position=(2.0, 0.0, 0.0)))
    bank = GPSBank(devices, CONTEXT)
    field = devices[0].node.fields[0]
    bodies = body(yaw=np.pi / 2, velocity=(0, 5, 0), angular_velocity=(0, 0, 1.0))
    bank.sense(bodies, state, QUIET)
    fix = read_rmc(state.value(devices[0].node, field))
    here = CONTEXT.projection.to_geographic(np.array([[0.0, 2.0]]))[0]
    assert (fix.latitude, fix.longitude) == pytest.approx(here, abs=2e-8)
    assert fix.speed == pytest.approx(np.hypot(5, 2), abs=0.01)
    first = state.value(devices[0].node, field)
    bodies.positions[:] += 100.0
    for step in range(1, 24):
        state.ints[0] = step
        bank.sense(bodies, state, QUIET)
        assert state.value(devices[0].node, field) == first
    state.ints[0] = 24
    bank.sense(bodies, state, off_by(50.0))
    there = CONTEXT.projection.to_geographic(np.array([[150.0, 102.0]]))[0, 1]
    late = read_rmc(state.value(devices[0].node, field))
    assert late.longitude == pytest.approx(there, abs=2e-8)


def test_noise_is_added_to_the_filtered_value():
    devices, state = mount(VelocimeterSensor("v", "", alpha=0.5))
    VelocimeterBank(devices, CONTEXT).sense(body(velocity=(4, 0, 0)), state, off_by(0.125))
    assert readings(state, devices)[0] == 4.125
