"""Processes that serve beside another one: they receive one order and end with their parent."""

import subprocess

from autosim.helper_processes.process_socket import ControlSocket
from autosim.helper_processes.start import start_python

_END_SECONDS = 5.0
"""Time [s] for a process to end in order before it is killed."""


class CompanionProcess:
    """A process of its own that serves until `close`, or until this process ends.

    Use as a context manager.

    Args:
        module: whose `main` is its whole life.
        order: sent to it first; anything that can be pickled.
    """

    def __init__(self, module: str, order: object) -> None:
        self._control, theirs = ControlSocket.pair()
        self._process = start_python(module, theirs)
        theirs.close()
        self._control.send(order)

    def close(self) -> None:
        """Ends the process and waits until it is gone."""
        self._control.close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> "CompanionProcess":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
