"""The keys of a terminal, as events.

Terminals send the characters of keys, repeatedly while one is held, and do not report releases.
Some do on request, by the keyboard protocol of the terminal kitty
(https://sw.kovidgoyal.net/kitty/keyboard-protocol/): kitty, foot, WezTerm, Ghostty, Alacritty,
Konsole and others. The request is sent to all; the others ignore it.
"""

import os
import re
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum, auto

from autosim.applications.driving.keys import Key

_FLAGS = 1 + 2 + 8
"""Of the protocol: no ambiguous codes, events of presses and releases, for letters as well."""

_ASK = f"\x1b[?1004h\x1b[>{_FLAGS}u\x1b[?u".encode()
"""Report the focus; report keys by the protocol; return the flags in effect."""

_LEAVE = b"\x1b[<u\x1b[?1004l"

_LETTERS = {
    "w": Key.FORWARDS,
    "s": Key.BACKWARDS,
    "a": Key.LEFT,
    "d": Key.RIGHT,
    " ": Key.BRAKE,
}
_ARROWS = {"A": Key.FORWARDS, "B": Key.BACKWARDS, "C": Key.RIGHT, "D": Key.LEFT}
_SEQUENCE = re.compile(rb"\x1b(?:\[([0-9;:?<=>]*)([@-~])|O([@-~]))")
_BEGINNING = re.compile(rb"\x1b(?:\[[0-9;:?<=>]*|O)?")
_LONGEST = 64
"""Bytes of a sequence; what is longer is none of a key's."""

_RELEASED = 3
"""Number of the event type "release" in kitty's keyboard protocol."""

_ALT_OR_CONTROL = 2 | 4
"""Bits of the modifiers Alt and Control in that protocol."""

_CONTROL = 4
"""Bit of the modifier Control in that protocol."""


class KeyEventKind(Enum):
    """Kind of an event. REPORTS: from now on the terminal reports when a key is released."""

    PRESSED = auto()
    RELEASED = auto()
    FOCUS_LOST = auto()
    REPORTS = auto()
    QUIT = auto()
    INTERRUPT = auto()


@dataclass(frozen=True, slots=True)
class KeyEvent:
    """Kind of an event, and the `key` that it concerns, if any."""

    what: KeyEventKind
    """Press, release, loss of focus, or end."""
    key: Key | None = None


class KeyReader:
    """Makes events of the bytes that a terminal sends, which may come in pieces."""

    def __init__(self) -> None:
        self._rest = b""

    def read(self, data: bytes) -> Iterator[KeyEvent]:
        """The events in `data`; what else there is means nothing."""
        data = self._rest + data
        while data:
            found = _SEQUENCE.match(data)
            if found is not None:
                parameters, final, arrow = (each.decode() for each in found.groups(b""))
                yield from _sequence(parameters, final or arrow)
                data = data[found.end() :]
            elif len(data) < _LONGEST and _BEGINNING.fullmatch(data):
                break  # the rest of a sequence may be under way
            else:
                yield from _letter(chr(data[0]))
                data = data[1:]
        self._rest = data


def _letter(letter: str) -> Iterator[KeyEvent]:
    key = _LETTERS.get(letter.lower())
    if key is not None:
        yield KeyEvent(KeyEventKind.PRESSED, key)
    elif letter in "qQ\x04":
        yield KeyEvent(KeyEventKind.QUIT)


def _sequence(parameters: str, final: str) -> Iterator[KeyEvent]:
    """The event of CSI `parameters` `final`, or of SS3 `final`."""
    if parameters.startswith("?"):
        if final == "u" and _number(parameters[1:]) & 2:
            yield KeyEvent(KeyEventKind.REPORTS)
    elif parameters:
        yield from _reported(parameters, final)
    elif final in _ARROWS:
        yield KeyEvent(KeyEventKind.PRESSED, _ARROWS[final])
    elif final == "O":
        yield KeyEvent(KeyEventKind.FOCUS_LOST)


def _reported(parameters: str, final: str) -> Iterator[KeyEvent]:
    """A key by the protocol: CSI code:… ; modifiers:event ; text u, or CSI 1 ; … arrow."""
    name, modifiers, *_ = *parameters.split(";"), "1"
    code = _number(name.split(":")[0])
    held, event, *_ = *(_number(each) for each in modifiers.split(":")), 1
    held -= 1
    if final == "u" and held & _ALT_OR_CONTROL:
        if held & _CONTROL and event != _RELEASED and code in (ord("c"), ord("d")):
            yield KeyEvent(KeyEventKind.INTERRUPT if code == ord("c") else KeyEventKind.QUIT)
        return
    is_letter = final == "u" and code < 128
    key = _LETTERS.get(chr(code)) if is_letter else _ARROWS.get(final)
    if key is not None:
        yield KeyEvent(KeyEventKind.RELEASED if event == _RELEASED else KeyEventKind.PRESSED, key)
    elif is_letter and code == ord("q") and event != _RELEASED:
        yield KeyEvent(KeyEventKind.QUIT)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 1


@contextmanager
def raw_terminal(descriptor: int) -> Iterator[None]:
    """Inside, the terminal gives each key at once and shows none; Ctrl-C works as always."""
    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor, termios.TCSANOW)
    with suppress(OSError):  # it may be there to be read alone
        os.write(descriptor, _ASK)
    try:
        yield
    finally:
        with suppress(OSError):
            os.write(descriptor, _LEAVE)
        with suppress(termios.error):  # it may be gone
            termios.tcsetattr(descriptor, termios.TCSAFLUSH, before)
