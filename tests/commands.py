"""The commands of AutoSim as a user types them."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autosim.client.link.simulation_control import simulation_control
from tests.worlds import ROOT

AUTOSIM = [sys.executable, "-m", "autosim"]


@contextmanager
def server(command: list[str], folder: Path) -> Iterator[dict[str, str]]:
    """The server of a tutorial on any free port; gives the environment of the other commands."""
    options = [*command[1:], "--port", "0"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [*AUTOSIM, *options], cwd=folder, env=environment, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr is not None
            said = iter(process.stderr.readline, "")
            address = next(filter(None, (re.search(r"^serving .* at (\S+);", s) for s in said)))
            yield environment | {"AUTOSIM_SERVER": address[1]}
        finally:
            process.terminate()


def finish(words: list[str], folder: Path, environment: dict[str, str]) -> tuple[int, str, str]:
    """Runs a command to its end; gives its exit code, output and errors.

    The seconds of `timeout --signal=INT SECONDS …` count from where the program takes part, however
    long it takes to start.
    """
    seconds = float(words[2]) if words[0] == "timeout" else None
    with subprocess.Popen(
        words if seconds is None else words[3:],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        if seconds is None:
            out, said = process.communicate()
            return process.returncode, out, said
        with simulation_control(environment["AUTOSIM_SERVER"]) as control:
            while process.poll() is None and not control.status().programs:
                time.sleep(0.005)
        try:
            out, said = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            out, said = process.communicate()
            return 124, out, said
        return process.returncode, out, said
