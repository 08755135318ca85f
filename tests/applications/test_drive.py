"""Driving by hand: keys of a terminal, joysticks, and the car when nobody is there."""

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from autosim.applications.driving.controls import HALT, Wish, actuator_values
from autosim.applications.driving.event_device import Axis
from autosim.applications.driving.keyboard import STEER_STEP, Keyboard
from tests.applications.serving import Shell, light_server
from tests.applications.simulated_device import SimulatedDevice
from tests.userprogram.rig import write


@pytest.mark.parametrize(
    ("wish", "speed", "values"),
    [
        (Wish(0.5, 1.0), 5.0, (0.25, 1.0, 0.0)),
        (Wish(-1.0, -1.0), 5.0, (-0.5, 0.0, 1.0)),
        (Wish(0.0, -0.5), 0.2, (0.0, -0.5, 0.0)),
        (Wish(0.0, 0.5), -3.0, (0.0, 0.0, 0.5)),
        (Wish(0.0, 0.5, 0.3), 3.0, (0.0, 0.0, 0.3)),
        (HALT, 3.0, (0.0, 0.0, 1.0)),
    ],
)
def test_a_push_against_the_way_brakes_first(wish: Wish, speed: float, values: tuple[float, ...]):
    assert actuator_values(wish, speed=speed, largest_angle=0.5) == values


class Keys:
    """A keyboard at the end of a pipe, and a clock."""

    def __init__(self) -> None:
        reader, self.writer = os.pipe()
        self.keyboard = Keyboard(reader, now=0.0)

    def at(self, now: float, typed: bytes = b"") -> Wish:
        os.write(self.writer, typed)
        return self.keyboard.read(now)

    def close(self) -> None:
        os.close(self.keyboard.fileno())


@pytest.fixture
def keys() -> Iterator[Keys]:
    keys = Keys()
    yield keys
    keys.close()


def test_nothing_moves_before_the_first_key(keys: Keys):
    assert keys.at(0.1) == HALT


@pytest.mark.parametrize(("up", "left"), [(b"w", b"a"), (b"W", b"A"), (b"\x1b[A", b"\x1b[D")])
def test_letters_and_arrows_drive(keys: Keys, up: bytes, left: bytes):
    assert keys.at(0.1, up) == Wish(push=0.5)
    assert keys.at(0.2, left) == Wish(STEER_STEP, 0.5)
    assert keys.at(0.3, b" ") == Wish(STEER_STEP, brake=1.0)
    assert keys.at(0.3, b"s").push == -0.5


def test_an_arrow_may_come_in_pieces(keys: Keys):
    assert keys.at(0.1, b"\x1b") == HALT
    assert keys.at(0.2, b"[").push == 0.0
    assert keys.at(0.3, b"A").push == 0.5


def test_other_keys_mean_nothing_and_hold_nothing(keys: Keys):
    assert keys.at(0.1, b"xyz\xff\x1b[5~") == HALT


def test_the_wheel_goes_back_and_silence_brakes(keys: Keys):
    keys.at(0.0, b"waaaaaaaaaaaaa")
    assert keys.at(0.05).steering == 1.0
    assert keys.at(0.30).steering == 1.0
    assert keys.at(0.55).steering == pytest.approx(0.75)
    assert keys.at(0.75).push == 0.5
    assert keys.at(0.85) == HALT
    assert keys.at(0.90, b"a") == Wish(STEER_STEP)


def test_q_and_a_closed_terminal_end_the_drive(keys: Keys):
    assert keys.at(0.0, b"wq") == HALT
    assert keys.keyboard.is_over
    other = Keys()
    os.close(other.writer)
    assert other.keyboard.read(0.1) == HALT
    assert other.keyboard.is_over
    other.close()


@pytest.fixture
def shell() -> Iterator[Shell]:
    with light_server(real_time_factor=1.0) as server:
        yield Shell(server.address)


class Terminal:
    """`autosim drive` at a terminal of its own."""

    def __init__(self, shell: Shell, *options: str) -> None:
        self.master, slave = pty.openpty()
        command = [sys.executable, "-m", "autosim", "drive", "--server", shell.address, *options]
        self.process = subprocess.Popen(
            command, stdin=slave, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        os.close(slave)
        assert self.process.stderr is not None
        self.greeting = self.process.stderr.readline()

    def end(self) -> tuple[int, str]:
        _, error = self.process.communicate(timeout=60)
        return self.process.returncode, error


def drive_values(shell: Shell, robot: str) -> dict[str, float]:
    record = shell.record("ctl", "get", f"{robot}.box.drive")
    values: dict[str, float] = record["values"][f"{robot}.box.drive"]
    return values


def hold(terminal: Terminal, key: bytes, until: Callable[[], bool]) -> None:
    """Presses a key until something has come about."""
    while not until():
        os.write(terminal.master, key)


def test_a_person_at_a_terminal_drives_and_silence_brakes(shell: Shell):
    terminal = Terminal(shell, "--robot", "r1")
    assert terminal.greeting.startswith("driving 'r1': W/↑ forwards")
    hold(terminal, b"w", lambda: drive_values(shell, "r1")["acceleration"] == 0.5)
    while drive_values(shell, "r1") != {"steering": 0.0, "acceleration": 0.0, "brake": 1.0}:
        pass
    hold(terminal, b"\x1b[C", lambda: drive_values(shell, "r1")["steering"] == -0.5)
    os.write(terminal.master, b"q")
    assert terminal.end() == (0, "")
    assert drive_values(shell, "r1") == {"steering": 0.0, "acceleration": 0.0, "brake": 1.0}
    assert drive_values(shell, "r0")["brake"] == 0.0
    os.close(terminal.master)


@pytest.mark.parametrize("way", ["closed", "hung up", "killed"])
def test_however_the_terminal_goes_the_server_lets_the_driver_go(shell: Shell, way: str):
    terminal = Terminal(shell)
    hold(terminal, b"w", lambda: drive_values(shell, "r0")["acceleration"] == 0.5)
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


def test_a_robot_that_a_program_drives_is_not_for_the_hand(shell: Shell, tmp_path: Path):
    source = """
        from autosim.userprogram import set_data, wait

        def main(argv):
            set_data(f"{argv[0]}.box.drive", [0.0, 0.5, 0.0])
            wait(0.1)
            open(argv[1], "w").close()
            wait(1e6)
        """
    started = tmp_path / "started"
    program = str(write(tmp_path, "busy", source))
    command = [sys.executable, "-m", "autosim", "run", program, "--server", shell.address]
    with subprocess.Popen([*command, "--", str(started)]) as busy:
        while not started.exists():
            assert busy.poll() is None
        terminal = Terminal(shell)
        code, error = terminal.end()
        busy.kill()
    os.close(terminal.master)
    assert code == 1
    assert error.startswith("error: robot 'r0' is driven by the program")


def test_a_wheel_drives_and_when_it_is_pulled_out_the_robot_brakes(shell: Shell, tmp_path: Path):
    wheel = SimulatedDevice(tmp_path / "event5", axes={})
    command = [sys.executable, "-m", "autosim", "drive", "--server", shell.address]
    options = ["--device", wheel.path, "--layout", "wheel", "--throttle-axis", "Y"]
    with subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == f"driving 'r0': {wheel.path} drives; Ctrl-C ends\n"
        wheel.move(Axis.X, -32768)
        wheel.move(Axis.Y, 0)
        while drive_values(shell, "r0") != {"steering": 0.5, "acceleration": 1.0, "brake": 0.0}:
            assert process.poll() is None
        wheel.pull_out()
        assert process.wait(30) == 0
    assert drive_values(shell, "r0") == {"steering": 0.0, "acceleration": 0.0, "brake": 1.0}


def test_what_cannot_be_driven_with_is_said(shell: Shell, tmp_path: Path):
    error = shell.error("drive", "--device", str(tmp_path / "event9"))
    assert "cannot open the joystick" in error
    assert "there is no terminal to drive from" in shell.error("drive")
