"""The sleeping copy of a user program at a snapshot, as its host sees it."""

import os
import select
import socket
from contextlib import ExitStack, suppress
from dataclasses import dataclass

from autosim.userprogram.ipc.copy_messages import ASLEEP, AWAKE, WAKE, WORD_BYTES

_EXIT_SECONDS = 1.0
"""Longest time [s] to wait for the exit code of a process that has ended: the sleeping copy tells
it, and may have been killed."""


class CopyGoneError(Exception):
    """The sleeping copy of a program has ended, or cannot make another process."""


@dataclass(frozen=True, slots=True)
class WokenProgram:
    """A process that has woken up: its pidfd, the host's end of its channel, and the tie.

    The process ends when the tie is closed. Over the tie comes its exit code once it has ended.
    """

    pidfd: int
    channel: socket.socket
    tie: socket.socket

    def exit_code(self) -> int | None:
        """Its exit, as `subprocess` says it; None where that is not known."""
        _wait_readable(self.tie.fileno(), _EXIT_SECONDS)
        try:
            self.tie.setblocking(False)
            return int(self.tie.recv(WORD_BYTES))
        except (OSError, ValueError):
            return None


class ProgramCopy:
    """The host's end of the leash of a sleeping copy, which ends when this is closed.

    Args:
        leash: a SOCK_SEQPACKET socket; the program has its other end.
    """

    def __init__(self, leash: socket.socket) -> None:
        self._leash = leash

    def await_asleep(self, seconds: float) -> bool:
        """Waits until the copy sleeps; false where the program has made none.

        Raises:
            TimeoutError: the program has said neither within `seconds`.
        """
        if not _wait_readable(self._leash.fileno(), seconds):
            raise TimeoutError
        with suppress(OSError):
            return self._leash.recv(WORD_BYTES) == ASLEEP
        return False

    def wake(self) -> WokenProgram:
        """Has a process wake up; waits for it as long as the copy lives.

        Raises:
            CopyGoneError: the copy has ended, or there is no room for another process.
        """
        with ExitStack() as ours:
            channel, their_channel = _pair()
            tie, their_tie = _pair()
            ours.enter_context(channel)
            ours.enter_context(tie)
            with their_channel, their_tie:
                try:
                    sockets = (their_channel.fileno(), their_tie.fileno())
                    socket.send_fds(self._leash, [WAKE], sockets)
                except OSError as error:
                    raise CopyGoneError from error
            pidfd = _await_awake(tie)
            ours.pop_all()
        return WokenProgram(pidfd, channel, tie)

    def close(self) -> None:
        """Closes the leash here: the copy ends once no process holds it."""
        self._leash.close()


def _pair() -> tuple[socket.socket, socket.socket]:
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def _await_awake(tie: socket.socket) -> int:
    """The pidfd of the process that wakes.

    Raises:
        CopyGoneError: no process wakes.
    """
    try:
        word, descriptors, _, _ = socket.recv_fds(tie, WORD_BYTES, 1, socket.MSG_CMSG_CLOEXEC)
    except OSError:
        word, descriptors = b"", []
    if word == AWAKE and descriptors:
        return descriptors[0]
    for descriptor in descriptors:
        os.close(descriptor)
    raise CopyGoneError


def _wait_readable(descriptor: int, seconds: float) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(1000.0 * seconds))
