"""Messages to and from the process that writes a record."""

from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

from autosim.records.record_format import RecordedFile


class RingEntry(IntEnum):
    """Type of an entry of the ring."""

    STATE = 1
    """A bitstream of the tree."""
    EVENT = 2
    """A pickled event."""
    RESULT = 3
    """A pickled dictionary of texts: the last."""
    ABOUT = 4
    """The pickled layout of the states (as `tree_to_bytes`) and `RunMetadata`: the first."""
    EVENTS = 5
    """A block of events, as `CommandLog` packs them."""
    PICTURE = 6
    """A pickled `RecordedPicture`, in the ring of the pictures."""


@dataclass(frozen=True, slots=True)
class WriteOrder:
    """The first message, with the descriptors of both rings and of a socket to the simulation.

    `files`: those of the world, and its user programs.
    """

    path: Path
    """The file to write."""
    files: tuple[RecordedFile, ...]


@dataclass(frozen=True, slots=True)
class WriterReady:
    """The file can be written."""


@dataclass(frozen=True, slots=True)
class WriterDone:
    """The file is complete; the numbers of states and events in it.

    So many pictures and clouds were `dropped`, and are not in the file beside it. `failure`: why
    that is not whole, "" where it is.
    """

    states: int
    events: int
    bytes: int
    """Uncompressed size of the states and events [bytes]."""
    dropped: int = 0
    failure: str = ""


@dataclass(frozen=True, slots=True)
class WriterFailed:
    """The record ends: why, in words."""

    reason: str
    """One line for the user."""
