"""The motor controller of the real rover: its commands, and the wheel directions they encode.

A Sabertooth in its mode "simplified serial" takes a byte for each motor: 1 to 127 for motor 1, of
which 64 stops it, and 128 to 255 for motor 2, of which 192 stops it. The thesis' table 5 has 63 and
191 as stops; the manual's values are used here. Motor 1 is the right wheels, motor 2 the left ones.
"""

from autosim_testbench.messages.kinds import WheelCommand
from autosim_testbench.messages.serial_object import MessageField, SerialObject
from autosim_testbench.nodes.reality import SingleValued

STOPS = (64, 192)
"""Bytes that stop motor 1 and motor 2."""

_REACH = 63
"""Steps from stop to full speed, either way."""

_NO_BYTE = 0
"""The byte that stops both motors; also the value before the first command to a motor."""


class SabertoothBytes(SerialObject):
    """Last command to a Sabertooth motor controller: a byte for each of its motors."""

    motors = MessageField("uint8", shape=(2,), about="motor 1, motor 2; 0 before the first command")


def sabertooth_bytes(left: int, right: int) -> bytes:
    """Command of a Sabertooth for wheels that go ahead (1), stop (0) or go back (-1)."""
    stop_1, stop_2 = STOPS
    return bytes((stop_1 + _REACH * right, stop_2 + _REACH * left))


def wheels_of(motor_1: int, motor_2: int) -> tuple[int, int]:
    """Directions of the left and the right wheels (-1, 0 or 1) after these two bytes."""
    stop_1, stop_2 = STOPS
    return _direction(motor_2, stop_2), _direction(motor_1, stop_1)


def _direction(byte: int, stop: int) -> int:
    return 0 if byte == _NO_BYTE else (byte > stop) - (byte < stop)


class Sabertooth(SingleValued[WheelCommand, SabertoothBytes]):
    """Converts a command for the wheels to the bytes for a real rover's motor controller."""

    def create_objects(self) -> None:
        """Makes the objects."""
        self.input, self.output = WheelCommand(), SabertoothBytes()

    def convert(self) -> None:
        """A byte for each motor."""
        self.output.motors = list(sabertooth_bytes(self.input.left, self.input.right))
