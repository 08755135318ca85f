"""State of a user program: the same words for the server, the wire and the clients."""

from enum import IntEnum


class ProgramStatus(IntEnum):
    """State of a user program (values as on the wire).

    WAITING: for its first turn, or to be started again. STOPPED: it has ended, was stopped, or was
    never started. DISABLED: it failed three times within a minute.
    """

    WAITING = 0
    RUNNING = 1
    STOPPED = 2
    FAILED = 3
    DISABLED = 4
