"""User programs on a client: their steps, their pictures, and how they end."""

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from textwrap import dedent, indent

import grpc
import numpy as np
import pytest

from autosim.client.link.mirror import Mirror
from autosim.client.link.server_management import ServerManagement
from autosim.client.link.time_control import TimeControl
from autosim.client.programs import relayed_program
from autosim.client.programs.client_programs import ClientPrograms, ProgramOrder
from autosim.client.programs.image_queue import ImageJob, ImageQueue
from autosim.config.descriptions import ProgramLimits
from autosim.kinds.director import build_tree
from autosim.model.notices import Notice
from autosim.model.state import State
from autosim.server.network.server_process import ServerProcess
from autosim.userprogram.ipc.camera_images import DrawnImage, ImageMemory, PictureRequest
from autosim.v1 import autosim_pb2 as pb
from autosim.v1.autosim_pb2_grpc import SimulatorStub
from tests.server.light_simulation import light_options, light_world, run_in_process

WORLD = light_world(2)
WIDTH, HEIGHT = 4, 3
LONG = 60.0
"""Longer [s] than anything here takes: a wait that lasts as long has missed what it was for."""


def draw(wishes: Sequence[PictureRequest], state: State) -> list[DrawnImage]:
    """Pictures of one colour: the step's number modulo 256."""
    if any(wish.camera != "r1.box.eye" for wish in wishes):
        raise ValueError("no such view")
    pixels = np.full((HEIGHT, WIDTH, 4), state.step % 256, np.uint8)
    return [DrawnImage(pixels, state.step) for _ in wishes]


class Stage:
    """A client with one program at a time."""

    def __init__(self, server: ServerProcess, mirror: Mirror, folder: Path) -> None:
        self.server = server
        self.mirror = mirror
        self.said: list[Notice] = []
        self.output = folder / "output.txt"
        self._file = folder / "program.py"
        self.programs = ClientPrograms(
            mirror, image_size=(WIDTH, HEIGHT), render=draw, report=self.said.append
        )

    def launch(self, body: str, limits: ProgramLimits | None = None) -> None:
        """Starts a program whose main has that body; what it prints is in `lines`."""
        self.programs.launch(self._order(body, limits or ProgramLimits()))

    def replace(self, body: str) -> None:
        """Starts one in place of that which runs."""
        self.programs.replace(self._order(body, ProgramLimits()))

    def _order(self, body: str, limits: ProgramLimits) -> ProgramOrder:
        lines = indent(dedent(body), "    ")
        self._file.write_text(
            "from autosim.userprogram import *\n"
            f"def say(*words):\n    print(*words, file=open({str(self.output)!r}, 'a'))\n"
            f"def main(argv):\n{lines}"
        )
        return ProgramOrder(self._file, "r1", ("7",), limits)

    def play(self, is_over: Callable[[], bool] | None = None) -> None:
        """Draws what the program asks for until it has ended."""
        while not (is_over() if is_over else not self.programs.running):
            self.programs.serve_pending(0.02)

    @property
    def lines(self) -> list[str]:
        return self.output.read_text().splitlines()


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with (
        ServerProcess(WORLD, light_options()) as server,
        Mirror(WORLD, server.address) as mirror,
    ):
        mirror.connection.wait_for_state(60.0)
        stage = Stage(server, mirror, tmp_path)
        with stage.programs:
            yield stage


def test_a_program_steps_with_the_simulation_and_sees_the_exact_state(stage: Stage) -> None:
    stage.launch(
        """
        start = get_time()
        for turn in range(1, 6):
            set_data(argv[0] + ".box.drive", [turn / 10, 0.0, 0.0])
            wait(1 / 240 * turn)
            steering = float(get_data(argv[0] + ".box.drive")[0])
            say(argv[1], round((get_time() - start) * 240), steering)
        """
    )
    stage.mirror.connection.run(real_time_factor=0.0)
    stage.play()
    steps = [1, 3, 6, 10, 15]
    assert stage.lines == [f"7 {steps[i]} {(i + 1) / 10}" for i in range(5)]
    assert [(notice.level, notice.text) for notice in stage.said] == [("info", "main returned")]


def test_a_program_after_a_change_of_the_step_waits_by_the_new_one(stage: Stage) -> None:
    world = light_world(2, step_seconds=1.0 / 120.0)
    with (
        ServerProcess(world, light_options()) as server,
        Mirror(world, server.address) as mirror,
    ):
        mirror.connection.wait_for_state(60.0)
        stage.programs.detach()
        stage.programs.follow(mirror, world_file=None, image_size=(WIDTH, HEIGHT), render=draw)
        stage.launch("start = get_time(); wait(1 / 60); say(round((get_time() - start) * 120))")
        mirror.connection.run(real_time_factor=0.0)
        stage.play()
        assert stage.lines == ["2"]


def test_a_program_goes_back_with_the_simulation(stage: Stage) -> None:
    stage.launch(
        """
        turns = 0
        while True:
            turns += 1
            set_data(argv[0] + ".box.drive", [0.0, turns / 1000, 0.0])
            wait(1 / 240)
        """
    )
    connection = stage.mirror.connection
    time = TimeControl(connection)
    assert stage.programs.wait_until_attached()
    connection.step(20)
    time.snapshot("a")
    connection.step(20)
    uninterrupted = connection.report().state_digest
    for _ in range(2):
        time.restore("a")
        connection.step(20)
        assert connection.report().state_digest == uninterrupted
    time.drop("a")
    connection.step(5)
    assert stage.programs.running
    assert not stage.said


def test_a_state_wakes_the_loop_that_draws(stage: Stage) -> None:
    stage.programs.wait_for_work(LONG)
    assert stage.mirror.take()
    assert not stage.mirror.has_news
    stage.mirror.connection.step(1)
    stage.programs.wait_for_work(LONG)
    assert stage.mirror.take()


def test_a_wanted_picture_wakes_the_loop_that_draws() -> None:
    is_told = threading.Event()
    desk = ImageQueue(draw, on_order=is_told.set)
    images = ImageMemory.create(width=WIDTH, height=HEIGHT, size=4 * WIDTH * HEIGHT)
    job = ImageJob([PictureRequest("r1.box.eye", "rgb")], State(build_tree(WORLD)), images)
    program = threading.Thread(target=desk.order, args=(job,))
    assert not desk.has_orders
    program.start()
    assert is_told.wait(LONG)
    assert desk.has_orders
    assert desk.serve()
    program.join()


def test_a_run_with_a_program_on_a_client_is_repeatable(tmp_path: Path) -> None:
    digests = set()
    for turn in range(2):
        folder = tmp_path / str(turn)
        folder.mkdir()
        with (
            ServerProcess(WORLD, light_options()) as server,
            Mirror(WORLD, server.address) as mirror,
        ):
            stage = Stage(server, mirror, folder)
            with stage.programs:
                stage.launch(
                    """
                    while True:
                        set_data("r1.box.drive", [get_time(), 0.5, 0.0])
                        wait(0.01)
                    """
                )
                assert stage.programs.wait_until_attached()
                assert stage.said == []
                mirror.connection.step(100)
            digests.add(mirror.connection.report().state_digest)
    assert len(digests) == 1
    record = run_in_process(WORLD, 100).record
    assert record is not None
    assert digests != {record.figures().state_digest}


def test_a_program_gets_the_picture_of_its_step(stage: Stage) -> None:
    stage.launch(
        """
        for turn in range(3):
            wait(5 / 240)
            picture = get_image(argv[0] + ".box.eye")
            same = bool((picture == round(get_time() * 240) % 256).all())
            say(picture.shape, picture.dtype, same, picture.flags.writeable)
            unlock_image()
        """
    )
    stage.mirror.connection.run(real_time_factor=0.0)
    stage.play()
    assert stage.lines == ["(3, 4, 4) uint8 True False"] * 3


def test_a_client_reports_when_it_draws(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = []

    def recorded(requests: Iterator[pb.ProgramMessage]) -> Iterator[pb.ProgramMessage]:
        for message in requests:
            sent.append(message)
            yield message

    def recording_stub(channel: grpc.Channel) -> SimulatorStub:
        stub = SimulatorStub(channel)
        participate = stub.Participate
        stub.Participate = lambda requests: participate(recorded(requests))
        return stub

    monkeypatch.setattr(relayed_program, "SimulatorStub", recording_stub)
    stage.launch(
        """
        get_image(argv[0] + ".box.eye")
        unlock_image()
        wait(1 / 240)
        """
    )
    stage.mirror.connection.run(real_time_factor=0.0)
    stage.play()
    kinds = [message.WhichOneof("kind") for message in sent]
    assert kinds == ["attach", "client_drawing", "client_drawing", "wait", "leave"]
    assert [message.client_drawing.is_over for message in sent[1:3]] == [False, True]
    assert [notice.text for notice in stage.said] == ["main returned"]


def test_a_picture_that_cannot_be_drawn_is_an_error_of_the_program(stage: Stage) -> None:
    stage.launch(
        """
        try:
            get_image("r0.box.eye")
        except DeviceError as error:
            say(error)
        """
    )
    stage.mirror.connection.run(real_time_factor=0.0)
    stage.play()
    assert stage.lines == ["INVALID_OPERATION: no picture of 'r0.box.eye': no such view"]


def test_a_program_that_raises_is_told_here_and_there_with_its_traceback(stage: Stage) -> None:
    stage.launch("wait(0.1)\nraise RuntimeError('out of petrol')")
    stage.mirror.connection.run(real_time_factor=0.0)
    stage.play()
    (notice,) = stage.said
    assert notice.level == "error"
    assert "RuntimeError: out of petrol" in notice.text
    assert "in main" in notice.text
    there = [each.text for each in stage.mirror.connection.report().notices]
    assert there[-1].startswith("r1: RuntimeError: out of petrol\nTraceback")


def test_what_a_program_prints_is_reported_and_printed(
    stage: Stage, capfd: pytest.CaptureFixture[str]
) -> None:
    stage.programs = ClientPrograms(
        stage.mirror, image_size=(WIDTH, HEIGHT), report=stage.said.append, reports_output=True
    )
    stage.launch("print('speed 3.5')\nwait(0.1)\nprint('speed 4')")
    stage.mirror.connection.run(real_time_factor=0.0)
    with stage.programs:
        stage.play(lambda: len([each for each in stage.said if each.is_output]) == 2)
    printed = [each for each in stage.said if each.is_output]
    assert [each.text for each in printed] == ["speed 3.5", "speed 4"]
    assert {Path(each.source).name for each in printed} == {"program.py"}
    assert capfd.readouterr().out == "speed 3.5\nspeed 4\n"


def test_a_program_that_crashes_leaves_alone(stage: Stage) -> None:
    stage.launch("wait(0.1)\nimport os, signal\nos.kill(os.getpid(), signal.SIGSEGV)")
    stage.mirror.connection.run(real_time_factor=0.0)
    stage.play()
    assert "SIGSEGV" in stage.said[0].text
    step = stage.mirror.connection.status().step
    stage.mirror.connection.wait_for_state(60.0, step=step + 10)


def test_a_program_that_hangs_is_dropped_by_the_simulation_and_ended(stage: Stage) -> None:
    stage.launch("wait(0.1)\nwhile True:\n    pass")
    stage.mirror.connection.run(real_time_factor=0.0)
    stage.play()
    first, *stack = stage.said[0].text.splitlines()
    assert first.startswith("did not reach its next wait() within 2 s (deadline=")
    assert "in main" in "\n".join(stack)


def test_a_program_that_somebody_stops_at_the_server_has_not_failed(stage: Stage) -> None:
    stage.launch("say('there')\nwait(1000000.0)", ProgramLimits(is_restarted=True))
    stage.mirror.connection.run(real_time_factor=1.0)
    stage.play(stage.output.exists)
    ServerManagement(stage.mirror.connection).stop_program("r1")
    stage.play()
    (notice,) = stage.said
    assert (notice.level, notice.text) == ("warning", "ended: it was stopped at the server")


def test_programs_end_when_the_server_is_lost(stage: Stage) -> None:
    stage.launch("say('there')\nwait(1000000.0)")
    stage.mirror.connection.run(real_time_factor=1.0)
    stage.play(stage.output.exists)
    os.kill(stage.server.pid, signal.SIGKILL)
    stage.play()
    assert stage.said[0].text.splitlines()[0] == "the server was lost"


def test_a_program_has_not_failed_when_somebody_stops_the_server(stage: Stage) -> None:
    stage.launch("say('there')\nwait(1000000.0)")
    stage.mirror.connection.run(real_time_factor=1.0)
    stage.play(stage.output.exists)
    stage.mirror.connection.stop()
    stage.play()
    (notice,) = stage.said
    assert (notice.level, notice.text) == ("warning", "ended: the server was stopped")


def test_a_program_has_not_failed_when_the_server_loads_another_world(stage: Stage) -> None:
    stage.launch("say('there')\nwait(1000000.0)")
    stage.mirror.connection.run(real_time_factor=1.0)
    stage.play(stage.output.exists)
    assert list(ServerManagement(stage.mirror.connection).load("worlds/yard.xml"))
    stage.play()
    (notice,) = stage.said
    assert notice.level == "warning"
    assert notice.text == "ended: the server's world has changed"


def test_a_program_that_waits_for_a_picture_when_the_client_closes_has_not_failed(
    stage: Stage,
) -> None:
    stage.launch("say('there')\nwhile True:\n    get_image('r1.box.eye')\n    unlock_image()")
    stage.mirror.connection.run(real_time_factor=1.0)
    stage.play(stage.output.exists)
    stage.programs.close()
    assert stage.said == []
    notices = stage.mirror.connection.report().notices
    assert [each.text for each in notices if "r1" in each.text] == ["r1: ended by its client"]


def test_closing_ends_programs_that_run(stage: Stage) -> None:
    stage.launch("say('there')\nwait(1000000.0)")
    stage.mirror.connection.run(real_time_factor=1.0)
    stage.play(stage.output.exists)
    stage.programs.close()
    assert stage.programs.running == ()
    step = stage.mirror.connection.status().step
    stage.mirror.connection.wait_for_state(60.0, step=step + 10)


def test_a_program_takes_over_from_one_that_drives(stage: Stage) -> None:
    drive = """
        while True:
            set_data(argv[0] + ".box.drive", [{}, 0.0, 0.0])
            say({})
            wait(0.01)
        """
    stage.mirror.connection.run(real_time_factor=1.0)
    stage.launch(drive.format(0.1, "'one'"))
    stage.play(stage.output.exists)
    stage.replace(drive.format(0.2, "'two'"))
    stage.play(lambda: stage.lines[-3:] == ["two"] * 3 and len(stage.programs.running) == 1)
    assert not [notice for notice in stage.said if notice.level == "error"]


def test_one_takes_over_while_the_simulation_is_paused(stage: Stage) -> None:
    drive = """
        set_data(argv[0] + ".box.drive", [0.1, 0.0, 0.0])
        say({})
        wait(1000.0)
        """
    stage.launch(drive.format("'one'"))
    assert stage.programs.wait_until_attached()
    stage.mirror.connection.step(10)
    stage.play(stage.output.exists)
    stage.replace(drive.format("'two'"))

    def is_over() -> bool:
        stage.mirror.connection.step(1)
        return stage.lines == ["one", "two"] and len(stage.programs.running) == 1

    stage.play(is_over)
    assert not [notice for notice in stage.said if notice.level == "error"]


def test_a_program_that_fails_is_started_again_twice(stage: Stage) -> None:
    stage.launch(
        "say(round(get_time()))\nraise RuntimeError('flaky')", ProgramLimits(is_restarted=True)
    )
    stage.mirror.connection.run(real_time_factor=2.0)

    def is_over() -> bool:
        stage.mirror.take()
        return bool(stage.said) and "it stays stopped" in stage.said[-1].text

    stage.play(is_over)
    texts = [notice.text for notice in stage.said if notice.level == "warning"]
    assert texts[:2] == ["is started again in 1 s", "is started again in 2 s"]
    assert len(stage.lines) == 3
