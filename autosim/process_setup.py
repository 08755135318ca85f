"""What a process settles for itself when all of it is one command of ours."""

import atexit
import gc
import os
import sys

from autosim.system_limits import raise_file_limit


def prepare_process() -> None:
    """Settles what libraries do in this process, and in those that it starts.

    It comes before NumPy is imported. What is in the environment already prevails.
    """
    open_standard_streams()
    raise_file_limit()
    # What gRPC logs about a port that is taken is said once more, in words, by the commands.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    # Our matrices are small: threads for them only wait, on the processors that others need.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # A command that has ended need not look for garbage among the million things of a world.
    atexit.register(gc.freeze)


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
