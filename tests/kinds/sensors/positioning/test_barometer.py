"""The pressure of the standard atmosphere at a place of a body."""

import numpy as np
import pytest

from autosim.kinds.sensors.positioning.barometer import Barometer, BarometerBank
from autosim.model.bodies import BodyStates
from tests.kinds.rig import CONTEXT, QUIET, mount


def pressure(height, *, quaternion=(0, 0, 0, 1), **parameters):
    devices, state = mount(Barometer("barometer", "", **parameters))
    bodies = BodyStates(1)
    bodies.positions[0], bodies.orientations[0] = (5.0, 7.0, height), quaternion
    bodies.update_rotations()
    BarometerBank(devices, CONTEXT).sense(bodies, state, QUIET)
    return float(state.floats[devices[0].node.start // 8])


@pytest.mark.parametrize(
    ("height", "expected"),
    [(-500, 107478), (0, 101325), (1000, 89876), (5000, 54020), (11000, 22632)],
)
def test_it_shows_the_table_of_the_standard_atmosphere(height, expected):
    """ISO 2533, by geopotential heights."""
    assert pressure(height) == pytest.approx(expected, rel=3e-5)


def test_heights_and_pressures_follow_from_each_other():
    """The formula that receivers invert: 44330.8 m (1 - (p / p0) ^ 0.190263)."""
    for height in np.linspace(0.0, 3000.0, 7):
        found = 44330.8 * (1.0 - (pressure(height) / 101325.0) ** 0.190263)
        assert found == pytest.approx(height, abs=0.2)


def test_it_measures_at_its_own_place():
    up = pressure(100.0, position=(0, 0, 2.0))
    assert up == pressure(102.0)
    on_its_back = pressure(100.0, position=(0, 0, 2.0), quaternion=(1, 0, 0, 0))
    assert on_its_back == pytest.approx(pressure(98.0))
    assert pressure(0.0) - pressure(1.0) == pytest.approx(12.01, abs=0.01)


def test_the_weather_is_the_pressure_at_the_sea():
    assert pressure(300.0, sea_level_pressure=98000.0) == pytest.approx(
        pressure(300.0) * 98000.0 / 101325.0
    )


def test_far_above_the_air_the_pressure_is_next_to_nothing():
    assert 0.0 < pressure(1e7) < 1.0
