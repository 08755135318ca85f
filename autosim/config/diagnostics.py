"""The faults of a user's files: one record for each, all at once."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from autosim.errors import UserError

Severity = Literal["error", "warning"]

_LONGEST_NAME = 255
"""Largest number of characters of a file's name: the limit of file systems."""


@dataclass(frozen=True, slots=True, order=True)
class Diagnostic:
    """One fault of a file. `line` counts from 1; 0 stands for the whole file."""

    file: Path
    line: int
    level: Severity
    """Severity; an error makes the file invalid."""
    message: str
    """One line: what is wrong, and what was expected."""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line > 0 else f"{self.file}"
        return f"{place}: {self.level}: {self.message}"


class ConfigError(UserError):
    """A file cannot be used. `diagnostics` holds all errors and warnings, in file order."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(str(each) for each in self.diagnostics))


class Diagnostics:
    """Collects the faults of one or several files while they are read.

    Hand one to a loader to see its warnings also when the loader succeeds.
    """

    def __init__(self) -> None:
        self._found: list[Diagnostic] = []

    @property
    def all(self) -> tuple[Diagnostic, ...]:
        """Every fault, sorted by file and line, each once."""
        return tuple(sorted(set(self._found)))

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The faults that keep the files from being used."""
        return tuple(each for each in self.all if each.level == "error")

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """The faults in spite of which the files can be used."""
        return tuple(each for each in self.all if each.level == "warning")

    def error(self, file: Path, line: int, message: str) -> None:
        """Notes a fault that keeps `file` from being used."""
        self._found.append(Diagnostic(file, line, "error", message))

    def warning(self, file: Path, line: int, message: str) -> None:
        """Notes a fault in spite of which `file` can be used."""
        self._found.append(Diagnostic(file, line, "warning", message))

    def extend(self, found: Iterable[Diagnostic]) -> None:
        """Adds the faults that another reader found."""
        self._found.extend(found)

    def raise_if_errors(self) -> None:
        """Ends the reading if there was an error.

        Raises:
            ConfigError: with everything found so far.
        """
        if self.errors:
            raise ConfigError(self.all)


def name_as_text(path: Path) -> str:
    """A file's name as text to show and send; on disk it may be any bytes."""
    return printable(path.name, _LONGEST_NAME)


def printable(text: str, length: int = 60) -> str:
    """`text` on one line of at most `length` characters.

    Control characters, also those that change the direction of writing, become question marks.
    """
    clean = "".join(each if each.isprintable() else "?" for each in text[: length + 1])
    return clean if len(clean) <= length else clean[: length - 1] + "…"
