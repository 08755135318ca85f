"""`autosim run`: a program from any shell beside a running server."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from autosim.client.programs.client_programs import ClientPrograms, ProgramOrder
from autosim.records.events import CommandApplied
from autosim.records.record_file import Record
from tests.applications.serving import Shell, light_server
from tests.userprogram.rig import write

POLITE = """
    from autosim.userprogram import get_time, set_data, wait

    def main(argv):
        print("driving", *argv)
        set_data(f"{argv[0]}.box.drive", [0.0, 0.5, 0.0])
        wait(0.1)
        print("after", get_time())
    """

ENDLESS = """
    from autosim.userprogram import set_data, wait

    def main(argv):
        set_data(f"{argv[0]}.box.drive", [0.0, 0.5, 0.0])
        print("driving", flush=True)
        wait(1e6)
    """

STOPS_BADLY = """
    class Program:
        def start(self, robot):
            print("driving", flush=True)

        def stop(self):
            raise RuntimeError("no brake")
    """

ONLOOKER = """
    from autosim.userprogram import get_data, wait

    def main(argv):
        wait(0.05)
        assert get_data(f"{argv[0]}.box.drive")[1] == 0.5
    """


@pytest.fixture
def shell() -> Iterator[Shell]:
    with light_server(real_time_factor=1.0) as server:
        yield Shell(server.address)


@contextmanager
def running(shell: Shell, program: Path) -> Iterator["subprocess.Popen[str]"]:
    """`autosim run` in a process of its own, after the program's first line."""
    command = [sys.executable, "-m", "autosim", "run", str(program), "--server", shell.address]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "driving\n"
            yield process
        finally:
            process.kill()


def test_its_output_and_its_arguments_go_through(
    shell: Shell, tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    program = write(tmp_path, "polite", POLITE)
    arguments = ["run", str(program), "--robot", "r1", "--server", shell.address]
    assert Shell.plain(*arguments, "--", "--fast", "3").exit_code == 0
    first, second = capfd.readouterr().out.splitlines()
    assert first == "driving r1 --fast 3"
    assert second.startswith("after ")
    assert shell.ok("ctl", "get", "r1.box.drive.acceleration").split()[1] == "0.5"


def test_a_program_that_fails_shows_its_traceback_and_exits_with_1(shell: Shell, tmp_path: Path):
    program = write(tmp_path, "bad", "def main(argv):\n    raise ValueError('no petrol')")
    error = shell.error("run", str(program))
    assert "ValueError: no petrol" in error
    assert 'bad.py", line 2, in main' in error


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_it_and_the_server_knows_why(
    shell: Shell, tmp_path: Path, number: signal.Signals
):
    with running(shell, write(tmp_path, "endless", ENDLESS)) as process:
        process.send_signal(number)
        _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert error.strip() == "interrupted"
    assert shell.record("ctl", "status")["programs"] == 0
    assert "r0: ended by its client" in shell.ok("ctl", "messages")


def test_an_interrupt_while_the_program_starts_lets_it_leave(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    launch = ClientPrograms.launch

    def launch_and_be_interrupted(programs: ClientPrograms, order: ProgramOrder) -> None:
        launch(programs, order)
        signal.raise_signal(signal.SIGTERM)
        while shell.record("ctl", "status")["programs"] == 0:
            shell.ok("ctl", "step", "1")

    monkeypatch.setattr(ClientPrograms, "launch", launch_and_be_interrupted)
    result = shell("run", str(write(tmp_path, "endless", ENDLESS)))
    assert (result.exit_code, result.stderr.strip()) == (130, "interrupted")
    end = time.monotonic() + 20.0
    while "r0: ended by its client" not in (told := shell.ok("ctl", "messages")):
        assert time.monotonic() < end, told
        shell.ok("ctl", "step", "1")  # a paused server takes notice with its next step


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_that_a_destructor_swallows_ends_the_program_nevertheless(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    class Swallows:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    running = ClientPrograms.running
    monkeypatch.setattr(
        ClientPrograms,
        "running",
        property(lambda programs: (Swallows(), running.__get__(programs))[1]),
    )
    result = shell("run", str(write(tmp_path, "endless", ENDLESS)))
    assert (result.exit_code, result.stderr.strip()) == (130, "interrupted")


def test_what_fails_after_an_interrupt_is_told(shell: Shell, tmp_path: Path):
    with running(shell, write(tmp_path, "stops_badly", STOPS_BADLY)) as process:
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "RuntimeError: no brake" in error
    assert "ProgramStopped" not in error


def test_the_server_misses_one_that_is_killed_while_it_waits(shell: Shell, tmp_path: Path):
    with running(shell, write(tmp_path, "endless", ENDLESS)) as process:
        process.kill()
    while "was lost" not in shell.ok("ctl", "messages"):
        shell.ok("ctl", "step", "24")


def test_a_robot_that_is_driven_refuses_another_driver_but_not_an_onlooker(
    shell: Shell, tmp_path: Path
):
    with running(shell, write(tmp_path, "endless", ENDLESS)):
        error = shell.error("run", str(write(tmp_path, "polite", POLITE)))
        shell.ok("run", str(write(tmp_path, "onlooker", ONLOOKER)))
    assert "robot 'r0' is driven by the program" in error
    assert "endless.py (" in error
    assert "one program drives a robot at a time" in error
    assert len(error.strip().splitlines()) == 1


def test_a_run_is_recorded_while_the_program_takes_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("AUTOSIM_RECORDS", str(tmp_path / "records"))
    program = str(write(tmp_path, "polite", POLITE))
    with light_server() as server:
        shell = Shell(server.address)
        shell.ok("ctl", "run", "--pace", "0")
        result = shell("run", program, "--record", "lap")
        path = tmp_path / "records" / "lap.mcap"
        assert f"record {path}: " in result.stderr
        assert shell.record("ctl", "time")["record"] is None
        again = shell.error("run", program, "--record", "lap")
        assert "there is already a record 'lap.mcap'" in again
    with Record(path) as record:
        assert any(isinstance(each, CommandApplied) for each in record.events())


def test_what_is_missing_is_said(shell: Shell, tmp_path: Path):
    program = str(write(tmp_path, "polite", POLITE))
    assert "there is no user program 'no.py'" in shell.error("run", "no.py")
    assert "no robot 'r9' (robots: r0, r1)" in shell.error("run", program, "--robot", "r9")
    assert "no server listens" in Shell("127.0.0.1:9").error("run", program)
