"""Draws `docs/traffic_looks.jpg`: vehicles of each kind, and people in the rain."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from autosim.applications.common.open_worlds import (  # noqa: E402
    compile_with_progress,
    open_named_world,
)
from autosim.client.cameras.camera_rigs import CameraPose  # noqa: E402
from autosim.client.panda.panda_frames import look_rotation  # noqa: E402
from autosim.client.scene.viewer import Viewer  # noqa: E402
from autosim.config.world_settings import SkyDescription, TrafficDescription  # noqa: E402
from autosim.kinds.director import build_tree  # noqa: E402
from autosim.model.state import State  # noqa: E402
from autosim.traffic.traffic_node import P, V, traffic_arrays_of  # noqa: E402
from autosim.world.compiled.ground_index import height_at  # noqa: E402

WIDTH, HEIGHT = 1600, 500
"""Size of each of the two pictures in pixels."""

PLACE, AZIMUTH = (-465.0, -465.0), 1.56
"""Position [m] of the camera in the shipped town, and the direction [rad] of its view."""

VEHICLES = (
    *((0, 5, 8.8, 5.0), (1, 7, 10.5, 3.0), (2, 6, 10.5, -0.4), (6, 5, 9.5, -3.2)),
    *((7, 1, 9.5, -5.0), (0, 3, 17.0, 9.0), (3, 2, 17.5, 5.0), (3, 0, 18.0, 0.5)),
    *((4, 0, 19.0, -4.0), (5, 1, 19.0, -10.5)),
)
"""Kind, colour, and place ahead and to the left [m] of each vehicle."""


class Standing:
    """A camera at a height above the ground that looks along the ground."""

    def __init__(self, ground: float, height: float, fov: float, fall: float) -> None:
        forward = np.array([np.cos(AZIMUTH), np.sin(AZIMUTH), -fall])
        position = np.array([*PLACE, ground + height])
        self.fov = np.radians(fov)
        self._pose = CameraPose(position, look_rotation(forward, np.array([0.0, 0.0, 1.0])))

    def pose(self, state: State) -> CameraPose:
        """Pose of the camera."""
        return self._pose


def place(ahead: float, left: float) -> tuple[float, float]:
    """Place (x, y) [m] in W of something before the camera."""
    c, s = np.cos(AZIMUTH), np.sin(AZIMUTH)
    return PLACE[0] + ahead * c - left * s, PLACE[1] + ahead * s + left * c


def main() -> None:
    """Draws the picture."""
    world = open_named_world(ROOT / "worlds/circle_town.xml")
    compiled = compile_with_progress(world)
    traffic = TrafficDescription(vehicles=16, people=12)
    world = replace(world, robots=(), traffic=traffic)
    tree = build_tree(world)
    state = State(tree)
    arrays = traffic_arrays_of(state)
    assert arrays is not None
    viewer = Viewer(world, compiled, tree, width=WIDTH, height=HEIGHT, onscreen=False)
    pictures = []
    ground = float(height_at(compiled, np.array([PLACE]))[0])
    for rows in ("vehicles", "people"):
        arrays.vehicles[:, V.kind], arrays.people[:, P.kind] = -1.0, -1.0
        if rows == "vehicles":
            for k, (kind, colour, ahead, left) in enumerate(VEHICLES):
                x, y = place(ahead, left)
                z = float(height_at(compiled, np.array([[x, y]]))[0])
                yaw = AZIMUTH + np.pi * 0.74
                arrays.vehicles[k, [V.kind, V.x, V.y, V.z, V.yaw]] = kind, x, y, z, yaw
                arrays.vehicles[k, V.colour] = colour
            eye, sky = Standing(ground, 2.6, 31.0, 0.10), SkyDescription()
        else:
            looks = [(0, 721), (1, 802), (2, 43), (3, 804), (0, 25), (1, 27), (2, 66), (3, 828)]
            looks += [(0, 45), (1, 51), (3, 72), (2, 5)]
            for k, (kind, colour) in enumerate(looks):
                x, y = place(10.2 + 0.5 * (k % 2), 5.8 - 1.06 * k)
                z = float(height_at(compiled, np.array([[x, y]]))[0])
                row = arrays.people[k]
                row[[P.kind, P.x, P.y, P.z, P.yaw]] = kind, x, y, z, AZIMUTH + np.pi * 0.82
                row[[P.speed, P.walked, P.colour]] = 1.3, 0.3 + 0.21 * k, colour
            eye, sky = Standing(ground, 1.7, 22.0, 0.07), SkyDescription(rain=0.12)
        viewer.show_sky(sky)
        viewer.add_camera("eye", eye)
        viewer.update(state)
        pictures.append(viewer.image("eye")[..., :3].copy())
    Image.fromarray(np.concatenate(pictures)).save(ROOT / "docs/traffic_looks.jpg", quality=88)
    viewer.close()


if __name__ == "__main__":
    main()
