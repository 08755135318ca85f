"""Pictures for programs elsewhere: the server draws them, or a client that has offered it."""

import json
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import dedent, indent

import numpy as np
import pytest

from autosim.client.link.mirror import Mirror
from autosim.client.link.served_world import fetch_description
from autosim.client.programs.client_programs import ClientPrograms, ProgramOrder
from autosim.client.programs.image_queue import Render
from autosim.client.rendering.device_pictures import DevicePictures
from autosim.client.scene.viewer import Viewer
from autosim.engine.programs.picture_scheduler import OFFER_SECONDS
from autosim.engine.programs.thread_participants import ThreadParticipants
from autosim.kinds.director import build_tree
from autosim.model.notices import Notice
from autosim.model.state import State
from autosim.server.network.server_process import ServerProcess
from autosim.userprogram.ipc.camera_images import DrawnImage, PictureRequest
from tests.engine.programs.test_picture_scheduler import EYE, LONG, DrawableSimulation, command
from tests.running_processes import children
from tests.server.light_simulation import light_options, light_world
from tests.worlds import flat_world

SEED = 7
NOISY = replace(EYE, kinds=("rgb",), full_well=400.0, resolution=(16, 12))
WIDE = replace(NOISY, name="wide", full_well=0.0, resolution=(320, 240))


class Elsewhere:
    """A server with a world of cameras, a program at a client, and clients that offer to draw."""

    def __init__(self, folder: Path) -> None:
        world = light_world(1)
        (placed,) = world.robots
        robot = replace(placed.robot, devices=(placed.robot.devices[0], NOISY, WIDE))
        self.world = replace(world, robots=(replace(placed, robot=robot),))
        self.folder = folder
        self.server = ServerProcess(self.world, light_options(DrawableSimulation, seed=SEED))
        self.notices: list[Notice] = []

    def run(self, body: str) -> list[list[object]]:
        """What a program of that body says that runs at a client which draws nothing."""
        lines, said = indent(dedent(body), "    "), self.folder / "said.txt"
        program = self.folder / "program.py"
        program.write_text(
            "import json\nfrom autosim.userprogram import *\n"
            f"def say(*words):\n    with open({str(said)!r}, 'a') as file:\n"
            "        print(json.dumps(words), file=file)\n"
            f"def main(argv):\n{lines}"
        )
        served = fetch_description(self.server.address)
        with (
            Mirror(served, self.server.address) as mirror,
            ClientPrograms(
                mirror, image_size=served.image_size, report=self.notices.append
            ) as programs,
        ):
            mirror.connection.wait_for_state(LONG)
            programs.launch(ProgramOrder(program, "r0", ()))
            assert programs.wait_until_attached(LONG)
            mirror.connection.run()
            while programs.running:
                time.sleep(0.02)
        faults = [each.text for each in self.notices if each.level == "error"]
        assert not faults, faults
        return self.said()

    def said(self) -> list[list[object]]:
        file = self.folder / "said.txt"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    @property
    def draws_itself(self) -> bool:
        """Whether the server has started a process that draws."""
        (simulation,) = children(self.server.pid)
        return any("picture_process" in command(pid) for pid in children(simulation))


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Elsewhere]:
    found = Elsewhere(tmp_path)
    with found.server:
        yield found


class Offer:
    """A client that offers to draw, and does so in a thread. `drawn`: cameras and steps."""

    def __init__(self, elsewhere: Elsewhere, render: Render | None = None) -> None:
        self._mirror = Mirror(elsewhere.world, elsewhere.server.address)
        self.drawn: list[tuple[str, int]] = []
        self.said: list[Notice] = []
        self.programs = ClientPrograms(
            self._mirror, render=render or self._draw, report=self.said.append
        )
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._serve)

    def __enter__(self) -> "Offer":
        self._mirror.connection.wait_for_state(LONG)
        self.programs.offer_pictures()
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._is_over.set()
        self._thread.join()
        self.programs.close()
        self._mirror.close()

    def _serve(self) -> None:
        while not self._is_over.is_set():
            self.programs.serve_pending(0.02)

    def _draw(self, wishes: Sequence[PictureRequest], state: State) -> list[DrawnImage]:
        """Pictures whose first bytes are the step."""
        self.drawn += [(wish.camera, state.step) for wish in wishes]
        shapes = {"eye": (12, 16, 4), "wide": (240, 320, 4)}
        pictures = [
            np.full(shapes[wish.camera.split(".")[2]], state.step % 256, np.uint8)
            for wish in wishes
        ]
        return [DrawnImage(each, state.step) for each in pictures]


LOOK = """
for turn in range(3):
    wait((3 + turn) / 240)
    step = round(get_time() * 240)
    first, second = get_pictures(argv[0] + ".box.eye", argv[0] + ".box.wide")
    say(step, first.step, second.step, first["rgb"].tolist()[0][0], second["rgb"].tolist()[-1][-1],
        list(second["rgb"].shape))
"""


def test_a_client_that_offers_it_draws_exactly_the_state_of_the_program(elsewhere):
    with Offer(elsewhere) as offer:
        said = elsewhere.run(LOOK)
    steps = [line[0] for line in said]
    assert len(said) == 3
    assert steps == sorted(set(steps))
    for step, first, second, corner, other, shape in said:
        assert first == second == step
        assert corner == other == [step % 256] * 4
        assert shape == [240, 320, 4]
    cameras = ["r0.box.eye", "r0.box.wide"]
    assert offer.drawn == [(camera, step) for step in steps for camera in cameras]
    assert not elsewhere.draws_itself


def test_the_server_draws_for_a_program_whose_client_does_not(elsewhere):
    (seen,) = elsewhere.run(
        """
        wait(3 / 240)
        say(get_image(argv[0] + ".box.eye").tolist(), round(get_time() * 240))
        """
    )
    assert np.array(seen[0]).shape == (12, 16, 4)
    assert elsewhere.draws_itself
    # A client draws the same picture of the same state, noise included.
    tree = build_tree(elsewhere.world)
    viewer = Viewer(elsewhere.world, flat_world(), tree, width=640, height=480, onscreen=False)
    try:
        simulation = DrawableSimulation(
            elsewhere.world, seed=SEED, make_participants=ThreadParticipants.of
        )
        while simulation.state.step < seen[1]:
            simulation.step()
        pictures = DevicePictures(viewer, elsewhere.world, tree, seed=SEED)
        (own,) = pictures.draw([PictureRequest("r0.box.eye", "rgb")], simulation.state)
        assert own.step == seen[1]
        assert np.array_equal(own.pixels, np.array(seen[0]))
    finally:
        viewer.close()


ONE = """
wait(3 / 240)
try:
    say(list(get_image(argv[0] + ".box.eye").shape))
except DeviceError as error:
    say(str(error))
"""


def other_pictures(wishes: Sequence[PictureRequest], state: State) -> list[DrawnImage]:
    return [DrawnImage(np.zeros((5, 5, 4), np.uint8), state.step) for _ in wishes]


def too_late(wishes: Sequence[PictureRequest], state: State) -> list[DrawnImage]:
    time.sleep(OFFER_SECONDS + 1.0)
    return other_pictures(wishes, state)


def no_pictures(wishes: Sequence[PictureRequest], state: State) -> list[DrawnImage]:
    raise ValueError("no such view")


@pytest.mark.parametrize(
    ("render", "reason"),
    [
        (other_pictures, "other pictures"),
        pytest.param(too_late, "too slow", marks=pytest.mark.slow),
    ],
)
def test_where_a_client_does_not_keep_its_offer_the_server_draws(elsewhere, render, reason):
    with Offer(elsewhere, render) as offer:
        assert elsewhere.run(ONE) == [[[12, 16, 4]]]
        assert elsewhere.draws_itself
        end = time.monotonic() + LONG
        while not offer.said and time.monotonic() < end:
            time.sleep(0.02)
        assert reason in offer.said[0].text


def test_what_a_client_cannot_draw_the_server_draws(elsewhere):
    with Offer(elsewhere, no_pictures) as offer:
        assert elsewhere.run(ONE) == [[[12, 16, 4]]]
    assert not offer.said


@pytest.mark.slow
def test_who_has_taken_the_offer_back_is_asked_no_more(elsewhere):
    with Offer(elsewhere) as offer:
        pass
    assert elsewhere.run(ONE) == [[[12, 16, 4]]]
    assert not offer.drawn
    assert elsewhere.draws_itself
