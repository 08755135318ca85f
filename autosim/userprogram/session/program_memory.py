"""What a user program remembers at the moments of a simulation that it can go back to.

A program in a process of its own, with one thread, is copied as a whole: a copy of its process
sleeps at each moment. When the simulation goes back, the copy makes another copy of itself, which
goes on with the program's channel to the simulation, and the process that had it stands still. Of
any other program only what it gives for a moment is kept.
"""

import os
import pickle
import signal
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any, NoReturn
from uuid import uuid4

_WAKE, _DROP = b"wake", b"drop"
"""What a sleeping copy is told."""

_WORD_BYTES = 16
"""Number of bytes that one read takes: more than any such word has."""


class ProgramMemory:
    """Copies of a program, or of what it remembers, by the names of moments.

    Args:
        may_copy: the process runs this program and nothing else.
        end_with_parent: called first in each copy, which is to end with the process that made it.

    `save` gives what the program remembers now, `load` takes what it remembered at a moment, None
    where that is not known. They are called while the program waits.
    """

    def __init__(
        self, *, may_copy: bool = False, end_with_parent: Callable[[], None] = lambda: None
    ) -> None:
        self.save: Callable[[], Any] = lambda: None
        self.load: Callable[[Any], None] = lambda saved: None
        self._may_copy, self._end_with_parent = may_copy, end_with_parent
        self._key = uuid4().hex
        self._kept: dict[str, bytes] = {}

    def keep(self, name: str) -> None:
        """Keeps this moment. Returns once here, and in a copy each time that it is gone back to."""
        self._kept[name] = pickle.dumps(self.save(), protocol=pickle.HIGHEST_PROTOCOL)
        if self._may_copy and threading.active_count() == 1:
            self._copy(name)

    def restore(self, name: str) -> None:
        """Goes back to a moment: in a copy, which takes the place of this process; or else here."""
        if self._tell(name, _WAKE):
            _stand_still()
        self._load(name)

    def drop(self, name: str) -> None:
        """Forgets a moment."""
        self._kept.pop(name, None)
        self._tell(name, _DROP)

    def _load(self, name: str) -> None:
        kept = self._kept.get(name)
        self.load(None if kept is None else pickle.loads(kept))

    def _copy(self, name: str) -> None:
        inbox = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        inbox.bind(self._address(name))
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        try:
            pid = os.fork()
        except OSError:
            inbox.close()  # no room for another process: what the program gives is kept
            return
        if pid:
            inbox.close()
            return
        self._end_with_parent()
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while inbox.recv(_WORD_BYTES) == _WAKE:
            if os.fork() == 0:
                self._end_with_parent()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                inbox.close()
                self._load(name)
                return
        os._exit(0)

    def _tell(self, name: str, word: bytes) -> bool:
        """Tells the copy of a moment something; whether there is one."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as outlet:
            try:
                outlet.sendto(word, self._address(name))
            except OSError:
                return False
        return True

    def _address(self, name: str) -> bytes:
        """In the kernel's own name space, which no file system holds."""
        return f"\0autosim-{self._key}-{name.encode().hex()[:40]}".encode()


def _stand_still() -> NoReturn:
    """For a process that others have come from: they end with it."""
    while True:
        signal.pause()
