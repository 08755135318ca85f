"""A snapshot of a simulation: a sleeping copy of its process.

A copy that the system makes of a process (fork) is bit-identical, including contacts of bodies,
which no physics engine can save. It costs only the memory that the original changes afterwards. To
continue from the snapshot, the copy makes another copy of itself, which wakes: so a snapshot can be
restored any number of times.
"""

import os
import select
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from autosim.fmi.fmu_process import close_all
from autosim.helper_processes.fork_server import use_fork_server
from autosim.helper_processes.process_socket import ControlClosedError, ControlSocket
from autosim.records.events import Event


@dataclass(frozen=True, slots=True)
class Wake:
    """To a sleeping copy, with the descriptor of a socket to the front: continue from here.

    First it repeats the steps up to `until`, with the external inputs `told`; 0: none.
    """

    name: str
    """Name of the snapshot."""
    told: tuple[Event, ...] = ()
    until: int = 0


@dataclass(frozen=True, slots=True)
class Woken:
    """In the copy that wakes: its order, and its socket to the front."""

    order: Wake
    control: ControlSocket
    """Socket to the front, over which the copy receives its orders."""


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
    use_fork_server(None)
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
        # Calls that block in libraries continue, as without a handler.
        signal.siginterrupt(signal.SIGCHLD, False)
    reap()


def _sleep(leash: ControlSocket) -> Woken:
    """Returns in the copies of the copy that wake, or in the copy itself if it cannot be copied.

    The process that it follows has ended by then, so without the second case the run would end. The
    copy closes its leash, by which the front knows that the snapshot cannot be restored again.
    """
    # Their exits are not awaited.
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
    """Ends this process, which is replaced by another, as soon as no child needs it.

    User programs without a copy end with the process that started them, or continue with the one
    that follows; so does a rendering process.

    Args:
        control: the socket to the front, which closes it at the end of the run.
    """
    use_fork_server(None)
    close_all()
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
