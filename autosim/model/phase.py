"""Phase of a simulation: the same words for the server, the wire and the clients."""

from enum import IntEnum


class Phase(IntEnum):
    """Phase of the simulation (values as on the wire)."""

    LOADING = 0
    READY = 1
    RUNNING = 2
    PAUSED = 3
    STOPPED = 4
    EMPTY = 5
    """No world is loaded: the server waits for one."""
