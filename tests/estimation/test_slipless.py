"""The car that does not slip goes on circles, as the formulas of its source say."""

import math

import pytest

from autosim.estimation.slipless import SliplessCar, SliplessModel, saturating_torque


def test_the_published_run_comes_out() -> None:
    model, motion = SliplessModel(), (0.0, 0.0, 0.0, 5.0)
    for _ in range(10):
        motion = model(motion, (0.1, 4.0), 0.1)
    expected = (5.220412837, 1.189772023, 0.347909886, 5.762569527)
    assert motion == pytest.approx(expected, abs=1e-9)


def test_the_tyres_hold_no_more_than_the_saturating_torque() -> None:
    most = saturating_torque(SliplessCar())
    assert most == pytest.approx(7.985714, abs=1e-6)
    model = SliplessModel()
    at_limit, beyond = (model((0.0, 0.0, 0.0, 5.0), (0.0, t), 0.1) for t in (most, 2.0 * most))
    assert at_limit == pytest.approx(beyond)
    assert at_limit[3] == pytest.approx(5.2)  # 2 m/s²


def test_brakes_may_hold_back_with_more_than_the_motor_pushes() -> None:
    car = SliplessCar(braking_force=1050.0)
    after = SliplessModel(car)((0.0, 0.0, 0.0, 5.0), (0.0, -100.0), 0.1)[3]
    assert after == pytest.approx(5.0 - 0.1 * (1050.0 + 100.0) / 210.0)


def test_straight_ahead_the_mean_speed_gives_the_distance() -> None:
    x, y, yaw, speed = SliplessModel()((1.0, 2.0, 0.5 * math.pi, 6.0), (0.0, 0.0), 0.5)
    assert speed == pytest.approx(6.0 - 0.5 * 100.0 / 210.0)
    assert (x, yaw) == pytest.approx((1.0, 0.5 * math.pi))
    mean = (2.0 / 3.0) * (speed**3 - 6.0**3) / (speed**2 - 6.0**2)
    assert y - 2.0 == pytest.approx(0.5 * mean)


def test_a_car_that_stands_stays() -> None:
    assert SliplessModel()((3.0, 4.0, 1.0, 0.0), (0.2, 0.0), 1.0) == (3.0, 4.0, 1.0, 0.0)


def test_it_brakes_to_a_stand_and_not_backward() -> None:
    assert SliplessModel()((0.0, 0.0, 0.0, 0.5), (0.0, -8.0), 1.0)[3] == 0.0


def test_left_and_right_are_mirrored() -> None:
    left, right = (SliplessModel()((0.0, 0.0, 0.0, 5.0), (s, 1.0), 0.3) for s in (0.2, -0.2))
    assert left == pytest.approx((right[0], -right[1], -right[2], right[3]))
    assert left[1] > 0.0


@pytest.mark.parametrize("steering", [1e-3, 1e-9, 1e-12, 5e-324, -5e-324])
def test_the_nearer_to_straight_ahead_the_nearer_to_a_line(steering: float) -> None:
    model, start = SliplessModel(), (0.0, 0.0, 0.4, 8.0)
    line, bend = model(start, (0.0, 1.0), 0.1), model(start, (steering, 1.0), 0.1)
    assert bend == pytest.approx(line, abs=1.5 * abs(steering) + 1e-12)
