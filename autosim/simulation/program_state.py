"""How a user program stands: one word for the server, the wire and the clients."""

from enum import IntEnum


class ProgramState(IntEnum):
    """How a user program stands (values as on the wire).

    WAITING: for its first turn, or to be started again. STOPPED: by itself, by somebody, or never
    started. DISABLED: it failed three times within a minute.
    """

    WAITING = 0
    RUNNING = 1
    STOPPED = 2
    FAILED = 3
    DISABLED = 4
