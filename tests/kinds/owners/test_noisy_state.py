"""Robots that believe the truth and noise, of which they know how large it is."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.kinds.owners.noisy_state import NoisyState
from tests.kinds.owners.rig import Fleet, band, moving

NOISY = NoisyState(
    "noise",
    "body",
    position_deviation=(1.0, 2.0, 0.5),
    velocity_deviation=(0.1, 0.2, 0.05),
    orientation_deviation=(0.01, 0.02, 0.03),
    time_constant=0.5,
)


def fleet_after(steps: int, noisy: NoisyState = NOISY, *, robots: int = 100, **kwargs) -> Fleet:
    fleet = Fleet.of(noisy, robots=robots, **kwargs)
    for step in range(steps + 1):
        fleet.step_to(step, moving(step, kwargs.get("step_seconds", 0.01)))
    return fleet


@pytest.mark.parametrize("time_constant", [0.0, 0.5])
def test_the_covariance_is_that_of_the_errors(time_constant):
    fleet = fleet_after(200, replace(NOISY, time_constant=time_constant))
    low, high = band(9, 100)
    assert low < fleet.consistency() < high


def test_the_covariance_turns_with_the_robot():
    fleet = fleet_after(400, robots=1)  # by 0.8 rad
    believed = fleet.belief(0)
    east, north, _ = np.sqrt(np.diag(believed.covariance)[:3])
    assert east != pytest.approx(1.0, abs=0.1)
    assert np.trace(believed.covariance[:3, :3]) == pytest.approx(1.0 + 4.0 + 0.25)
    assert believed.covariance[0, 1] < -0.5
    assert north < 2.0


@pytest.mark.parametrize("step_seconds", [0.002, 0.02])
def test_how_large_errors_are_and_how_long_they_last_does_not_depend_on_the_step(step_seconds):
    later = round(0.5 / step_seconds)
    fleet = Fleet.of(
        replace(NOISY, position_deviation=(1.0,) * 3), robots=200, step_seconds=step_seconds
    )
    errors = []
    for step in range(later + 1):
        fleet.step_to(step, moving(0))
        if step in (0, later):
            errors.append(fleet.errors()[:, :3].ravel())
    before, after = errors
    assert np.std(after) == pytest.approx(1.0, abs=0.08)
    assert np.mean(before * after) == pytest.approx(np.exp(-1.0), abs=0.12)


def test_a_mean_is_an_offset_along_the_axes_of_the_robot_and_counts_as_an_error():
    steady = NoisyState(
        "noise",
        "body",
        position_deviation=(0.0,) * 3,
        position_mean=(0.0, 2.0, 0.0),
        velocity_deviation=(0.0,) * 3,
    )
    fleet = fleet_after(300, steady, robots=1)
    believed, true = fleet.belief(0), fleet.truth(0)
    left = np.array([-np.sin(0.6), np.cos(0.6), 0.0])
    np.testing.assert_allclose(
        believed.position - true.position, 2.0 * left, atol=0.15
    )  # it is banked
    assert believed.covariance[1, 1] == pytest.approx(4.0 * np.cos(0.6) ** 2, abs=0.1)


def test_each_robot_errs_in_its_own_way_and_the_same_seed_gives_the_same():
    first, again = fleet_after(10, robots=2), fleet_after(10, robots=2)
    assert bytes(first.state.buffer) == bytes(again.state.buffer)
    other = fleet_after(10, robots=2, seed=1)
    errors = np.array([fleet.errors()[:, :3] for fleet in (first, other)])
    assert len(np.unique(errors.round(9))) == errors.size
    more = fleet_after(10, robots=3)
    np.testing.assert_array_equal(more.errors()[:2], first.errors())


def test_rates_and_accelerations_stay_true():
    fleet = fleet_after(10, robots=1)
    np.testing.assert_array_equal(fleet.belief(0).angular_velocity, (0.0, 0.0, 0.2))
    assert fleet.belief(0).age == 0.0
