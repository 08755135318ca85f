"""Input of a driver at the client's window: its keys, and a joystick if one is chosen.

The window reports which keys are down; the driving thread asks for the driver's command.
"""

import time
from collections.abc import Callable

from autosim.applications.driving.driver_input import AWAY, DriverCommand
from autosim.applications.driving.event_device import JoystickError
from autosim.applications.driving.joystick import Joystick, open_joystick
from autosim.applications.driving.keys import Key, KeyDriver

STALE_SECONDS = 1.0
"""Time [s] without an update after which the window counts as hung: its keys are unknown then."""


class WindowControls:
    """Keys and joystick of a window. Its fields are set by the window and read by who drives.

    Args:
        report: told why a joystick is not there; called by `read`.
        clock: gives the time [s].

    `down`: the keys that are down. `has_focus`: whether the window hears the keyboard. `device`:
    path of the joystick to drive with, "" for the keys alone; keys count more while one is down.
    """

    help = "the window's keys drive"

    def __init__(
        self, *, report: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.down: frozenset[Key] = frozenset()
        self.has_focus = True
        self.is_over = False
        self.device = ""
        self._report, self._clock = report, clock
        self._driver = KeyDriver()
        self._joystick: Joystick | None = None
        self._opened = ""
        self._heard = clock()

    def mark(self) -> None:
        """Notes that the window is there."""
        self._heard = self._clock()

    def read(self, *, speed: float, seconds: float) -> DriverCommand:
        """The driver's command."""
        is_there = self._clock() - self._heard < STALE_SECONDS
        down = self.down if is_there else frozenset()
        keys = self._driver.step(down, speed=speed, seconds=seconds)
        joystick = self._read_joystick()
        if down or (joystick is None and self.has_focus):
            return keys
        return AWAY if joystick is None else joystick

    def close(self) -> None:
        """Closes the joystick."""
        if self._joystick is not None:
            self._joystick.close()
        self._joystick = None

    def _read_joystick(self) -> DriverCommand | None:
        """The command from the joystick, None without one."""
        if self.device != self._opened:
            self._open(self.device)
        if self._joystick is None:
            return None
        wish = self._joystick.read()
        if not self._joystick.is_over:
            return wish
        self._report(f"{self._joystick.name} is gone: the keys drive")
        self.close()
        return None

    def _open(self, path: str) -> None:
        self.close()
        self._opened = path
        if not path:
            return
        try:
            self._joystick = open_joystick(path)
        except JoystickError as error:
            self._report(f"{error}; the keys drive")
