"""The log of a run's commands from its first step on: with it any step can be simulated again."""

import pickle
import zlib
from collections.abc import Iterator

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

    @property
    def bytes(self) -> int:
        """Memory that it takes [bytes], compressed."""
        return self._bytes

    def add(self, event: Event) -> None:
        """Adds the newest event."""
        if not self.is_complete:
            return
        self._open.append(event)
        if len(self._open) < _BLOCK:
            return
        block = zlib.compress(pickle.dumps(self._open, protocol=pickle.HIGHEST_PROTOCOL), 1)
        self._open = []
        self._blocks.append(block)
        self._bytes += len(block)
        if self._bytes > MOST_BYTES:
            self.is_complete = False
            self._blocks.clear()

    def events(self) -> Iterator[Event]:
        """All events so far."""
        for block in self._blocks:
            yield from pickle.loads(zlib.decompress(block))
        yield from self._open
