"""Driving by hand: keys of a terminal, joysticks, and the car when nobody is there."""

import math
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from autosim.applications.driving.driver_input import (
    HALT,
    DriverCommand,
    Steering,
    actuator_values,
    gear_of,
)
from autosim.applications.driving.event_device import Axis
from autosim.server.network.server_process import ServerProcess
from tests.applications.serving import Shell, light_server
from tests.applications.simulated_device import SimulatedDevice
from tests.server.light_simulation import light_options, light_world
from tests.userprogram.rig import write

STEERING = Steering(0.5)
CAR = Steering(0.6, wheelbase=2.52)


@pytest.mark.parametrize(
    ("wish", "speed", "values"),
    [
        (DriverCommand(0.5, 1.0), 5.0, (0.25, 1.0, 0.0)),
        (DriverCommand(-1.0, -1.0), 5.0, (-0.5, 0.0, 1.0)),
        (DriverCommand(0.0, -0.5), 0.2, (0.0, -0.5, 0.0)),
        (DriverCommand(0.0, 0.5), -3.0, (0.0, 0.0, 0.5)),
        (DriverCommand(0.0, 0.5, 0.3), 3.0, (0.0, 0.0, 0.3)),
        (HALT, 3.0, (0.0, 0.0, 1.0)),
    ],
)
def test_a_push_against_the_way_brakes_first(
    wish: DriverCommand, speed: float, values: tuple[float, ...]
):
    assert actuator_values(wish, speed=speed, steering=STEERING) == values


@pytest.mark.parametrize("speed", [8.0, 14.0, -20.0, 40.0])
def test_the_steering_ends_where_the_lateral_acceleration_does(speed: float):
    angle, _, _ = actuator_values(DriverCommand(1.0), speed=speed, steering=CAR)
    assert speed**2 * math.tan(angle) / CAR.wheelbase == pytest.approx(5.0)


def test_a_slow_car_and_a_steering_wheel_turn_as_far_as_they_go():
    assert actuator_values(DriverCommand(-1.0), speed=3.0, steering=CAR)[0] == -0.6
    assert actuator_values(DriverCommand(1.0, is_direct=True), speed=30.0, steering=CAR)[0] == 0.6


@pytest.mark.parametrize(
    ("speed", "acceleration", "gear"),
    [(5.0, -1.0, "D"), (-5.0, 0.0, "R"), (0.1, -0.2, "R"), (-0.1, 0.5, "D"), (0.0, 0.0, "N")],
)
def test_the_gear_is_the_way_that_the_car_goes(speed: float, acceleration: float, gear: str):
    assert gear_of(speed=speed, acceleration=acceleration) == gear


@pytest.fixture
def shell() -> Iterator[Shell]:
    with light_server(real_time_factor=1.0) as server:
        yield Shell(server.address)


class Terminal:
    """`autosim drive` at a terminal of its own. `greeting`: its first line, "" where it asks."""

    opened: ClassVar[list["Terminal"]] = []

    def __init__(self, shell: Shell, *options: str, asks: bool = False) -> None:
        self.master, slave = pty.openpty()
        command = [sys.executable, "-m", "autosim", "drive", "--server", shell.address, *options]
        self.process = subprocess.Popen(
            command, stdin=slave, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        os.close(slave)
        self.opened.append(self)
        # It tells when keys are let go, so that no test depends on how fast it types.
        os.write(self.master, b"" if asks else b"\x1b[?11u")
        assert self.process.stderr is not None
        self.greeting = "" if asks else self.process.stderr.readline()

    def end(self) -> tuple[int, str]:
        _, error = self.process.communicate(timeout=60)
        return self.process.returncode, error


@pytest.fixture(autouse=True)
def ended() -> Iterator[None]:
    """Ends what a test that has failed leaves running, so that the next one does not fail too."""
    yield
    while Terminal.opened:
        with Terminal.opened.pop().process as process:
            process.kill()


def drive_values(shell: Shell, robot: str) -> dict[str, float]:
    record = shell.record("ctl", "get", f"{robot}.box.drive")
    values: dict[str, float] = record["values"][f"{robot}.box.drive"]
    return {name: values[name] for name in REST}


REST = {"steering": 0.0, "acceleration": 0.0, "brake": 1.0}
W_DOWN, W_UP = b"\x1b[119;1:1u", b"\x1b[119;1:3u"
RIGHT_DOWN = b"\x1b[1;1:1C"


def until(terminal: Terminal, condition: Callable[[], bool]) -> None:
    """Waits until something has come about while the command runs."""
    while not condition():
        assert terminal.process.poll() is None, terminal.end()


def test_a_person_at_a_terminal_drives_and_letting_go_does_not_brake(shell: Shell):
    terminal = Terminal(shell, "--robot", "r1", "--steering-angle", "0.5")
    assert terminal.greeting.startswith("driving 'r1': W/↑ forwards")
    os.write(terminal.master, W_DOWN)
    until(terminal, lambda: drive_values(shell, "r1")["acceleration"] == 1.0)
    os.write(terminal.master, W_UP)
    while (values := drive_values(shell, "r1"))["acceleration"] > 0.0:
        assert values["brake"] == 0.0
    os.write(terminal.master, RIGHT_DOWN)
    until(terminal, lambda: drive_values(shell, "r1")["steering"] == -0.5)
    os.write(terminal.master, b"q")
    assert terminal.end() == (0, "")
    assert drive_values(shell, "r1") == REST
    assert drive_values(shell, "r0")["brake"] == 0.0
    os.close(terminal.master)


@pytest.mark.parametrize("way", ["closed", "hung up", "killed"])
def test_however_the_terminal_goes_the_server_lets_the_driver_go(shell: Shell, way: str):
    terminal = Terminal(shell)
    os.write(terminal.master, W_DOWN)
    until(terminal, lambda: drive_values(shell, "r0")["acceleration"] == 1.0)
    if way == "closed":
        os.close(terminal.master)
    else:
        number = signal.SIGHUP if way == "hung up" else signal.SIGKILL
        terminal.process.send_signal(number)
    code, _ = terminal.end()
    assert code == {"closed": 0, "hung up": 130, "killed": -signal.SIGKILL}[way]
    while "r0: " not in shell.ok("ctl", "messages"):
        pass
    if way != "closed":
        os.close(terminal.master)


def test_what_comes_after_the_line_of_figures_begins_below_it(shell: Shell):
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "autosim", "drive", "--server", shell.address]
    with subprocess.Popen(command, stdin=slave, stderr=slave, start_new_session=True):
        os.close(slave)
        shown = b""
        while b"km/h" not in shown:
            shown += os.read(master, 4096)
        os.write(master, b"q")
        with suppress(OSError):  # how the end of a terminal is told
            while more := os.read(master, 4096):
                shown += more
    os.close(master)
    assert shown.endswith(b"\r\n")


BUSY = """
    from autosim.userprogram import set_data, wait

    def main(argv):
        set_data(f"{argv[0]}.box.drive", [0.0, 0.25, 0.0])
        wait(1e6)
    """


@pytest.fixture
def busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    """A server whose robot r0 is driven by a program of its world."""
    folder = tmp_path / "userprograms"
    folder.mkdir()
    write(folder, "busy", BUSY)
    monkeypatch.setenv("AUTOSIM_PATH", str(tmp_path))
    world = light_world(2)
    robot = replace(world.robots[0], program="userprograms/busy.py")
    world = replace(world, robots=(robot, world.robots[1]))
    with ServerProcess(world, light_options(real_time_factor=1.0)) as server:
        shell = Shell(server.address)
        while drive_values(shell, "r0")["acceleration"] != 0.25:
            pass
        yield shell


def program_state(shell: Shell) -> tuple[str, int]:
    program, *_ = shell.record("ctl", "programs")  # the world's own; then people
    return program["state"], program["restarts"]


@pytest.mark.parametrize(("options", "answer"), [((), b"\n"), (("--take-over",), b"")])
def test_a_robot_is_taken_over_from_its_program_and_given_back(
    busy: Shell, options: tuple[str, ...], answer: bytes
):
    terminal = Terminal(busy, *options, asks=bool(answer))
    os.write(terminal.master, answer + b"\x1b[?11u" + W_DOWN)
    until(terminal, lambda: drive_values(busy, "r0")["acceleration"] == 1.0)
    assert program_state(busy) == ("stopped", 0)
    os.write(terminal.master, b"q")
    code, said = terminal.end()
    os.close(terminal.master)
    said = terminal.greeting + said
    assert code == 0
    assert ("'r0' is driven by userprograms/busy.py; take over? [Y/n]" in said) is bool(answer)
    assert "took 'r0' over from userprograms/busy.py" in said
    assert "returned 'r0' to userprograms/busy.py, which restarts" in said
    while drive_values(busy, "r0")["acceleration"] != 0.25:
        pass
    assert program_state(busy) == ("running", 1)


def test_a_robot_goes_back_to_its_program_however_the_person_goes(busy: Shell):
    terminal = Terminal(busy, "--take-over")
    os.write(terminal.master, W_DOWN)
    until(terminal, lambda: drive_values(busy, "r0")["acceleration"] == 1.0)
    terminal.process.kill()
    terminal.end()
    os.close(terminal.master)
    while drive_values(busy, "r0")["acceleration"] != 0.25:
        pass
    assert program_state(busy) == ("running", 1)


def test_a_robot_that_is_not_taken_over_stays_with_its_program(busy: Shell, tmp_path: Path):
    terminal = Terminal(busy, asks=True)
    os.write(terminal.master, b"n\n")
    code, said = terminal.end()
    os.close(terminal.master)
    assert code == 1
    wheel = SimulatedDevice(tmp_path / "event5", axes={})
    for error in (said, busy.error("drive", "--device", wheel.path)):
        assert "error: robot 'r0' is driven by userprograms/busy.py: take over with --take" in error
    wheel.pull_out()
    assert program_state(busy) == ("running", 0)


def test_what_was_started_elsewhere_is_not_given_back(shell: Shell, tmp_path: Path):
    program = str(write(tmp_path, "busy", BUSY))
    command = [sys.executable, "-m", "autosim", "run", program, "--server", shell.address]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        while drive_values(shell, "r0")["acceleration"] != 0.25:
            assert running.poll() is None
        terminal = Terminal(shell, "--take-over")
        os.write(terminal.master, W_DOWN)
        until(terminal, lambda: drive_values(shell, "r0")["acceleration"] == 1.0)
        os.write(terminal.master, b"q")
        code, said = terminal.end()
        running.communicate(timeout=60)
    os.close(terminal.master)
    assert code == 0
    assert "busy.py" in said
    assert "was started elsewhere: start it again there" in said


def test_a_program_does_not_drive_what_another_one_drives(busy: Shell, tmp_path: Path):
    program = str(write(tmp_path, "second", BUSY))
    error = busy.error("run", program, "--robot", "r0")
    assert "is driven by the program" in error
    assert "take over with autosim drive --robot r0" in error


def test_a_wheel_drives_and_when_it_is_pulled_out_the_robot_brakes(shell: Shell, tmp_path: Path):
    wheel = SimulatedDevice(tmp_path / "event5", axes={})
    command = [sys.executable, "-m", "autosim", "drive", "--server", shell.address]
    options = ["--device", wheel.path, "--layout", "wheel", "--throttle-axis", "Y"]
    options += ["--steering-angle", "0.5"]
    with subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == f"driving 'r0': {wheel.path} drives; Ctrl-C ends\n"
        wheel.move(Axis.X, -32768)
        wheel.move(Axis.Y, 0)
        while drive_values(shell, "r0") != {"steering": 0.5, "acceleration": 1.0, "brake": 0.0}:
            assert process.poll() is None
        wheel.pull_out()
        assert process.wait(30) == 0
    assert drive_values(shell, "r0") == REST


def test_what_cannot_be_driven_with_is_said(shell: Shell, tmp_path: Path):
    error = shell.error("drive", "--device", str(tmp_path / "event9"))
    assert error.startswith("error: cannot open the joystick")
    assert len(error.splitlines()) == 1
    assert "there is no terminal to drive from" in shell.error("drive")
