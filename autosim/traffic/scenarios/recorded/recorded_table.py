"""Reads recorded actors from a neutral table: CSV or Parquet with one row for each actor and time.

Columns: `id`, `kind`, `time` [s], `x`, `y` [m] of the middle, `heading` [rad] from east to north;
`length`, `width` and `height` [m] may be missing. Rows may be in any order. The row of an actor
called `ego` at its first time is where the robot under test starts.
"""

import csv
import importlib
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from autosim.arrays import Floats
from autosim.config.diagnostics import ConfigError, Diagnostics, printable
from autosim.config.reading.xml_reader import UnreadableError, read_bytes
from autosim.config.scenarios import Actor, Scenario, WorldPosition
from autosim.errors import UserError
from autosim.traffic.scenarios.ego import EGO
from autosim.traffic.scenarios.recorded.recorded_scenario import RecordedActor, kind_of, scenario_of
from autosim.world.opendrive.xodr_elements import FileFaults

_NEEDED = ("id", "kind", "time", "x", "y", "heading")
_SIZES = ("length", "width", "height")
_MOST_BYTES = 512 << 20
"""Largest number of bytes of a table: ten minutes of a thousand actors have 200 MB."""


def read_recorded_table(path: Path, found: Diagnostics) -> Scenario:
    """The scenario of a table.

    Raises:
        ConfigError: it cannot be used; each fault has its line where it has one.
        UserError: reading Parquet needs a package that is not installed.
    """
    try:
        columns, lines = (_parquet(path), None) if path.suffix == ".parquet" else _csv(path)
    except UnreadableError as error:
        found.error(path, error.line, str(error))
        raise ConfigError(found.all) from error
    missing = [name for name in _NEEDED if name not in columns]
    if missing:
        known = printable(", ".join(columns), 200)
        found.error(path, 1, f"the table has no column {', '.join(missing)}; it has {known}")
    found.raise_if_errors()
    numbers = {
        name: _numbers(name, columns[name], lines, FileFaults(path, found))
        for name in ("time", "x", "y", "heading", *(each for each in _SIZES if each in columns))
    }
    found.raise_if_errors()
    actors = _actors(columns, numbers)
    unknown = sorted({each.kind for each in actors if kind_of(each.kind, 0.0, 0.0) is None})
    if unknown:
        shown = ", ".join(printable(each, 30) for each in unknown)
        found.warning(path, 0, f"actors of these kinds are left out: {shown}")
    tested = [each for each in actors if each.name.lower() in EGO]
    others = [each for each in actors if each.name.lower() not in EGO]
    return scenario_of(path.stem, others, [_start(each) for each in tested])


def _start(actor: RecordedActor) -> Actor:
    """The actor under test at its first time; a robot plays it."""
    x, y, yaw = actor.poses[0].tolist()
    return Actor(actor.name, "saloon", place=WorldPosition(x, y, yaw))


def _csv(path: Path) -> tuple[Mapping[str, Sequence[str]], Sequence[int]]:
    """The columns of a table by their names, and the line of each row."""
    try:
        text = read_bytes(path, _MOST_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError("the file is not UTF-8 text") from error
    reader = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True)
    rows, lines = [], []
    try:
        names = [name.strip() for name in next(reader)]
        for row in reader:
            if not any(value.strip() for value in row):
                continue
            if len(row) != len(names):
                message = f"expected {len(names)} values as in the first line, not {len(row)}"
                raise UnreadableError(message, reader.line_num)
            rows.append([value.strip() for value in row])
            lines.append(reader.line_num)
    except csv.Error as error:
        raise UnreadableError(f"not a table of CSV: {error}", reader.line_num) from error
    if not rows:
        raise UnreadableError("the table has no row")
    return dict(zip(names, zip(*rows, strict=True), strict=True)), lines


def _parquet(path: Path) -> Mapping[str, Sequence[str]]:
    try:
        arrow = importlib.import_module("pyarrow")
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise UserError(
            "reading Parquet needs pyarrow: install autosim with the extra 'parquet', "
            "or write the table as CSV"
        ) from error
    try:
        table = parquet.read_table(path)
    except (arrow.ArrowException, OSError, ValueError) as error:
        raise UnreadableError(f"not a Parquet table: {printable(str(error), 200)}") from error
    if not table.num_rows:
        raise UnreadableError("the table has no row")
    return {name: [str(value) for value in table[name].to_pylist()] for name in table.column_names}


def _numbers(
    name: str, values: Sequence[str], lines: Sequence[int] | None, faults: FileFaults
) -> Floats:
    """A column of numbers; `lines` of the rows, None where a file has no lines."""
    try:
        column = np.array(values, dtype=np.float64)
    except ValueError:
        column = np.array([_number(value) for value in values])
    low = 0.0 if name in _SIZES else -1e9
    wrong = np.flatnonzero(~((column >= low) & (column < 1e9)))
    if len(wrong):
        row = int(wrong[0])
        expected = f"{name} is not a number from {low:g} to 1e+09"
        place = f"row {row + 1}: " if lines is None else ""
        shown = printable(values[row], 40)
        faults.error(lines[row] if lines else 0, f"{place}{expected}: '{shown}'")
    return column


def _number(value: str) -> float:
    try:
        return float(value)
    except ValueError:
        return float("nan")


def _actors(
    columns: Mapping[str, Sequence[str]], numbers: Mapping[str, Floats]
) -> list[RecordedActor]:
    ids = np.array(columns["id"])
    names, which = np.unique(ids, return_inverse=True)
    order = np.lexsort((numbers["time"], which))
    found = []
    for rows in np.split(order, np.flatnonzero(np.diff(which[order])) + 1):
        times = numbers["time"][rows]
        kept = rows[np.concatenate([[True], np.diff(times) > 0.0])]
        poses = np.column_stack([numbers[name][kept] for name in ("x", "y", "heading")])
        length, width = (
            float(numbers[name][kept[0]]) if name in numbers else 0.0 for name in _SIZES[:2]
        )
        name = str(names[which[kept[0]]])
        kind = str(columns["kind"][int(kept[0])])
        found.append(RecordedActor(name, kind, numbers["time"][kept], poses, length, width))
    return found
