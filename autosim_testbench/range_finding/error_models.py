"""Distributions of a range finder's error, as a launch file writes them and as data fit them.

The nine are those of the thesis' table 4. A text such as `normal -0.006 0.004` names one: its shape
parameters, if it has some, then location and scale [m], as in `scipy.stats`.
"""

import contextlib
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

import numpy as np
from scipy import stats

from autosim.arrays import Floats
from autosim.errors import UserError

if TYPE_CHECKING:
    from scipy.stats._distn_infrastructure import rv_continuous_frozen


@dataclass(frozen=True, slots=True)
class _Kind:
    """SciPy's name of a distribution, and the names of its shape parameters."""

    law: stats.rv_continuous
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
"""Names of the distributions."""


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
    def _law(self) -> "rv_continuous_frozen[stats.rv_continuous, float]":
        return _KINDS[self.name].law(*self.parameters)


def read_error_model(text: str) -> ErrorModel:
    """The distribution that a text names.

    Raises:
        UserError: it names none, or its parameters are wrong; with what would be right.
    """
    name, *rest = text.split() or [""]
    if name not in _KINDS:
        raise UserError(f"{text!r} is not a distribution; available: {', '.join(NAMES)}")
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
        raise UserError(
            f"{text!r} is not a distribution: expected {name} {words}, with a scale above 0"
        )
    return ErrorModel(name, parameters)


def fit_error_models(errors: Floats) -> tuple[ErrorModel, ...]:
    """All nine distributions, with the parameters that make `errors` most likely.

    A bounded distribution is fitted twice: with free bounds, and with bounds that lie beyond the
    extreme errors by the mean gap between two errors. The more likely fit counts; both estimate as
    many parameters, so it is also the one with the smaller AIC. A free fit does not count where its
    likelihood has no maximum: where the density is infinite at the bound, or a bound or shape grows
    without limit because another distribution (the normal one, for most) is its limit.

    Args:
        errors: (n,) m, at least 5 of them, not all equal.

    Raises:
        UserError: there are too few.
    """
    if len(errors) < _LEAST or np.ptp(errors) <= 0.0:
        raise UserError(f"a fit needs {_LEAST} errors that are not all equal")
    margin = float(np.ptp(errors)) / len(errors)
    low, high = float(errors.min()) - margin, float(errors.max()) + margin
    return tuple(_best(name, fit(errors, low, high), errors) for name, fit in _FITS.items())


_LEAST = 5
"""Least number of errors of a fit: one more than the beta distribution has parameters."""

_MAX_REACH = 100.0
"""Largest distance of a fitted bound from the errors, and largest scale [ranges of the errors]:
beyond it a bounded distribution is no longer distinguishable from an unbounded one."""

_MIN_GAP = 1e-3
"""Least distance of a free bound from the next error [mean gaps between two errors]."""

_MAX_SHAPE = 1e6
"""Largest shape parameter: a launch file has six digits of it."""

_UNBOUNDED_BELOW_ONE = ("weibull", "gamma", "beta")
"""Distributions whose density is infinite at a bound if a shape is below 1."""

_Parameters = tuple[float, ...]


def _best(name: str, candidates: Sequence[_Parameters], errors: Floats) -> ErrorModel:
    """The most likely one of some fits, of which the first is valid in any case."""
    first, *others = (ErrorModel(name, each) for each in candidates)
    valid = [first, *(each for each in others if _is_valid(each, errors))]
    return max(valid, key=lambda each: each.log_likelihood(errors))


def _is_valid(model: ErrorModel, errors: Floats) -> bool:
    """Whether a free fit is a maximum of the likelihood, and not on its way to infinity."""
    *shapes, location, scale = model.parameters
    span = float(np.ptp(errors))
    gap = _MIN_GAP * span / len(errors)
    least_shape = 1.0 if model.name in _UNBOUNDED_BELOW_ONE else 0.0
    return (
        bool(np.isfinite(model.parameters).all())
        and 0.0 < scale < _MAX_REACH * span
        and errors.min() - _MAX_REACH * span < location < errors.min() - gap
        and all(least_shape <= each < _MAX_SHAPE for each in shapes)
        and bool(np.isfinite(model.log_likelihood(errors)))
    )


_Fit = Callable[[Floats, float, float], list[_Parameters]]
"""Fits a distribution to errors (n,) whose bounds are probably the two numbers [m]."""


def _unbounded(name: str) -> _Fit:
    return lambda errors, low, high: [tuple(map(float, _KINDS[name].law.fit(errors)))]


def _from_below(name: str) -> _Fit:
    def fit(errors: Floats, low: float, high: float) -> list[_Parameters]:
        return _with_free(_KINDS[name].law, errors, _KINDS[name].law.fit(errors, floc=low))

    return fit


def _beta(errors: Floats, low: float, high: float) -> list[_Parameters]:
    """Between two bounds."""
    return _with_free(stats.beta, errors, stats.beta.fit(errors, floc=low, fscale=high - low))


class _Guess(TypedDict, total=False):
    """Keywords of SciPy's `fit`: where its search begins, and a shape parameter that is set."""

    loc: float
    scale: float
    f0: float


def _with_free(
    law: stats.rv_continuous, errors: Floats, start: Sequence[float], shape: float | None = None
) -> list[_Parameters]:
    """A fit with set bounds, and fits with free ones that begin there and at SciPy's estimate.

    `shape` is the distribution's only shape parameter where that is set.
    """
    found = [tuple(map(float, start))]
    *shapes, location, scale = start
    begun = tuple(shapes) if shape is None else ()
    fixed: _Guess = {} if shape is None else {"f0": shape}
    estimate: _Guess = {"loc": location, "scale": scale, **fixed}
    starts: list[tuple[_Parameters, _Guess]] = [((), fixed), (begun, estimate)]
    for arguments, guess in starts:
        # Searches that lead nowhere end with an error or a warning; `_is_valid` judges the rest.
        with warnings.catch_warnings(), contextlib.suppress(ValueError, RuntimeError):
            warnings.simplefilter("ignore")
            found.append(tuple(map(float, law.fit(errors, *arguments, **guess))))
    return found


def _erlang(errors: Floats, low: float, high: float) -> list[_Parameters]:
    """A gamma distribution whose shape is a whole number: that next to the best gamma's."""
    shapes = [each[0] for each in _from_below("gamma")(errors, low, high)]
    found: list[_Parameters] = []
    for shape in (max(1.0, round(each)) for each in shapes if each < _MAX_SHAPE):
        start = (shape, low, float(errors.mean() - low) / shape)
        found += _with_free(stats.gamma, errors, start, shape)
    return found


def _triangular(errors: Floats, low: float, high: float) -> list[_Parameters]:
    """The likelihood is greatest with the mode at one of the errors (Johnson and Kotz)."""
    modes = (errors - low) / (high - low)
    likelihoods = [
        ErrorModel("triangular", (float(mode), low, high - low)).log_likelihood(errors)
        for mode in modes
    ]
    start = (float(modes[int(np.argmax(likelihoods))]), low, high - low)
    return _with_free(stats.triang, errors, start)


_FITS: dict[str, _Fit] = {
    "weibull": _from_below("weibull"),
    "normal": _unbounded("normal"),
    "gamma": _from_below("gamma"),
    "erlang": _erlang,
    "uniform": _unbounded("uniform"),
    "beta": _beta,
    "triangular": _triangular,
    "lognormal": _from_below("lognormal"),
    "exponential": _unbounded("exponential"),
}
