"""Printing that never blocks: a thread writes, and drops output that is not read.

A terminal that is stopped (Ctrl-S), or an unread pipe, takes nothing more, and a plain write to it
blocks for ever.
"""

import os
import select
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
"""Time [s] between two reads while the output is not taken: a program that prints without end then
costs no processor time."""

_CLOSE_SECONDS = 1.0
"""Longest time [s] to write what is left at the end: a stopped terminal delays no process."""


Hear = Callable[[bytes], None]
"""Takes what has been printed; nothing at the end."""


def _ignore(data: bytes) -> None:
    pass


class NonBlockingWriter:
    """Writes to a descriptor, in its own thread. Its methods may be called from any thread.

    Args:
        descriptor: of a terminal, a pipe or a file; it stays the caller's.
        most_bytes: that may wait; what comes after is dropped, which is reported once there is
            room.
        most_file_bytes: that are written where it is of a file; what comes after is dropped, which
            its last line reports.
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
                # A pipe without a reader, a terminal that is gone: there is no one to notify.
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
        """The next output to write; nothing at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_closing)
            if not self._waiting:
                return b""
            data = self._waiting.popleft()
            self._bytes -= len(data)
            dropped, self._dropped = self._dropped, 0
            if dropped:
                # What was dropped came after all that waits.
                self._waiting.append(b"... %d bytes of output dropped: it was not read\n" % dropped)
            return data


_FULL = b"\n... the log file is full: all further output is left out\n"


def _is_file(descriptor: int) -> bool:
    try:
        return stat.S_ISREG(os.fstat(descriptor).st_mode)
    except OSError:  # it is closed
        return False


class ProgramOutput:
    """Passes on what a process and the programs that it starts print; none waits for a terminal.

    One thread reads all pipes.

    Args:
        process: whose output and error output are pipes.
        hears: of each of the two, called in that thread with what is printed, and with nothing at
            the end.
    """

    def __init__(
        self, process: "subprocess.Popen[bytes]", *, hears: tuple[Hear, Hear] = (_ignore, _ignore)
    ) -> None:
        assert process.stdout is not None
        assert process.stderr is not None
        self._outlets = (NonBlockingWriter(_OUTPUT), NonBlockingWriter(_ERROR_OUTPUT))
        self._sources: dict[int, tuple[NonBlockingWriter, Hear]] = {}
        self._poll = select.epoll()
        self._bell = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._poll.register(self._bell, select.EPOLLIN)
        self._is_closing, self._closing = False, threading.Lock()
        pipes = (process.stdout, process.stderr)
        self.add((os.dup(pipes[0].fileno()), os.dup(pipes[1].fileno())), hears)
        for pipe in pipes:
            pipe.close()
        self._pump = threading.Thread(target=self._read_all, name="autosim-pump", daemon=True)
        self._pump.start()

    def add(self, descriptors: tuple[int, int], hears: tuple[Hear, Hear]) -> None:
        """Passes on what comes through two more pipes.

        Args:
            descriptors: of the ends of a program's output and error output; closed at their end.
            hears: as for the process itself.
        """
        for descriptor, outlet, hear in zip(descriptors, self._outlets, hears, strict=True):
            self._sources[descriptor] = (outlet, hear)
            self._poll.register(descriptor, select.EPOLLIN)

    def close(self) -> None:
        """Passes on what is left, once the process has ended; waits for that, but not for long.

        What it has started may live on and hold the pipes open.
        """
        with self._closing:
            if self._bell < 0:
                return
            self._is_closing = True
            os.eventfd_write(self._bell, 1)
            self._pump.join(_CLOSE_SECONDS)
            if not self._pump.is_alive():
                # Its number may be that of another file from now on.
                os.close(self._bell)
                self._bell = -1
        for outlet in self._outlets:
            outlet.close()

    def _read_all(self) -> None:
        while self._sources or not self._is_closing:
            for descriptor, _ in self._poll.poll():
                if descriptor == self._bell:
                    os.eventfd_read(self._bell)
                else:
                    self._read(descriptor)
        self._poll.close()

    def _read(self, descriptor: int) -> None:
        outlet, hear = self._sources[descriptor]
        data = os.read(descriptor, _CHUNK_BYTES)
        if not data:
            del self._sources[descriptor]
            # Closing is not enough: a forked process may have the same end of the pipe.
            self._poll.unregister(descriptor)
            os.close(descriptor)
        else:
            outlet.put(data)
        hear(data)
        if outlet.is_full:
            time.sleep(_PAUSE_SECONDS)


class OutputPump:
    """Passes one stream of a process's output on to a descriptor, as an `NonBlockingWriter` writes.

    Args:
        source: the end of a pipe, closed once the other end is.
        descriptor: of a terminal, a pipe or a file; it stays the caller's.
        hear: called, in another thread, with what is read.
        most_file_bytes: see `NonBlockingWriter`.
    """

    def __init__(
        self,
        source: IO[bytes] | IO[str],
        descriptor: int,
        *,
        hear: Callable[[bytes], None] = lambda data: None,
        most_file_bytes: int = MOST_FILE_BYTES,
    ) -> None:
        self._outlet = NonBlockingWriter(descriptor, most_file_bytes=most_file_bytes)
        self._thread = threading.Thread(
            target=_pump, args=(source, self._outlet, hear), name="autosim-pump", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Passes on what is left, once the process has ended; waits for that, but not for long."""
        self._thread.join(_CLOSE_SECONDS)
        self._outlet.close()


def _pump(
    source: IO[bytes] | IO[str], outlet: NonBlockingWriter, hear: Callable[[bytes], None]
) -> None:
    with source:
        while data := os.read(source.fileno(), _CHUNK_BYTES):
            outlet.put(data)
            hear(data)
            if outlet.is_full:
                time.sleep(_PAUSE_SECONDS)
