"""The shipped program with a window of its own, used by keyboard and mouse on an X server."""

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("PyQt6")

from autosim.client.link.mirror import Mirror
from autosim.client.programs.client_programs import ClientPrograms, ProgramOrder
from autosim.loading.loader import load_world
from autosim.model.notices import Notice
from autosim.model.state import State
from autosim.server.network.front import ServerOptions
from autosim.server.network.server_process import ServerProcess
from autosim.userprogram.ipc.camera_images import DrawnImage, PictureRequest
from tests.applications.gui.screen_fixtures import (
    SECONDS,
    pixels,
    wait_for,
)
from tests.worlds import ROOT

WORLD = ROOT / "worlds" / "yard.xml"
SKY = (10, 200, 30)


def draw(wishes: Sequence[PictureRequest], state: State) -> list[DrawnImage]:
    """Pictures of one colour."""
    assert {wish.camera for wish in wishes} == {"scout.chassis.front_view"}
    pixels = np.full((480, 640, 4), (*SKY, 255), np.uint8)
    return [DrawnImage(pixels, state.step) for _ in wishes]


class Stage:
    """The window, and the simulation behind it."""

    def __init__(self, mirror: Mirror, programs: ClientPrograms, said: list[Notice]) -> None:
        self._mirror = mirror
        self.programs = programs
        self.said = said
        drive = mirror.tree.find("scout.chassis.drive_chassis")
        assert drive is not None
        self._drive = drive.start // 8

    def values(self) -> list[float]:
        """What the program has set; pictures that it waits for are drawn."""
        assert not self.said, self.said
        self.programs.serve_pending(0.02)
        self._mirror.take()
        return self._mirror.state.floats[self._drive : self._drive + 3].tolist()


@contextmanager
def stage() -> Iterator[Stage]:
    world = load_world(WORLD)
    world = replace(world, robots=(replace(world.robots[0], program=None),))
    options = ServerOptions(address="127.0.0.1:0")
    said: list[Notice] = []
    with ServerProcess(world, options) as server, Mirror(world, server.address) as mirror:
        mirror.connection.wait_for_state(200.0)
        with ClientPrograms(mirror, render=draw, report=said.append) as programs:
            program = ROOT / "userprograms" / "demo_user_program.py"
            programs.launch(ProgramOrder(program, "scout"))
            mirror.connection.run(real_time_factor=1.0)
            yield Stage(mirror, programs, said)


def press(*words: str) -> None:
    subprocess.run(["xdotool", *words], check=True, stdout=subprocess.DEVNULL, timeout=SECONDS)


def test_keys_drive_the_picture_is_shown_and_escape_ends_it(screen: Path):
    if shutil.which("xdotool") is None:
        pytest.skip("xdotool is not installed")
    with stage() as shown:
        said = shown.said

        def is_seen() -> bool:
            shown.values()
            return bool((pixels(screen) == SKY).all(axis=2).sum() > 50_000)

        wait_for(is_seen)
        press("search", "--sync", "--name", "AutoSim demo: scout", "windowfocus")
        press("keydown", "Up", "keydown", "Left")
        wait_for(lambda: shown.values() == pytest.approx([0.6, 0.5, 0.0]))
        press("keyup", "Up", "keyup", "Left", "keydown", "space")
        wait_for(lambda: shown.values() == pytest.approx([0.0, 0.0, 1.0]))
        press("key", "Escape")

        def has_ended() -> bool:
            shown.programs.serve_pending(0.02)
            return bool(said)

        wait_for(has_ended)
        assert [notice.text for notice in said] == ["main returned"]
