"""A car that stands: on the level, on slopes, where it was put."""

import numpy as np
import pytest

from autosim.vehicle.wheels.wheel_arrays import LENGTH, LOAD
from tests.vehicle.rig import GRAVITY, Rig, car, robot, wheel


@pytest.mark.parametrize("hertz", [60, 120, 240, 480])
@pytest.mark.parametrize("slope", [(0.4, 0.0), (-0.4, 0.0), (0.0, 0.4), (0.28, 0.28)])
def test_stands_still_on_a_slope_of_40_percent(slope, hertz):
    with Rig([car()], slope=slope, hertz=hertz) as rig:
        rig.run(3.0, brake=1.0)
        before = rig.bodies.positions.copy()
        rig.run(10.0, brake=1.0)
        assert np.linalg.norm(rig.bodies.positions - before) <= 1e-4


def test_stands_still_on_a_slope_with_the_stiff_suspension_of_the_listing():
    stiff = car(suspension_ks=200.0, suspension_kd=23.0, suspension_rest_length=0.1)
    with Rig([stiff], slope=(0.0, 0.4), hertz=60) as rig:
        rig.run(3.0, brake=1.0)
        before = rig.bodies.positions.copy()
        rig.run(10.0, brake=1.0)
        assert np.linalg.norm(rig.bodies.positions - before) <= 1e-4


def test_rolls_away_on_a_slope_without_brakes():
    with Rig([car()], slope=(0.1, 0.0)) as rig:
        rig.run(5.0)
        expected = (np.sin(np.arctan(0.1)) - 0.012 * np.cos(np.arctan(0.1))) * GRAVITY * 5.0
        assert -rig.bodies.velocities[0, 0] == pytest.approx(expected, rel=0.05)


def test_rolling_resistance_holds_a_car_on_the_faintest_slope():
    with Rig([car()], slope=(0.005, 0.0)) as rig:
        rig.run(3.0)
        before = rig.bodies.positions.copy()
        rig.run(5.0)
        assert np.linalg.norm(rig.bodies.positions - before) <= 1e-4


def test_wheels_carry_the_weight():
    with Rig([car()]) as rig:
        rig.run(3.0)
        assert rig.wheels[:, LOAD].sum() == pytest.approx(1400.0 * GRAVITY, rel=1e-6)


@pytest.mark.parametrize("ahead", [-0.252, 0.252])
def test_loads_follow_the_centre_of_mass(ahead):
    with Rig([car(centre_of_mass=(ahead, 0.0, -0.25))]) as rig:
        rig.run(4.0)
        front = rig.wheels[:2, LOAD].sum() / rig.wheels[:, LOAD].sum()
        # A pitch of a degree moves the centre of mass by a centimetre of the wheelbase.
        assert front == pytest.approx(0.5 + ahead / 2.52, abs=0.005)


def test_placed_at_rest_height_nothing_moves():
    with Rig([car()]) as rig:
        before = rig.bodies.positions[0, 2]
        rig.run(1.0)
        assert rig.bodies.positions[0, 2] == pytest.approx(before, abs=1e-6)
        assert rig.wheels[:, LENGTH] == pytest.approx(0.2 - GRAVITY / (4 * 30.0), abs=1e-6)


@pytest.mark.parametrize("sunk", [0.05, 0.2, 0.5])
def test_a_car_put_into_the_ground_is_lifted_and_not_thrown(sunk):
    with Rig([car()], lift=-sunk) as rig:
        rest = rig.bodies.positions[0, 2] + sunk
        highest = 0.0
        for _ in range(720):
            rig.step()
            highest = max(highest, rig.bodies.positions[0, 2])
        assert highest < rest + 0.8
        assert rig.bodies.positions[0, 2] == pytest.approx(rest, abs=0.01)


def test_the_robot_of_the_listing_with_one_wheel_lies_on_its_box_and_wheel():
    chassis = car().parts[0]
    devices = [car().devices[0], wheel("front_left", 1.35, 0.8, is_powered=True)]
    with Rig([robot("one", [chassis], devices)]) as rig:
        rig.run(5.0, drive=0.3)
        assert np.isfinite(rig.bodies.positions).all()
        assert abs(rig.bodies.velocities).max() < 1.0


def test_a_world_without_robots_steps():
    with Rig([]) as rig:
        rig.run(0.1)
        assert rig.wheels.shape == (0, 7)
