"""Memory of a user program at the snapshots of a simulation.

A program in its own process, with one thread, is copied as a whole: a copy of its process sleeps at
each snapshot, in its own session, so that it outlives the program. When the simulation goes back,
the copy makes another copy of itself, which continues over a new channel (see
`autosim.userprogram.ipc.copy_messages`). Of any other program only the value of `on_snapshot` is
kept.
"""

import os
import pickle
import select
import signal
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autosim.userprogram.ipc.channel import SocketChannel
from autosim.userprogram.ipc.copy_messages import (
    ASLEEP,
    AWAKE,
    SLEEPER_NAME,
    WAKE,
    WORD_BYTES,
)
from autosim.v1 import autosim_pb2 as pb

_NAME_FILE = Path("/proc/self/comm")
"""Holds the name of this process, which can be written."""

_WAKE_SOCKETS = 2
"""Number of sockets that come with `WAKE`: the channel and the tie."""


class ProgramMemory:
    """Copies of a program, or of what it remembers, by the names of snapshots.

    Args:
        channel: of the process that runs this program and nothing else; None: it cannot be copied.
        end_with_parent: called first in each process that wakes, which is to end with its parent.

    `save` gives what the program remembers now, `load` takes what it remembered at a snapshot, None
    where that is not known. They are called while the program waits.
    """

    def __init__(
        self,
        channel: SocketChannel[pb.ServerMessage] | None = None,
        *,
        end_with_parent: Callable[[], None] = lambda: None,
    ) -> None:
        self.save: Callable[[], object] = lambda: None
        self.load: Callable[[Any], None] = lambda saved: None
        self._channel, self._end_with_parent = channel, end_with_parent
        self._kept: dict[str, bytes] = {}

    def keep(self, name: str) -> None:
        """Keeps this moment. Returns once here, and in a copy each time that it is gone back to."""
        leash = self._take_leash()
        self._kept[name] = pickle.dumps(self.save(), protocol=pickle.HIGHEST_PROTOCOL)
        if leash is None:
            return
        with leash:
            if threading.active_count() == 1:
                self._copy(name, leash)

    def restore(self, name: str) -> None:
        """Goes back to a snapshot of which there is no copy."""
        kept = self._kept.get(name)
        self.load(None if kept is None else pickle.loads(kept))

    def drop(self, name: str) -> None:
        """Forgets a snapshot."""
        self._kept.pop(name, None)

    def _take_leash(self) -> socket.socket | None:
        descriptor = None if self._channel is None else self._channel.take_descriptor()
        return None if descriptor is None else socket.socket(fileno=descriptor)

    def _copy(self, name: str, leash: socket.socket) -> None:
        """Makes a sleeping copy; returns here, and in each process that wakes."""
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):  # the program may have closed or replaced it
                stream.flush()
        try:
            between = os.fork()
        except OSError:
            return  # no room for another process: what `on_snapshot` gives is kept
        if between:
            with suppress(ChildProcessError):  # the program has the system reap its children
                os.waitpid(between, 0)
            return
        # A process between the program and its copy makes the copy an orphan: it leaves no zombie
        # to the program, and does not end with it.
        try:
            is_copy = os.fork() == 0
        except OSError:
            is_copy = False
        if not is_copy:
            os._exit(0)
        try:
            self._sleep(leash)
        except BaseException:  # such as a host that has closed its end meanwhile
            os._exit(1)  # only a process that the host knows of may run the program
        self.restore(name)

    def _sleep(self, leash: socket.socket) -> None:
        """Sleeps in a copy; returns in each process that wakes, once the host knows of it."""
        assert self._channel is not None
        own_name = _NAME_FILE.read_text().rstrip("\n")
        own_handler = signal.getsignal(signal.SIGCHLD)
        os.setsid()
        _NAME_FILE.write_text(SLEEPER_NAME)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._channel.close()
        channel, tie = _Sleeper(leash).sleep()
        os.setsid()
        self._end_with_parent()
        _NAME_FILE.write_text(own_name)
        signal.signal(signal.SIGCHLD, own_handler or signal.SIG_DFL)
        self._channel.take_over(channel)
        with tie:
            own = os.pidfd_open(os.getpid())
            socket.send_fds(tie, [AWAKE], [own])
            os.close(own)


@dataclass(frozen=True, slots=True)
class _Woken:
    """A process that has woken up from a sleeping copy, its pidfd, and the tie to its host."""

    pid: int
    pidfd: int
    tie: socket.socket


class _Sleeper:
    """The copy of a program that sleeps at a snapshot, and looks after those that it has woken.

    Args:
        leash: to the host; the copy ends when the host's end is closed and what it woke has ended.
    """

    def __init__(self, leash: socket.socket) -> None:
        self._leash = leash
        self._woken: list[_Woken] = []
        self._poll = select.poll()
        self._poll.register(leash, select.POLLIN)
        leash.send(ASLEEP)

    def sleep(self) -> tuple[socket.socket, socket.socket]:
        """Returns only in a process that wakes, with its channel and its tie."""
        while True:
            ready = {descriptor for descriptor, _ in self._poll.poll()}
            for each in [each for each in self._woken if each.pidfd in ready]:
                self._bury(each)
            for each in [each for each in self._woken if each.tie.fileno() in ready]:
                # The host has closed it, or has ended.
                self._poll.unregister(each.tie)
                _kill_group(each.pid)
            if self._leash.fileno() in ready and (woken := self._obey()):
                return woken
            if self._leash.fileno() < 0 and not self._woken:
                os._exit(0)

    def _obey(self) -> tuple[socket.socket, socket.socket] | None:
        """Takes an order; the sockets to continue with in the process that wakes, else None."""
        try:
            word, descriptors, _, _ = socket.recv_fds(
                self._leash, WORD_BYTES, _WAKE_SOCKETS, socket.MSG_CMSG_CLOEXEC
            )
        except OSError:
            word, descriptors = b"", []
        if not word:
            self._poll.unregister(self._leash)
            self._leash.close()
            return None
        if word != WAKE or len(descriptors) != _WAKE_SOCKETS:
            for descriptor in descriptors:
                os.close(descriptor)
            return None
        channel, tie = (socket.socket(fileno=each) for each in descriptors)
        try:
            pid = os.fork()
        except OSError:
            channel.close()
            tie.close()  # by which the host knows
            return None
        if pid == 0:
            self._forget_others()
            return channel, tie
        channel.close()
        woken = _Woken(pid, os.pidfd_open(pid), tie)
        self._woken.append(woken)
        self._poll.register(woken.pidfd, select.POLLIN)
        self._poll.register(tie, select.POLLIN)
        return None

    def _forget_others(self) -> None:
        """In a process that wakes: closes what belongs to the sleeping copy."""
        self._leash.close()
        for each in self._woken:
            each.tie.close()
            os.close(each.pidfd)

    def _bury(self, woken: _Woken) -> None:
        """Reaps a process that has ended, and tells the host how."""
        _, status = os.waitpid(woken.pid, 0)
        with suppress(OSError):
            woken.tie.send(b"%d" % os.waitstatus_to_exitcode(status))
        with suppress(KeyError):  # the host has closed it before
            self._poll.unregister(woken.tie)
        self._poll.unregister(woken.pidfd)
        woken.tie.close()
        os.close(woken.pidfd)
        self._woken.remove(woken)


def _kill_group(pid: int) -> None:
    """Kills a child that is not reaped yet, and its process group where it has one already."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
