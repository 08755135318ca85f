"""A sleeping process from which modules are forked, and how a copy becomes the process of one.

`python -m autosim.helper_processes.forked_module FD MODULE…` imports modules and takes orders from
the socket FD; see `fork_server` for the other end.
"""

import atexit
import contextlib
import ctypes
import faulthandler
import fcntl
import gc
import importlib.util
import io
import os
import pickle
import pkgutil
import platform
import resource
import signal
import socket
import sys
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.abc import InspectLoader
from pathlib import Path
from types import ModuleType
from typing import NoReturn

CLONE_CALLS: Mapping[str, int] = {"x86_64": 56, "aarch64": 220}
"""Number of the system call `clone` by processor architecture (asm/unistd.h)."""

_CLONE_PARENT, _CLONE_CHILD_CLEARTID, _CLONE_CHILD_SETTID = 0x8000, 0x00200000, 0x01000000
"""Flags of `clone` (linux/sched.h): a sibling instead of a child; the other two as in a fork."""

_PR_SET_PDEATHSIG, _PR_SET_NAME, _PR_GET_TID_ADDRESS = 1, 15, 40
"""Numbers of options in linux/prctl.h."""

FORK_SERVER_NAME = "autosim-forks"
"""Name of a fork server among the system's processes."""

JOB_BYTES = 128 << 10
"""Length [bytes] up to which an order fits into a packet: arguments and an environment."""

MOST_FILES = 64
"""Largest number of open files with an order: far below the 253 of a Unix socket's message."""

CANNOT = b"0"
"""The answer of a fork server that cannot fork; else it is the id of the new process."""

LIMITS = tuple(getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_"))
"""Resource limits that a child inherits, as `resource.RLIMIT_*`."""


@dataclass(frozen=True, slots=True)
class Job:
    """A module to run.

    `command`: as a new interpreter would get it. `files`: the numbers that its open files get;
    0 to 2 are among them. `limits`: of its resources, as `resource.getrlimit` gives them.
    `has_own_session`: whether it leads one.

    Attributes:
        environment: environment variables of the new process.
        folder: working directory.
        niceness: nice value of the new process.
        blocked: numbers of the signals that it blocks: those of the thread that orders it, and not
            those that were blocked when the fork server was started.
    """

    command: tuple[str, ...]
    environment: Mapping[str, str]
    folder: str
    files: tuple[int, ...]
    limits: Mapping[int, tuple[int, int]]
    niceness: int
    blocked: frozenset[int]
    has_own_session: bool

    @property
    def module(self) -> str:
        """The name of the module."""
        return self.command[self.command.index("-m") + 1]

    @property
    def arguments(self) -> tuple[str, ...]:
        """The module's arguments."""
        return self.command[self.command.index("-m") + 2 :]


def has_one_thread() -> bool:
    """Whether this process has a single thread, those of libraries included."""
    return len(os.listdir("/proc/self/task")) == 1


def serve_and_exit(
    connection: socket.socket, modules: Collection[str], *, ends_with_thread: bool
) -> NoReturn:
    """Runs a fork server, and in each copy the job; never returns to the caller.

    Args:
        connection: to the process that orders copies; the fork server ends when it is closed.
        modules: as for `ForkServer.forked`.
        ends_with_thread: whether the fork server also ends with the thread that started it, however
            that ends: right where this is the process's only one.
    """
    code = 1
    try:
        if ends_with_thread:
            _end_with_parent()
        job = _serve(connection, modules)
        code = _exit_code(job)
    finally:
        os._exit(code)


def _end_with_parent() -> None:
    parent = os.getppid()
    ctypes.PyDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before the call above
        os._exit(0)


def _exit_code(job: Job) -> int:
    """Runs a job below the stack of another program; its exit code."""
    try:
        _run(job)
        code = 0
    except SystemExit as end:
        code = _shown_code(end)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    with contextlib.suppress(Exception):
        threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    return code


def _shown_code(end: SystemExit) -> int:
    if end.code is None:
        return 0
    if isinstance(end.code, int):
        return end.code & 0xFF
    print(end.code, file=sys.stderr)
    return 1


_loaded: set[str] = set()
"""Names of modules and functions that this process, or one above it, has loaded for copies."""


def _serve(connection: socket.socket, modules: Collection[str]) -> Job:
    """Forks copies on order; returns in each copy, and ends when the connection is closed."""
    library = ctypes.PyDLL(None, use_errno=True)
    name = Path("/proc/self/comm").read_bytes().rstrip()
    library.prctl(_PR_SET_NAME, FORK_SERVER_NAME.encode())
    _forget(connection.fileno())
    for each in modules:
        # A fork server below another one has inherited what that has loaded.
        if each not in _loaded:
            _loaded.add(each)
            found = pkgutil.resolve_name(each)
            if callable(found):
                found()
    gc.collect()
    gc.freeze()
    while True:
        data, descriptors, _, _ = socket.recv_fds(connection, JOB_BYTES, MOST_FILES)
        if not data:
            os._exit(0)
        job: Job = pickle.loads(data)
        can_fork = has_one_thread() and len(descriptors) == len(job.files)
        pid = _clone(library) if can_fork else -1
        if pid == 0:
            library.prctl(_PR_SET_NAME, name)
            _become(job, descriptors, connection)
            return job
        for descriptor in descriptors:
            os.close(descriptor)
        if pid < 0:
            connection.send(CANNOT)


def _forget(kept: int) -> None:
    """Closes the open files of the copied process, and resets its signal handlers."""
    faulthandler.disable()
    for each in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        with contextlib.suppress(OSError, ValueError):
            if signal.getsignal(each) not in (None, signal.SIG_DFL, signal.SIG_IGN):
                signal.signal(each, signal.SIG_DFL)
    # The forked processes handle Ctrl-C themselves.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.set_wakeup_fd(-1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)
    os.closerange(3, kept)
    os.closerange(kept + 1, os.sysconf("SC_OPEN_MAX"))


def _clone(library: ctypes.PyDLL) -> int:
    """Forks this process, for its parent: 0 in the copy, the copy's id here, or -1."""
    address = ctypes.c_void_p()
    has_address = library.prctl(_PR_GET_TID_ADDRESS, ctypes.byref(address), 0, 0, 0) == 0
    flags = _CLONE_PARENT | int(signal.SIGCHLD)
    if has_address:
        flags |= _CLONE_CHILD_CLEARTID | _CLONE_CHILD_SETTID
    number = CLONE_CALLS[platform.machine()]
    nothing = ctypes.c_void_p()
    ending = (nothing, address) if platform.machine() == "aarch64" else (address, nothing)
    ctypes.pythonapi.PyOS_BeforeFork()
    pid = int(library.syscall(number, ctypes.c_ulong(flags), nothing, nothing, *ending))
    if pid == 0:
        ctypes.pythonapi.PyOS_AfterFork_Child()
    else:
        ctypes.pythonapi.PyOS_AfterFork_Parent()
    return pid


def _become(job: Job, descriptors: Sequence[int], connection: socket.socket) -> None:
    """Applies files, environment, folder and session of a job; reports the process id."""
    global _inherited_bytes
    _inherited_bytes = _address_space()
    if job.has_own_session:
        os.setsid()
    above = max((*job.files, 2)) + 1
    held = [fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, above) for each in descriptors]
    teller = socket.socket(fileno=fcntl.fcntl(connection, fcntl.F_DUPFD_CLOEXEC, above))
    connection.close()
    for each in descriptors:
        os.close(each)
    for each, number in zip(held, job.files, strict=True):
        os.dup2(each, number)
        os.close(each)
    for limit, values in job.limits.items():
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(limit, values)
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, job.niceness)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, job.blocked)
    os.environ.clear()
    os.environ.update(job.environment)
    _show_itself(job)
    os.chdir(job.folder)
    sys.path[:0] = [] if "-P" in job.command[:2] else [job.folder]
    _open_streams()
    with teller:
        teller.send(b"%d" % os.getpid())


def _address_space() -> int:
    """Size of the address space [bytes] of this process."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


_inherited_bytes = 0
"""Address space [bytes] of this process when it was forked; 0: it is a new interpreter."""


def inherited_bytes() -> int:
    """Address space [bytes] that this process had when it was forked; 0: it is a new interpreter.

    A limit of the address space has to be higher by this than in a new interpreter.
    """
    return _inherited_bytes


def _open_streams() -> None:
    """Standard streams as of a new interpreter, on the files that are there now."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        before = getattr(sys, f"__{name}__")
        stream = io.TextIOWrapper(
            open(number, mode + "b", closefd=False),  # noqa: SIM115 - for the process's life
            encoding=before.encoding,
            errors=before.errors,
            line_buffering=number == 2 or (number == 1 and os.isatty(1)),
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _show_itself(job: Job) -> None:
    """Shows others (in /proc) the command and variables of the job, not those of the fork server.

    The variables identify processes that a user program leaves behind. Those of AutoSim come first;
    what does not fit is left out.
    """
    with open("/proc/self/stat", "rb") as file:
        fields = [int(each) for each in file.read().rpartition(b")")[2].split()[1:]]
    names = sorted(job.environment, key=lambda name: not name.startswith("AUTOSIM"))
    first, last = fields[_COMMAND_FIELDS]
    command = os.fsencode("\0".join(("python", *job.command[1:])))
    _show([os.fsdecode(command[: last - first - 1])], first, last)
    _show([f"{name}={job.environment[name]}" for name in names], *fields[_VARIABLE_FIELDS])


_COMMAND_FIELDS, _VARIABLE_FIELDS = slice(44, 46), slice(46, 48)
"""Fields of /proc/PID/stat, after the process's state: beginning and end of both in memory."""


def _show(words: Sequence[str], first: int, last: int) -> None:
    """Overwrites the words that the process was started with, as far as the room suffices."""
    shown = b""
    for word in words:
        line = os.fsencode(word) + b"\0"
        if len(shown) + len(line) <= last - first:
            shown += line
    ctypes.memset(first, 0, last - first)
    ctypes.memmove(first, shown, len(shown))


def _run(job: Job) -> None:
    """Runs the module as the main one of this process."""
    spec = importlib.util.find_spec(job.module)
    if spec is not None and spec.submodule_search_locations is not None:
        spec = importlib.util.find_spec(f"{job.module}.__main__")
    assert spec is not None
    main = ModuleType("__main__")
    main.__spec__, main.__file__, main.__loader__ = spec, spec.origin, spec.loader
    main.__package__ = spec.parent
    sys.modules["__main__"] = main
    sys.argv = [str(spec.origin), *job.arguments]
    assert isinstance(spec.loader, InspectLoader)
    code = spec.loader.get_code(spec.name)
    assert code is not None
    exec(code, main.__dict__)


if __name__ == "__main__":
    # Orders are pickled by the name of this module, which is not `__main__`.
    from autosim.helper_processes import forked_module

    forked_module.serve_and_exit(
        socket.socket(fileno=int(sys.argv[1])), tuple(sys.argv[2:]), ends_with_thread=False
    )
