"""Waits for the steps of a simulation that runs in processes of its own."""

import time

from autosim.client.link.failures import ConnectionLostError
from autosim.client.link.mirror import Mirror
from autosim.server.network.background import ServerProcess

LOAD_SECONDS = 300.0
"""Longest time [s] until the demo's town is compiled and loaded, with room for slow machines."""

STALL_SECONDS = 90.0
"""How long no step may come: more than a user program may take to its first wait."""

LISTEN_SECONDS = 0.25
"""How often it is looked whether the server has something to say, its end above all."""


def wait_for_step(mirror: Mirror, server: ServerProcess, step: int, *, timeout: float) -> None:
    """Waits until a state of `step` or later has come, and passes on what the server says.

    Raises:
        ServerError: the server has ended; the message says why.
        ConnectionLostError: no such state came within `timeout` [s].
    """
    connection, end = mirror.connection, time.monotonic() + timeout

    def has_come() -> bool:
        newest = connection.newest
        return newest is not None and newest.packet.step >= step

    while True:
        server.poll()
        left = end - time.monotonic()
        if connection.wait_until(has_come, min(max(left, 0.0), LISTEN_SECONDS)):
            return
        if left <= 0.0:
            connection.check()
            raise ConnectionLostError(f"no state of step {step} came within {timeout:g} s")
