"""The results of a sweep as one table: a row for each run."""

import csv
import importlib
import os
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from autosim.applications.common.terminal import tell
from autosim.applications.sweeps.folder import SweepFolder
from autosim.applications.sweeps.outcomes import Outcome
from autosim.errors import UserError

Cell = str | float | int | bool | None
Row = dict[str, Cell]

NO_PYARROW = "no table.parquet: pip install 'autosim[parquet]'; autosim sweep show needs none"


_FIGURES = ("steps", "seconds", "wall_seconds", "distance_m", "collisions", "state_digest")
"""Figures of finished runs."""


def number_of(text: str) -> Cell:
    """The number that a parameter's text stands for; else the text."""
    try:
        return float(text)
    except ValueError:
        return text


def row_of(outcome: Outcome) -> Row:
    """A run as a row: parameters, seed, how it ended, measures, criteria and events, figures."""
    scenario, is_done = outcome.scenario or {}, outcome.status == "done"
    return {
        "id": outcome.id,
        **{name: number_of(text) for name, text in outcome.parameters.items()},
        "seed": outcome.seed,
        "status": outcome.standing,
        **outcome.measures,
        **{f"criterion {name}": how for name, how in scenario.get("criteria", {}).items()},
        **{f"event {name}": time for name, time in scenario.get("events", {}).items()},
        **{f"traffic {name}": count for name, count in (outcome.traffic or {}).items()},
        **{name: getattr(outcome, name) if is_done else None for name in _FIGURES},
        "record": outcome.record,
        "failure": outcome.failure,
    }


def rows_of(folder: SweepFolder) -> list[Row]:
    """The rows of all runs that are done."""
    return [row_of(outcome) for _, outcome in folder.outcomes() if outcome is not None]


def columns_of_rows(rows: Sequence[Row]) -> list[str]:
    """All columns, in the order of the first row that has most."""
    longest = max(rows, key=len, default={})
    return list(dict.fromkeys([*longest, *(name for row in rows for name in row)]))


def write_table(folder: SweepFolder) -> None:
    """Writes the table of a sweep, where pyarrow is installed; else says how to get it.

    Raises:
        UserError: it cannot be written; an older table stays.
    """
    rows = rows_of(folder)
    if not rows:
        return
    try:
        write_parquet(rows, folder.table)
    except ImportError:
        tell(NO_PYARROW)


def write_parquet(rows: Sequence[Row], file: Path) -> None:
    """Writes rows as Parquet; what was there before is replaced.

    Raises:
        ImportError: pyarrow is not installed.
        UserError: the file cannot be written; an older one stays.
    """
    arrow = importlib.import_module("pyarrow")
    parquet = importlib.import_module("pyarrow.parquet")
    table = _table(arrow, rows)
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        parquet.write_table(table, str(part))
        os.replace(part, file)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise UserError(f"{file} cannot be written: {error.strerror or error}") from error


def _table(arrow: ModuleType, rows: Sequence[Row]) -> Any:
    names = columns_of_rows(rows)
    return arrow.table({name: _column(arrow, [row.get(name) for row in rows]) for name in names})


def _column(arrow: ModuleType, cells: Sequence[Cell]) -> Any:
    """A column of one type: text where any cell is text."""
    if any(isinstance(each, str) for each in cells):
        return arrow.array(
            [None if each is None else str(each) for each in cells], type=arrow.string()
        )
    if any(isinstance(each, float) for each in cells):
        return arrow.array(
            [None if each is None else float(each) for each in cells], type=arrow.float64()
        )
    return arrow.array(list(cells))


def export_rows(rows: Sequence[Row], file: Path) -> None:
    """Writes rows as CSV."""
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, columns_of_rows(rows))
        writer.writeheader()
        writer.writerows(rows)
