"""Distributions of a range finder's error: as launch files have them, and fitted to data."""

import numpy as np
import pytest

from autosim.errors import UserError
from autosim_testbench.range_finding.error_models import (
    NAMES,
    ErrorModel,
    fit_error_models,
    read_error_model,
)


def errors_of(text: str, count: int = 400) -> np.ndarray:
    model, random = read_error_model(text), np.random.default_rng(5)
    return np.array([model.draw(random) for _ in range(count)])


@pytest.mark.parametrize(
    "text",
    [
        *("normal -0.006 0.004", "gamma 3 -0.03 0.004", "weibull 2 -0.02 0.01"),
        *("lognormal 0.5 -0.02 0.01", "triangular 0.3 -0.02 0.05"),
        *("uniform -0.02 0.03", "exponential -0.02 0.005", "beta 2 5 -0.02 0.05"),
    ],
)
def test_a_fit_finds_the_distribution_that_made_the_errors(text: str) -> None:
    errors = errors_of(text)
    fitted = {each.name: each for each in fit_error_models(errors)}
    true = read_error_model(text)
    found = fitted[true.name]
    places = np.quantile(errors, [0.1, 0.3, 0.5, 0.7, 0.9])
    assert found.share_below(places) == pytest.approx(true.share_below(places), abs=0.06)
    assert found.log_likelihood(errors) > true.log_likelihood(errors) - 3.0


@pytest.mark.parametrize(
    "text", ["lognormal 0.5 -0.02 0.01", "weibull 2 -0.02 0.01", "gamma 3 -0.03 0.004"]
)
def test_a_distribution_with_a_bound_fits_its_errors_best(text: str) -> None:
    errors = errors_of(text)
    likelihoods = {each.name: each.log_likelihood(errors) for each in fit_error_models(errors)}
    assert likelihoods[text.split()[0]] > max(likelihoods.values()) - 2.0


def test_a_bound_stays_set_where_the_likelihood_has_no_maximum() -> None:
    errors = errors_of("gamma 0.5 -0.01 0.01")  # a free bound at the smallest error: infinite
    gamma = next(each for each in fit_error_models(errors) if each.name == "gamma")
    margin = np.ptp(errors) / len(errors)
    assert gamma.parameters[1] == pytest.approx(errors.min() - margin)


def test_a_fit_of_the_normal_distribution_is_the_mean_and_the_deviation() -> None:
    errors = np.array([0.01, -0.02, 0.03, 0.0, 0.005])
    normal = next(each for each in fit_error_models(errors) if each.name == "normal")
    assert normal.parameters == pytest.approx((errors.mean(), errors.std()))


def test_all_nine_hold_every_error_and_are_read_again_as_they_are_written() -> None:
    errors = errors_of("normal 0 0.01", 50)
    found = fit_error_models(errors)
    assert {each.name for each in found} == set(NAMES)
    assert len(found) == 9
    for each in found:
        assert np.isfinite(each.log_likelihood(errors)), each.text
        assert read_error_model(each.text).parameters == pytest.approx(each.parameters, rel=1e-4)


def test_the_same_seed_draws_the_same_errors() -> None:
    assert (
        errors_of("gamma 3 -0.03 0.004", 5).tolist() == errors_of("gamma 3 -0.03 0.004", 5).tolist()
    )


def test_an_erlang_distribution_has_a_whole_shape() -> None:
    fitted = {each.name: each for each in fit_error_models(errors_of("gamma 3.4 0 0.004"))}
    assert fitted["erlang"].parameters[0] == round(fitted["erlang"].parameters[0]) >= 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not a distribution; available: normal, uniform"),
        ("gauss 0 1", "'gauss 0 1' is not a distribution; available: normal, uniform"),
        ("normal 0", "expected normal LOCATION SCALE, with a scale above 0"),
        ("normal 0 0", "expected normal LOCATION SCALE"),
        ("normal nan 1", "expected normal LOCATION SCALE"),
        ("gamma -2 0 1", "expected gamma SHAPE LOCATION SCALE"),
        ("beta 2 a 0 1", "expected beta ALPHA BETA LOCATION SCALE"),
    ],
)
def test_a_wrong_distribution_is_said(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_error_model(text)


@pytest.mark.parametrize("errors", [[0.1, 0.2], [0.1] * 20])
def test_too_little_data_is_said(errors: list[float]) -> None:
    with pytest.raises(UserError, match="a fit needs 5 errors that are not all equal"):
        fit_error_models(np.array(errors))


def test_a_model_knows_its_text() -> None:
    assert ErrorModel("normal", (-0.006, 0.004)).text == "normal -0.006 0.004"
