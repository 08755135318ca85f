"""No tyre brakes harder than friction times load."""

import numpy as np
import pytest

from autosim.vehicle.wheels.wheel_arrays import SLIP_RATIO, SPEED
from tests.vehicle.rig import GRAVITY, Rig, car


def deceleration(brake: float, *, hertz: float = 240.0, friction: float = 1.0) -> float:
    """Mean [m/s^2] from 25 m/s to 5 m/s, after the pitch has settled."""
    with Rig([car(friction=friction)], hertz=hertz) as rig:
        rig.start(27.0)
        rig.run(0.3, brake=brake)
        first, steps = rig.forward_speed(), 0
        rig.commands[:] = (0.0, 0.0, brake)
        while rig.forward_speed() > 5.0:
            rig.step()
            steps += 1
        return (first - rig.forward_speed()) / (steps * rig.step_seconds)


@pytest.mark.parametrize("hertz", [60, 240])
def test_locked_wheels_slide_at_seven_tenths_of_friction(hertz):
    with Rig([car()], hertz=hertz) as rig:
        rig.start(25.0)
        rig.run(1.0, brake=1.0)
        assert (rig.wheels[:, SPEED] == 0.0).all()
        assert rig.wheels[:, SLIP_RATIO] == pytest.approx(-1.0)
        before = rig.forward_speed()
        rig.run(0.5, brake=1.0)
        rate = (before - rig.forward_speed()) / 0.5
        assert 0.66 * GRAVITY < rate < 0.76 * GRAVITY


@pytest.mark.parametrize("friction", [0.3, 1.0])
def test_the_best_braking_is_close_to_friction_and_never_above(friction):
    shares = np.linspace(0.35, 0.55, 9)
    rates = [deceleration(friction * share, friction=friction) for share in shares]
    drag = 0.3  # air and rolling resistance at 15 m/s, in m/s^2
    assert max(rates) < friction * GRAVITY + drag
    assert max(rates) > 0.8 * friction * GRAVITY


def test_brakes_stop_the_car_for_good():
    with Rig([car()]) as rig:
        rig.start(10.0)
        rig.run(5.0, brake=0.5)
        before = rig.bodies.positions.copy()
        rig.run(5.0, brake=0.5)
        assert rig.bodies.positions == pytest.approx(before, abs=1e-5)


def test_the_ground_scales_the_friction():
    with Rig([car()], friction=0.2) as rig:
        rig.start(20.0)
        rig.run(1.0, brake=1.0)
        assert rig.forward_speed() > 17.0
