"""Collects the faults of one file, and checks names, as all kinds of files need it."""

from collections.abc import Callable, Iterable
from pathlib import Path

from autosim.config.diagnostics import Diagnostics
from autosim.config.reading.blocks import Block

MAX_FAULTS = 200
"""Number of faults after which reading stops: a user mends the first ones before the rest."""


class Faults:
    """Passes the faults of `file` to `diagnostics` with their lines."""

    def __init__(self, file: Path, diagnostics: Diagnostics) -> None:
        self.file = file
        self.diagnostics = diagnostics
        self._count = 0
        self._errors = 0

    @property
    def are_too_many(self) -> bool:
        """Whether reading should stop."""
        return self._count >= MAX_FAULTS

    @property
    def has_errors(self) -> bool:
        """Whether the file cannot be used."""
        return self._errors > 0

    def error(self, where: Block | int, message: str) -> None:
        """Notes a fault that keeps the file from being used."""
        self._errors += 1
        if self._is_noted(where):
            self.diagnostics.error(self.file, _line(where), message)

    def warning(self, where: Block | int, message: str) -> None:
        """Notes a fault in spite of which the file can be used."""
        if self._is_noted(where):
            self.diagnostics.warning(self.file, _line(where), message)

    def _is_noted(self, where: Block | int) -> bool:
        self._count += 1
        if self._count == MAX_FAULTS:
            message = f"{MAX_FAULTS} faults; the file is not looked at further"
            self.diagnostics.error(self.file, _line(where), message)
            self._errors += 1
        return self._count < MAX_FAULTS


def check_unique(
    blocks: Iterable[Block], faults: Faults, *, scope: Callable[[Block], str] = lambda _: ""
) -> None:
    """Notes each block whose name an earlier one has in the same `scope`."""
    first: dict[tuple[str, str], Block] = {}
    for block in blocks:
        before = first.setdefault((scope(block), block.name), block)
        if block.name and before is not block:
            message = f"there is already a '{block.name}', <{before.tag}> in line {before.line}"
            faults.error(block, message)


def _line(where: Block | int) -> int:
    return where.line if isinstance(where, Block) else where
