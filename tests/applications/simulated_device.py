"""A simulated event device: a named pipe that speaks as the kernel does, and is asked as it is."""

import os
import struct
from pathlib import Path

import pytest

from autosim.applications.driving import event_device
from autosim.applications.driving.event_device import AXIS, EVENT, KEY, SYNCHRONISATION


class SimulatedDevice:
    """What stands behind `path`, in place of a driver in the kernel.

    Args:
        path: where it shall be.
        name: what it calls itself.
        axes: lowest and highest value of each axis, by its code; `values` are those of now.
        buttons: the codes of its buttons; `pressed` those that are pressed now.
    """

    def __init__(
        self,
        path: Path,
        *,
        name: str = "Simulated Stick",
        axes: dict[int, tuple[int, int]],
        buttons: set[int] = frozenset(),  # type: ignore[assignment]
    ) -> None:
        os.mkfifo(path)
        self.path = str(path)
        self.values = dict.fromkeys(axes, 0)
        self.pressed: set[int] = set()
        self._name, self._axes, self._buttons = name, axes, buttons
        self._writer = os.open(path, os.O_RDWR)

    def answer_in(self, patch: pytest.MonkeyPatch) -> None:
        """Answers the questions that go to its pipe."""
        patch.setattr(event_device, "ioctl", self._ioctl)

    def move(self, axis: int, value: int) -> None:
        """An axis has another value."""
        self.values[axis] = value
        self.write(AXIS, axis, value)

    def press(self, button: int, *, is_down: bool = True) -> None:
        """A button goes down, or up."""
        (self.pressed.add if is_down else self.pressed.discard)(button)
        self.write(KEY, button, int(is_down))

    def write(self, kind: int, code: int, value: int) -> None:
        """An event and its end, as drivers send them."""
        for event in ((kind, code, value), (SYNCHRONISATION, 0, 0)):
            os.write(self._writer, EVENT.pack(1_800_000_000, 42, *event))

    def write_bytes(self, data: bytes) -> None:
        """Something that may be less than an event."""
        os.write(self._writer, data)

    def pull_out(self) -> None:
        """The device is gone."""
        os.close(self._writer)

    def _ioctl(self, descriptor: int, request: int, answer: bytearray) -> int:
        direction, size, kind = request >> 30, request >> 16 & 0x3FFF, request >> 8 & 0xFF
        assert (direction, kind, size) == (2, ord("E"), len(answer))
        assert os.fstat(descriptor).st_ino == os.fstat(self._writer).st_ino
        data = self._tell(request & 0xFF)
        answer[: len(data)] = data
        return len(data)

    def _tell(self, number: int) -> bytes:
        if number == 0x06:
            return self._name.encode()
        if number == 0x18:
            return _bits(self.pressed)
        if number == 0x20 + KEY:
            return _bits(self._buttons)
        if number == 0x20 + AXIS:
            return _bits(set(self._axes))
        low, high = self._axes[number - 0x40]
        return struct.pack("6i", self.values[number - 0x40], low, high, 0, 0, 0)


def _bits(numbers: set[int]) -> bytes:
    return sum(1 << number for number in numbers).to_bytes(
        max(numbers, default=0) // 8 + 1, "little"
    )
