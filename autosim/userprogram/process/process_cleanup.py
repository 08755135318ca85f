"""Ends processes with others: a child with its parent, and all that a user program has started."""

import ctypes
import os
import select
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from autosim.userprogram.ipc.copy_messages import SLEEPER_NAME

_PR_SET_PDEATHSIG = 1
"""Number of the option in linux/prctl.h."""

_PROC = Path("/proc")
_ROUNDS = 20
"""Number of searches for processes to kill: each may have started others before it was killed."""

_END_MILLISECONDS = 1000
"""Time [ms] to wait for a killed process to end; it ends later if the kernel holds it."""


def kill_with_parent(number: signal.Signals) -> None:
    """Asks the kernel for a signal when the thread that started this process ends, however."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, number)


def kill_marked(mark: str) -> None:
    """Kills all processes of this user that have `mark` (NAME=VALUE) in their environment.

    A process inherits it from the one that starts it, also into its own session, and when the
    processes between them have ended. Only one that was given another environment lacks it. Copies
    of a program that sleep at a snapshot are spared: they end with the snapshot.
    """
    for _ in range(_ROUNDS):  # what is killed may have started another one just before
        found = list(_marked(mark.encode()))
        for pid in found:
            _end(pid, mark.encode())
        if not found:
            return


def _marked(mark: bytes) -> Iterator[int]:
    for folder in _PROC.iterdir():
        if folder.name.isdecimal() and _has_mark(int(folder.name), mark):
            yield int(folder.name)


def _has_mark(pid: int, mark: bytes) -> bool:
    process = _PROC / str(pid)
    try:
        has_mark = mark in (process / "environ").read_bytes().split(b"\0")
        return has_mark and (process / "comm").read_text().rstrip("\n") != SLEEPER_NAME
    except OSError:  # it has ended, or is another user's
        return False


def _end(pid: int, mark: bytes) -> None:
    with suppress(ProcessLookupError, PermissionError):
        descriptor = os.pidfd_open(pid)
        try:
            if _has_mark(pid, mark):  # the number may have gone to another process
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
                poll = select.poll()
                poll.register(descriptor, select.POLLIN)
                poll.poll(_END_MILLISECONDS)
        finally:
            os.close(descriptor)
