"""Linux's event devices, /dev/input/event*: joysticks, gamepads, steering wheels and pedals.

The numbers and records are those of linux/input.h and linux/input-event-codes.h, which do not
change from kernel to kernel.
"""

import os
import re
import struct
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from enum import IntEnum
from fcntl import ioctl
from pathlib import Path
from stat import S_ISFIFO

from autosim.applications.driving.driver_input import read_waiting
from autosim.errors import UserError

INPUT = Path("/dev/input")

EVENT = struct.Struct("@llHHi")
"""A `struct input_event`: seconds, microseconds, type, code, value."""

SYNCHRONISATION, KEY, AXIS = 0x00, 0x01, 0x03
"""Types of events, numbers of the kernel: EV_SYN, EV_KEY and EV_ABS."""

DROPPED = 3
"""Code of a synchronisation: events were lost because they were not read in time."""

_ABSOLUTE = struct.Struct("@6i")
"""A `struct input_absinfo`: value, minimum, maximum, fuzz, flat, resolution."""

_MOST_AXES, _MOST_KEYS = 0x40, 0x300
"""Number of codes of axes and of keys: ABS_CNT and KEY_CNT of the kernel."""

_NAME_BYTES = 256
"""Number of bytes that are asked for of a device's name; a longer one comes cut."""

_JOYSTICK_BUTTONS = frozenset({*range(0x120, 0x140), 0x150, 0x151})


class Axis(IntEnum):
    """The axes of controllers, ABS_… in linux/input-event-codes.h."""

    X = 0x00
    Y = 0x01
    Z = 0x02
    RX = 0x03
    RY = 0x04
    RZ = 0x05
    THROTTLE = 0x06
    RUDDER = 0x07
    WHEEL = 0x08
    GAS = 0x09
    BRAKE = 0x0A


class Button(IntEnum):
    """The buttons that mean something here, BTN_… in linux/input-event-codes.h."""

    TRIGGER = 0x120
    THUMB = 0x121
    SOUTH = 0x130
    EAST = 0x131
    GEAR_DOWN = 0x150


class JoystickError(UserError):
    """A joystick cannot be used."""


@dataclass(frozen=True, slots=True)
class DeviceChange:
    """An axis or a button (`kind` AXIS or KEY) of that `code` has another value now."""

    kind: int
    code: int
    value: int


class EventDevice:
    """An open device.

    A pipe that carries the events of a device, say of one at another machine, will do: it cannot
    be asked what it is, so its name is its path, and its axes and buttons are not known.

    Args:
        path: of the device.

    Attributes:
        name: what the device calls itself.
        ranges: lowest and highest value of each axis, by its code.
        buttons: the codes of its buttons.
        is_gone: whether it has been pulled out.

    Raises:
        JoystickError: it cannot be opened, or is not such a device.
    """

    def __init__(self, path: str) -> None:
        try:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        except PermissionError as error:
            raise JoystickError(
                f"cannot open the joystick {path}: you may not read it; members of the group "
                "'input' may (sudo usermod -aG input $USER, and log in again)"
            ) from error
        except OSError as error:
            raise JoystickError(f"cannot open the joystick {path}: {error.strerror}") from error
        name = self._read_name()
        if not name and not S_ISFIFO(os.fstat(self._descriptor).st_mode):
            os.close(self._descriptor)
            raise JoystickError(
                f"{path} is not a joystick: expected {INPUT}/event* or a named pipe"
            )
        self.name = name or path
        self.ranges = {
            axis: (minimum, maximum)
            for axis in self._list(AXIS, _MOST_AXES)
            for _, minimum, maximum, *_ in [self._ask_axis(axis)]
            if minimum < maximum
        }
        self.buttons = self._list(KEY, _MOST_KEYS)
        self.is_gone = False
        self._rest = b""

    def fileno(self) -> int:
        """The descriptor, to wait for events with `select`."""
        return self._descriptor

    @property
    def is_joystick(self) -> bool:
        """Whether one can drive by it."""
        has_axis = bool(self.ranges.keys() & {Axis.X, Axis.WHEEL})
        return has_axis and bool(self.buttons & _JOYSTICK_BUTTONS or Axis.GAS in self.ranges)

    def read(self) -> Iterator[DeviceChange]:
        """The changes since the last call."""
        more, is_gone = read_waiting(self._descriptor)
        self.is_gone = self.is_gone or is_gone
        data = self._rest + more
        whole = len(data) - len(data) % EVENT.size
        self._rest = data[whole:]
        for _, _, kind, code, value in EVENT.iter_unpack(data[:whole]):
            if (kind, code) == (SYNCHRONISATION, DROPPED):
                yield from self._read_all()
            elif kind in (AXIS, KEY):
                yield DeviceChange(kind, code, value)

    def close(self) -> None:
        """Closes the device."""
        os.close(self._descriptor)

    def _read_all(self) -> Iterator[DeviceChange]:
        """The current state of all axes and buttons, if events were lost."""
        for axis in self.ranges:
            yield DeviceChange(AXIS, axis, self._ask_axis(axis)[0])
        pressed = _bits(self._ask(0x18, _MOST_KEYS // 8))
        for button in self.buttons:
            yield DeviceChange(KEY, button, int(button in pressed))

    def _read_name(self) -> str:
        return self._ask(0x06, _NAME_BYTES).split(b"\0")[0].decode("utf-8", "replace")

    def _list(self, kind: int, most: int) -> frozenset[int]:
        return _bits(self._ask(0x20 + kind, most // 8))

    def _ask_axis(self, axis: int) -> tuple[int, ...]:
        return _ABSOLUTE.unpack(self._ask(0x40 + axis, _ABSOLUTE.size))

    def _ask(self, number: int, size: int) -> bytes:
        """The kernel's data on the device; zeros if it is not one, or is gone."""
        answer = bytearray(size)
        request = 2 << 30 | size << 16 | ord("E") << 8 | number  # _IOC(_IOC_READ, 'E', …)
        try:
            ioctl(self._descriptor, request, answer)
        except OSError:
            return bytes(size)
        return bytes(answer)


def find_joysticks() -> dict[str, str]:
    """The joysticks, gamepads and wheels of this machine: their names by their paths.

    Raises:
        JoystickError: there is none that may be read.
    """
    devices = sorted(INPUT.glob("event*"), key=lambda path: int(re.sub(r"\D", "", path.name)))
    readable = [str(path) for path in devices if os.access(path, os.R_OK)]
    found = {}
    for path in readable:
        with closing(EventDevice(path)) as device:
            if device.is_joystick:
                found[path] = device.name
    if found:
        return found
    hidden = len(devices) - len(readable)
    hint = f" ({hidden} devices may not be read: are you in the group 'input'?)" if hidden else ""
    raise JoystickError(f"there is no joystick, gamepad or wheel in {INPUT}{hint}")


def _bits(data: bytes) -> frozenset[int]:
    """The numbers of the bits that are set; the kernel's longs are little-endian here."""
    return frozenset(
        8 * index + bit for index, byte in enumerate(data) for bit in range(8) if byte >> bit & 1
    )
