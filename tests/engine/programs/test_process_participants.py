"""Programs in processes of their own: in step with the simulation, and stopped alone."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from autosim.config.descriptions import ProgramLimits
from autosim.engine.programs.deadlines import Deadlines
from autosim.model.commands import DeviceError, DeviceErrorCode
from tests.paths import ROOT
from tests.running_processes import children
from tests.userprogram.rig import Toy, closing, write

WITNESS = """
    from autosim.userprogram import get_data, get_time, set_data, wait

    def main(argv):
        drive, psd = f"{argv[0]}.chassis.drive", f"{argv[0]}.chassis.psd0"
        for turn in range(10):
            set_data(drive, [get_time(), 1.0, get_data(psd)])
            wait(0.05)
    """

OFFENDERS = {
    "raises": ("def main(argv): {}['gear']", "KeyError: 'gear'"),
    "exits": ("import sys\ndef main(argv): sys.exit(4)", "the program exited with 4"),
    "vanishes": (
        "import os\ndef main(argv): os._exit(5)",
        "ended with exit code 5 before its main returned",
    ),
    "crashes": ("import ctypes\ndef main(argv): ctypes.string_at(0)", "killed by SIGSEGV"),
    "eats": (
        "eaten = []\ndef main(argv):\n  while True: eaten.append(bytearray(1 << 24))",
        "MemoryError",
    ),
    "loops": (
        "from autosim.userprogram import wait\ndef main(argv):\n  wait(0.1)\n  while True: pass",
        "did not reach its next wait() within 0.5 s",
    ),
    "sleeps": (
        "from autosim.userprogram import wait\nimport time\n"
        "def main(argv):\n  wait(0.1)\n  time.sleep(1e6)",
        "did not reach its next wait() within 0.5 s",
    ),
    # As a program that the machine lets run too late, deep in its wait.
    "lingers": (
        "from autosim.userprogram import wait\nimport sys\n"
        "def linger(frame, event, argument):\n"
        "  while frame.f_code.co_name == 'recv_fds': pass\n"
        "def main(argv):\n  wait(0.1)\n  sys.setprofile(linger)\n  wait(0.1)",
        "did not reach its next wait() within 0.5 s",
    ),
    "clings": (
        "from autosim.userprogram import wait\nimport signal, time\n"
        "def main(argv):\n"
        "  for each in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):\n"
        "    signal.signal(each, signal.SIG_IGN)\n"
        "  wait(0.1)\n"
        "  while True: time.sleep(1)",
        "did not reach its next wait() within 0.5 s",
    ),
    "closes": (
        "import os, time\ndef main(argv):\n  os.closerange(3, 1024)\n  time.sleep(1e6)",
        "closed its connection to the simulation",
    ),
    "mainless": ("def mian(argv): pass", "mainless.py:1: error: a user program defines main(argv)"),
    "garbled": ("def main(argv)", "SyntaxError: expected ':' (garbled.py, line 1)"),
}

STOOD = {
    "raises": 'raises.py", line 1, in main',
    "crashes": 'crashes.py", line 2 in main',
    "eats": 'eats.py", line 3, in main',
    "loops": 'loops.py", line 4 in main',
    "sleeps": 'sleeps.py", line 5 in main',
    "lingers": 'lingers.py", line 4 in linger',
    "garbled": 'garbled.py", line 1',
}


PATIENT = ProgramLimits(deadline=60.0)
"""Of a program that does nothing wrong, however busy the machine is."""


def own_processes() -> set[int]:
    """The process numbers of this process's children."""
    return set(children(os.getpid()))


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    """A run with a witness on alpha and every offender on beta."""
    folder = tmp_path_factory.mktemp("programs")
    toy = Toy.new()
    participants = toy.processes(Deadlines(turn=0.5))
    with closing(participants):
        participants.launch(write(folder, "witness", WITNESS), robot="alpha", limits=PATIENT)
        for name, (source, _) in OFFENDERS.items():
            program = write(folder, name, source)
            participants.launch(program, robot="beta", limits=ProgramLimits(memory=1 << 30))
        toy.run(participants, 200)
    return toy


@pytest.mark.parametrize("name", OFFENDERS)
def test_an_offender_is_stopped_and_named(crowd: Toy, name: str):
    _, program_exit = crowd.program_exit(name)
    assert program_exit.has_failed
    assert program_exit.robot == "beta"
    assert OFFENDERS[name][1] in program_exit.reason


@pytest.mark.parametrize("name", STOOD)
def test_where_an_offender_stood_is_shown(crowd: Toy, name: str):
    assert STOOD[name] in crowd.program_exit(name)[1].traceback


@pytest.mark.parametrize("name", ["raises", "loops", "sleeps", "lingers"])
def test_an_offenders_traceback_is_its_own(crowd: Toy, name: str):
    lines = crowd.program_exit(name)[1].traceback.splitlines()
    assert not [line for line in lines if "File " in line and f"{name}.py" not in line]


def test_the_others_go_on(crowd: Toy):
    step, program_exit = crowd.program_exit("witness")
    assert (program_exit.has_failed, program_exit.reason) == (False, "main returned")
    assert step == 120


def test_waits_return_at_exact_steps(crowd: Toy):
    commands = [
        (step, np.frombuffer(each.data))
        for step, each in crowd.log
        if each.device == "alpha.chassis.drive"
    ]
    assert [step for step, _ in commands] == [12 * turn for turn in range(10)]
    times = [data[0] for _, data in commands]
    np.testing.assert_allclose(times, [0.05 * turn for turn in range(10)], atol=1e-9)
    distances = [data[2] for _, data in commands]
    np.testing.assert_allclose(distances, [0.05 * turn for turn in range(10)], atol=1e-9)


def test_nothing_is_left_behind(crowd: Toy):
    assert not own_processes()


def test_what_a_program_imports_and_compiles_does_not_count_towards_its_deadline(tmp_path: Path):
    write(tmp_path, "slow_to_import", "import time\ntime.sleep(1.0)")
    source = """
        from autosim.userprogram import wait

        def main(argv):
            wait(0.1)
            import slow_to_import
            from numba import njit
            njit(lambda x: x + 1)(1)
            wait(0.1)
        """
    toy = Toy.new()
    participants = toy.processes()
    with closing(participants):
        program = write(tmp_path, "prepares", source)
        participants.launch(program, robot="alpha", limits=ProgramLimits(deadline=0.5))
        toy.run(participants, 60)
    assert toy.reasons() == {"prepares": "main returned"}


def test_prints_of_a_program_go_through(tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    source = """
        import os, sys

        def main(argv):
            print("to you")
            print("and to you", file=sys.stderr)
            os.write(1, b"\\x00\\xff junk\\n")
        """
    toy = Toy.new()
    participants = toy.processes()
    with closing(participants):
        participants.launch(write(tmp_path, "chatty", source), robot="alpha")
        toy.run(participants, 1)
    assert toy.reasons() == {"chatty": "main returned"}
    printed = capfd.readouterr()
    assert "to you" in printed.out
    assert " junk" in printed.out
    assert "and to you" in printed.err


def test_what_is_set_last_counts(tmp_path: Path):
    source = """
        from autosim.userprogram import set_data

        def main(argv):
            set_data(f"{argv[0]}.chassis.drive", [0.0, 0.0, 1.0])
        """
    toy = Toy.new()
    participants = toy.processes()
    with closing(participants):
        participants.launch(write(tmp_path, "brief", source), robot="alpha")
        toy.run(participants, 2)
    assert [(step, each.device) for step, each in toy.log] == [(0, "alpha.chassis.drive")]
    assert toy.program_exit("brief")[0] == 1


def test_a_program_has_its_limits(tmp_path: Path):
    source = """
        import os, resource

        def main(argv):
            assert 1 << 30 <= resource.getrlimit(resource.RLIMIT_AS)[0] < 2 << 30
            assert resource.getrlimit(resource.RLIMIT_CORE) == (0, 0)
            assert resource.getrlimit(resource.RLIMIT_NOFILE)[1] <= 1024
            assert os.getsid(0) == os.getpid()
        """
    toy = Toy.new()
    participants = toy.processes()
    with closing(participants):
        program = write(tmp_path, "limited", source)
        participants.launch(program, robot="alpha", limits=ProgramLimits(memory=1 << 30))
        toy.run(participants, 1)
    assert toy.reasons() == {"limited": "main returned"}


def test_a_program_has_its_folder_and_its_arguments(tmp_path: Path):
    write(tmp_path, "helper", "GEAR = 3")
    source = """
        import sys
        from helper import GEAR
        from autosim.userprogram import set_data

        def main(argv):
            assert sys.argv[1:] == argv[1:]
            set_data(f"{argv[0]}.chassis.drive", [float(argv[1]), GEAR, 0.0])
        """
    toy = Toy.new()
    participants = toy.processes()
    with closing(participants):
        program = write(tmp_path, "user", source)
        participants.launch(program, robot="alpha", arguments=["0.25"])
        toy.run(participants, 2)
    assert np.frombuffer(toy.log[0][1].data).tolist() == [0.25, 3.0, 0.0]


def test_a_program_that_starts_late_holds_the_step_until_it_has_attached(tmp_path: Path):
    toy = Toy.new()
    participants = toy.processes()
    with closing(participants):
        toy.run(participants, 50)
        participants.launch(write(tmp_path, "witness", WITNESS), robot="alpha")
        toy.run(participants, 50)
    assert [step for step, _ in toy.log] == [50, 62, 74, 86, 98]


def test_programs_that_wait_are_told_that_the_simulation_is_over(tmp_path: Path):
    marker = tmp_path / "cleaned up"
    source = f"""
        from pathlib import Path
        from autosim.userprogram import wait

        def main(argv):
            try:
                wait(1e9)
            finally:
                Path({str(marker)!r}).touch()
        """
    toy = Toy.new()
    participants = toy.processes()
    with closing(participants):
        participants.launch(write(tmp_path, "tidy", source), robot="alpha")
        toy.run(participants, 5)
        assert participants.robots == ("alpha",)
        participants.close(grace=20.0)
    assert marker.exists()
    assert not own_processes()


def test_what_a_program_has_started_ends_with_it(tmp_path: Path):
    note = tmp_path / "pid"
    source = f"""
        import subprocess, sys
        from pathlib import Path

        def main(argv):
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1e6)"])
            Path({str(note)!r}).write_text(str(child.pid))
            raise SystemExit(1)
        """
    toy = Toy.new()
    participants = toy.processes()
    with closing(participants):
        participants.launch(write(tmp_path, "parent", source), robot="alpha")
        toy.run(participants, 1)
    assert_ended(int(note.read_text()))


def test_programs_end_with_a_simulation_that_is_killed(tmp_path: Path):
    source = """
        import os

        def main(argv):
            print(os.getpid(), flush=True)
            while True:
                pass
        """
    program = write(tmp_path, "orphan", source)
    host = f"""
from pathlib import Path
from autosim.engine.programs.deadlines import Deadlines
from tests.userprogram.rig import Toy
toy = Toy.new()
participants = toy.processes(Deadlines(start=1000.0))
participants.launch(Path({str(program)!r}), robot="alpha")
toy.run(participants, 1)
"""
    with subprocess.Popen(
        [sys.executable, "-c", host], stdout=subprocess.PIPE, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
    assert_ended(pid)


def assert_ended(pid: int) -> None:
    """Returns when that process is gone."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    ready, _, _ = select.select([descriptor], [], [], 20.0)
    os.close(descriptor)
    if not ready:
        os.kill(pid, signal.SIGKILL)
    assert ready, f"process {pid} still runs"


def test_an_unknown_robot_is_refused(tmp_path: Path):
    participants = Toy.new().processes()
    with pytest.raises(DeviceError, match="robots: alpha, beta") as caught:
        participants.launch(tmp_path / "any.py", robot="gamma")
    assert caught.value.code == DeviceErrorCode.UNKNOWN_ROBOT
