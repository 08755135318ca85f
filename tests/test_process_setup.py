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


FIRST = """
import os, signal, sys, time
from autosim.process_setup import work_below_init

work_below_init()
for _ in range(3):
    if os.fork() == 0:
        os._exit(0) if os.fork() else os._exit(0)
    os.wait()


def processes():
    return [each for each in os.listdir("/proc") if each.isdecimal()]


while len(processes()) > 2:
    time.sleep(0.01)
print(os.getppid(), flush=True)
{end}
"""


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("end", "code"), [("sys.exit(3)", 3), ("os.kill(1, signal.SIGTERM); time.sleep(60)", 143)]
)
def test_the_first_process_of_a_container_reaps_what_nobody_else_can(end, code):
    command = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"]
    try:
        possible = subprocess.run([*command, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        possible = False
    if not possible:
        pytest.skip("the system makes no container for tests")
    source = FIRST.format(end=end)
    done = subprocess.run([*command, sys.executable, "-c", source], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("1\n", code), done.stderr
