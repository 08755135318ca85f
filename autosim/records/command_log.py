"""The log of a run's commands from its first step on: with it any step can be simulated again."""

import pickle
import zlib
from collections.abc import Iterator, Sequence

from autosim.records.events import Event

MOST_BYTES = 256 * 1024 * 1024
"""Room [bytes] for the compressed log: more than a day of a robot that is commanded in each step at
240 steps a second. A longer run cannot be simulated again."""

_BLOCK = 256
"""Number of events that are compressed together: a fraction of a millisecond of work."""


class CommandLog:
    """Events in their order, compressed in blocks.

    `is_complete`: nothing of the run is missing.
    """

    def __init__(self, *, is_complete: bool = True) -> None:
        self.is_complete = is_complete
        self._blocks: list[bytes] = []
        self._bytes = 0
        self._open: list[Event] = []

    def add(self, event: Event) -> None:
        """Adds the newest event."""
        if not self.is_complete:
            return
        self._open.append(event)
        if len(self._open) < _BLOCK:
            return
        block = pack(self._open)
        self._open = []
        self._blocks.append(block)
        self._bytes += len(block)
        if self._bytes > MOST_BYTES:
            self.is_complete = False
            self._blocks.clear()

    def blocks(self) -> Iterator[bytes]:
        """All events so far, packed: a long log is not unpacked to hand it on."""
        yield from self._blocks
        yield pack(self._open)

    def events(self) -> Iterator[Event]:
        """All events so far."""
        for block in self._blocks:
            yield from unpack(block)
        yield from self._open


def pack(events: Sequence[Event]) -> bytes:
    """Events as bytes."""
    return zlib.compress(pickle.dumps(events, protocol=pickle.HIGHEST_PROTOCOL), 1)


def unpack(block: bytes) -> list[Event]:
    """The events that were packed."""
    events: list[Event] = pickle.loads(zlib.decompress(block))
    return events
