"""Pictures of episodes: from robots' cameras, and from a camera that follows a car."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from autosim.arrays import Bytes
from autosim.config.descriptions import Device, PlacedRobot, WorldDescription
from autosim.config.world_settings import SkyDescription
from autosim.environments.episodes.episode_window import EpisodeWindow
from autosim.environments.observations import CameraPicture, Observation
from autosim.kinds.sensors.perception.camera import Camera
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from autosim.userprogram.ipc.camera_images import PictureRequest
from autosim.world.compiled.compiled_world import CompiledWorld

if TYPE_CHECKING:  # Panda3D is needed only where something is drawn
    from autosim.client.rendering.device_pictures import DevicePictures
    from autosim.client.scene.viewer import Viewer

FOLLOWING = (640, 360)
"""Width and height [pixels] of the pictures of a car that is followed."""


class EpisodePictures:
    """Draws in this process, from the first picture that is wanted on.

    Args:
        world: what is drawn.
        compiled: its map.
        tree: of its states.
        observations: among them the pictures, which say how large those of their cameras are.

    Raises:
        ValueError: two pictures of one camera differ in size.
    """

    def __init__(
        self,
        world: WorldDescription,
        compiled: CompiledWorld,
        tree: SimulationTree,
        observations: Iterable[Observation] = (),
    ) -> None:
        self._world = _with_sizes(world, _sizes_of(observations))
        self._compiled, self._tree = compiled, tree
        self._seed = 0
        self._sky = world.graphics.sky
        self._drawing: _Drawing | None = None
        self._window: EpisodeWindow | None = None

    def begin(self, seed: int, sky: SkyDescription | None = None) -> None:
        """Begins an episode; the noise of cameras follows from its seed.

        Args:
            seed: of the episode.
            sky: day time and weather of the episode; None: those of the world.
        """
        self._seed, self._sky = seed, sky or self._world.graphics.sky
        if self._drawing is not None:
            self._show_sky(self._drawing)
        if self._window is not None:
            self._window.begin(self._sky)

    def _show_sky(self, drawing: _Drawing) -> None:
        drawing.cameras.begin(self._seed, self._sky)
        drawing.viewer.show_sky(self._sky)

    def draw(self, camera: str, kind: str, state: State) -> npt.NDArray[Any]:
        """The picture of a camera: `camera` with its robot's name, and the kind of picture.

        Raises:
            RendererError: nothing can be drawn here.
            ImportError: Panda3D is not installed.
        """
        (drawn,) = self._open().cameras.draw([PictureRequest(camera, kind)], state)
        return drawn.pixels

    def follow(self, robot: str, state: State) -> Bytes:
        """The picture of a camera that follows a robot: (height, width, 3) of `FOLLOWING`.

        Raises:
            RendererError: nothing can be drawn here.
            ImportError: Panda3D is not installed.
        """
        drawing = self._open()
        drawing.viewer.update(state)
        picture = drawing.viewer.image(drawing.follower(self._world, self._tree, robot))
        return np.ascontiguousarray(picture[..., :3])

    def show(self, robot: str, state: State, seconds: float) -> None:
        """Shows a robot in a window, at most every `seconds` [s].

        Raises:
            UserError: there is no screen.
            RendererError: nothing can be drawn here.
            ImportError: Panda3D is not installed.
        """
        if self._window is None:
            self._window = EpisodeWindow(self._world, self._compiled, self._tree, seconds)
            self._window.begin(self._sky)
        self._window.show(robot, state)

    def close_window(self) -> None:
        """Closes the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def close(self) -> None:
        """Frees the renderer; the next picture makes a new one."""
        self.close_window()
        if self._drawing is not None:
            self._drawing.viewer.close()
            self._drawing = None

    def _open(self) -> _Drawing:
        if self._drawing is None:
            try:
                from autosim.client.rendering.device_pictures import DevicePictures
                from autosim.client.scene.viewer import Viewer
            except ImportError as error:
                reason = "pictures need Panda3D: pip install 'autosim[learning,client]'"
                raise ImportError(reason) from error
            width, height = FOLLOWING
            viewer = Viewer(
                *(self._world, self._compiled, self._tree),
                width=width,
                height=height,
                onscreen=False,
            )
            cameras = DevicePictures(viewer, self._world, self._tree, seed=self._seed)
            self._drawing = _Drawing(viewer, cameras, set())
            self._show_sky(self._drawing)
        return self._drawing


@dataclass(frozen=True, slots=True)
class _Drawing:
    """The renderer, and the robot that cameras follow."""

    viewer: Viewer
    cameras: DevicePictures
    followed: set[str]

    def follower(self, world: WorldDescription, tree: SimulationTree, robot: str) -> str:
        """The name of the camera that follows a robot."""
        from autosim.client.cameras.moving_cameras import ChaseCamera

        name = f"follower:{robot}"
        if robot not in self.followed:
            described = next(each for each in world.robots if each.name == robot).robot
            part = f"{robot}.{described.parts[0].name}"
            rig = ChaseCamera(described, tree=tree, name=part)
            self.viewer.add_camera(name, rig, size=FOLLOWING)
            self.followed.add(robot)
        return name


def _sizes_of(observations: Iterable[Observation]) -> dict[str, tuple[int, int]]:
    sizes: dict[str, tuple[int, int]] = {}
    for each in observations:
        if isinstance(each, CameraPicture):
            size = each.width, each.height
            if sizes.setdefault(each.device, size) != size:
                raise ValueError(f"pictures of one camera are of one size: {each.device}")
    return sizes


def _with_sizes(world: WorldDescription, sizes: dict[str, tuple[int, int]]) -> WorldDescription:
    """The world with the pictures of these cameras, by part and name, as large as that."""

    def resized(device: Device) -> Device:
        size = sizes.get(f"{device.part}.{device.name}")
        return replace(device, resolution=size) if size and isinstance(device, Camera) else device

    def with_sizes(placed: PlacedRobot) -> PlacedRobot:
        devices = tuple(resized(each) for each in placed.robot.devices)
        return replace(placed, robot=replace(placed.robot, devices=devices))

    return replace(world, robots=tuple(with_sizes(each) for each in world.robots))
