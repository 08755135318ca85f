"""The shipped lane keeper: how near to the middle of its lane it drives by its camera alone."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from autosim.applications.common.open_worlds import open_named_world
from autosim.applications.remote.program_choice import choose_robot, named_program
from autosim.client.link.mirror import Mirror
from autosim.client.programs.client_programs import ClientPrograms
from autosim.model.state import State
from autosim.server.network.front import ServerOptions
from autosim.server.network.server_process import ServerProcess
from autosim.userprogram.ipc.camera_images import DrawnImage, PictureRequest
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.pipeline.cache import compile_world
from tests.worlds import ROOT

pytest.importorskip("cv2")
pytest.importorskip("panda3d")

WORLD = str(ROOT / "worlds" / "lane_keeper.xml")
CAMERA = "impreza.chassis.front_view"


@dataclass
class Lap:
    """Where the car was at each picture: its angle about the town's centre [rad], its lane's
    lateral error [m], and whether that lane leads through a junction."""

    roads: RoadNetwork
    angles: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    is_inside: list[bool] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def take(self, state: State) -> None:
        chassis = state.tree.find("impreza.chassis")
        assert chassis is not None
        x, y, _, *_, qz, qw = state.floats[chassis.start // 8 :][:7]
        lane, _, t = self.roads.nearest_lane((x, y), 2 * np.arctan2(qz, qw))
        self.angles.append(float(np.arctan2(y, x)))
        self.errors.append(abs(t))
        self.is_inside.append(self.roads.lanes[lane].is_connector)

    @property
    def turned(self) -> float:
        return abs(float(np.unwrap(self.angles)[-1] - self.angles[0]))


def drive(angle: float, *, has_shadows: bool) -> Lap:
    """Drives about the town by so much [rad], on a client in step with a server."""
    from autosim.client.rendering.device_pictures import DevicePictures
    from autosim.client.scene.viewer import Viewer

    world = open_named_world(WORLD)
    compiled = compile_world(world.terrain)
    lap = Lap(compiled.roads)
    order = named_program(world, choose_robot(world, None))
    assert order is not None
    options = ServerOptions(address="127.0.0.1:0")
    with ServerProcess(world, options) as server, Mirror(world, server.address) as mirror:
        mirror.connection.wait_for_state(200.0)
        size = world.graphics.width, world.graphics.height
        drawn = replace(world, graphics=replace(world.graphics, has_shadows=has_shadows))
        viewer = Viewer(drawn, compiled, mirror.tree, width=size[0], height=size[1], onscreen=False)
        # The first picture takes longest, and a program's deadline is in wall-clock time.
        mirror.take()
        viewer.update(mirror.state)
        viewer.image(CAMERA)

        pictures = DevicePictures(viewer, drawn, mirror.tree)

        def render(wishes: Sequence[PictureRequest], state: State) -> list[DrawnImage]:
            lap.take(state)
            return pictures.draw(wishes, state)

        with ClientPrograms(
            mirror,
            image_size=size,
            render=render,
            report=lambda notice: lap.said.append(notice.text),
        ) as programs:
            programs.launch(order)
            assert programs.wait_until_attached()
            mirror.connection.run(real_time_factor=0.0)
            while not lap.errors or (lap.turned < angle and lap.errors[-1] < 3.0):
                programs.serve_pending(1.0)
                assert programs.running, lap.said
        viewer.close()
    return lap


def check(lap: Lap) -> None:
    errors, is_inside = np.array(lap.errors), np.array(lap.is_inside)
    assert np.percentile(errors[~is_inside], 95) < 0.25
    assert errors[~is_inside].max() < 0.8
    assert errors.max() < 1.5  # nothing is painted in junctions


def test_it_keeps_to_its_lane_along_the_street_and_through_a_junction():
    lap = drive(np.radians(22.0), has_shadows=True)
    assert sum(lap.is_inside) > 20
    check(lap)


@pytest.mark.long
def test_it_drives_a_lap_of_the_town():
    lap = drive(2 * np.pi, has_shadows=True)
    assert lap.turned >= 2 * np.pi
    check(lap)
