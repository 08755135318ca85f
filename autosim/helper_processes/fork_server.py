"""Python modules that start at once: forked from a sleeping process that has imported them.

A new interpreter takes a second of processor time to import AutoSim. The fork server, a process
with one thread and no open files, has done that before, so modules in copies of it start within
milliseconds.

The copies are children of the process that orders them, not of the fork server, and get what it
gives to any child: files, environment, folder, session. So waiting, signals and the end with the
parent work as with `subprocess.Popen`.
"""

import contextlib
import inspect
import os
import pickle
import platform
import resource
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Mapping, Sequence

from autosim.helper_processes.forked_module import (
    CLONE_CALLS,
    JOB_BYTES,
    LIMITS,
    MOST_FILES,
    Job,
    has_one_thread,
    serve_and_exit,
)

FORK_MODULE = "autosim.helper_processes.forked_module"
"""The module of a fork server that is a new interpreter."""

_ANSWER_SECONDS = 20.0
"""Time [s] in which the fork server answers, on a busy machine too, before it is given up."""

_FIRST_ANSWER_SECONDS = 120.0
"""Time [s] in which the fork server answers first: it imports modules and loads kernels before."""

_AT_START = ("PYTHON", "LD_", "LC_", "LANG", "NUMBA_", "MALLOC_")
"""Beginnings of the names of variables that are read once, before a fork server can change them."""

_READ_LATER = ("PYTHONPATH", "PYTHONBREAKPOINT")
"""Names that begin so and matter later: folders of modules are compared apart, and Ray sets the
other one, which Python reads when it is used."""

_current: "ForkServer | None" = None
"""The fork server of this process, None if it has none."""


class ForkServer:
    """The fork server of this process, from the side of the process.

    Use `forked` or `started`. Its methods may be called from any thread.
    """

    def __init__(
        self,
        connection: socket.socket,
        pid: int,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        connection.settimeout(_FIRST_ANSWER_SECONDS)
        self._connection, self.pid = connection, pid
        self._owner = os.getpid()
        self._environment = dict(os.environ if environment is None else environment)
        self._path = {*sys.path, *_folders(self._environment)}
        self._lock = threading.Lock()
        self._is_closed = False

    @property
    def is_closed(self) -> bool:
        """Whether it was closed, also because it did not answer."""
        return self._is_closed

    @classmethod
    def forked(cls, modules: Collection[str] = ()) -> "ForkServer | None":
        """A copy of this process that imports `modules` and calls functions (MODULE:NAME).

        Returns:
            None: the system cannot do that, or this process has more than one thread.
        """
        if not can_fork() or not has_one_thread():
            return None
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            pid = os.fork()
        except OSError:
            ours.close()
            theirs.close()
            return None
        if pid == 0:
            ours.close()
            serve_and_exit(theirs, modules, ends_with_thread=True)
        theirs.close()
        return cls(ours, pid)

    @classmethod
    def started(
        cls, modules: Collection[str] = (), environment: Mapping[str, str] | None = None
    ) -> "ForkServer | None":
        """A new interpreter that imports `modules`; for a process that has threads.

        Args:
            modules: as for `forked`.
            environment: with which it starts; None: as here.
        """
        environment = dict(os.environ if environment is None else environment)
        if not can_fork():
            return None
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", FORK_MODULE, str(theirs.fileno()), *modules],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                # A process with threads of a library cannot be forked.
                env={**environment, "OPENBLAS_NUM_THREADS": "1"},
            )
        process.returncode = 0  # it ends with this process, and nothing waits for it
        return cls(ours, process.pid, environment)

    def fork(
        self,
        command: Sequence[str],
        *,
        files: Mapping[int, int],
        environment: Mapping[str, str] | None = None,
        folder: str | None = None,
        has_own_session: bool,
    ) -> int | None:
        """Runs a module in a new child of this process.

        Args:
            command: `[sys.executable, "-P", "-m", module, *arguments]`, with or without `-P`.
            files: by the number that it gets in the child, the number of an open file here; 0 to 2
                included.
            environment: of the child; None: as here.
            folder: where it works; None: as here.
            has_own_session: whether it leads its own session.

        Returns:
            its process id; None: the fork server cannot do it, and a new interpreter has to.
        """
        environment = dict(os.environ) if environment is None else dict(environment)
        if self._is_closed or os.getpid() != self._owner or not self._suits(environment):
            return None
        job = Job(
            command=tuple(command),
            environment=environment,
            folder=os.getcwd() if folder is None else os.path.abspath(folder),
            files=tuple(files),
            limits={each: resource.getrlimit(each) for each in LIMITS},
            niceness=os.getpriority(os.PRIO_PROCESS, 0),
            blocked=frozenset(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, ()))),
            has_own_session=has_own_session,
        )
        data = pickle.dumps(job)
        if len(data) > JOB_BYTES or len(files) > MOST_FILES:
            return None
        with self._lock:
            try:
                socket.send_fds(self._connection, [data], list(files.values()))
                answer = self._connection.recv(64)
                self._connection.settimeout(_ANSWER_SECONDS)
            except OSError:
                answer = b""
        if not answer:
            self.close()
            return None
        return int(answer) or None

    def close(self) -> None:
        """Ends the fork server; processes forked from it continue."""
        if not self._is_closed:
            self._is_closed = True
            self._connection.close()
            if os.getpid() == self._owner:
                with contextlib.suppress(ProcessLookupError, ChildProcessError):
                    os.kill(self.pid, signal.SIGKILL)
                    os.waitpid(self.pid, 0)

    def _suits(self, environment: Mapping[str, str]) -> bool:
        """Whether an interpreter with `environment` would start as the fork server did."""
        is_same = _read_at_start(environment) == _read_at_start(self._environment)
        return is_same and self._path.issuperset(_folders(environment))


def _read_at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(_AT_START) and name not in _READ_LATER
    }


def _folders(environment: Mapping[str, str]) -> list[str]:
    """The folders of modules that a new interpreter adds."""
    return [each for each in environment.get("PYTHONPATH", "").split(os.pathsep) if each]


def can_fork() -> bool:
    """Whether processes can be forked here for another parent."""
    return sys.platform == "linux" and platform.machine() in CLONE_CALLS


def ensure_fork_server(modules: Collection[str]) -> None:
    """Starts the fork server of this process, unless there is one or other threads run.

    Args:
        modules: what the fork server imports, and functions that it calls (MODULE:NAME).
    """
    if _current is None or _current.is_closed:
        use_fork_server(ForkServer.forked(modules))


def ensure_fork_server_started(modules: Collection[str], environment: Mapping[str, str]) -> None:
    """As `ensure_fork_server`, for a process that has threads; see `ForkServer.started`."""
    if _current is None or _current.is_closed:
        use_fork_server(ForkServer.started(modules, environment))


def use_fork_server(server: ForkServer | None) -> None:
    """Forks modules that this process starts from `server`, where that is possible."""
    global _current
    if _current is not None:
        _current.close()
    _current = server


start_new: Callable[..., None] = subprocess.Popen._execute_child  # type: ignore[attr-defined]
"""The standard library's method that starts a child in a new interpreter."""

_START_ARGUMENTS = inspect.signature(start_new)

_USUAL = {
    "executable": None,
    "preexec_fn": None,
    "close_fds": True,
    "shell": False,
    "restore_signals": True,
    "gid": None,
    "gids": None,
    "uid": None,
    "umask": -1,
    "process_group": -1,
}
"""Values of arguments of `_execute_child` with which a process can be forked: a forked process
would ignore any other value."""


def start_from_fork_server(process: "subprocess.Popen[bytes]", *given: object) -> None:
    """Starts the child of `process`, in place of the method of the standard library that does so.

    It is forked where there is a fork server and the command is one for it, else started.

    Args:
        process: being made.
        given: as `subprocess.Popen` passes it to its method.
    """
    told = _START_ARGUMENTS.bind(process, *given).arguments
    is_usual = all(told.get(name, usual) == usual for name, usual in _USUAL.items())
    pid = None
    if _current is not None and is_usual and is_module_command(told["args"]):
        files = {
            number: own if told[name] == -1 else told[name]
            for number, (name, own) in enumerate((("p2cread", 0), ("c2pwrite", 1), ("errwrite", 2)))
        }
        pid = _current.fork(
            [os.fspath(each) for each in told["args"]],
            files=files | {each: each for each in told["pass_fds"]},
            environment=told["env"],
            folder=told["cwd"],
            has_own_session=told["start_new_session"],
        )
    if pid is None:
        start_new(process, *given)
        return
    process.pid = pid
    process._child_created = True  # type: ignore[attr-defined]
    pipes = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
    process._close_pipe_fds(*(told[name] for name in pipes))  # type: ignore[attr-defined]


class ModuleProcess(subprocess.Popen[bytes]):
    """A child that runs a module of AutoSim: `[sys.executable, "-P", "-m", module, …]`."""

    def _execute_child(self, *given: object) -> None:
        start_from_fork_server(self, *given)


def is_module_command(command: object) -> bool:
    """Whether `command` runs a module of AutoSim's packages with this interpreter."""
    if not isinstance(command, list | tuple):
        return False
    match [os.fspath(each) for each in command]:
        case [interpreter, "-P", "-m", module, *_] | [interpreter, "-m", module, *_]:
            is_ours = module.partition("_")[0].partition(".")[0] == "autosim"
            return bool(interpreter == sys.executable and is_ours and module != FORK_MODULE)
    return False
