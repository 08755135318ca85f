"""A picture of a whole world, or of a part of it, from a free point above it."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from autosim.client.cameras import Pose
from autosim.client.frames import look_rotation
from autosim.client.readback import Pixels
from autosim.client.renderer import open_renderer
from autosim.client.scene import Scene
from autosim.client.view import View
from autosim.config.descriptions import WorldDescription
from autosim.simulation.director import build_tree
from autosim.world.compiled import CompiledWorld

Floats = npt.NDArray[np.float64]
_UP = np.array([0.0, 0.0, 1.0])
_SEEN = 0.5
_NEAR_SHARE = 0.1
_CLEAR = 6.0
"""How much farther than the picture the haze begins: from above, the air is clear."""


@dataclass(frozen=True, slots=True)
class BirdsEye:
    """Where the picture is taken from.

    `azimuth` [rad] is the direction of sight, counter-clockwise from east; `elevation` [rad] how
    high above the horizon the camera is; `fov` [rad] the vertical field of view.
    """

    azimuth: float = np.radians(65.0)
    elevation: float = np.radians(38.0)
    fov: float = np.radians(35.0)

    def pose(self, target: Floats, radius: float) -> Pose:
        """The camera that sees a ball of `radius` [m] about `target` (3,) in its height."""
        distance = radius / np.sin(self.fov / 2.0)
        flat = np.cos(self.elevation)
        backwards = np.array(
            [-flat * np.cos(self.azimuth), -flat * np.sin(self.azimuth), np.sin(self.elevation)]
        )
        return Pose(target + distance * backwards, look_rotation(-backwards, _UP))


def draw_birds_eye(
    world: WorldDescription,
    compiled: CompiledWorld,
    *,
    width: int,
    height: int,
    renderer: str | None = None,
    eye: BirdsEye | None = None,
) -> Pixels:
    """Draws a world without its robots, offscreen.

    Args:
        world: its graphics settings and where models are looked up.
        compiled: the place.
        width: of the picture, in pixels.
        height: the same.
        renderer: as for `open_renderer`.
        eye: the direction of sight.

    Returns:
        (height, width, 4) uint8 RGBA, rows from the top.

    Raises:
        RendererError: no renderer starts, or it has no buffer of that size.
    """
    eye = eye or BirdsEye()
    target, radius = _middle(compiled)
    pose = eye.pose(target, radius)
    distance = float(np.linalg.norm(pose.position - target))
    far = _CLEAR * (distance + 2.0 * radius)
    graphics = replace(world.graphics, has_shadows=False, far=far)
    empty = replace(world, robots=(), graphics=graphics)
    opened = open_renderer(renderer)
    try:
        scene = Scene(opened, world=empty, compiled=compiled, tree=build_tree(empty))
        samples = min(graphics.multisamples, opened.capabilities.multisamples)
        buffer = opened.make_buffer("bird's eye", width, height, multisamples=samples)
        view = View(buffer, root=scene.root, fov=eye.fov, far=far, is_kept=True)
        view.place(pose)
        # Nothing is near: without this, depth is too coarse to tell kerbs from carriageways.
        view.camera.node().getLens().setNear(_NEAR_SHARE * distance)
        scene.follow(pose.position, pose.rotation[:, 1])
        opened.engine.renderFrame()
        return view.picture()
    finally:
        opened.close()


def _middle(compiled: CompiledWorld) -> tuple[Floats, float]:
    """The middle of the streets, and the radius [m] of what is worth seeing around it."""
    points = compiled.roads.points if len(compiled.roads.points) else compiled.ground.vertices
    low, high = np.quantile(points, [0.02, 0.98], axis=0)
    target: Floats = (low + high) / 2.0
    return target, max(_SEEN * float((high - low)[:2].max()), 30.0)
