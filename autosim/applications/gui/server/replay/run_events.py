"""Events of a recorded run, as marks for a time line."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from autosim.records.events import Collision, Event, NoticeLogged, OutputPrinted
from autosim.records.output_lines import with_whole_lines

_LINES_OF_A_STEP = 6
"""Number of lines that the text of a mark has at most: a tool tip that is read at a glance."""

_LINE_CHARACTERS = 100
"""Number of characters of an event's first line that are shown."""


class EventKind(IntEnum):
    """Kinds of events; of several at one place, the greatest is shown."""

    OUTPUT = 0
    MESSAGE = 1
    WARNING = 2
    COLLISION = 3
    ERROR = 4


@dataclass(frozen=True, slots=True)
class EventMark:
    """Events of a step: the kind of the gravest one, and a line for each."""

    step: int
    kind: EventKind
    text: str
    """One line for each event."""


EVENTS: tuple[type[Event], ...] = (Collision, OutputPrinted, NoticeLogged)
"""Kinds of a record's events that are marked."""

_OF_LEVEL = {"error": EventKind.ERROR, "warning": EventKind.WARNING}


def marks_of(events: Iterable[Event], *, step_seconds: float) -> list[EventMark]:
    """A mark for each step at which something happened, in the order of steps.

    Args:
        events: of `EVENTS`; all others are left out.
        step_seconds: step of the simulation [s].
    """
    found: dict[int, list[tuple[EventKind, str]]] = {}
    for event in with_whole_lines(events):
        match event:
            case Collision():
                entry = (EventKind.COLLISION, f"{event.robot}: {event.text}")
            case NoticeLogged():
                kind = _OF_LEVEL.get(event.level, EventKind.MESSAGE)
                entry = (kind, f"{event.source}: {event.text}")
            case OutputPrinted():
                source = f"{event.source}: " if event.source else ""
                entry = (EventKind.OUTPUT, f"{source}{event.text.strip()}")
            case _:
                continue
        found.setdefault(event.step, []).append(entry)
    return [
        EventMark(step, max(kind for kind, _ in entries), _text(step, entries, step_seconds))
        for step, entries in sorted(found.items())
    ]


def _text(step: int, entries: list[tuple[EventKind, str]], step_seconds: float) -> str:
    ordered = sorted(entries, key=lambda each: -each[0])
    # A collision is a message, too: its line is there once.
    lines = list(dict.fromkeys(_first_line(text) for _, text in ordered))
    more = len(lines) - _LINES_OF_A_STEP
    shown = lines[:_LINES_OF_A_STEP]
    if more > 0:
        shown.append(f"… and {more} more")
    return "\n".join([f"{step * step_seconds:.3f} s", *shown])


def _first_line(text: str) -> str:
    line = text.strip().split("\n", 1)[0]
    return line if len(line) <= _LINE_CHARACTERS else f"{line[:_LINE_CHARACTERS]}…"
