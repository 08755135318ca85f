"""Commands to a vehicle over time, as CSV files have them."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from autosim.arrays import Floats
from autosim.config.reading.attribute_values import suggestion
from autosim.errors import UserError
from autosim.vehicle.kinematic.motion_equations import DRIVE, GEARS

COLUMNS = ("time", "steering", "steering_rate", "acceleration", "velocity", "brake", "gear")
"""Columns of a file; `time`, one of the steering and one of the drive are required."""

_STEERING, _DRIVING = ("steering", "steering_rate"), ("acceleration", "velocity")

_LATE = 1e-9
"""Time [s] by which rounding may have made a row late."""


class DriveInputsError(UserError):
    """A file of inputs is not as it has to be; the message names its line."""


@dataclass(frozen=True, slots=True)
class DriveInputs:
    """Commands, each of which holds from its time until the next.

    times: (n,) [s], ascending. columns: (n,) each by its name, see `COLUMNS`: angles [rad], rates
    [rad/s], accelerations [m/s²], velocities [m/s], brakes; `gear` by its place in `GEARS`. Before
    the first they are 0, and the gear DRIVE.
    """

    times: Floats
    columns: Mapping[str, Floats]

    def at(self, times: Floats, name: str) -> Floats:
        """Values of a column at `times` (k,) [s]; without the column, those before the first row.

        Args:
            times: not negative.
            name: of the column.
        """
        before = DRIVE if name == "gear" else 0.0
        held = np.append(before, self.columns[name] if name in self.columns else np.zeros(0))
        if len(held) == 1:
            return np.full(len(times), before)
        found: Floats = held[np.searchsorted(self.times, times + _LATE, side="right")]
        return found

    def has(self, name: str) -> bool:
        """Whether there is such a column."""
        return name in self.columns


def read_inputs(lines: Iterable[str], name: str) -> DriveInputs:
    """The inputs of a CSV file.

    Args:
        lines: of the file.
        name: of the file, for messages.

    Raises:
        DriveInputsError: a column or gear is unknown or lacking, or a number is none; with the
            line.
    """
    reader = csv.reader(lines)
    rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if any(row)]
    if not rows:
        raise DriveInputsError(f"{name}:1: expected the columns time,steering,acceleration,gear")
    line, heads = rows[0]
    heads = [head.removeprefix("\ufeff") for head in heads]
    _check_heads(heads, f"{name}:{line}: ")
    if len(rows) == 1:
        raise DriveInputsError(f"{name}:{line}: there is no row below the names of the columns")
    table = np.array(
        [_numbers(heads, cells, f"{name}:{number}: ") for number, cells in rows[1:]]
    ).reshape(-1, len(heads))
    columns = dict(zip(heads, table.T, strict=True))
    times = columns.pop("time")
    late = np.flatnonzero(np.diff(times, prepend=-_LATE) <= 0.0)
    if late.size:
        first = int(late[0])
        where, what = f"{name}:{rows[1 + first][0]}: ", f"{times[first]:g} s"
        before = f"after {times[first - 1]:g} s" if first else "of at least 0 s"
        raise DriveInputsError(f"{where}expected a time {before}, not {what}")
    return DriveInputs(times, columns)


def _check_heads(heads: Sequence[str], where: str) -> None:
    for place, head in enumerate(heads):
        if head not in COLUMNS:
            hint = suggestion(head, COLUMNS) or f" (columns: {', '.join(COLUMNS)})"
            raise DriveInputsError(f"{where}there is no column '{head}'{hint}")
        if head in heads[:place]:
            raise DriveInputsError(f"{where}the column '{head}' stands there twice")
    for needed in (("time",), _STEERING, _DRIVING):
        if not set(needed) & set(heads):
            raise DriveInputsError(f"{where}there is no column '{' or '.join(needed)}'")
    if set(_STEERING) <= set(heads):
        raise DriveInputsError(f"{where}expected either 'steering' or 'steering_rate', not both")


def _numbers(heads: Sequence[str], cells: Sequence[str], where: str) -> list[float]:
    if len(cells) != len(heads):
        raise DriveInputsError(f"{where}expected {len(heads)} cells, not {len(cells)}")
    return [_number(head, cell, where) for head, cell in zip(heads, cells, strict=True)]


def _number(head: str, cell: str, where: str) -> float:
    if head == "gear":
        if cell not in GEARS:
            hint = suggestion(cell, GEARS) or f" (gears: {', '.join(GEARS)})"
            raise DriveInputsError(f"{where}there is no gear '{cell}'{hint}")
        return float(GEARS.index(cell))
    try:
        number = float(cell)
    except ValueError:
        raise DriveInputsError(f"{where}{head}: expected a number, not '{cell}'") from None
    if not isfinite(number):
        raise DriveInputsError(f"{where}{head}: expected a finite number, not '{cell}'")
    return number
