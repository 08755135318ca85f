"""Windows on a screen of their own."""

import os
import socket
import subprocess
import time
from contextlib import contextmanager

import numpy as np

SECONDS = 200.0


SCREEN = (1280, 720)


def pixels(file):
    """The screen as (height, width, 3): an XWD file is a header, a colour map, and rows of BGRX."""
    data = np.fromfile(file, np.uint8)[-SCREEN[0] * SCREEN[1] * 4 :]
    return data.reshape(SCREEN[1], SCREEN[0], 4)[..., 2::-1].astype(int)


def colours(picture):
    """How many colours a picture (height, width, 3) has."""
    seen = np.zeros(1 << 24, dtype=bool)
    seen[np.asarray(picture, dtype=int) @ (1 << 16, 1 << 8, 1)] = True
    return np.count_nonzero(seen)


def wait_for(condition):
    """Waits for what other processes do, and leaves them the processor."""
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.1)


@contextmanager
def started(command, folder):
    """A window's process with settings in `folder`; it is ended however the test ends.

    Its standard error is a file: the end of a pipe comes only when each process that inherited it
    has ended, and a full one stops the window.
    """
    environment = {**os.environ, "XDG_CONFIG_HOME": str(folder)}
    errors = folder / "stderr.txt"
    with (
        errors.open("w") as sink,
        errors.open() as told,
        subprocess.Popen(command, stderr=sink, env=environment) as process,
    ):
        process.stderr = told
        try:
            yield process
        finally:
            process.kill()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
