"""What a process settles for itself when all of it is one command of ours."""

import atexit
import gc
import os


def prepare_process() -> None:
    """Settles what libraries do in this process, and in those that it starts.

    It comes before NumPy is imported. What is in the environment already prevails.
    """
    # What gRPC logs about a port that is taken is said once more, in words, by the commands.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    # Our matrices are small: threads for them only wait, on the processors that others need.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # A command that has ended need not look for garbage among the million things of a world.
    atexit.register(gc.freeze)
