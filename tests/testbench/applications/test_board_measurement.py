"""`autosim testbench board`: sketches are built, written to boards, run and measured."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from autosim.cli import main
from autosim_testbench.applications import board_measurement
from autosim_testbench.applications.board_measurement import measure_board
from autosim_testbench.hardware import emulated_board, firmware
from autosim_testbench.hardware.board_frames import pack_frame
from autosim_testbench.hardware.emulated_board import BoardOutput, Pins
from autosim_testbench.hardware.framing import encode
from autosim_testbench.messages.kinds import Range
from tests.testbench.hardware.built import build_or_skip


def call(*arguments: str, text: str = "") -> Result:
    return CliRunner().invoke(main, ["testbench", "board", *arguments], input=text)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built sketches and the emulated board; skipped where what builds them is missing."""
    return build_or_skip(tmp_path_factory.mktemp("firmware"))


@pytest.fixture
def built(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for module in (firmware, emulated_board):
        monkeypatch.setattr(module, "built_folder", lambda: folder)
    return folder


def test_sketches_are_listed_with_what_they_are_built_to(built: Path) -> None:
    output = call("list").output
    assert f"range_finder: {built}/range_finder.elf" in output
    assert "rover: " in output
    assert "ports: " in output


def test_an_emulated_board_says_what_it_measures(built: Path) -> None:
    result = call("run", "range_finder", "--distance", "0.8", "--heading", "90", "--seconds", "0.3")
    assert result.exit_code == 0, result.output
    assert "topic 1  Range  distance 0.79" in result.output
    assert "topic 0  Heading  angle 1.57" in result.output


def test_a_rover_is_told_what_its_wheels_do(built: Path) -> None:
    result = call("run", "rover", "--wheels", "1", "-1", "--seconds", "0.4")
    assert result.output.splitlines() == [
        "to the motor controller: 64 192",
        "to the motor controller: 1 255",
    ]


def test_measurements_of_an_emulated_board_are_near_the_truth_and_the_same_again(
    built: Path, tmp_path: Path
) -> None:
    command = ("measure", "--from", "0.5", "--to", "2", "--places", "2", "--count", "3", "--out")
    for name in ("a.csv", "b.csv"):
        assert call(*command, str(tmp_path / name)).exit_code == 0
    text = (tmp_path / "a.csv").read_text()
    assert text == (tmp_path / "b.csv").read_text()
    header, *rows = text.splitlines()
    assert header == "true,measured"
    assert [row.split(",")[0] for row in rows] == ["0.5000"] * 3 + ["2.0000"] * 3
    for row in rows:
        true, measured = map(float, row.split(","))
        assert measured == pytest.approx(true, abs=0.03)


class Sensor:
    """A board at a port whose range finder is 1 cm short of what was put before it."""

    def __init__(self) -> None:
        self.place = 0.0

    def run(self, seconds: float, pins: Pins, serial: bytes = b"") -> BoardOutput:
        return BoardOutput(encode(pack_frame(1, Range(distance=self.place - 0.01))), b"")

    def close(self) -> None:
        self.place = -1.0


def test_a_real_board_is_measured_place_by_place(monkeypatch: pytest.MonkeyPatch) -> None:
    sensor, asked = Sensor(), []
    monkeypatch.setattr(board_measurement, "open_board", lambda sketch, port: sensor)

    def ask(place: float) -> None:
        asked.append(place)
        sensor.place = place

    found = measure_board(Path("port"), places=[0.5, 1.0], count=2, scatter=0.5, seed=0, ask=ask)
    assert asked == [0.5, 1.0]
    assert [each.measured for each in found] == pytest.approx([0.49, 0.49, 0.99, 0.99])
    assert sensor.place == -1.0, "the port is closed"


def test_a_silent_board_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board_measurement, "_TURN", 0.001)
    end, port = os.openpty()
    result = call("run", "rover", "--port", os.ttyname(port), "--seconds", "0.01")
    assert result.exit_code == 1
    assert "no message came. Has the board one of our sketches" in result.output
    os.close(end)
    os.close(port)


def test_a_sketch_is_written_by_avrdude(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = tmp_path / "said"
    program = tmp_path / "avrdude"
    program.write_text(f'#!/bin/sh\necho "$@" > {said}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    end, port = os.openpty()
    result = call("flash", "rover", "--port", os.ttyname(port))
    assert result.exit_code == 0, result.output
    words = said.read_text().split()
    assert words[:6] == ["-p", "atmega328p", "-c", "arduino", "-P", os.ttyname(port)]
    assert words[-1].startswith("flash:w:")
    assert words[-1].endswith("rover.hex:i")
    program.write_text("#!/bin/sh\necho not in sync >&2; exit 1\n")
    result = call("flash", "rover", "--port", os.ttyname(port))
    assert result.exit_code == 1
    assert "avrdude failed with code 1:\nnot in sync" in result.output
    os.close(end)
    os.close(port)


def test_missing_compilers_are_named_with_the_command_that_installs_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(firmware.shutil, "which", lambda name: None)
    result = call("build")
    assert result.exit_code == 1
    assert "(apt-get install make gcc-avr binutils-avr" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "blink"), "no sketch is called 'blink'; there are range_finder, rover"),
        (("run", "rover", "--port", "/dev/nowhere"), "there is no port /dev/nowhere; ports with"),
        (("flash", "rover"), "Missing option '--port'"),
        (("run", "rover", "--wheels", "2", "0"), "2 is not in the range -1<=x<=1"),
    ],
)
def test_a_mistake_is_one_line(arguments: tuple[str, ...], message: str) -> None:
    result = call(*arguments)
    assert result.exit_code != 0
    assert message in result.output
    assert "Traceback" not in result.output
