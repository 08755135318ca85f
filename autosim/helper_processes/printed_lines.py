"""Printed bytes as lines for messages."""

import codecs
import re
import time
from collections.abc import Callable

_LINE_END = re.compile(r"\r\n|\r|\n")
_TOO_MANY = "… (more than {} lines in a second: the output itself has the rest)"


class PrintedLines:
    """Splits what one program prints into lines, as many in a second as anyone can follow.

    Args:
        max_lines: lines in a second; the rest is left out, which a line reports.
        max_characters: of a line, which is cut there.
        clock: gives the time [s]; of this, seconds are counted.
    """

    def __init__(
        self,
        max_lines: int,
        max_characters: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._max_lines, self._max_characters = max_lines, max_characters
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._clock = clock
        self._rest = ""
        self._second = clock()
        self._lines_of_second = 0

    def take(self, data: bytes) -> list[str]:
        """The lines that `data` completes, without blank ones; b"" completes the last one."""
        text = self._rest + self._decoder.decode(data, final=not data)
        *lines, self._rest = _LINE_END.split(text)
        if not data or len(self._rest) > self._max_characters:
            lines.append(self._rest)
            self._rest = ""
        return self._bounded([line for line in lines if line.strip()])

    def _bounded(self, lines: list[str]) -> list[str]:
        now, most = self._clock(), self._max_lines
        if now - self._second >= 1.0:
            self._second, self._lines_of_second = now, 0
        room = max(0, most - self._lines_of_second)
        was_full = self._lines_of_second > most
        self._lines_of_second += len(lines)
        if self._lines_of_second > most and not was_full:
            return [*lines[:room], _TOO_MANY.format(most)]
        return lines[:room]
