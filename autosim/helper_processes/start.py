"""Starts a Python module as a process of AutoSim's own, and begins such a process."""

import os
import signal
import subprocess
import sys

from autosim.helper_processes.fork_server import ModuleProcess
from autosim.helper_processes.process_socket import ControlSocket


def start_python(
    module: str, control: ControlSocket, *, output: int | None = None
) -> subprocess.Popen[bytes]:
    """Starts `python -m module N` with `control` as its inherited descriptor N.

    The module takes its end by `inherited_control`. The process gets its own session: Ctrl-C in the
    terminal reaches the parent alone, which then ends everything in order. It imports from where
    this process imports, and not from the working directory (`-P`), which may hold files of others.

    Args:
        module: the module to run.
        control: the process's end of the connection.
        output: subprocess.PIPE to read what it prints; None: it prints where this process does.
    """
    # A new interpreter inherits the mask: an interrupt waits for `inherited_control`.
    masked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return ModuleProcess(
            [sys.executable, "-P", "-m", module, str(control.fileno())],
            pass_fds=(control.fileno(),),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            bufsize=0,
            start_new_session=True,
            env={
                # As in a command (`prepare_process`): a process with a library's threads cannot
                # have a fork server, and its children start seconds later.
                "OPENBLAS_NUM_THREADS": "1",
                **os.environ,
                "PYTHONPATH": os.pathsep.join(each for each in sys.path if each),
            },
        )
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, masked)


def inherited_control(descriptor: int) -> ControlSocket:
    """The end of the connection that `start_python` has left open for this process.

    Its parent ends this process: from now on an interrupt (SIGINT) that reaches it, too, changes
    nothing. Processes that it starts are interrupted as usual.

    Args:
        descriptor: the number that the process was started with.
    """
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    return ControlSocket.inherited(descriptor)
