"""Waits for the steps of a simulation that runs in processes of its own."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from autosim.applications.common.terminal import tell
from autosim.client.link.client_errors import ConnectionLostError
from autosim.client.link.connection import Connection
from autosim.client.link.mirror import Mirror
from autosim.server.network.server_process import ServerProcess

SILENCE_SECONDS = 90.0
"""Longest silence [s] of a server, or of a simulation process that neither computes nor answers,
before the wait ends. A world that loads, kernels that compile, and a program's turn are work."""

TELL_SECONDS = 30.0
"""Time [s] after which the reason of a wait is reported, and between two such lines."""

LISTEN_SECONDS = 0.25
"""Interval [s] between checks for messages of the server, above all its end."""


def wait_for_step(mirror: Mirror, server: ServerProcess, step: int) -> None:
    """Waits until a state of `step` or later has come, and passes on what the server says.

    It waits as long as the server lives and has work to do, however slow the machine is.

    Raises:
        ServerError: the server has ended; the message says why.
        ServerRefusedError: the server refuses this client.
        ConnectionLostError: the server or its simulation process does nothing.
    """
    connection = mirror.connection
    watch = ServerWatch(connection, step, now=time.monotonic)

    def has_come() -> bool:
        newest = connection.newest
        return newest is not None and newest.packet.step >= step

    while True:
        server.poll()
        if connection.wait_until(has_come, LISTEN_SECONDS):
            return
        connection.check_refusal()
        watch.look()


@dataclass(slots=True)
class ServerWatch:
    """Tells people what they wait for, and gives up on a server that does nothing.

    Attributes:
        connection: connection to the server.
        step: the step that is awaited.
        now: gives a monotonic time [s].
    """

    connection: Connection
    step: int
    now: Callable[[], float]
    _well_at: float = 0.0
    _told_at: float = 0.0

    def __post_init__(self) -> None:
        self._well_at = self._told_at = self.now()

    def look(self) -> None:
        """Checks once.

        Raises:
            ConnectionLostError: there has been trouble for `SILENCE_SECONDS`.
        """
        now, trouble = self.now(), self.connection.trouble
        if not trouble:
            self._well_at = now
        elif now - self._well_at > SILENCE_SECONDS:
            raise ConnectionLostError(f"no state of step {self.step} has come: {trouble}")
        if now - self._told_at > TELL_SECONDS:
            self._told_at = now
            tell(f"still waits for step {self.step}: {trouble or 'the server is at work'}")
