"""A board on its own, outside of a bench: a real one at a port, or an emulated one."""

import time
from pathlib import Path
from typing import Protocol

from autosim_testbench.hardware.emulated_board import BoardOutput, EmulatedBoard, Pins
from autosim_testbench.hardware.serial_port import SerialPort, require_port


class Board(Protocol):
    """Runs a sketch."""

    def run(self, seconds: float, pins: Pins, serial: bytes = b"") -> BoardOutput:
        """Runs the board for a time [s], and returns its output; see `EmulatedBoard.run`."""

    def close(self) -> None:
        """Releases the board."""


class RealBoard:
    """A board at a serial port; what its sensors have before them is not ours to say.

    Raises:
        UserError: the port is not there, or may not be opened.
    """

    def __init__(self, port: Path) -> None:
        require_port(port)
        self._port = SerialPort(port)

    def run(self, seconds: float, pins: Pins, serial: bytes = b"") -> BoardOutput:
        """Sends bytes, waits for a time [s], and gives what has come meanwhile."""
        if serial:
            self._port.write(serial)
        time.sleep(seconds)
        return BoardOutput(self._port.read(), b"")

    def close(self) -> None:
        """Closes the port."""
        self._port.close()


def open_board(sketch: str, port: Path | None) -> Board:
    """The board at a port; without one, an emulated board that runs `sketch`.

    Raises:
        UserError: it cannot be opened; with what to do.
    """
    return RealBoard(port) if port else EmulatedBoard(sketch)
