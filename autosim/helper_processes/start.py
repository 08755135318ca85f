"""Starts a Python module as a process of AutoSim's own."""

import os
import subprocess
import sys

from autosim.helper_processes.fork_server import ModuleProcess
from autosim.helper_processes.process_socket import ControlSocket


def start_python(
    module: str, control: ControlSocket, *, output: int | None = None
) -> subprocess.Popen[bytes]:
    """Starts `python -m module N` with `control` as its inherited descriptor N.

    The process gets its own session: Ctrl-C in the terminal reaches the parent alone, which then
    ends everything in order. It imports from where this process imports, and not from the working
    directory (`-P`), which may hold files of others.

    Args:
        module: the module to run.
        control: the process's end of the connection.
        output: subprocess.PIPE to read what it prints; None: it prints where this process does.
    """
    return ModuleProcess(
        [sys.executable, "-P", "-m", module, str(control.fileno())],
        pass_fds=(control.fileno(),),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        bufsize=0,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(each for each in sys.path if each)},
    )
