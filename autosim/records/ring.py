"""A ring in shared memory: one process puts entries into it, another takes them out.

Neither waits for the other while there is room, and no call of the system is made for an entry: the
reader looks some ten times a second. Where the ring is full the writer waits (`put`), and each such
wait is counted; or it leaves the entry out (`offer`), and counts that.
"""

import time
from collections.abc import Callable, Iterator

from autosim.userprogram.ipc.shared_memory import SharedMemory

_HEADER_BYTES = 64
"""Number of bytes before the entries: a line of the cache."""

_WRITTEN, _READ, _WAITS, _DONE, _FAILED, _DROPPED = range(6)
"""Words of the header: total bytes written and read; number of times the writer had to wait;
whether it has written the last entry; whether the reader accepts no more; number of dropped
entries."""

_ENTRY_WORDS = 2
"""Words before each entry: its kind, and its number of bytes."""

_PAUSE_SECONDS = 0.001
"""[s] between two looks for room in a full ring."""


class Ring:
    """The memory, for both ends.

    Args:
        memory: made by `create`, or the same opened elsewhere.
    """

    def __init__(self, memory: SharedMemory) -> None:
        self._memory = memory
        self._words = memory.memory[:_HEADER_BYTES].cast("q")
        self._data = memory.memory[_HEADER_BYTES:]
        self._capacity = len(self._data)

    @classmethod
    def create(cls, capacity: int) -> "Ring":
        """A new, empty ring for `capacity` bytes, a multiple of eight."""
        size = _HEADER_BYTES + capacity
        return cls(SharedMemory.create(size, "autosim-record", is_written_elsewhere=True))

    @classmethod
    def open(cls, descriptor: int) -> "Ring":
        """The ring of another process. Takes over `descriptor`."""
        return cls(SharedMemory.open(descriptor, is_written=True))

    @property
    def descriptor(self) -> int:
        """To hand to the other process."""
        return self._memory.fd

    @property
    def waits(self) -> int:
        """Number of waits of the writer for room."""
        return int(self._words[_WAITS])

    @property
    def dropped(self) -> int:
        """Number of entries that were left out."""
        return int(self._words[_DROPPED])

    @property
    def is_half_full(self) -> bool:
        """Whether the reader is far behind."""
        return bool(2 * (self._words[_WRITTEN] - self._words[_READ]) > self._capacity)

    @property
    def is_done(self) -> bool:
        """Whether the writer puts nothing more into it."""
        return bool(self._words[_DONE])

    @property
    def has_failed(self) -> bool:
        """Whether the reader takes nothing more out of it."""
        return bool(self._words[_FAILED])

    def finish(self) -> None:
        """Says, as the writer, that nothing more comes."""
        self._words[_DONE] = 1

    def fail(self) -> None:
        """Says, as the reader, that nothing more is taken."""
        self._words[_FAILED] = 1

    def put(self, kind: int, data: bytes | memoryview, is_alive: Callable[[], bool]) -> bool:
        """Adds an entry; waits while there is no room.

        Args:
            kind: what the entry is, for the reader.
            data: its bytes.
            is_alive: asked while this waits: whether the reader is still there.

        Returns:
            whether it was added: not where the reader takes nothing more.
        """
        size = _size(data)
        if not self._has_room(size) and not self._wait(size, is_alive):
            return False
        self._add(kind, data)
        return True

    def offer(self, kind: int, data: bytes | memoryview) -> None:
        """Adds an entry where there is room for it, and never waits."""
        if self._has_room(_size(data)):
            self._add(kind, data)
        else:
            self._words[_DROPPED] += 1

    def _has_room(self, size: int) -> bool:
        return bool(self._words[_WRITTEN] + size - self._words[_READ] <= self._capacity)

    def _add(self, kind: int, data: bytes | memoryview) -> None:
        written = self._words[_WRITTEN]
        header = kind.to_bytes(8, "little") + len(data).to_bytes(8, "little")
        self._write(written, header)
        self._write(written + len(header), data)
        self._words[_WRITTEN] = written + _size(data)

    def take(self) -> Iterator[tuple[int, bytes]]:
        """The entries that are there, as (kind, bytes); each leaves room when the next is taken."""
        end = self._words[_WRITTEN]
        while self._words[_READ] < end:
            place = self._words[_READ]
            header = self._slice(place, 8 * _ENTRY_WORDS)
            kind, size = int.from_bytes(header[:8], "little"), int.from_bytes(header[8:], "little")
            yield kind, self._slice(place + 8 * _ENTRY_WORDS, size)
            self._words[_READ] = place + 8 * _ENTRY_WORDS + size + -size % 8

    def _wait(self, size: int, is_alive: Callable[[], bool]) -> bool:
        """Waits for room for `size` bytes; whether there is some."""
        if size > self._capacity:
            return False
        self._words[_WAITS] += 1
        while not self._has_room(size):
            if self.has_failed or not is_alive():
                return False
            time.sleep(_PAUSE_SECONDS)
        return True

    def _write(self, place: int, data: bytes | memoryview) -> None:
        first = place % self._capacity
        until_end = min(len(data), self._capacity - first)
        self._data[first : first + until_end] = data[:until_end]
        if until_end < len(data):
            self._data[: len(data) - until_end] = data[until_end:]

    def _slice(self, place: int, size: int) -> bytes:
        first = place % self._capacity
        piece = bytes(self._data[first : first + size])
        return piece + bytes(self._data[: size - len(piece)])


def _size(data: bytes | memoryview) -> int:
    """Size of an entry in the ring [bytes]."""
    return 8 * _ENTRY_WORDS + len(data) + -len(data) % 8
