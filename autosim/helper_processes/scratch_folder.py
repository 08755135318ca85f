"""Folders for files that a process needs for a while; a killed process leaves none for long.

The folder is locked as long as its process lives. The next process that makes one, and each server
that starts, removes those of the same user that are no longer locked.
"""

import fcntl
import os
import shutil
import stat
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path
from types import TracebackType

_PREFIX = "autosim-scratch-"
"""Beginning of the names of all such folders."""


class ScratchFolder:
    """A folder in the system's folder for temporary files, for this user only.

    It goes when it is closed, with this object, and with the process. Use as a context manager,
    which gives its path.

    Args:
        purpose: part of its name.
    """

    def __init__(self, purpose: str) -> None:
        sweep_scratch_folders()
        self.path, descriptor = _locked_folder(purpose)
        self._finalizer = weakref.finalize(self, _remove, self.path, descriptor, os.getpid())

    def close(self) -> None:
        """Removes it with its files; without effect the second time."""
        self._finalizer()

    def __enter__(self) -> Path:
        return self.path

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def sweep_scratch_folders() -> None:
    """Removes the folders of this user's processes that have ended without removing them."""
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX):
                _remove_abandoned(Path(entry.path))


def _locked_folder(purpose: str) -> tuple[Path, int]:
    """A new folder, and the descriptor that holds its lock."""
    while True:
        path = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{purpose}-"))
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        # Another process may have swept it before it was locked.
        with suppress(FileNotFoundError):
            if os.stat(path).st_ino == os.fstat(descriptor).st_ino:
                return path, descriptor
        os.close(descriptor)


def _remove_abandoned(path: Path) -> None:
    with suppress(OSError):
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(path, flags)
        try:
            status = os.fstat(descriptor)
            if status.st_uid == os.getuid() and stat.S_ISDIR(status.st_mode):
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
        finally:
            os.close(descriptor)


def _remove(path: Path, descriptor: int, owner: int) -> None:
    """Removes a folder in the process that has made it; a fork of that only lets it be."""
    if os.getpid() == owner:
        shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        os.close(descriptor)
