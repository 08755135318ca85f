"""Views of a world that follow no robot: the whole from above, or from a place in it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from autosim.arrays import Floats
from autosim.client.cameras.camera_rigs import CameraPose
from autosim.client.cameras.moving_cameras import FOV, FreeCamera
from autosim.client.panda.panda_frames import look_rotation
from autosim.client.panda.readback import Pixels
from autosim.client.panda.renderer import open_renderer
from autosim.client.scene.drawn_scene import Scene
from autosim.client.scene.view import View
from autosim.config.descriptions import WorldDescription
from autosim.kinds.director import build_tree
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.ground_index import height_at

_UP = np.array([0.0, 0.0, 1.0])
"""Straight up: a vector (3,) in W of length 1, without unit."""

_SEEN = 0.5
"""Radius of what is seen, as a share of the greater extent of the streets: all of them just fit."""

_NEAR_SHARE = 0.1
"""Distance from the camera at which the picture begins, as a share of that to its middle: nothing
is nearer, and the depth is fine enough to tell kerbs from carriageways."""

_OVERLOOKED = 80.0
"""Radius [m] of what is seen at first where no robot can be followed: a few streets."""

_CLEARANCE = 20.0
"""Height [m] above the ground of a camera with the default pose."""

_NEAREST = 0.3
"""Distance [m] at which the picture of a standing camera begins: what is nearer is not drawn."""

_CLEAR = 6.0
"""Factor by which the haze begins farther away than the picture: from above, the air is clear."""


@dataclass(frozen=True, slots=True)
class BirdsEye:
    """Viewpoint of the picture.

    `azimuth` [rad] is the direction of sight, counter-clockwise from east; `elevation` [rad] how
    high above the horizon the camera is; `fov` [rad] the vertical field of view.
    """

    azimuth: float = np.radians(65.0)
    elevation: float = np.radians(38.0)
    fov: float = np.radians(35.0)

    def pose(self, target: Floats, radius: float) -> CameraPose:
        """The camera that sees a ball of `radius` [m] about `target` (3,) in its height."""
        distance = radius / np.sin(self.fov / 2.0)
        flat = np.cos(self.elevation)
        backwards = np.array(
            [-flat * np.cos(self.azimuth), -flat * np.sin(self.azimuth), np.sin(self.elevation)]
        )
        return CameraPose(target + distance * backwards, look_rotation(-backwards, _UP))


@dataclass(frozen=True, slots=True)
class StandingEye:
    """A picture from a place in the world.

    `position` (x, y) [m] in W; `height` [m] above the ground or the floor of what is there, from
    the lowest; `azimuth` [rad] of sight, counter-clockwise from east, `pitch` [rad], up positive;
    `fov` [rad] the vertical field of view.
    """

    position: tuple[float, float]
    height: float = 2.0
    azimuth: float = 0.0
    pitch: float = 0.0
    fov: float = np.radians(50.0)

    def pose(self, compiled: CompiledWorld) -> CameraPose:
        """Pose of the camera."""
        x, y = self.position
        ground = float(height_at(compiled, np.array([[x, y]]))[0])
        level = np.cos(self.pitch)
        forward = np.array(
            [level * np.cos(self.azimuth), level * np.sin(self.azimuth), np.sin(self.pitch)]
        )
        z = (0.0 if np.isnan(ground) else ground) + self.height
        return CameraPose(np.array([x, y, z]), look_rotation(forward, _UP))


@dataclass(frozen=True, slots=True)
class _Shot:
    """A camera with its field of view [rad], and between which distances [m] it sees."""

    pose: CameraPose
    fov: float
    near: float
    far: float


def overlook(compiled: CompiledWorld) -> FreeCamera:
    """A camera above the middle of the streets, for a world without a robot to follow."""
    points = _street_points(compiled)
    middle, _ = _middle(compiled)
    target = points[np.hypot(*(points - middle)[:, :2].T).argmin()]
    camera = FreeCamera.at(BirdsEye(fov=FOV).pose(target, _OVERLOOKED))
    ground = float(height_at(compiled, camera.position[None, :2])[0])
    if camera.position[2] < ground + _CLEARANCE:
        camera.position[2] = ground + _CLEARANCE
    return camera


def draw_birds_eye(
    world: WorldDescription,
    compiled: CompiledWorld,
    *,
    width: int,
    height: int,
    renderer: str | None = None,
    eye: BirdsEye | StandingEye | None = None,
    report: Callable[[str], None] = lambda text: None,
) -> Pixels:
    """Draws a world without its robots, offscreen.

    Args:
        world: its graphics settings and where models are looked up.
        compiled: the place.
        width: of the picture, in pixels.
        height: the same.
        renderer: as for `open_renderer`.
        eye: from where; by default the whole world from above.
        report: called with each model and picture that cannot be shown.

    Returns:
        (height, width, 4) uint8 RGBA, rows from the top.

    Raises:
        RendererError: no renderer starts, or it has no buffer of that size.
    """
    if isinstance(eye, StandingEye):
        shot = _Shot(eye.pose(compiled), eye.fov, _NEAREST, world.graphics.far)
    else:
        shot = _from_above(eye or BirdsEye(), compiled)
        graphics = replace(world.graphics, has_shadows=False, far=shot.far)
        world = replace(world, graphics=graphics)
    pixels, warnings = _draw(replace(world, robots=()), compiled, shot, (width, height), renderer)
    for warning in warnings:
        report(warning)
    return pixels


def _from_above(eye: BirdsEye, compiled: CompiledWorld) -> _Shot:
    target, radius = _middle(compiled)
    pose = eye.pose(target, radius)
    distance = float(np.linalg.norm(pose.position - target))
    # Nothing is near: without this, depth is too coarse to tell kerbs from carriageways.
    return _Shot(pose, eye.fov, _NEAR_SHARE * distance, _CLEAR * (distance + 2.0 * radius))


def _draw(
    world: WorldDescription,
    compiled: CompiledWorld,
    shot: _Shot,
    size: tuple[int, int],
    renderer: str | None,
) -> tuple[Pixels, tuple[str, ...]]:
    """The picture, and what could not be shown in it."""
    opened = open_renderer(renderer)
    try:
        scene = Scene(opened, world=world, compiled=compiled, tree=build_tree(world))
        samples = opened.capabilities.multisamples
        buffer = opened.make_buffer("view", *size, multisamples=samples)
        view = View(buffer, root=scene.root, fov=shot.fov, far=shot.far, is_kept=True)
        view.place(shot.pose)
        view.eye.getLens().setNear(shot.near)
        scene.show_sky(world.graphics.sky)
        scene.follow(shot.pose.position, shot.pose.rotation[:, 1])
        # Only now is it known which lamps shine, and so which programs draw the picture.
        scene.equip(view.eye)
        opened.engine.renderFrame()
        return view.picture(), scene.warnings
    finally:
        opened.close()


def _middle(compiled: CompiledWorld) -> tuple[Floats, float]:
    """The middle of the streets, and the radius [m] of what is worth seeing around it."""
    points = _street_points(compiled)
    low, high = np.quantile(points, [0.02, 0.98], axis=0)
    target: Floats = (low + high) / 2.0
    return target, max(_SEEN * float((high - low)[:2].max()), 30.0)


def _street_points(compiled: CompiledWorld) -> Floats:
    """Points (n, 3) [m] of the streets; of the ground where there are none."""
    return compiled.roads.points if len(compiled.roads.points) else compiled.ground.vertices
