"""Commands of tests are forked whatever else the process of tests has imported."""

import subprocess
import sys

import pytest

from autosim.helper_processes.fork_server import ForkServer, can_fork


@pytest.mark.skipif(not can_fork(), reason="processes cannot be forked here")
def test_commands_are_forked_after_opencv_has_been_imported(monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("cv2")
    fork, forked = ForkServer.fork, []

    def record(server, *given, **options):
        forked.append(fork(server, *given, **options))
        return forked[-1]

    monkeypatch.setattr(ForkServer, "fork", record)
    for _ in range(2):  # the first start of a process of tests is always a new interpreter
        subprocess.check_output([sys.executable, "-m", "autosim", "--version"])
    assert forked[-1] is not None
