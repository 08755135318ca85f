"""Settings of a process that is one of AutoSim's commands."""

import atexit
import gc
import os
import signal
import sys

from autosim.system_limits import raise_file_limit


def prepare_process() -> None:
    """Settles what libraries do in this process, and in those that it starts.

    It comes before NumPy is imported. What is in the environment already prevails.
    """
    open_standard_streams()
    work_below_init()
    raise_file_limit()
    # The commands report a port that is taken in their own words; gRPC's log would repeat it.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    # Imports and worlds make objects that stay: to search them each time 700 are new takes a fifth
    # of the start of a command.
    gc.set_threshold(_NEW_OBJECTS)
    # Our matrices are small: threads for them only wait, on the processors that others need.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # A command that has ended need not look for garbage among the million things of a world.
    atexit.register(gc.freeze)


def work_below_init() -> None:
    """In the first process of a container, continues in a child and reaps all orphans.

    The first process inherits those whose parents have ended, as the processes of kept snapshots,
    and no other process can reap them. The parent passes on signals, and ends as the child does.
    """
    if os.getpid() != _INIT:
        return
    child = os.fork()
    if child == 0:
        return
    for number in _PASSED_ON:
        signal.signal(number, lambda number, _: os.kill(child, number))
    while True:
        pid, status = os.wait()
        if pid == child:
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else _BY_SIGNAL - code)


_NEW_OBJECTS = 20_000
"""Number of new objects after which Python searches for garbage; its default is 700."""

_INIT = 1
"""The number of the first process of a system, or of a container."""

_PASSED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
"""Signals by which people and containers end a command."""

_BY_SIGNAL = 128
"""Added to the number of a signal, it is the exit code of what the signal has ended, as in shells.
"""


def open_standard_streams() -> None:
    """Opens those of the descriptors 0 to 2 that are closed, on nothing.

    Else the next socket or file gets such a number, and what is printed goes there.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            # It gets the lowest free number, which is this one: those below are open by now.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, closefd=False))  # noqa: SIM115
