"""What a simulation and the process that writes its record say to each other."""

from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from autosim.records.contents import About, RecordedFile


class Entry(IntEnum):
    """What an entry of the ring is."""

    STATE = 1
    """A bitstream of the tree."""
    EVENT = 2
    """A pickled event."""
    RESULT = 3
    """A pickled dictionary of texts: the last."""


@dataclass(frozen=True, slots=True)
class WriteOrder:
    """The first message, with the descriptor of the ring.

    `tree` in the form of `tree_to_bytes`; `files`: those of the world, each with its content, or
    where to read it.
    """

    path: Path
    tree: bytes
    about: About
    files: tuple[RecordedFile, ...]


@dataclass(frozen=True, slots=True)
class Opened:
    """The file is there and the process takes entries."""


@dataclass(frozen=True, slots=True)
class Written:
    """The file is complete; so many states and events are in it."""

    states: int
    events: int
    bytes: int


@dataclass(frozen=True, slots=True)
class NotWritten:
    """The record ends: why, in words."""

    reason: str
