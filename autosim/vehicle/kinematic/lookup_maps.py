"""Maps of vehicles: CSV files with a number for each row and column, between which lines run.

The first row holds the columns' numbers, the first column those of the rows; the corner is free.
This is the form of Autoware's accelerator, brake and acceleration maps.
"""

import numpy as np

from autosim.arrays import Floats
from autosim.errors import UserError
from autosim.jit import jitable

NO_MAP = -1.0
"""The number of the place at which a map begins that there is not."""

LEAST = 2
"""Rows and columns of the smallest map, with those that hold the numbers."""


class MapError(UserError):
    """The text is not a valid map."""


def read_map(text: str) -> Floats:
    """A map as one array: numbers of rows and columns, those of the columns, the rows, the values.

    Raises:
        MapError: with the line, and what is wrong there.
    """
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    table = [(number, [cell.strip() for cell in line.split(",")]) for number, line in lines]
    if len(table) < LEAST or len(table[0][1]) < LEAST:
        raise MapError("line 1: expected a row of velocities and rows of accelerations below it")
    width = len(table[0][1])
    columns = _numbers(*table[0])[1:]
    rows = np.array([_row(number, cells, width) for number, cells in table[1:]])
    for what, numbers in (("row", columns), ("column", rows[:, 0])):
        if np.any(np.diff(numbers) <= 0.0):
            raise MapError(f"the numbers of the first {what} must ascend")
    return np.concatenate([[len(rows), len(columns)], columns, rows[:, 0], rows[:, 1:].ravel()])


def _row(number: int, cells: list[str], width: int) -> list[float]:
    if len(cells) != width:
        raise MapError(f"line {number}: expected {width} cells, not {len(cells)}")
    return _numbers(number, cells, first=0)


def _numbers(number: int, cells: list[str], first: int = 1) -> list[float]:
    found = [0.0] * first
    for cell in cells[first:]:
        try:
            found.append(float(cell))
        except ValueError:
            raise MapError(f"line {number}: expected a number, not '{cell}'") from None
        if not np.isfinite(found[-1]):
            raise MapError(f"line {number}: expected a finite number, not '{cell}'")
    return found


@jitable
def interpolate(maps: Floats, start: int, row: float, column: float) -> float:
    """The number of a map at a row and a column, between its lines; beyond its edges as at them.

    Args:
        maps: one after the other, each as `read_map` gives it.
        start: where the map begins.
        row: the number of the row.
        column: that of the column.
    """
    rows, columns = int(maps[start]), int(maps[start + 1])
    first_column, first_row = start + 2, start + 2 + columns
    j, across = find_interval(maps, first_column, columns, column)
    i, along = find_interval(maps, first_row, rows, row)
    values = first_row + rows
    above = interpolate_row(maps, values + i * columns + j, across)
    below = above
    if along > 0.0:
        below = interpolate_row(maps, values + (i + 1) * columns + j, across)
    return above + along * (below - above)


@jitable
def find_interval(maps: Floats, first: int, count: int, number: float) -> tuple[int, float]:
    """Between which of ascending numbers one lies: the lower one's place, and the share beyond."""
    if number <= maps[first]:
        return 0, 0.0
    for k in range(count - 1):
        low, high = maps[first + k], maps[first + k + 1]
        if number < high:
            return k, (number - low) / (high - low)
    return count - 1, 0.0


@jitable
def interpolate_row(maps: Floats, place: int, share: float) -> float:
    """The number at a place of a row, and that share of the way to the next."""
    if share <= 0.0:
        return float(maps[place])
    return float(maps[place] + share * (maps[place + 1] - maps[place]))
