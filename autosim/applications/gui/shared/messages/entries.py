"""The entries of a window's list of messages, from files, the server and programs alike."""

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from autosim.config.diagnostics import Diagnostic
from autosim.model.notices import Notice, Severity

_TRACEBACK = re.compile(r'File "(?P<file>[^"\n]+)", line (?P<line>\d+)')
_PLACE = re.compile(r"(?P<file>[^\s:'\"]+\.(?:py|xml|osm)):(?P<line>\d+)")


@dataclass(frozen=True, slots=True)
class MessageLocation:
    """A line of a file; 0 where only the file is known."""

    file: Path
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else str(self.file)


@dataclass(frozen=True, slots=True)
class MessageEntry:
    """A message: `clock` when it came, `time` [s] simulated, None where nothing was simulated.

    Attributes:
        level: severity, which decides on the colour.
        source: program, file or component that reported it.
        text: the message, for people.
        place: position in a file to which a click leads, None: none.
    """

    level: Severity
    source: str
    text: str
    clock: str
    time: float | None = None
    place: MessageLocation | None = None

    @property
    def headline(self) -> str:
        """The first line of the text."""
        return self.text.split("\n", 1)[0]


def entry_of_text(level: Severity, source: str, text: str) -> MessageEntry:
    """Something that the window itself has to say."""
    return MessageEntry(level, source, text, _now(), place=find_location(text))


def entry_of_diagnostic(diagnostic: Diagnostic) -> MessageEntry:
    """A fault of a file."""
    place = MessageLocation(diagnostic.file, diagnostic.line)
    return MessageEntry(
        diagnostic.level, diagnostic.file.name, diagnostic.message, _now(), place=place
    )


def entry_of_notice(notice: Notice, *, step_seconds: float) -> MessageEntry:
    """A message of the simulation, at `notice.step` steps of `step_seconds` [s].

    A program is shown by the name of its file, because the whole path is too long.
    """
    source, time = Path(notice.source).name, notice.step * step_seconds
    return MessageEntry(notice.level, source, notice.text, _now(), time, find_location(notice.text))


def find_location(text: str) -> MessageLocation | None:
    """The last place in a file that a text names: of a traceback, the line that failed."""
    found = [*_TRACEBACK.finditer(text)] or [*_PLACE.finditer(text)]
    if not found:
        return None
    return MessageLocation(Path(found[-1]["file"]), int(found[-1]["line"]))


def _now() -> str:
    return datetime.now().strftime("%H:%M:%S")
