"""Driving by a joystick, a gamepad or a steering wheel, through Linux's joystick devices.

`/dev/input/js*` gives records of eight bytes: time [ms], value, type, number (linux/joystick.h).
Their meaning does not change from kernel to kernel. An axis goes from -32767 to 32767.
"""

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from autosim.applications.driving.controls import HALT, Wish, read_waiting
from autosim.errors import UserError

EVENT = struct.Struct("<IhBB")
BUTTON, AXIS, INITIAL = 0x01, 0x02, 0x80
FULL = 32767


class JoystickError(UserError):
    """A joystick cannot be used."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Which axis does what.

    `steering`: right is positive. Where `brake_axis` is None, `throttle_axis` does both: up
    (negative) is forwards, down backwards. Else both are pedals, FULL at rest and -FULL when
    pressed. `brake_button` brakes, `reverse_button` makes the throttle pedal push backwards.
    `dead_zone` is the share of each axis about its rest that counts for nothing.
    """

    steering_axis: int = 0
    throttle_axis: int = 1
    brake_axis: int | None = None
    brake_button: int = 0
    reverse_button: int = 1
    dead_zone: float = 0.08


GAMEPAD = Layout()
WHEEL = Layout(steering_axis=0, throttle_axis=2, brake_axis=3, dead_zone=0.02)
LAYOUTS = {"gamepad": GAMEPAD, "wheel": WHEEL}


class Joystick:
    """A joystick as controls.

    Until something has been moved, and when the device is gone, it wants the car to halt. (A
    joystick that is held still says nothing, so that silence means nothing here.)

    Args:
        path: of the device.
        layout: which axis does what.

    Raises:
        JoystickError: the device cannot be opened.
    """

    help = "the joystick drives; Ctrl-C ends"

    def __init__(self, path: str, layout: Layout) -> None:
        try:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        except OSError as error:
            raise JoystickError(f"cannot open the joystick {path}: {error.strerror}") from error
        self._layout = layout
        self._axes: dict[int, float] = {}
        self._buttons: dict[int, bool] = {}
        self._rest = b""
        self._is_touched = False
        self.is_over = False

    def fileno(self) -> int:
        """The descriptor, to wait for events with `select`."""
        return self._descriptor

    def read(self, now: float) -> Wish:
        """What the driver wants, after all events so far."""
        for value, kind, number in self._events():
            self._take(value, kind, number)
        if self.is_over or not self._is_touched:
            return HALT
        layout = self._layout
        steering = -self._axis(layout.steering_axis)
        if self._buttons.get(layout.brake_button, False):
            return Wish(steering, brake=1.0)
        if layout.brake_axis is None:
            return Wish(steering, push=-self._axis(layout.throttle_axis))
        push = self._pedal(layout.throttle_axis)
        if self._buttons.get(layout.reverse_button, False):
            push = -push
        return Wish(steering, push, self._pedal(layout.brake_axis))

    def close(self) -> None:
        """Closes the device."""
        os.close(self._descriptor)

    def _take(self, value: int, kind: int, number: int) -> None:
        if not kind & INITIAL:
            self._is_touched = True
        if kind & ~INITIAL == AXIS:
            self._axes[number] = max(value / FULL, -1.0)
        elif kind & ~INITIAL == BUTTON:
            self._buttons[number] = bool(value)

    def _axis(self, number: int) -> float:
        """-1 to 1, with the dead zone taken out of the middle."""
        value = self._axes.get(number, 0.0)
        share = max(abs(value) - self._layout.dead_zone, 0.0) / (1.0 - self._layout.dead_zone)
        return share if value > 0.0 else -share

    def _pedal(self, number: int) -> float:
        """0 at rest to 1 pressed, with the dead zone taken off the rest."""
        pressed = 0.5 - 0.5 * self._axes.get(number, 1.0)
        return max(pressed - self._layout.dead_zone, 0.0) / (1.0 - self._layout.dead_zone)

    def _events(self) -> Iterator[tuple[int, int, int]]:
        more, is_gone = read_waiting(self._descriptor)
        self.is_over = self.is_over or is_gone
        data = self._rest + more
        whole = len(data) - len(data) % EVENT.size
        self._rest = data[whole:]
        for _, value, kind, number in EVENT.iter_unpack(data[:whole]):
            yield value, kind, number
