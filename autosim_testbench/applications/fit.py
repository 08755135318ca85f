"""Distribution of a range finder's error: the thesis' table 4, from other measurements."""

import csv
import json
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from autosim.arrays import Floats
from autosim.errors import UserError
from autosim_testbench.figures.histogram import draw_histogram
from autosim_testbench.range_finding.error_models import ErrorModel, fit_error_models

CRITERIA = ("aic", "ks", "square")
"""Criteria of a best fit."""

_FEWEST_BARS, _MOST_BARS = 5, 40
"""Number of a histogram's bars: the root of the number of errors, within these."""

_CURVE_POINTS = 200
"""Number of points of a curve: two pixels apart."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Goodness of fit of a distribution.

    Attributes:
        model: the distribution.
        square_error: sum over the histogram's bars of the squared difference between the share of
            the errors and the probability.
        ks: Kolmogorov-Smirnov statistic: greatest distance between both cumulative distributions.
        log_likelihood: natural logarithm of the errors' likelihood.
        aic: Akaike's criterion; smaller is better.
    """

    model: ErrorModel
    square_error: float
    ks: float
    log_likelihood: float
    aic: float


@dataclass(frozen=True, slots=True)
class Fits:
    """All fits to errors (n,) m, the best first; `left_out`: measurements without an echo."""

    errors: Floats
    left_out: int
    fits: tuple[Fit, ...]


def fit_file(file: Path, criterion: str) -> Fits:
    """Fits the distributions to the measurements of a CSV.

    Args:
        file: with the columns `true` and `measured` [m].
        criterion: for the ranking: `aic`, `ks` or `square`.

    Raises:
        UserError: the file has other columns, or a value that is not a number; or too few errors.
    """
    errors = _read_errors(file)
    heard = errors[np.isfinite(errors)]
    fits = [_judge(each, heard) for each in fit_error_models(heard)]
    by = {
        "aic": lambda each: each.aic,
        "ks": lambda each: each.ks,
        "square": lambda each: each.square_error,
    }
    return Fits(heard, len(errors) - len(heard), tuple(sorted(fits, key=by[criterion])))


def in_words(found: Fits) -> list[str]:
    """The fits as lines: a table, then what a launch file takes."""
    errors = found.errors
    lines = [
        f"{len(errors)} errors: mean {errors.mean():.5f} m, deviation {errors.std():.5f} m, "
        f"from {errors.min():.5f} m to {errors.max():.5f} m"
    ]
    if found.left_out:
        lines.append(f"{found.left_out} measurements without an echo are left out")
    lines.append(
        f"{'distribution':13}{'sq. error':>10}{'KS':>8}{'log L':>10}{'AIC':>10}  parameters"
    )
    lines += [
        f"{each.model.name:13}{each.square_error:10.4f}{each.ks:8.3f}"
        f"{each.log_likelihood:10.2f}{each.aic:10.2f}  {each.model.text.partition(' ')[2]}"
        for each in found.fits
    ]
    lines.append(f'best: <param name="~error" value="{found.fits[0].model.text}"/>')
    return lines


def write_fits(found: Fits, folder: Path) -> None:
    """Writes `fit.json` and the figure `fit.svg`."""
    folder.mkdir(parents=True, exist_ok=True)
    record = {
        "errors": len(found.errors),
        "left_out": found.left_out,
        "mean": float(found.errors.mean()),
        "deviation": float(found.errors.std()),
        "best": found.fits[0].model.text,
        "fits": [
            {
                "distribution": each.model.name,
                "error": each.model.text,
                "square_error": each.square_error,
                "ks": each.ks,
                "log_likelihood": each.log_likelihood,
                "aic": each.aic,
            }
            for each in found.fits
        ],
    }
    (folder / "fit.json").write_text(json.dumps(record, indent=2) + "\n")
    (folder / "fit.svg").write_text(_picture(found))


def _read_errors(file: Path) -> Floats:
    try:
        with file.open(newline="") as opened:
            rows = csv.DictReader(opened)
            missing = {"true", "measured"} - set(rows.fieldnames or ())
            if missing:
                raise UserError(
                    f"{file}: error: no column {' and '.join(sorted(missing))}; the first line has "
                    "to name the columns true and measured [m]"
                )
            return np.array([_error_of(row, file, rows.line_num) for row in rows])
    except UnicodeDecodeError:
        raise UserError(f"{file}: error: not a text file in UTF-8") from None


def _error_of(row: dict[str, str], file: Path, line: int) -> float:
    try:
        true, measured = float(row["true"]), float(row["measured"])
    except (TypeError, ValueError):
        raise UserError(
            f"{file}:{line}: error: expected two numbers [m], found "
            f"{row['true']!r} and {row['measured']!r}"
        ) from None
    if not math.isfinite(true) or math.isnan(measured):
        raise UserError(f"{file}:{line}: error: the true distance has to be a finite number [m]")
    return measured - true


def _judge(model: ErrorModel, errors: Floats) -> Fit:
    edges = _edges(errors)
    shares = np.histogram(errors, edges)[0] / len(errors)
    expected = np.diff(model.share_below(edges))
    ordered = model.share_below(np.sort(errors))
    ranks = np.arange(len(errors) + 1) / len(errors)
    ks = max(float((ranks[1:] - ordered).max()), float((ordered - ranks[:-1]).max()))
    likelihood = model.log_likelihood(errors)
    aic = 2.0 * len(model.parameters) - 2.0 * likelihood
    return Fit(model, float(((shares - expected) ** 2).sum()), ks, likelihood, aic)


def _edges(errors: Floats) -> Floats:
    bars = int(np.clip(round(math.sqrt(len(errors))), _FEWEST_BARS, _MOST_BARS))
    return np.histogram_bin_edges(errors, bars)


def _picture(found: Fits) -> str:
    edges = _edges(found.errors)
    densities = np.histogram(found.errors, edges, density=True)[0]
    places = np.linspace(edges[0], edges[-1], _CURVE_POINTS)
    curves = {each.model.name: (places, each.model.density(places)) for each in found.fits}
    return draw_histogram("Error of the range finder [m]", edges, densities, curves)
