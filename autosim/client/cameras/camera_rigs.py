"""Poses and views of the virtual cameras: the Camera devices of robots, and a chase view.

The field of view is the vertical one. A point is seen at u = w/2 - f y/x, v = h/2 - f z/x pixels
from the top left, with f = h / (2 tan(fov / 2)) and x, y, z in the camera's frame (x forward,
y left, z up): a pinhole with square pixels.
"""

from dataclasses import dataclass
from math import radians
from typing import Protocol

import numpy as np

from autosim.arrays import Floats
from autosim.client.panda.panda_frames import (
    look_rotation,
    rotation_matrix,
    unit_quaternions,
    yaw_matrix,
)
from autosim.config.descriptions import RobotDescription, WorldDescription
from autosim.kinds.kind import body_of
from autosim.kinds.sensors.perception.camera import Camera
from autosim.model.state import State
from autosim.model.tree import WORD, SimulationTree

NEAR = 0.15
"""Nearest distance [m] that is drawn."""
AIM_HEIGHT = 0.9
"""A third-person camera looks at a point this far [m] above the centre of its part."""
_UP = np.array([0.0, 0.0, 1.0])
"""Straight up: a vector (3,) in W of length 1, without unit."""


@dataclass(frozen=True, slots=True)
class CameraPose:
    """Pose of a camera: `position` (3,) [m] in W; `rotation` (3, 3): right, forward, up."""

    position: Floats
    rotation: Floats

    def equals(self, other: "CameraPose") -> bool:
        """Whether both are exactly the same."""
        return np.array_equal(self.position, other.position) and np.array_equal(
            self.rotation, other.rotation
        )


@dataclass(frozen=True, slots=True)
class RobotExtent:
    """Extent of a robot, all its parts together, from the centre of its first part.

    `length`, `width`, `height` [m]; `behind` [m] from that centre to the robot's rear end.
    """

    length: float
    width: float
    height: float
    behind: float

    @classmethod
    def of(cls, robot: RobotDescription) -> "RobotExtent":
        """The extent of a robot in its initial pose."""
        centres = np.array([part.position for part in robot.parts])
        bodies = [body_of(part) for part in robot.parts]
        low = (centres + np.array([body.low for body in bodies])).min(axis=0)
        high = (centres + np.array([body.high for body in bodies])).max(axis=0)
        length, width, height = (high - low).tolist()
        return cls(length, width, height, behind=float(centres[0, 0] - low[0]))

    @property
    def aim_height(self) -> float:
        """Height [m] above that centre at which a following camera looks."""
        return 0.74 * self.height

    @property
    def distance(self) -> float:
        """From how far [m] behind that centre all of it can be seen."""
        return self.behind + 1.2 * self.length + self.height


class Rig(Protocol):
    """A rig gives a camera's pose: of a device, or of a camera that a user moves."""

    @property
    def fov(self) -> float:
        """The vertical field of view [rad]."""

    def pose(self, state: State) -> CameraPose:
        """Pose of the camera in `state`."""


def view_height(rig: Rig) -> float:
    """Height [m] of what a rig's parallel projection shows; 0: it shows things in perspective."""
    return float(getattr(rig, "span", 0.0))


class CameraRig:
    """One camera that moves with one part of one robot.

    Args:
        camera: the description of the Camera device.
        tree: the tree of the states.
        part: qualified name of the part that carries it.
        aim_height: a third-person camera looks at a point so far [m] above the part's centre.
    """

    def __init__(
        self,
        camera: Camera,
        *,
        tree: SimulationTree,
        part: str,
        aim_height: float = AIM_HEIGHT,
    ) -> None:
        node = tree.find(part)
        if node is None:
            raise ValueError(f"the tree has no part '{part}' for camera '{camera.name}'")
        self.description = camera
        self._aim_height = aim_height
        self._position = node.field_offset("position") // WORD
        self._orientation = node.field_offset("orientation") // WORD

    @property
    def fov(self) -> float:
        """The vertical field of view [rad]."""
        return self.description.fov

    @property
    def span(self) -> float:
        """Height [m] of what a parallel projection shows; 0: in perspective."""
        return self.description.span

    def pose(self, state: State) -> CameraPose:
        """Pose of the camera in `state`."""
        floats = state.floats
        p_WB = floats[self._position : self._position + 3]
        quaternion = floats[self._orientation : self._orientation + 4]
        R_WB = rotation_matrix(unit_quaternions(quaternion[None])[0])
        if self.description.type == "thirdperson":
            return self._chase(p_WB, yaw_matrix(R_WB))
        if self.description.type == "top":
            R_yaw = yaw_matrix(R_WB)
            above = p_WB + R_yaw @ np.array(self.description.position)
            return CameraPose(above, look_rotation(-_UP, R_yaw[:, 0]))
        direction, up = (np.array(v) for v in (self.description.direction, self.description.up))
        position = p_WB + R_WB @ np.array(self.description.position)
        return CameraPose(position, R_WB @ look_rotation(direction, up))

    def _chase(self, p_WB: Floats, R_yaw: Floats) -> CameraPose:
        position = p_WB + R_yaw @ np.array(self.description.position)
        target = p_WB + self._aim_height * _UP
        return CameraPose(position, look_rotation(target - position, _UP))


def camera_names(world: WorldDescription) -> tuple[str, ...]:
    """Qualified names of all Camera devices, robot by robot, in the order of the files."""
    return tuple(name for name, _, _ in _cameras(world))


def _cameras(world: WorldDescription) -> list[tuple[str, str, Camera]]:
    """(qualified name, qualified name of the part, camera) of all Camera devices."""
    found = []
    for placed in world.robots:
        for device in placed.robot.devices:
            if isinstance(device, Camera):
                part = f"{placed.name}.{device.part}"
                found.append((f"{part}.{device.name}", part, device))
    return found


def camera_rigs(world: WorldDescription, tree: SimulationTree) -> dict[str, CameraRig]:
    """The rigs of all cameras by qualified name."""
    return {name: CameraRig(camera, tree=tree, part=part) for name, part, camera in _cameras(world)}


def make_rigs(world: WorldDescription, tree: SimulationTree) -> dict[str, CameraRig]:
    """The rigs of all cameras by qualified name, and the main view's under the name ""."""
    rigs = camera_rigs(world, tree)
    main = _main_rig(world, tree, rigs)
    return {"": main, **rigs} if main is not None else rigs


def _main_rig(
    world: WorldDescription, tree: SimulationTree, rigs: dict[str, CameraRig]
) -> CameraRig | None:
    """The first robot's third-person camera, else one behind its first part."""
    if not world.robots:
        return None
    first = world.robots[0]
    for name, rig in rigs.items():
        if name.startswith(f"{first.name}.") and rig.description.type == "thirdperson":
            return rig
    part, extent = first.robot.parts[0], RobotExtent.of(first.robot)
    return CameraRig(
        _default_chase(part.name, extent),
        tree=tree,
        part=f"{first.name}.{part.name}",
        aim_height=extent.aim_height,
    )


def _default_chase(part: str, extent: RobotExtent) -> Camera:
    return Camera(
        name="chase",
        part=part,
        type="thirdperson",
        position=(-extent.behind - 1.1 * extent.length, 0.0, 1.8 * extent.height),
        fov=radians(55.0),
    )
