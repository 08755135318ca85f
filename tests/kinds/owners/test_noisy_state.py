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


def spread(owner, robots=400):
    """Errors (robots, 3) of the first step, by what they are errors of."""
    fleet = Fleet.of(owner, robots=robots)
    fleet.step_to(0, moving(0))
    pairs = [(fleet.belief(number), fleet.truth(number)) for number in range(robots)]
    return {
        name: np.array([getattr(a, name) - getattr(b, name) for a, b in pairs])
        for name in ("position", "velocity", "angular_velocity", "acceleration")
    }


def test_who_sets_one_error_has_no_other():
    found = spread(NoisyState("noise", "body", position_deviation=(1.0, 1.0, 1.0)))
    assert found["position"].std() == pytest.approx(1.0, abs=0.1)
    for name in ("velocity", "angular_velocity", "acceleration"):
        assert not found[name].any()


def test_without_any_error_in_its_file_it_is_off_as_a_plain_receiver():
    found = spread(NoisyState("noise", "body"))
    for name in ("position", "velocity"):
        assert np.linalg.norm(found[name].std(axis=0)) == pytest.approx(np.sqrt(51.0), rel=0.1)
    assert not found["angular_velocity"].any()


def test_angular_velocity_and_acceleration_have_errors_where_they_are_set():
    owner = NoisyState(
        "noise",
        "body",
        angular_velocity_deviation=(0.1, 0.1, 0.1),
        acceleration_deviation=(0.5, 0.5, 0.5),
        acceleration_mean=(0.0, 0.0, 2.0),
    )
    found = spread(owner)
    assert not found["velocity"].any()
    assert found["angular_velocity"].std(axis=0) == pytest.approx([0.1] * 3, rel=0.15)
    assert found["acceleration"].std(axis=0) == pytest.approx([0.5] * 3, rel=0.15)
    assert np.linalg.norm(found["acceleration"].mean(axis=0)) == pytest.approx(2.0, abs=0.15)


def test_an_error_of_a_rate_lasts_as_long_as_the_others():
    owner = NoisyState(
        "noise", "body", angular_velocity_deviation=(1.0, 1.0, 1.0), time_constant=0.5
    )
    fleet, errors = Fleet.of(owner, robots=200), []
    for step in range(51):
        fleet.step_to(step, moving(0))
        if step in (0, 50):
            errors.append(
                [
                    fleet.belief(k).angular_velocity - fleet.truth(k).angular_velocity
                    for k in range(200)
                ]
            )
    before, after = np.array(errors)
    assert np.mean(before * after) == pytest.approx(np.exp(-1.0), abs=0.12)
