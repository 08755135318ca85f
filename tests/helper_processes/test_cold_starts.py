"""Commands, servers and programs start in new interpreters, too."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from autosim.helper_processes.fork_server import ForkServer
from autosim.server.network.server_process import ServerProcess
from autosim.version import __version__
from tests.forked_commands import cold_starts
from tests.running_processes import children
from tests.server.light_simulation import light_options, light_world
from tests.userprogram.rig import Toy, write


@pytest.fixture(autouse=True)
def _cold(monkeypatch):
    """No process is forked: a fork server would be asked in vain."""

    def fork(self, *given, **options):
        pytest.fail("a fork server was asked")

    monkeypatch.setattr(ForkServer, "fork", fork)
    with cold_starts():
        yield


def test_a_command_starts_in_a_new_interpreter():
    said = subprocess.check_output([sys.executable, "-m", "autosim", "--version"], text=True)
    assert said == f"autosim, version {__version__}\n"


def test_a_server_starts_in_a_new_interpreter_and_forks_its_simulations(monkeypatch):
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    with ServerProcess(light_world(), light_options()) as server:
        (simulation,) = children(server.pid)
        command = Path(f"/proc/{simulation}/cmdline").read_bytes()
    assert command.startswith(b"python\0")  # a new interpreter is called by its whole path


def test_a_program_starts_in_a_new_interpreter(tmp_path):
    source = """
        from autosim.userprogram import wait

        def main(argv):
            wait(0.01)
        """
    toy = Toy.new()
    with closing(toy.processes()) as participants:
        participants.launch(write(tmp_path, "short", source), robot="alpha")
        toy.run(participants, 5)
        assert toy.reasons() == {"short": "main returned"}
