"""Pictures for programs that have no client: drawn beside the server, of exactly their state."""

import json
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

import numpy as np
import pytest

from autosim.client.link.mirror import Mirror
from autosim.engine.programs.thread_participants import ThreadParticipants
from autosim.kinds.sensors.perception.camera import Camera
from autosim.server.network.server_process import ServerProcess
from tests.running_processes import children
from tests.server.light_simulation import LightSimulation, light_options, light_world
from tests.worlds import flat_world

pytest.importorskip("panda3d")

HIGH = (0.0, 0.0, 1.5)
EYE = Camera(
    "eye",
    "box",
    position=HIGH,
    direction=(1.0, 0.0, -0.2),
    kinds=("rgb", "depth"),
    resolution=(64, 48),
)
LABEL = replace(EYE, name="label", kinds=("semantic",), resolution=(32, 24))
LONG = 60.0
"""Longer [s] than anything here takes."""


class DrawableSimulation(LightSimulation):
    """On a plain that can be drawn; robots drive in circles on it."""

    def __init__(self, world: Any, **others: Any) -> None:
        self._make = others["make_participants"]
        others["make_participants"] = self._on_a_plain
        super().__init__(world, **others)

    def _on_a_plain(self, context: Any) -> Any:
        return self._make(replace(context, compiled=flat_world()))


def world_of(folder: Path, body: str) -> Any:
    """Two robots with cameras; the program of the first has a main of that body."""
    lines = indent(dedent(body), "    ")
    output = folder / "said.txt"
    program = folder / "userprograms" / "program.py"
    program.write_text(
        "import json\nfrom autosim.userprogram import *\n"
        "def say(*words):\n"
        f"    with open({str(output)!r}, 'a') as file:\n"
        "        print(json.dumps(words), file=file)\n"
        f"def main(argv):\n{lines}"
    )
    world = light_world(2)
    robot = replace(world.robots[0].robot, devices=(*world.robots[0].robot.devices[:1], EYE, LABEL))
    first, second = (replace(each, robot=robot) for each in world.robots)
    return replace(
        world, source=folder / "world.xml", robots=(replace(first, program=program.name), second)
    )


Play = Callable[..., list[Any]]


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Runs a program of the server to its end; returns what it said, line by line."""

    monkeypatch.setenv("AUTOSIM_PATH", str(tmp_path))
    (tmp_path / "userprograms").mkdir()

    def played(body: str, *, real_time_factor: float = 0.0, during: Any = None) -> list[Any]:
        world = world_of(tmp_path, body)
        said = tmp_path / "said.txt"
        said.unlink(missing_ok=True)
        with (
            ServerProcess(world, light_options(DrawableSimulation)) as server,
            Mirror(world, server.address) as mirror,
        ):
            connection = mirror.connection
            connection.run(real_time_factor=real_time_factor)
            steps = iter(range(10, 1_000_000, 10))
            while not has_ended(connection.report().notices):
                connection.wait_for_state(LONG, step=next(steps))
                if during is not None:
                    during(server.pid, said)
        return [json.loads(line) for line in said.read_text().splitlines()]

    return played


PICTURES = """
eye, label = (argv[0] + ".box." + name for name in ("eye", "label"))
for turn in range(4):
    wait((3 + turn) / 240)
    step = round(get_time() * 240)
    first, second = get_pictures(eye, label)
    depth = first["depth"]
    say(step, first.step, second.step, list(first["rgb"].shape), list(second["semantic"].shape),
        float(depth[47, 32]), sorted(set(second["semantic"].ravel().tolist())))
"""


def test_pictures_show_the_state_at_which_the_program_was_woken_in_real_time(play):
    said = play(PICTURES, real_time_factor=1.0)
    assert [line[:3] for line in said] == [[step] * 3 for step in (3, 7, 12, 18)]
    for line in said:
        assert line[3:5] == [[48, 64, 4], [24, 32]]
        assert np.isfinite(line[5])
        assert 23 in line[6]


@pytest.mark.slow
def test_a_run_with_pictures_is_the_same_at_any_pace(play):
    assert play(PICTURES) == play(PICTURES, real_time_factor=1.0)


def test_when_the_process_that_draws_dies_the_call_fails_and_the_next_one_starts_another(play):
    def kill(server: int, said: Path) -> None:
        """Kills the picture process from the first picture on until a call of the program fails.

        Between two calls its end is noticed, and the next call starts another one at once.
        """
        if said.exists() and "failed" not in said.read_text():
            (simulation,) = children(server)
            for pid in children(simulation):
                with suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
                    if "picture_process" in command(pid):
                        os.kill(pid, signal.SIGKILL)

    said = play(
        """
        eye = argv[0] + ".box.eye"
        say("drawn", list(get_image(eye).shape))
        unlock_image()
        failures = []
        while not failures:
            wait(1 / 240)
            try:
                get_image(eye)
                unlock_image()
            except DeviceError as error:
                failures.append(str(error))
        say("failed", *failures)
        wait(1 / 240)
        say("drawn", list(get_image(eye, "depth").shape))
        """,
        real_time_factor=1.0,
        during=kill,
    )
    assert said[0] == ["drawn", [48, 64, 4]]
    assert "SIGKILL" in said[1][1]
    assert "the next call restarts it" in said[1][1]
    assert said[2] == ["drawn", [48, 64]]


def has_ended(notices: Any) -> bool:
    """Whether the program has come to its end; that it fails is a failure of the test."""
    faults = [each.text for each in notices if each.level == "error"]
    assert not faults, faults
    return any("main returned" in each.text for each in notices)


def command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()


def test_a_program_in_a_thread_of_ones_own_program_gets_pictures(tmp_path, monkeypatch):
    monkeypatch.setenv("AUTOSIM_PATH", str(tmp_path))
    (tmp_path / "userprograms").mkdir()
    notices: list[Any] = []
    simulation = LightSimulation(
        world_of(tmp_path, PICTURES), report=notices.append, make_participants=on_a_plain
    )
    try:
        while not any("main returned" in each.text for each in notices):
            assert not [each for each in notices if each.level == "error"], notices
            simulation.step()
    finally:
        simulation.close()
    said = [json.loads(line) for line in (tmp_path / "said.txt").read_text().splitlines()]
    assert [line[:3] for line in said] == [[step] * 3 for step in (3, 7, 12, 18)]
    assert all(line[3:5] == [[48, 64, 4], [24, 32]] for line in said)


def on_a_plain(context: Any) -> Any:
    """Participants in threads, on a plain that can be drawn."""
    return ThreadParticipants.of(replace(context, compiled=flat_world()))
