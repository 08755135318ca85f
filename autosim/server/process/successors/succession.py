"""State that the front keeps for the process that follows a retired simulation process."""

import contextlib
import os
import signal

from autosim.helper_processes.process_socket import ControlSocket


class Succession:
    """File descriptors that are reserved for a process that follows, and the handle of that one."""

    def __init__(self) -> None:
        self._connection: tuple[ControlSocket, ControlSocket] | None = None
        self._spare = self._process = -1

    @property
    def has_process(self) -> bool:
        """Whether a process has followed."""
        return self._process >= 0

    def reserve(self) -> None:
        """Opens what the process that follows needs, while an order can still be refused.

        Raises:
            OSError: too many files are open.
        """
        self._connection = ControlSocket.pair()
        try:
            self._spare = os.open(os.devnull, os.O_RDONLY)
        except OSError:
            self.release()
            raise

    def release(self) -> None:
        """Closes the reserved connection, unless it was taken."""
        for each in self._connection or ():
            each.close()
        self._connection = None

    def take_connection(self) -> tuple[ControlSocket, ControlSocket]:
        """The reserved connection: the front's end and the process's."""
        if self._connection is None:
            return ControlSocket.pair()
        taken, self._connection = self._connection, None
        return taken

    def follow(self, pid: int) -> None:
        """Takes a handle of the process that follows, in place of the reserved descriptor."""
        self.close()
        with contextlib.suppress(ProcessLookupError):  # its socket tells that it has ended
            self._process = os.pidfd_open(pid)

    def kill(self) -> None:
        """Ends the process that has followed."""
        if self._process >= 0:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._process, signal.SIGKILL)
        self.close()

    def close(self) -> None:
        """Closes the handle and the reserved descriptor."""
        for each in (self._process, self._spare):
            if each >= 0:
                os.close(each)
        self._process = self._spare = -1
