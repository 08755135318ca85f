"""Distributions of a range finder's error, as a launch file writes them and as data fit them.

The nine are those of the thesis' table 4. A text such as `normal -0.006 0.004` names one: its shape
parameters, if it has some, then location and scale [m], as in `scipy.stats`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from autosim.arrays import Floats
from autosim.errors import UserError


@dataclass(frozen=True, slots=True)
class _Kind:
    """How SciPy calls a distribution, and the names of its shape parameters."""

    law: Any
    shapes: tuple[str, ...] = ()


_KINDS = {
    "normal": _Kind(stats.norm),
    "uniform": _Kind(stats.uniform),
    "exponential": _Kind(stats.expon),
    "triangular": _Kind(stats.triang, ("mode",)),
    "weibull": _Kind(stats.weibull_min, ("shape",)),
    "gamma": _Kind(stats.gamma, ("shape",)),
    "erlang": _Kind(stats.erlang, ("shape",)),
    "lognormal": _Kind(stats.lognorm, ("shape",)),
    "beta": _Kind(stats.beta, ("alpha", "beta")),
}

NAMES = tuple(_KINDS)
"""What distributions are called."""


@dataclass(frozen=True, slots=True)
class ErrorModel:
    """A distribution of errors [m]: its name and its parameters, of which the last is the scale."""

    name: str
    parameters: tuple[float, ...]

    @property
    def text(self) -> str:
        """As a launch file has it."""
        return " ".join([self.name, *(f"{each:.6g}" for each in self.parameters)])

    def draw(self, random: np.random.Generator) -> float:
        """One error [m]."""
        return float(self._law.rvs(random_state=random))

    def log_likelihood(self, errors: Floats) -> float:
        """Of errors (n,) m; minus infinity where one of them cannot be."""
        return float(self._law.logpdf(errors).sum())

    def density(self, errors: Floats) -> Floats:
        """Probability density [1/m] at errors (n,) m."""
        density: Floats = self._law.pdf(errors)
        return density

    def share_below(self, errors: Floats) -> Floats:
        """Probability (n,) that an error is smaller than each of `errors` (n,) m."""
        share: Floats = self._law.cdf(errors)
        return share

    @property
    def _law(self) -> Any:
        return _KINDS[self.name].law(*self.parameters)


def read_error_model(text: str) -> ErrorModel:
    """The distribution that a text names.

    Raises:
        UserError: it names none, or its parameters are wrong; with what would be right.
    """
    name, *rest = text.split() or [""]
    if name not in _KINDS:
        raise UserError(f"{text!r} is no distribution; there are {', '.join(NAMES)}")
    expected = (*_KINDS[name].shapes, "location", "scale")
    try:
        parameters = tuple(map(float, rest))
    except ValueError:
        parameters = ()
    is_right = len(parameters) == len(expected) and bool(np.isfinite(parameters).all())
    if (
        not is_right
        or parameters[-1] <= 0.0
        or not _KINDS[name].law(*parameters).support()[0] < np.inf
    ):
        words = " ".join(each.upper() for each in expected)
        raise UserError(f"{text!r} is no distribution: it should be {name} {words}, scale above 0")
    return ErrorModel(name, parameters)


def fit_error_models(errors: Floats) -> tuple[ErrorModel, ...]:
    """All nine distributions, with the parameters that make `errors` most likely.

    A distribution with a lower bound begins below the smallest error by the mean gap between two of
    them, and one with an upper bound ends as far above the largest: with a free bound the
    likelihood of some has no maximum.

    Args:
        errors: (n,) m, at least 5 of them, not all equal.

    Raises:
        UserError: there are too few.
    """
    if len(errors) < _LEAST or np.ptp(errors) <= 0.0:
        raise UserError(f"a fit needs {_LEAST} errors that are not all equal")
    margin = float(np.ptp(errors)) / len(errors)
    low, high = float(errors.min()) - margin, float(errors.max()) + margin
    return tuple(ErrorModel(name, fit(errors, low, high)) for name, fit in _FITS.items())


_LEAST = 5
"""Least number of errors of a fit: one more than the beta distribution has parameters."""


def _free(name: str) -> Callable[[Floats, float, float], tuple[float, ...]]:
    return lambda errors, low, high: tuple(map(float, _KINDS[name].law.fit(errors)))


def _from_below(name: str) -> Callable[[Floats, float, float], tuple[float, ...]]:
    return lambda errors, low, high: tuple(map(float, _KINDS[name].law.fit(errors, floc=low)))


def _between(name: str) -> Callable[[Floats, float, float], tuple[float, ...]]:
    return lambda errors, low, high: tuple(
        map(float, _KINDS[name].law.fit(errors, floc=low, fscale=high - low))
    )


def _erlang(errors: Floats, low: float, high: float) -> tuple[float, ...]:
    """A gamma distribution whose shape is a whole number."""
    shape = max(1.0, round(float(stats.gamma.fit(errors, floc=low)[0])))
    return shape, low, float(errors.mean() - low) / shape


def _triangular(errors: Floats, low: float, high: float) -> tuple[float, ...]:
    """The likelihood is greatest with the mode at one of the errors (Johnson and Kotz)."""
    modes = (errors - low) / (high - low)
    likelihoods = [
        ErrorModel("triangular", (float(mode), low, high - low)).log_likelihood(errors)
        for mode in modes
    ]
    return float(modes[int(np.argmax(likelihoods))]), low, high - low


_FITS: dict[str, Callable[[Floats, float, float], tuple[float, ...]]] = {
    "weibull": _from_below("weibull"),
    "normal": _free("normal"),
    "gamma": _from_below("gamma"),
    "erlang": _erlang,
    "uniform": _free("uniform"),
    "beta": _between("beta"),
    "triangular": _triangular,
    "lognormal": _from_below("lognormal"),
    "exponential": _free("exponential"),
}
