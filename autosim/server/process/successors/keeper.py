"""Stays the parent of user programs that another simulation process continues.

The kernel ends a program with the process that has started it. When robots are added or removed, a
new simulation process takes over the programs, and the one before replaces itself by this small
one, which frees the memory of the simulation. It imports the standard library only.
"""

import os
import select
import signal
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import NoReturn

_MESSAGE_BYTES = 65536
"""Number of bytes that one read takes: more than the front's only message has."""


NO_THREADS: Mapping[int, Callable[[], object]] = MappingProxyType({})
"""The threads of a process that has none besides its main thread."""


def become_keeper(
    control: int, children: Sequence[int], threads: Mapping[int, Callable[[], object]] = NO_THREADS
) -> NoReturn:
    """Replaces this process; its children and its output remain.

    Where programs run in threads of it, the process remains as large as it was: they need it.

    It ends when the front has sent a message and all `children` have ended, or when the front
    closes its end, and the children with it.

    Args:
        control: descriptor of the socket to the front.
        children: ids of the processes to wait for.
        threads: what ends the thread of each program that runs in this process, by the descriptor
            that hangs up when it is to end.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system reaps them
    if not threads:
        os.set_inheritable(control, True)
        arguments = [str(control), *map(str, children)]
        with suppress(OSError):  # no room for the new program: this one waits instead
            os.execv(sys.executable, [sys.executable, "-I", "-S", __file__, *arguments])
    keep(control, children, threads)
    os._exit(0)


def keep(
    control: int, children: Sequence[int], threads: Mapping[int, Callable[[], object]] = NO_THREADS
) -> None:
    """Waits as `become_keeper` describes."""
    front = socket.socket(fileno=control)
    poll = select.poll()
    poll.register(front, select.POLLIN)
    ends = set()
    for pid in children:
        with suppress(ProcessLookupError):
            ends.add(os.pidfd_open(pid))
    for end in ends:
        poll.register(end, select.POLLIN)
    for end in threads:
        poll.register(end, 0)  # a hang-up is always reported
    ends |= threads.keys()
    is_released = False
    while ends or not is_released:
        for descriptor, _ in poll.poll():
            if descriptor in ends:
                poll.unregister(descriptor)
                ends.remove(descriptor)
                if descriptor in threads:
                    threads[descriptor]()
            elif not _has_message(front):
                return
            else:
                is_released = True


def _has_message(front: socket.socket) -> bool:
    """Takes a message; whether there was one, and the front is still there."""
    try:
        return bool(front.recv(_MESSAGE_BYTES))
    except OSError:
        return False


if __name__ == "__main__":
    keep(int(sys.argv[1]), [int(each) for each in sys.argv[2:]])
