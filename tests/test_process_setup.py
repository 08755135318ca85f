"""What a command settles for its process."""

import atexit
import gc
import os
import subprocess
import sys

import pytest

from autosim.process_setup import prepare_process


@pytest.fixture(autouse=True)
def untouched(monkeypatch):
    """The environment as it was afterwards, and nothing left to do at the end of the tests."""
    monkeypatch.setenv("GRPC_VERBOSITY", "NONE")
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "")
    monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    yield
    atexit.unregister(gc.freeze)


def test_small_matrices_take_one_processor():
    prepare_process()
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"


def test_what_the_user_has_set_prevails(monkeypatch):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "4")
    prepare_process()
    assert os.environ["OPENBLAS_NUM_THREADS"] == "4"


CLOSED = """
import os, sys
from autosim.process_setup import open_standard_streams

for number in {closed}:
    os.close(number)
if {closed}:
    sys.stdin = sys.stdout = sys.stderr = None
open_standard_streams()
report = os.fdopen(int(sys.argv[1]), "w")
nothing = [number for number in range(3) if os.path.samestat(os.fstat(number), os.stat(os.devnull))]
inherited = [number for number in range(3) if os.get_inheritable(number)]
print("x")
print("x", file=sys.stderr)
sys.stdin.read()
print(nothing, inherited, file=report)
"""


@pytest.mark.parametrize("closed", [(0, 1, 2), (1,), ()])
def test_closed_streams_are_opened_on_nothing(closed):
    reader, writer = os.pipe()
    source = CLOSED.format(closed=closed)
    with subprocess.Popen(
        [sys.executable, "-c", source, str(writer)],
        pass_fds=[writer],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        os.close(writer)
        _, errors = process.communicate()
    assert (process.returncode, errors) == (0, b"" if 2 in closed else b"x\n")
    with os.fdopen(reader) as report:
        assert report.read() == f"{list(closed)} [0, 1, 2]\n"


def test_a_command_prepares_its_process(monkeypatch):
    called = []
    monkeypatch.setattr("autosim.process_setup.open_standard_streams", lambda: called.append(True))
    prepare_process()
    assert called
