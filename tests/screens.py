"""X servers without a screen."""

import os
import select
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

START_SECONDS = 60.0
END_SECONDS = 20.0


@contextmanager
def screen(width: int = 800, height: int = 600, *options: str) -> Iterator[str]:
    """An X server of its own, whose number is free also where others start one; gives $DISPLAY.

    The test is skipped where there is no Xvfb, and fails where that does not start or end.
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
        yield f":{_display_number(read)}"
    finally:
        os.close(read)
        _end(server)


def _display_number(answer: int) -> str:
    """What an X server writes to the pipe `answer` when it is ready."""
    if not select.select([answer], [], [], START_SECONDS)[0]:
        pytest.fail(f"Xvfb has not named its display within {START_SECONDS:g} s")
    number = os.read(answer, 16).decode().strip()
    if not number:
        pytest.fail("Xvfb has ended before it named its display")
    return number


def _end(server: "subprocess.Popen[bytes]") -> None:
    server.terminate()
    try:
        server.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
        pytest.fail(f"Xvfb did not end within {END_SECONDS:g} s and was killed")
