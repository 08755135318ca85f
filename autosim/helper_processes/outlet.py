"""Printing that never blocks: a thread writes, and drops what nobody reads.

A terminal that is stopped (Ctrl-S), or a pipe that nobody reads, takes nothing more, and a plain
write to it blocks for ever.
"""

import os
import stat
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import IO

MOST_WAITING_BYTES = 1_000_000
"""[bytes] that may wait for a terminal to take them; `docs/limits.md` tells this to users."""

MOST_FILE_BYTES = 256 * 1024 * 1024
"""[bytes] that go into a file where the output is redirected to one: a program that prints without
end must not fill the disk. `docs/limits.md` tells this to users."""

_OUTPUT, _ERROR_OUTPUT = 1, 2
"""Descriptors, as in every process."""

_CHUNK_BYTES = 64 * 1024
"""Number of bytes that are read at once of what programs print: as many as a pipe holds."""

_PAUSE_SECONDS = 0.02
"""Time [s] between two reads while nobody takes the output: a program that prints without end costs
no processor."""

_CLOSE_SECONDS = 1.0
"""Longest time [s] to write what is left at the end: a stopped terminal holds nobody up."""


class Outlet:
    """Writes to a descriptor, in a thread of its own. Its methods may be called from any thread.

    Args:
        descriptor: of a terminal, a pipe or a file; it stays the caller's.
        most_bytes: that may wait; what comes after is dropped, which is said once there is room.
        most_file_bytes: that are written where it is of a file; what comes after is dropped, which
            is said in its last line.
    """

    def __init__(
        self,
        descriptor: int,
        *,
        most_bytes: int = MOST_WAITING_BYTES,
        most_file_bytes: int = MOST_FILE_BYTES,
    ) -> None:
        self._descriptor = descriptor
        self._most_bytes = most_bytes
        self._file_room = most_file_bytes if _is_file(descriptor) else None
        self._waiting: deque[bytes] = deque()
        self._bytes = self._dropped = 0
        self._is_closing = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._write_all, name="autosim-output", daemon=True)
        self._thread.start()

    @property
    def is_full(self) -> bool:
        """Whether what comes now is dropped."""
        return self._bytes >= self._most_bytes

    def put(self, data: bytes) -> None:
        """Has `data` written, or drops it; never waits."""
        with self._changed:
            if self.is_full:
                self._dropped += len(data)
                return
            self._bytes += len(data)
            self._waiting.append(data)
            self._changed.notify_all()

    def close(self) -> None:
        """Waits until everything is written, but not for long."""
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
        self._thread.join(_CLOSE_SECONDS)

    def _write_all(self) -> None:
        while data := self._next():
            data = self._fitting(data)
            try:
                while data:
                    data = data[os.write(self._descriptor, data) :]
            except OSError:
                # A pipe without a reader, a terminal that is gone: there is nobody to tell.
                data = b""

    def _fitting(self, data: bytes) -> bytes:
        """The part of `data` that fits into the file, closed by a line if some does not fit."""
        if self._file_room is None:
            return data
        if self._file_room < 0:
            return b""
        kept, self._file_room = data[: self._file_room], self._file_room - len(data)
        if self._file_room >= 0:
            return kept
        self._file_room = -1
        return kept + _FULL

    def _next(self) -> bytes:
        """What is to be written next; nothing at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_closing)
            if not self._waiting:
                return b""
            data = self._waiting.popleft()
            self._bytes -= len(data)
            dropped, self._dropped = self._dropped, 0
            if dropped:
                # What was dropped came after all that waits.
                self._waiting.append(b"... %d bytes of output dropped: nobody read it\n" % dropped)
            return data


_FULL = b"\n... the log file is full: all further output is left out\n"


def _is_file(descriptor: int) -> bool:
    try:
        return stat.S_ISREG(os.fstat(descriptor).st_mode)
    except OSError:  # it is closed
        return False


class ProgramOutput:
    """What a process and all that it starts print, passed on so that they wait for no terminal.

    Args:
        process: whose output and error output are pipes.
        hear: called, in other threads, with what it prints.
    """

    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        *,
        hear: Callable[[bytes], None] = lambda data: None,
    ) -> None:
        assert process.stdout is not None
        assert process.stderr is not None
        self._pumps = (
            OutputPump(process.stdout, _OUTPUT, hear=hear),
            OutputPump(process.stderr, _ERROR_OUTPUT, hear=hear),
        )

    def close(self) -> None:
        """Passes on what is left, once the process has ended; waits for that, but not for long.

        What it has started may live on and hold the pipes open.
        """
        for pump in self._pumps:
            pump.close()


class OutputPump:
    """Passes one stream of a process's output on to a descriptor, as an `Outlet` writes.

    Args:
        source: the end of a pipe, closed once the other end is.
        descriptor: of a terminal, a pipe or a file; it stays the caller's.
        hear: called, in another thread, with what is read.
        most_file_bytes: see `Outlet`.
    """

    def __init__(
        self,
        source: IO[bytes] | IO[str],
        descriptor: int,
        *,
        hear: Callable[[bytes], None] = lambda data: None,
        most_file_bytes: int = MOST_FILE_BYTES,
    ) -> None:
        self._outlet = Outlet(descriptor, most_file_bytes=most_file_bytes)
        self._thread = threading.Thread(
            target=_pump, args=(source, self._outlet, hear), name="autosim-pump", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Passes on what is left, once the process has ended; waits for that, but not for long."""
        self._thread.join(_CLOSE_SECONDS)
        self._outlet.close()


def _pump(source: IO[bytes] | IO[str], outlet: Outlet, hear: Callable[[bytes], None]) -> None:
    with source:
        while data := os.read(source.fileno(), _CHUNK_BYTES):
            outlet.put(data)
            hear(data)
            if outlet.is_full:
                time.sleep(_PAUSE_SECONDS)
