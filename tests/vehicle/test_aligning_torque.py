"""The force across a tyre acts behind the middle of its patch, which turns the wheel straight."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.kinds.actuators.tyre import Tyre
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.vehicle.tyres.trail import BRUSH_TRAIL, trail_share
from tests.vehicle.rig import Rig, car

RADIUS = 0.316
MAGIC = {"FNOMIN": 4000.0, "PCX1": 1.6, "PDX1": 1.1, "PKX1": 22.0}
MAGIC |= {"PCY1": 1.3, "PDY1": 1.0, "PKY1": -20.0, "PKY2": 1.5}


def in_a_turn(tyre=None, *, steering=0.02):
    """Forces of the wheels (4, 3) of a car that turns to the left, and their slip angles."""
    robot = car()
    if tyre is not None:
        devices = (
            replace(each, tyre=tyre) if isinstance(each, WheelDevice) else each
            for each in robot.devices
        )
        robot = replace(robot, devices=tuple(devices))
    with Rig([robot]) as rig:
        rig.start(15.0)
        rig.hold_speed(2.0, 15.0, steering=steering)
        return rig.vehicles.wheel_state.force.copy(), rig.wheels.copy()


def test_a_tyre_in_a_turn_turns_its_wheel_back_by_its_trail():
    force, _ = in_a_turn()
    assert force[:, 1].min() > 100.0
    trails = -force[:, 2] / force[:, 1]
    assert trails.max() < BRUSH_TRAIL * RADIUS
    assert trails.min() > 0.5 * BRUSH_TRAIL * RADIUS


def test_the_trail_goes_as_the_tyre_slides():
    shares = [trail_share(slip) for slip in np.linspace(0.0, 1.2, 25)]
    assert shares[0] == 1.0
    assert all(np.diff(shares[:21]) < 0.0)
    assert shares[20:] == pytest.approx([0.0] * 5, abs=1e-12)


@pytest.mark.parametrize("stated", [0.0, 0.1])
def test_a_magic_formula_tyre_has_the_trail_that_its_file_says(stated):
    """QDZ1 is trail over radius at the nominal load, in proportion to the load."""
    coefficients = MAGIC | {"QDZ1": stated, "UNLOADED_RADIUS": RADIUS}
    tyre = Tyre(model="magic_formula_5.2", coefficients=tuple(coefficients.items()))
    force, wheels = in_a_turn(tyre, steering=0.004)
    trails = -force[:, 2] / force[:, 1]
    expected = stated * RADIUS * wheels[:, 4] / 4000.0
    np.testing.assert_allclose(trails, expected, rtol=0.12, atol=1e-12)


def test_the_trail_makes_a_car_turn_less():
    """As if its centre of mass were ahead by the trail."""
    rates = []
    for stated in (0.0, 0.1):
        coefficients = MAGIC | {"QDZ1": stated, "UNLOADED_RADIUS": RADIUS}
        tyre = Tyre(model="magic_formula_5.2", coefficients=tuple(coefficients.items()))
        force, _ = in_a_turn(tyre)
        rates.append(force[:, 1].sum())
    assert 0.9 * rates[0] < rates[1] < 0.99 * rates[0]
