"""Commands of tests are forked whatever else the process of tests has imported."""

import subprocess
import sys

import pytest

from autosim.helper_processes.fork_server import ForkServer, can_fork


@pytest.mark.skipif(not can_fork(), reason="processes cannot be forked here")
@pytest.mark.parametrize("setting", ["", "ray.util.rpdb.set_trace"])
def test_commands_are_forked_after_opencv_and_ray_have_set_variables(
    monkeypatch: pytest.MonkeyPatch, setting: str
):
    pytest.importorskip("cv2")
    if setting:
        monkeypatch.setenv("PYTHONBREAKPOINT", setting)  # Ray does so, and leaves it there
    fork, forked = ForkServer.fork, []

    def record(server, *given, **options):
        forked.append(fork(server, *given, **options))
        return forked[-1]

    monkeypatch.setattr(ForkServer, "fork", record)
    for _ in range(2):  # the first start of a process of tests is always a new interpreter
        subprocess.check_output([sys.executable, "-m", "autosim", "--version"])
    assert forked[-1] is not None
