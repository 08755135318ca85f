"""The serial port of a real board: one that is unplugged and comes back is opened again."""

import contextlib
import os
import termios
import time
import tty
from pathlib import Path

from autosim.errors import UserError

_PORTS = ("ttyACM*", "ttyUSB*")
"""Names of serial ports over USB in Linux: of a board's own controller, and of an adapter."""

_RETRY_SECONDS = 0.5
"""Time [s] between two attempts to open a port that is gone."""

_CHUNK_BYTES = 4096
"""Number of bytes that are read at once: as many as the kernel keeps of a port."""


def ports() -> list[Path]:
    """The serial ports of this machine that may have a board."""
    return sorted(each for pattern in _PORTS for each in Path("/dev").glob(pattern))


def require_port(path: Path) -> None:
    """Looks whether a port can be opened.

    Raises:
        UserError: it is not there, or this user may not open it; with what to do.
    """
    if not path.exists():
        known = ", ".join(map(str, ports())) or "none"
        raise UserError(f"there is no port {path}; ports with a board may be: {known}")
    if not os.access(path, os.R_OK | os.W_OK):
        raise UserError(
            f"{path}: no permission to open this port. On Debian, join the group dialout: "
            "sudo adduser $USER dialout, then log in again"
        )


class SerialPort:
    """A port at 115200 baud, 8N1, without flow control.

    Attributes:
        is_open: whether the port is there.
        times_lost: how often it has gone.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = -1
        self._tried = -_RETRY_SECONDS
        self.times_lost = 0
        self._open()

    @property
    def is_open(self) -> bool:
        """Whether the port is there."""
        return self._descriptor >= 0

    def read(self) -> bytes:
        """The received bytes; none if the port is gone."""
        self._open()
        if not self.is_open:
            return b""
        try:
            if data := os.read(self._descriptor, _CHUNK_BYTES):
                return data
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        self._lose()  # a port that is there has bytes, or would have to wait for some
        return b""

    def write(self, data: bytes) -> None:
        """Sends bytes; they are lost where the port is gone."""
        self._open()
        if not self.is_open:
            return
        try:
            # Where the board takes nothing, what is sent next is newer.
            with contextlib.suppress(BlockingIOError):
                os.write(self._descriptor, data)
        except OSError:
            self._lose()

    def close(self) -> None:
        """Closes the port."""
        if self.is_open:
            os.close(self._descriptor)
            self._descriptor = -1

    def _open(self) -> None:
        if self.is_open or time.monotonic() < self._tried + _RETRY_SECONDS:
            return
        self._tried = time.monotonic()
        with contextlib.suppress(OSError):
            descriptor = os.open(self._path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
            try:
                tty.setraw(descriptor)
                settings = termios.tcgetattr(descriptor)
                settings[4] = settings[5] = termios.B115200
                termios.tcsetattr(descriptor, termios.TCSANOW, settings)
            except termios.error:
                os.close(descriptor)
                return
            self._descriptor = descriptor

    def _lose(self) -> None:
        self.close()
        self.times_lost += 1
