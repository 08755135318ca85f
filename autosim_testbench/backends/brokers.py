"""Brokers that a bench starts for itself: on this machine alone, and gone with the bench."""

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from autosim.helper_processes.scratch_folder import ScratchFolder
from autosim_testbench.backends.backend import BackendError

_START_SECONDS = 60.0
"""Longest time [s] for a broker to start: RabbitMQ needs 7 s on a quiet machine."""

_END_SECONDS = 10.0
"""Longest time [s] for a broker to end before it is killed."""

_FOLDERS = "/usr/lib/rabbitmq/bin:/usr/sbin"
"""Folders of brokers on Debian: its rabbitmq-server in the PATH changes to its own user."""

_PAUSE_SECONDS = 0.05
"""Interval [s] between checks whether a broker answers."""


def free_port() -> int:
    """A free port of the loopback interface."""
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        port: int = opened.getsockname()[1]
        return port


def require_program(name: str, install: str) -> str:
    """The path of a program.

    Raises:
        BackendError: it is not installed; with the command `install` that does it.
    """
    path = shutil.which(name, path=_FOLDERS) or shutil.which(name)
    if path is None:
        raise BackendError(f"{name} is not installed: {install}")
    return path


class Broker:
    """A broker's process, and the folder of its files, which only its owner may enter.

    Args:
        name: of the broker, for messages.
        command: makes the command line from the folder.
        environment: makes what is added to the environment from the folder.
        is_ready: whether it answers; asked until it says so.
    """

    def __init__(
        self,
        name: str,
        command: Callable[[Path], Sequence[str]],
        *,
        is_ready: Callable[[Path], bool],
        environment: Callable[[Path], Mapping[str, str]] = lambda _: {},
    ) -> None:
        self._name, self._command = name, command
        self._environment, self._is_ready = environment, is_ready
        self._scratch = ScratchFolder("broker")
        self.folder = self._scratch.path
        self.secret = secrets.token_urlsafe(16)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it and waits until it answers.

        Raises:
            BackendError: it ends, or does not answer in time; with what it said last.
        """
        log = self.folder / "log"
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                self._command(self.folder),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env={**os.environ, **self._environment(self.folder)},
                start_new_session=True,
            )
        deadline = time.monotonic() + _START_SECONDS
        while not self._is_ready(self.folder):
            if self._process.poll() is not None or time.monotonic() > deadline:
                said = log.read_text(errors="replace").strip().splitlines()
                self.close()
                raise BackendError(f"{self._name} does not start: {' '.join(said[-3:])}")
            time.sleep(_PAUSE_SECONDS)

    def stop(self) -> None:
        """Ends its process; its files stay."""
        if self._process:
            self._process.terminate()
            try:
                self._process.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None

    def kill(self) -> None:
        """Ends its process at once, as a crash does; its files stay."""
        if self._process:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def close(self) -> None:
        """Ends it and removes its files."""
        self.stop()
        self._scratch.close()


def answers(port: int) -> bool:
    """Whether something listens at a port of the loopback interface."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1.0):
        return True
    return False
