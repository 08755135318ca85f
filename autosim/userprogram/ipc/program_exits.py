"""Exit of a user program, for its host and for messages."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProgramExit:
    """A program that takes part no longer.

    `reason` is one line for messages; `traceback` the program's own frames, "" where there are
    none. `has_failed` is false where its `main` returned. `driven`: the robots that have no driver
    now because it has left; a program that only looked on leaves none. `lists`: those that it has
    published.
    """

    program: str
    robot: str
    """Name of the robot that it was started for."""
    reason: str
    traceback: str = ""
    has_failed: bool = True
    driven: tuple[str, ...] = ()
    lists: tuple[str, ...] = ()
