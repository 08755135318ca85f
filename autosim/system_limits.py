"""Limits that the system sets to a process: raised where it may, named where they are met."""

import errno
import resource
from collections.abc import Iterator
from contextlib import contextmanager

MOST_FILES = 65_536
"""Number of descriptors that are asked for: some for each client and program. Libraries
may walk over all that are allowed, and some systems allow a thousand million."""

_NO_MEMORY = ("cannot allocate memory", "failed to map segment", "can't start new thread")
"""Messages of the dynamic loader and of Python where memory, or a thread's stack, cannot be
allocated."""


def raise_file_limit() -> None:
    """Allows this process, and those that it starts, as many open files as it may allow itself."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def explain_shortage(error: BaseException) -> str:
    """The limit that caused `error`, and what to do; "" where none did."""
    number = error.errno if isinstance(error, OSError) else None
    if number == errno.EMFILE:
        return files_text()
    if number == errno.ENFILE:
        return "all processes together have as many files open as the system allows (fs.file-max)"
    if number == errno.EFBIG and (limit := resource.getrlimit(resource.RLIMIT_FSIZE)[0]) >= 0:
        return f"{_place(error)}no file may be larger than {limit} bytes: allow more (ulimit -f)"
    if number == errno.EAGAIN:
        limit = resource.getrlimit(resource.RLIMIT_NPROC)[0]
        return f"you may have {limit} processes and threads: allow more (ulimit -u)"
    is_told = any(each in str(error).lower() for each in _NO_MEMORY)
    if number == errno.ENOMEM or isinstance(error, MemoryError) or is_told:
        return memory_text()
    return ""


@contextmanager
def named(file: str) -> Iterator[None]:
    """Inside, an error of the system that names no file is about `file`, which has no path."""
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror, file) from error


def _place(error: BaseException) -> str:
    """The name of the file that an error is about, before a text."""
    name = error.filename if isinstance(error, OSError) else None
    return "" if name is None else f"{name}: "


def files_text() -> str:
    """The text for a process that has reached its limit of open files."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return f"this process may have {limit} files and connections open: allow more (ulimit -n)"


def memory_text() -> str:
    """The text for too little memory."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return "there is not enough memory"
    return f"this process may have {limit >> 20} MiB of memory: allow more (ulimit -v)"
