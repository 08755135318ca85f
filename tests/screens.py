"""X servers without a screen."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def screen(width: int = 800, height: int = 600, *options: str) -> Iterator[str]:
    """An X server of its own, whose number is free also where others start one; gives $DISPLAY.

    The test is skipped where there is no Xvfb.
    """
    if shutil.which("Xvfb") is None:
        pytest.skip("Xvfb is not installed")
    read, write = os.pipe()
    # Without -noreset it begins anew when its last client leaves: whoever comes then, is lost.
    command = ["Xvfb", "-displayfd", str(write), "-noreset", "-screen", "0"]
    server = subprocess.Popen(
        [*command, f"{width}x{height}x24", *options],
        pass_fds=[write],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    try:
        with os.fdopen(read) as answer:
            yield f":{answer.readline().strip()}"
    finally:
        server.terminate()
        server.wait()
