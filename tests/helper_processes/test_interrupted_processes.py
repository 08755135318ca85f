"""An interrupt that reaches a process of AutoSim's own, and not only its parent."""

import re
import signal
import subprocess

import pytest

from autosim.helper_processes.process_socket import ControlSocket
from autosim.helper_processes.start import start_python
from tests.forked_commands import cold_starts
from tests.paths import ROOT

MODULES = sorted(
    ".".join(file.relative_to(ROOT).with_suffix("").parts)
    for file in (ROOT / "autosim").rglob("*.py")
    if re.search(r"^def main\((control_)?descriptor: int\)", file.read_text(), re.MULTILINE)
)
"""The modules that `start_python` runs."""


def printed(modules: list[str]) -> dict[str, str]:
    """What processes of modules print that are interrupted as they start, then ended; all at once.

    Processes that print nothing are left out.
    """
    processes = {}
    for each in modules:
        ours, theirs = ControlSocket.pair()
        processes[each] = (start_python(each, theirs, output=subprocess.PIPE), ours)
        theirs.close()
    for process, _ in processes.values():
        process.send_signal(signal.SIGINT)
    texts = {}
    for name, (process, ours) in processes.items():
        ours.close()
        parts = process.communicate(timeout=120)
        texts[name] = b"".join(filter(None, parts)).decode()
        assert process.returncode != -signal.SIGINT, f"{name} was ended by the interrupt"
    return {name: text for name, text in texts.items() if text}


def test_all_modules_are_found() -> None:
    assert "autosim.applications.web.gateways" in MODULES
    assert len(MODULES) == 9


def test_an_interrupted_gateway_prints_no_traceback() -> None:
    with cold_starts():
        assert printed(["autosim.applications.web.gateways"]) == {}


@pytest.mark.slow
def test_no_interrupted_process_prints_a_traceback() -> None:
    with cold_starts():
        assert printed(MODULES) == {}
