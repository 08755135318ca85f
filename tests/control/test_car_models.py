"""Models agree with those that simulate, and with published numbers."""

import numpy as np
import pytest

from autosim.control.car_models import (
    SingleTrackCar,
    kinematic_model,
    single_track_model,
    slipless_model,
)
from autosim.estimation.slipless import SliplessCar, slipless_step
from tests.control.cases import moved


def test_the_slipless_model_has_its_published_value():
    state = (0.0, 0.0, 0.0, 5.0)
    for _ in range(10):
        state = moved(slipless_model(), state, np.array([0.1, 4.0]), 0.1)
    expected = [5.220412837, 1.189772023, 0.347909886, 5.762569527]
    np.testing.assert_allclose(state, expected, atol=1e-9)


@pytest.mark.parametrize("steering", [-0.33, -1e-3, 0.0, 0.2])
@pytest.mark.parametrize("torque", [-20.0, -9.0, 0.0, 3.0])
@pytest.mark.parametrize("speed", [0.0, 0.02, 9.0])
def test_the_slipless_model_is_that_of_the_projection(steering, torque, speed):
    car = SliplessCar(understeer=0.01, braking_force=900.0)
    state, action = (1.0, -2.0, 2.5, speed), (steering, torque)
    found = moved(slipless_model(car), state, np.array(action), 0.05)
    np.testing.assert_allclose(found, slipless_step(state, action, 0.05, car), atol=1e-9)


@pytest.mark.parametrize(
    ("model", "state", "expected"),
    [
        # CommonRoad's vehicle 2 at 15 m/s: x, y, yaw after 3 s.
        (kinematic_model(), (0.0, 0.0, 0.0, 15.0, 0.0), (40.73416, 15.69024, 0.800389)),
        (
            single_track_model(),
            (0.0, 0.0, 0.0, 15.0, 0.0, 0.0, 0.0),
            (40.93809, 15.23532, 0.779546),
        ),
    ],
)
def test_the_commonroad_models_have_their_published_values(model, state, expected):
    for step in range(300):
        state = moved(model, state, np.array([0.1 if step < 50 else 0.0, 0.0]), 0.01)
    np.testing.assert_allclose(state[:3], expected, atol=2e-4)


@pytest.mark.parametrize("speed", [0.0, 0.5, 3.0, 30.0])
def test_a_single_track_is_stable_in_the_steps_of_a_plan(speed):
    state = (0.0, 0.0, 0.0, speed, 0.1, 0.0, 0.0)
    for _ in range(100):
        state = moved(single_track_model(), state, np.zeros(2), 0.1)
    assert abs(state[5]) < 1.5
    assert abs(state[6]) < 0.2
    assert state[5] >= 0.0


def test_wheels_turn_no_farther_than_they_can():
    state = (0.0, 0.0, 0.0, 5.0, 0.0)
    for _ in range(50):
        state = moved(kinematic_model(), state, np.array([1.0, 0.0]), 0.05)
    assert state[4] == SingleTrackCar().steering_limit
