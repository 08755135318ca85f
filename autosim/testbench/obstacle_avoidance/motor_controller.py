"""The motor controller of the real rover: what it is told, and what that says of the wheels.

A Sabertooth in its mode "simplified serial" takes a byte for each motor: 1 to 127 for motor 1, of
which 64 stops it, and 128 to 255 for motor 2, of which 192 stops it. The thesis' table 5 has 63 and
191 as stops; the manual's values stand here. Motor 1 are the right wheels, motor 2 the left ones.
"""

from autosim.testbench.messages.kinds import WheelCommand
from autosim.testbench.messages.serial_object import MessageField, SerialObject
from autosim.testbench.nodes.reality import SingleValued

STOPS = (64, 192)
"""Bytes that stop motor 1 and motor 2."""

_REACH = 63
"""Steps from stop to full speed, either way."""

_NO_BYTE = 0
"""The byte that stops both motors; also what stands where a motor has been told nothing yet."""


class SabertoothBytes(SerialObject):
    """What a Sabertooth motor controller was told last: a byte for each of its motors."""

    motors = MessageField("uint8", shape=(2,), about="motor 1, motor 2; 0 before the first command")


def sabertooth_bytes(left: int, right: int) -> bytes:
    """What a Sabertooth is told to have wheels go ahead (1), stop (0) or go back (-1)."""
    stop_1, stop_2 = STOPS
    return bytes((stop_1 + _REACH * right, stop_2 + _REACH * left))


def wheels_of(motor_1: int, motor_2: int) -> tuple[int, int]:
    """How the left and the right wheels turn (-1, 0 or 1) after these two bytes."""
    stop_1, stop_2 = STOPS
    return _direction(motor_2, stop_2), _direction(motor_1, stop_1)


def _direction(byte: int, stop: int) -> int:
    return 0 if byte == _NO_BYTE else (byte > stop) - (byte < stop)


class Sabertooth(SingleValued[WheelCommand, SabertoothBytes]):
    """Turns a command for the wheels into what the motor controller of a real rover is told."""

    def create_objects(self) -> None:
        """Makes the objects."""
        self.input, self.output = WheelCommand(), SabertoothBytes()

    def convert(self) -> None:
        """A byte for each motor."""
        self.output.motors = list(sabertooth_bytes(self.input.left, self.input.right))
