"""A moment of a simulation that is kept: a copy of its process that sleeps.

A copy that the system makes of a process (fork) is equal to it to the last bit, contacts of bodies
included, which no physics engine can save. It costs what the original changes afterwards. To go on
from the moment, the copy makes another copy of itself, which wakes: so one can go back to it as
often as one likes.
"""

import os
import select
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from autosim.helper_processes.process_socket import ControlClosedError, ControlSocket
from autosim.records.events import Event


@dataclass(frozen=True, slots=True)
class Wake:
    """To a sleeping copy, with the descriptor of a socket to the front: go on from here.

    First it does the steps up to `until` again, with what `told` has from outside; 0: none.
    """

    name: str
    told: tuple[Event, ...] = ()
    until: int = 0


@dataclass(frozen=True, slots=True)
class Woken:
    """In the copy that wakes: its order, and its socket to the front."""

    order: Wake
    control: ControlSocket


def fork_dormant(leash: ControlSocket, let_go: Callable[[], None]) -> int | Woken:
    """Makes a sleeping copy of this process, which has one thread.

    Args:
        leash: the copy's end of a socket to the front; the copy ends when the other end is closed.
        let_go: called in the copy, to close what others must not take for open.

    Returns:
        in this process, the copy's id; in a copy that wakes, one for each order, what woke it.

    Raises:
        OSError: the system has no room for another process.
    """
    _reap_copies()
    pid = os.fork()
    if pid:
        _copies.add(pid)
        leash.close()
        return pid
    _copies.clear()
    let_go()
    return _sleep(leash)


_copies: set[int] = set()
"""The sleeping copies that this process has made and not reaped."""


def _reap_copies() -> None:
    """Has copies leave no zombies: whenever a child ends, those of them that have ended go."""

    def reap(*_: object) -> None:
        for pid in list(_copies):
            with suppress(ChildProcessError):
                if not os.waitpid(pid, os.WNOHANG)[0]:
                    continue
            _copies.discard(pid)

    if signal.getsignal(signal.SIGCHLD) is signal.SIG_DFL:
        signal.signal(signal.SIGCHLD, reap)
        # Calls that wait in libraries go on, as without a handler.
        signal.siginterrupt(signal.SIGCHLD, False)
    reap()


def _sleep(leash: ControlSocket) -> Woken:
    """Returns in the copies of the copy that wake, or in the copy itself if it cannot be copied.

    The process that it follows has ended by then, so without the second there would be no run. It
    closes its leash, by which the front knows that the snapshot cannot be restored again.
    """
    # Nobody waits for the ends of those.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        try:
            order, descriptors = leash.receive()
        except ControlClosedError:
            os._exit(0)
        if isinstance(order, Wake) and _is_to_wake():
            leash.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            return Woken(order, ControlSocket.inherited(descriptors[0]))
        for descriptor in descriptors:
            os.close(descriptor)


def _is_to_wake() -> bool:
    """Makes a copy of this process, and whether this process is to continue from here."""
    try:
        return os.fork() == 0
    except OSError:
        return True


def retire(control: ControlSocket) -> None:
    """Ends this process, which another one follows; once its children are no longer needed.

    User programs of which there is no copy end with the process that has started them, and go on
    with the one that follows; so does a process that draws.

    Args:
        control: the socket to the front, which closes it at the end of the run.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system reaps all that end from now on
    poll = select.poll()
    poll.register(control, select.POLLIN)
    ends = [end for pid in _children() if (end := _end_of(pid)) is not None]
    for end in ends:
        poll.register(end, select.POLLIN)
    while ends:
        for descriptor, _ in poll.poll():
            if descriptor == control.fileno():
                _end_if_closed(control)
            else:
                poll.unregister(descriptor)
                ends.remove(descriptor)
    os._exit(0)


def _end_if_closed(control: ControlSocket) -> None:
    try:
        control.receive()
    except ControlClosedError:
        os._exit(0)


def _end_of(pid: int) -> int | None:
    """A descriptor that becomes readable when a child ends; None for one that has no need of us."""
    if pid in _copies:
        return None
    with suppress(ProcessLookupError):
        return os.pidfd_open(pid)
    return None


def _children() -> list[int]:
    pid = os.getpid()
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(each) for each in file.read().split()]
