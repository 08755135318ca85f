"""Driving by the keys of a terminal, also over ssh.

A terminal tells that a key was pressed, and presses it again while it is held; it never tells that
a key was let go. So a key counts as held for a moment after each press, and a driver who presses
nothing for a while has let go of everything: the car brakes.
"""

import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from autosim.applications.driving.controls import HALT, Wish, read_waiting

HOLD_SECONDS = 0.8
"""How long a press holds the pedals. Terminals repeat a held key after 0.25 to 0.66 s."""

STEER_SECONDS = 0.3
"""How long after the last press the wheel begins to go back to the middle."""

STEER_STEP = 0.12
"""Share of the largest angle that one press adds."""

RETURN_RATE = 1.0
"""Shares of the largest angle a second with which the wheel goes back to the middle."""

PUSH = 0.5
KEYS = {
    b"w": "forwards",
    b"\x1b[A": "forwards",
    b"\x1bOA": "forwards",
    b"s": "backwards",
    b"\x1b[B": "backwards",
    b"\x1bOB": "backwards",
    b"a": "left",
    b"\x1b[D": "left",
    b"\x1bOD": "left",
    b"d": "right",
    b"\x1b[C": "right",
    b"\x1bOC": "right",
    b" ": "brake",
    b"q": "quit",
    b"\x04": "quit",
}
HELP = "W/↑ forwards, S/↓ brake and backwards, A/← left, D/→ right, space brakes, Q ends"
_LONGEST = 3


class Keyboard:
    """The keys as controls.

    Args:
        descriptor: of a terminal (see `raw_terminal`) or of anything else that gives bytes.
        now: the present time [s].
    """

    help = HELP

    def __init__(self, descriptor: int, *, now: float) -> None:
        self._descriptor = descriptor
        self._rest = b""
        self._push = 0.0
        self._brake = 0.0
        self._steering = 0.0
        self._pressed = self._steered = self._asked = now
        self._is_touched = False
        self.is_over = False

    def fileno(self) -> int:
        """The descriptor, to wait for keys with `select`."""
        return self._descriptor

    def read(self, now: float) -> Wish:
        """What the driver wants at the time `now` [s], after all keys pressed so far."""
        for action in self._actions():
            self._press(action, now)
        elapsed, self._asked = now - self._asked, now
        if self.is_over or not self._is_touched or now - self._pressed > HOLD_SECONDS:
            self._push = self._steering = 0.0
            return HALT
        if now - self._steered > STEER_SECONDS:
            self._centre(RETURN_RATE * elapsed)
        return Wish(self._steering, self._push, self._brake)

    def _press(self, action: str, now: float) -> None:
        self._pressed, self._is_touched = now, True
        if action == "quit":
            self.is_over = True
        elif action in ("left", "right"):
            step = STEER_STEP if action == "left" else -STEER_STEP
            self._steering = min(max(self._steering + step, -1.0), 1.0)
            self._steered = now
        else:
            self._push = {"forwards": PUSH, "backwards": -PUSH}.get(action, 0.0)
            self._brake = 1.0 if action == "brake" else 0.0

    def _centre(self, most: float) -> None:
        self._steering -= min(max(self._steering, -most), most)

    def _actions(self) -> Iterator[str]:
        more, is_gone = read_waiting(self._descriptor)
        self.is_over = self.is_over or is_gone
        data = self._rest + more
        while data:
            length = next((n for n in range(_LONGEST, 0, -1) if _key(data[:n]) in KEYS), 0)
            if length:
                yield KEYS[_key(data[:length])]
            elif data in (b"\x1b", b"\x1b[", b"\x1bO") and not self.is_over:
                break  # the rest of an arrow may be under way
            data = data[length or 1 :]
        self._rest = data


@contextmanager
def raw_terminal(descriptor: int) -> Iterator[None]:
    """Inside, the terminal gives each key at once and shows none; Ctrl-C works as always."""
    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor, termios.TCSANOW)
    try:
        yield
    finally:
        with suppress(termios.error):  # it may be gone
            termios.tcsetattr(descriptor, termios.TCSANOW, before)


def _key(data: bytes) -> bytes:
    """Letters count in both cases; the escape sequences of arrows as they are."""
    return data.lower() if len(data) == 1 else data
