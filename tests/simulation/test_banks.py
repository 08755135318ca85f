import numpy as np
import pytest

from autosim.config.descriptions import (
    CompassSensor,
    GPSSensor,
    GyroscopeSensor,
    InclinometerSensor,
    VelocimeterSensor,
)
from autosim.simulation.banks import (
    CompassBank,
    GyroscopeBank,
    InclinometerBank,
    Mounted,
    VelocimeterBank,
)
from autosim.simulation.bodies import BodyStates, rotation_matrices
from autosim.simulation.fields import FIELDS
from autosim.simulation.gps import GPSBank
from autosim.simulation.nmea import read_rmc
from autosim.simulation.state import State
from autosim.simulation.tree import Node, SimulationTree


def mount(*devices):
    """The devices on body 0 of a tree of their own."""
    tree = SimulationTree()
    nodes = [
        tree.register(Node(device.name, type(device).__name__, FIELDS[type(device).__name__]))
        for device in devices
    ]
    tree.lay_out()
    mounted = [Mounted(node, device, 0) for node, device in zip(nodes, devices, strict=True)]
    return mounted, State(tree)


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
    GyroscopeBank(devices).sense(bodies, state, np.zeros(2))
    np.testing.assert_allclose(readings(state, devices), (0.25, 0.5))


def test_alpha_is_the_weight_of_the_newest_sample():
    devices, state = mount(VelocimeterSensor("v", "", alpha=0.25))
    bank = VelocimeterBank(devices)
    bank.sense(body(velocity=(4, 0, 0)), state, np.zeros(1))
    assert readings(state, devices)[0] == 4.0
    bank.sense(body(velocity=(8, 0, 0)), state, np.zeros(1))
    assert readings(state, devices)[0] == 5.0


@pytest.mark.parametrize(
    ("yaw", "heading"), [(np.pi / 2, 0), (0, np.pi / 2), (-np.pi / 2, np.pi), (np.pi, 1.5 * np.pi)]
)
def test_a_compass_counts_clockwise_from_north(yaw, heading):
    devices, state = mount(CompassSensor("compass", ""))
    CompassBank(devices).sense(body(yaw=yaw), state, np.zeros(1))
    difference = readings(state, devices)[0] - heading
    assert abs(np.angle(np.exp(1j * difference))) < 1e-12


def test_an_inclinometer_measures_from_its_first_orientation():
    devices, state = mount(InclinometerSensor("pitch", "", axis=(0, 1, 0)))
    bank = InclinometerBank(devices)
    bank.sense(body(yaw=1.0), state, np.zeros(1))
    assert readings(state, devices)[0] == pytest.approx(0.0)
    half = 0.1
    yawed_then_pitched = (
        -np.sin(0.5) * np.sin(half),
        np.cos(0.5) * np.sin(half),
        np.sin(0.5) * np.cos(half),
        np.cos(0.5) * np.cos(half),
    )
    bank.sense(body(quaternion=yawed_then_pitched), state, np.zeros(1))
    assert readings(state, devices)[0] == pytest.approx(0.2)


def test_an_inclinometer_stays_within_half_a_turn_also_with_noise():
    devices, state = mount(InclinometerSensor("pitch", "", axis=(0, 1, 0)))
    bank = InclinometerBank(devices)
    bank.sense(body(), state, np.zeros(1))
    bank.sense(body(quaternion=(0.0, 1.0, 0.0, 0.0)), state, np.array([0.1]))
    assert readings(state, devices)[0] == pytest.approx(0.1 - np.pi)


class Degrees:
    def to_geographic(self, points):
        return points[:, ::-1] * 1e-5


def test_gps_is_renewed_at_its_own_rate():
    devices, state = mount(GPSSensor("gps", "", rate=10.0, position=(2.0, 0.0, 0.0)))
    bank = GPSBank(devices, projection=Degrees(), step_seconds=1 / 240)
    field = devices[0].node.fields[0]
    bodies = body(yaw=np.pi / 2, velocity=(0, 5, 0), angular_velocity=(0, 0, 1.0))
    bank.sense(bodies, state, np.array([0.0, 0.0]))
    fix = read_rmc(state.value(devices[0].node, field))
    assert (fix.latitude, fix.longitude) == pytest.approx((2e-5, 0.0), abs=2e-8)
    assert fix.speed == pytest.approx(np.hypot(5, 2), abs=0.01)
    first = state.value(devices[0].node, field)
    bodies.positions[:] += 100.0
    for step in range(1, 24):
        state.ints[0] = step
        bank.sense(bodies, state, np.zeros(2))
        assert state.value(devices[0].node, field) == first
    state.ints[0] = 24
    bank.sense(bodies, state, np.array([50.0, 0.0]))
    assert read_rmc(state.value(devices[0].node, field)).longitude == pytest.approx(150e-5)


def test_noise_is_added_to_the_filtered_value():
    devices, state = mount(VelocimeterSensor("v", "", alpha=0.5))
    VelocimeterBank(devices).sense(body(velocity=(4, 0, 0)), state, np.array([0.125]))
    assert readings(state, devices)[0] == 4.125
