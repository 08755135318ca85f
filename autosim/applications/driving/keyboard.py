"""Driving by the keys of a terminal, also over ssh.

Some terminals report when a key is released. Of the others only the time of each character is
known: a key that repeats is held, and one that does not was tapped. A key that another one
interrupts stops repeating, held or not. So an interrupted pedal counts for a moment longer, and
then the car coasts until it is pressed again: releasing a key never makes the car brake.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from autosim.applications.driving.driver_input import AWAY, HALT, DriverCommand, read_waiting
from autosim.applications.driving.key_events import KeyEvent, KeyEventKind, KeyReader
from autosim.applications.driving.keys import PEDALS, Key, KeyDriver

TAP_SECONDS = 0.2
"""Time [s] for which a key that is pressed once counts as down."""

FIRST_GAP_SECONDS = 0.8
"""Longest time [s] until a held key repeats: terminals begin after 0.25 to 0.66 s. What a key has
reached stays until then."""

REPEAT_GAP_SECONDS = 0.25
"""Longest gap [s] between two repeats: they come every 0.03 to 0.1 s, over ssh less evenly."""

INTERRUPTED_SECONDS = 1.5
"""Time [s] after the last key for which a pedal counts as down that another key interrupted."""

AWAY_SECONDS = 5.0
"""Time [s] without a sign of the driver after which the driver counts as away, and the car
halts."""

HELP = "W/↑ forwards, S/↓ brake and backwards, A/← left, D/→ right, space is the hand brake, Q ends"


@dataclass(slots=True)
class _Press:
    """When a key was pressed, when it came last, whether it has repeated or was interrupted."""

    begin: float
    last: float
    has_repeated: bool = False
    is_interrupted: bool = False


class _Presses:
    """Keys that are down, as far as a terminal without releases reports it."""

    def __init__(self) -> None:
        self._presses: dict[Key, _Press] = {}
        self._last = 0.0

    def press(self, key: Key, now: float) -> None:
        down, kept = self.at(now)
        self._presses = {each: self._presses[each] for each in (*down, *kept)}
        present = self._presses.get(key)
        if present is None:
            self._presses[key] = _Press(now, now)
        else:
            present.last, present.has_repeated, present.is_interrupted = now, True, False
        for other in [each for each in self._presses if each is not key]:
            # The other pedal, or the other side, was released.
            if (other in PEDALS) is (key in PEDALS):
                del self._presses[other]
            elif other in PEDALS:
                self._presses[other].is_interrupted = True
        self._last = now

    def clear(self) -> None:
        self._presses.clear()

    def at(self, now: float) -> tuple[list[Key], list[Key]]:
        """The keys that are down, and those that may be."""
        down, kept = [], []
        for key, press in self._presses.items():
            silence = now - press.last
            if press.is_interrupted:
                is_down, may_be = now - self._last <= INTERRUPTED_SECONDS, False
            elif press.has_repeated:
                is_down, may_be = silence <= REPEAT_GAP_SECONDS, False
            else:
                is_down, may_be = silence <= TAP_SECONDS, silence <= FIRST_GAP_SECONDS
            if is_down:
                down.append(key)
            elif may_be:
                kept.append(key)
        return down, kept


class Keyboard:
    """The keys of a terminal as controls.

    Args:
        descriptor: of a terminal (see `raw_terminal`) or of anything else that gives bytes.
        clock: gives the time [s].

    `read` raises KeyboardInterrupt where the terminal reports Ctrl-C as a key.
    """

    help = HELP

    def __init__(self, descriptor: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._descriptor, self._clock = descriptor, clock
        self._reader, self._driver = KeyReader(), KeyDriver()
        self._presses = _Presses()
        self._down: set[Key] = set()
        self._has_reports = False
        self._is_away = True
        self._heard = clock()
        self.is_over = False

    def fileno(self) -> int:
        """The descriptor, to wait for keys with `select`."""
        return self._descriptor

    def read(self, *, speed: float, seconds: float) -> DriverCommand:
        """The driver's command, after all keys so far."""
        now = self._clock()
        data, is_gone = read_waiting(self._descriptor)
        for event in self._reader.read(data):
            self._take(event, now)
        self.is_over = self.is_over or is_gone
        down, kept = ([*self._down], []) if self._has_reports else self._presses.at(now)
        wish = self._driver.step(down, speed=speed, seconds=seconds, kept=kept)
        if self.is_over:
            return HALT
        is_silent = not self._has_reports and now - self._heard > AWAY_SECONDS
        return AWAY if self._is_away or is_silent else wish

    def _take(self, event: KeyEvent, now: float) -> None:
        match event.what:
            case KeyEventKind.QUIT:
                self.is_over = True
            case KeyEventKind.INTERRUPT:
                raise KeyboardInterrupt
            case KeyEventKind.REPORTS:
                self._has_reports = True
            case KeyEventKind.FOCUS_LOST:
                self._let_go()
        if event.key is None:
            return
        self._is_away, self._heard = False, now
        self._down.discard(event.key)
        if event.what is KeyEventKind.PRESSED:
            self._presses.press(event.key, now)
            self._down.add(event.key)

    def _let_go(self) -> None:
        self._presses.clear()
        self._down.clear()
        self._is_away = True
