"""The output of a user program on a client, passed on and reported by lines."""

import os
import select
import threading
from collections.abc import Callable

from autosim.helper_processes.nonblocking_output import NonBlockingWriter
from autosim.helper_processes.printed_lines import PrintedLines

_CHUNK_BYTES = 1 << 16
"""Number of bytes that are read at once: as many as a pipe of Linux holds."""

_MAX_LINES = 100
"""Number of lines in a second that are reported: more than a user can follow."""

_MAX_CHARACTERS = 20_000
"""Number of characters of a line that are reported, as of a message of a server."""


class OutputRelay:
    """Passes the output of a program on to this process's own, and reports its lines.

    Args:
        report: called with each line, in another thread.

    `ends`: the descriptors to print to; `release` closes them here, once the program has them.
    """

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        pipes = [os.pipe(), os.pipe()]
        self.ends = pipes[0][1], pipes[1][1]
        self._thread = threading.Thread(
            target=self._read,
            args=([reader for reader, _ in pipes],),
            name="autosim-program-output",
            daemon=True,
        )
        self._thread.start()

    def release(self) -> None:
        """Closes the ends to print to; the output is over when the program has closed its own."""
        for each in self.ends:
            os.close(each)

    def _read(self, readers: list[int]) -> None:
        sources = {
            reader: (NonBlockingWriter(own), PrintedLines(_MAX_LINES, _MAX_CHARACTERS))
            for own, reader in enumerate(readers, start=1)
        }
        while sources:
            ready, _, _ = select.select(list(sources), [], [])
            for reader in ready:
                writer, lines = sources[reader]
                data = os.read(reader, _CHUNK_BYTES)
                writer.put(data)
                for line in lines.take(data):
                    self._report(line)
                if not data:
                    writer.close()
                    os.close(reader)
                    del sources[reader]
