"""The serial link, a board that simavr emulates, and a port that is a pseudo-terminal."""

import math
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autosim.errors import UserError
from autosim_testbench.hardware import emulated_board, serial_port
from autosim_testbench.hardware.board_frames import pack_frame, unpack_frame
from autosim_testbench.hardware.boards import RangeFinderBoard, RoverBoard
from autosim_testbench.hardware.c_header import header
from autosim_testbench.hardware.emulated_board import EmulatedBoard, Pins
from autosim_testbench.hardware.framing import MOST_BYTES, Decoder, encode
from autosim_testbench.hardware.serial_port import SerialPort
from autosim_testbench.launch.bench import BenchOptions, LockstepBench
from autosim_testbench.launch.launch_file import load_launch
from autosim_testbench.messages.envelope import seal
from autosim_testbench.messages.kinds import Heading, Range, WheelCommand
from autosim_testbench.messages.serial_object import MessageError
from autosim_testbench.nodes.reality import RealityMode
from autosim_testbench.range_finding.plane_shapes import distance
from autosim_testbench.range_finding.scene_file import load_scene
from tests.testbench.hardware.built import build_or_skip
from tests.testbench.nodes.rig import Rig

ROOT = Path(__file__).parents[3]


@given(st.lists(st.binary(max_size=MOST_BYTES), max_size=5))
def test_frames_survive_the_line_in_any_pieces(payloads: list[bytes]) -> None:
    line = b"".join(map(encode, payloads))
    decoder = Decoder()
    assert [each for byte in line for each in decoder.add(bytes((byte,)))] == payloads
    assert decoder.rejected == 0


@given(st.binary(max_size=40), st.binary(min_size=1, max_size=30))
def test_after_garbage_the_next_frame_counts(garbage: bytes, payload: bytes) -> None:
    decoder = Decoder()
    found = decoder.add(garbage + b"\0" + encode(payload))
    assert found[-1] == payload


def test_a_changed_byte_is_found() -> None:
    frame = bytearray(encode(b"hello"))
    frame[2] ^= 0x10
    decoder = Decoder()
    assert decoder.add(bytes(frame)) == []
    assert decoder.rejected == 1


def test_the_check_sum_is_that_of_the_reference() -> None:
    assert encode(b"123456789")[-3:-1] == bytes.fromhex("31c3"), "CRC-16/XMODEM"


def test_a_message_of_other_firmware_is_refused() -> None:
    message = unpack_frame(pack_frame(1, Range(distance=2.0), time_us=7))
    assert (message.topic, message.time_us) == (1, 7)
    with pytest.raises(MessageError, match="build the firmware again"):
        message.fill(Heading())
    with pytest.raises(MessageError, match="a frame has 9 bytes or more, not 3"):
        unpack_frame(b"abc")


def test_the_firmware_has_the_messages_as_they_are() -> None:
    assert (ROOT / "firmware" / "library" / "messages.h").read_text() == header()


def test_a_port_that_goes_and_comes_back_is_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serial_port, "_RETRY_SECONDS", 0.0)
    path = tmp_path / "port"

    def plug_in() -> int:
        board, port = os.openpty()
        path.unlink(missing_ok=True)
        path.symlink_to(os.ttyname(port))
        os.close(port)
        return board

    board = plug_in()
    port = SerialPort(path)
    port.write(b"to the board")
    assert os.read(board, 100) == b"to the board"
    os.write(board, b"from it\0")
    assert port.read() == b"from it\0"
    os.close(board)
    assert port.read() == b""
    assert port.times_lost == 1
    board = plug_in()
    port.write(b"again")
    assert os.read(board, 100) == b"again"
    port.close()
    os.close(board)


def test_a_board_that_is_not_built_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="autosim testbench board build makes it"):
        EmulatedBoard("range_finder", tmp_path)
    with pytest.raises(UserError, match="no sketch is called 'blink'; there are range_finder, ro"):
        EmulatedBoard("blink", tmp_path)
    (tmp_path / "rover.elf").touch()
    with pytest.raises(UserError, match="board, the emulated board: autosim testbench board buil"):
        EmulatedBoard("rover", tmp_path)


def test_a_port_that_is_not_there_is_said() -> None:
    with pytest.raises(UserError, match=r"there is no port /dev/nowhere; ports with a board may"):
        Rig().add(RoverBoard(), "board", wheels="w", motors="m", port="/dev/nowhere")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The firmware and the board, built anew; skipped where their compilers are missing."""
    return build_or_skip(tmp_path_factory.mktemp("firmware"))


@pytest.fixture
def emulated(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emulated_board, "built_folder", lambda: built)


@pytest.mark.parametrize("true", [0.5, 1.0, 2.5, 3.9, math.inf])
def test_the_sketch_measures_what_is_before_its_pins(built: Path, true: float) -> None:
    board = EmulatedBoard("range_finder", built)
    decoder, ranges, headings = Decoder(), [], []
    for _ in range(60):
        for payload in decoder.add(board.run(0.005, Pins(true, 2.0)).serial):
            message = unpack_frame(payload)
            target = Range() if message.topic else Heading()
            message.fill(target)
            (ranges if message.topic else headings).append(target)
    board.close()
    assert decoder.rejected == 0
    assert ranges[-1].distance == pytest.approx(true, rel=0.03)
    assert headings[-1].angle == pytest.approx(2.0, abs=0.005)


def test_the_same_orders_make_the_same_bytes(built: Path) -> None:
    def run() -> bytes:
        board = EmulatedBoard("range_finder", built)
        said = [board.run(0.01, Pins(1.0 + 0.01 * each, 0.1 * each)).serial for each in range(50)]
        board.close()
        return b"".join(said)

    first = run()
    assert len(first) > 200
    assert first == run()


@pytest.mark.usefixtures("emulated")
def test_the_rover_sketch_tells_the_motor_controller_and_stops_by_itself(built: Path) -> None:
    board = EmulatedBoard("rover", built)
    board.run(0.1, Pins())
    command = encode(pack_frame(0, WheelCommand(left=-1, right=1)))
    assert board.run(0.1, Pins(), b"garbage\0" + command).motors == bytes((127, 129))
    assert board.run(0.8, Pins()).motors == b""
    assert board.run(0.3, Pins()).motors == bytes((64, 192)), "a second without a command"
    board.close()


@pytest.mark.usefixtures("emulated")
def test_a_bench_with_an_emulated_board_sees_the_box() -> None:
    launch = load_launch(ROOT / "testbenches" / "range_finding_board.xml")
    launch.nodes[0].parameters["turn_rate"] = "-0.35"  # the box stands to the left
    options = BenchOptions(seconds=5.0, mode=RealityMode.PHYSICAL, period=0.02)
    with LockstepBench(launch, options) as bench:
        summary = bench.run()
        found = np.array(bench.nodes[-1].points)[:, :2]
    shapes = load_scene(ROOT / "testbenches" / "range_finding_physical_scene.xml")
    angles = np.arctan2(found[:, 1], found[:, 0])
    true = np.array([distance(shapes, each) for each in angles])
    assert len(found) > 20
    assert np.mean(np.abs(np.hypot(*found.T) - true) < 0.04) > 0.8
    assert summary["nodes"]["board"] == {"pieces_rejected": 0}


@pytest.mark.usefixtures("emulated")
def test_commands_reach_the_motors_of_an_emulated_rover() -> None:
    rig = Rig()
    sender = rig.backend.connect("sender")
    board = rig.add(RoverBoard(), "board", wheels="wheels", motors="motors")
    rig.step(100_000_000)
    sender.publish("wheels", seal(WheelCommand(left=1, right=1), publisher=0, sequence=0, now_ns=0))
    for _ in range(4):
        rig.step(20_000_000)
    assert board.motors.motors.tolist() == [127, 255]
    board.end()


@pytest.mark.usefixtures("emulated")
def test_two_rovers_one_of_them_on_a_board_avoid_each_other() -> None:
    launch = load_launch(ROOT / "testbenches" / "two_rovers.xml")
    with LockstepBench(launch, BenchOptions(seconds=7.0, period=0.02)) as bench:
        summary = bench.run()
    nodes = summary["nodes"]
    assert nodes["planner"]["obstacles_avoided"] == 1
    assert nodes["board_planner"]["obstacles_avoided"] == 1
    assert 0.1 < nodes["visualisation"]["nearest_rover"] < 0.3
    assert summary["topics"]["physical/motors"]["sent"] >= 2, "they are moved by the board"


def test_a_real_board_is_read_over_its_port(tmp_path: Path) -> None:
    end, port = os.openpty()
    rig = Rig()
    node = rig.add(
        RangeFinderBoard(), "board", heading="heading", range="range", port=os.ttyname(port)
    )
    os.write(end, b"noise\0" + encode(pack_frame(1, Range(distance=1.5), time_us=1000)))
    os.write(end, encode(pack_frame(7, Range(distance=1.5))))
    for _ in range(3):  # a port gives what it has, not all at once
        rig.step(1_000_000)
    assert node.range.distance == 1.5
    assert node.report() == {
        "pieces_rejected": 1,
        "frames_refused": {"the board has no topic 7": 1},
        "port_lost": 0,
    }
    node.end()
    os.close(end)
    os.close(port)
