"""Selection of rows of a table: filters, order, outliers."""

import re
from collections.abc import Callable, Mapping, Sequence
from operator import eq, ge, gt, le, lt, ne
from typing import Any

import numpy as np

from autosim.applications.sweeps.table import Row, columns_of_rows
from autosim.arrays import Floats
from autosim.config.reading.attribute_values import suggestion
from autosim.errors import UserError

_CONDITION = re.compile(r"\s*(.+?)\s*(<=|>=|!=|=|<|>)\s*(.*?)\s*")
_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<=": le,
    ">=": ge,
    "<": lt,
    ">": gt,
    "=": eq,
    "!=": ne,
}

_NORMAL = 0.6745
"""Ratio of the median deviation to the standard deviation of a normal distribution."""

_OUTLYING = 3.5
"""Modified z-score, a ratio, from which on a value lies apart (Iglewicz and Hoaglin, 1993)."""


def chosen_rows(rows: Sequence[Row], conditions: Sequence[str]) -> list[Row]:
    """The rows for which all conditions hold, such as `gap < 20`.

    A row without the value fulfils none.

    Raises:
        UserError: a condition is none, or names no column.
    """
    tests = [_test_of(each, rows) for each in conditions]
    return [row for row in rows if all(test(row) for test in tests)]


def sorted_rows(rows: Sequence[Row], column: str, *, is_reversed: bool = False) -> list[Row]:
    """The rows by a column; those without a value last.

    Raises:
        UserError: there is no such column.
    """
    name = require_column(rows, column)
    filled = [row for row in rows if row.get(name) is not None]
    is_text = any(isinstance(row[name], str) for row in filled)
    found = sorted(
        filled,
        key=lambda row: str(row[name]) if is_text else row[name],  # type: ignore[arg-type, return-value]
        reverse=is_reversed,
    )
    return [*found, *(row for row in rows if row.get(name) is None)]


def outliers(rows: Sequence[Row], column: str) -> list[Row]:
    """The rows whose value lies far from all others, the farthest first.

    Raises:
        UserError: there is no such column of numbers.
    """
    name = require_column(rows, column)
    filled, values = numbers_of(rows, name)
    if not len(values):
        raise UserError(f"'{column}' holds no numbers")
    deviations = np.abs(values - np.median(values))
    spread = float(np.median(deviations)) or float(deviations.mean())
    if not spread:
        return []
    scores = _NORMAL * deviations / spread
    order = np.argsort(-scores, kind="stable")
    return [filled[number] for number in order if scores[number] > _OUTLYING]


def numbers_of(rows: Sequence[Row], column: str) -> tuple[list[Row], Floats]:
    """The rows that have a number in a column, and these numbers (n,)."""
    found = [row for row in rows if isinstance(row.get(column), int | float)]
    return found, np.array([row[column] for row in found], dtype=np.float64)


def require_column(rows: Sequence[Row], name: str) -> str:
    """The column of that name.

    Raises:
        UserError: there is none; the message tells the nearest.
    """
    known = columns_of_rows(rows)
    if name not in known:
        hint = suggestion(name, known) or f"; there is {', '.join(known)}"
        raise UserError(f"there is no column '{name}'{hint}")
    return name


def _test_of(condition: str, rows: Sequence[Row]) -> Callable[[Row], bool]:
    match = _CONDITION.fullmatch(condition)
    if match is None:
        raise UserError(f"'{condition}' is not a condition: expected one like 'gap < 20'")
    name, comparison, text = match.groups()
    column, compare = require_column(rows, name), _COMPARISONS[comparison]

    def test(row: Row) -> bool:
        cell = row.get(column)
        if cell is None:
            return False
        if isinstance(cell, str):
            return compare(cell, text)
        return compare(cell, _number(text, condition))

    return test


def _number(text: str, condition: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise UserError(f"'{condition}': expected a number, not '{text}'") from error
