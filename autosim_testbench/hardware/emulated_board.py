"""An Arduino Uno that simavr emulates, stepped by the bench, with sensors on its pins.

The program `board` of `firmware/` is a separate process: simavr is licensed under the GPL, and
no part of it belongs to AutoSim. It runs for the requested number of microseconds, so the same
orders make the same bytes.
"""

import math
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from autosim.errors import UserError
from autosim_testbench.hardware.firmware import built_folder, image_of

_ORDER, _COUNT = struct.Struct("<IIhhH"), struct.Struct("<H")

_ECHO_US_PER_METRE = 2e6 / 343.0
"""Width of the echo for each metre [µs/m]: there and back at 343 m/s, in air of 20 °C."""

_FARTHEST = 4.0
"""[m] as far as an HC-SR04 measures, by its data sheet."""

_FIELD_COUNTS = 500
"""Horizontal field of the earth in counts of the compass: 0.46 of 1090 counts a gauss."""

_MICROSECONDS = 1_000_000
"""Microseconds in a second [µs/s]: an order counts in whole ones."""


@dataclass(frozen=True, slots=True)
class Pins:
    """Input of a board's sensors: a distance [m], a heading [rad] from north."""

    distance: float = math.inf
    heading: float = 0.0


@dataclass(frozen=True, slots=True)
class BoardOutput:
    """Output of a board: over its serial port, and to the motor controller."""

    serial: bytes
    motors: bytes
    """Bytes to the motor controller."""


class EmulatedBoard:
    """A board's process.

    Args:
        firmware: the name of a sketch, such as `range_finder`.
        folder: where it and the board have been built; else where they are by default.

    Raises:
        UserError: it has not been built.
    """

    def __init__(self, firmware: str, folder: Path | None = None) -> None:
        folder = folder or built_folder()
        image, program = image_of(firmware, folder), folder / "board"
        if not program.exists():
            raise UserError(
                f"there is no {program}, the emulated board: autosim testbench board build makes "
                "it, or says what that needs"
            )
        self._process = subprocess.Popen(
            [str(program), str(image)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def run(self, seconds: float, pins: Pins, serial: bytes = b"") -> BoardOutput:
        """Runs the board.

        Args:
            seconds: duration, in whole microseconds.
            pins: input of its sensors meanwhile.
            serial: input over its serial port.

        Raises:
            UserError: the firmware has crashed.
        """
        is_near = pins.distance <= _FARTHEST
        echo = round(pins.distance * _ECHO_US_PER_METRE) if is_near else 0
        along, left = math.cos(pins.heading), math.sin(pins.heading)
        field = round(_FIELD_COUNTS * along), round(_FIELD_COUNTS * left)
        order = _ORDER.pack(round(seconds * _MICROSECONDS), echo, *field, len(serial))
        try:
            self._input.write(order + serial)
            self._input.flush()
            return BoardOutput(self._read(), self._read())
        except (BrokenPipeError, struct.error):
            code = self._process.wait()
            raise UserError(f"the emulated board has ended with exit code {code}") from None

    def close(self) -> None:
        """Ends the process."""
        if not self._input.closed:
            self._input.close()
        self._process.wait()
        self._output.close()

    @property
    def _input(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def _output(self) -> IO[bytes]:
        assert self._process.stdout is not None
        return self._process.stdout

    def _read(self) -> bytes:
        (count,) = _COUNT.unpack(self._output.read(_COUNT.size))
        return self._output.read(int(count))
