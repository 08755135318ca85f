"""A wall clock of other processes that a test can set, as an administrator or NTP would."""

import struct
from pathlib import Path

_HOOK = """
import mmap, os, struct, time

with open({path!r}, "r+b") as file:
    _offset = mmap.mmap(file.fileno(), 8)

def _moved(clock, unit):
    return lambda: clock() + unit(struct.unpack("<d", _offset[:8])[0])

time.time = _moved(time.time, float)
time.time_ns = _moved(time.time_ns, lambda seconds: int(seconds * 1e9))
"""


class MovedClock:
    """The wall clock of the processes that find `folder` among their folders of modules.

    Args:
        folder: an empty one. Python imports `sitecustomize` from it when it starts.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self._file = folder / "offset"
        self._file.write_bytes(bytes(8))
        hook = _HOOK.format(path=str(self._file))
        (folder / "sitecustomize.py").write_text(hook)

    def set(self, seconds: float) -> None:
        """Sets the clock to `seconds` after the true time."""
        with self._file.open("r+b") as file:
            file.write(struct.pack("<d", seconds))
