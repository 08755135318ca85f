"""Motion of one vehicle on level ground as a table, and the file in which it is stored."""

from collections.abc import Iterator
from dataclasses import dataclass

from autosim.arrays import Floats

COLUMNS = ("time", "x", "y", "yaw", "velocity", "steering", "acceleration")
"""Columns of `DriveResult.table`: s, m, m, rad, m/s, rad, m/s²."""


@dataclass(frozen=True, slots=True)
class DriveResult:
    """The motion of a vehicle that began at the origin, heading along x.

    table: (n, 7), a row at the time 0 and after each step, see `COLUMNS`.
    """

    table: Floats

    def column(self, name: str) -> Floats:
        """The column (n,) of that name."""
        column: Floats = self.table[:, COLUMNS.index(name)]
        return column

    def lines(self) -> Iterator[str]:
        """As CSV, with all digits."""
        yield ",".join(COLUMNS) + "\n"
        for row in self.table.tolist():
            yield ",".join(map(repr, row)) + "\n"
