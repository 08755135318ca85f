"""Cameras that a person moves: one that flies freely, and one that circles around a robot."""

from dataclasses import dataclass
from math import cos, pi, radians, sin

import numpy as np

from autosim.arrays import Floats
from autosim.client.cameras.camera_rigs import NEAR, CameraPose, RobotExtent
from autosim.client.cameras.clearance import Clearance
from autosim.client.panda.panda_frames import (
    look_rotation,
    rotation_matrix,
    unit_quaternions,
    yaw_matrix,
)
from autosim.config.descriptions import RobotDescription
from autosim.model.state import State
from autosim.model.tree import WORD, SimulationTree

FOV = radians(55.0)
"""[rad] Vertical field of view of cameras that people move: wide, without bent edges."""

STEEPEST = radians(88.0)
"""[rad] by which such a camera looks up or down at most: straight up, its sides would be
undefined."""

_UP = np.array([0.0, 0.0, 1.0])
"""Straight up: a vector (3,) in W of length 1, without unit."""


@dataclass(slots=True, eq=False)
class FreeCamera:
    """Flies through the world: `position` (3,) [m] in W, `yaw` and `pitch` [rad] (up positive)."""

    position: Floats
    yaw: float = 0.0
    pitch: float = 0.0
    fov: float = FOV
    """Vertical field of view [rad]."""

    @classmethod
    def at(cls, pose: CameraPose) -> "FreeCamera":
        """A camera that begins where another one is, without its roll."""
        x, y, z = pose.rotation[:, 1].tolist()
        return cls(pose.position.copy(), float(np.arctan2(y, x)), float(np.arcsin(z)))

    def move(self, forward: float, left: float, up: float) -> None:
        """Moves [m] along the view, to its left, and straight up."""
        side = np.array([-sin(self.yaw), cos(self.yaw), 0.0])
        self.position = self.position + forward * self._direction() + left * side + up * _UP

    def turn(self, left: float, up: float) -> None:
        """Turns [rad]."""
        self.yaw = (self.yaw + left + pi) % (2 * pi) - pi
        self.pitch = float(np.clip(self.pitch + up, -STEEPEST, STEEPEST))

    def pose(self, state: State) -> CameraPose:
        """Its pose, whatever the state."""
        return CameraPose(self.position, look_rotation(self._direction(), _UP))

    def _direction(self) -> Floats:
        level = cos(self.pitch)
        return np.array([level * cos(self.yaw), level * sin(self.yaw), sin(self.pitch)])


class ChaseCamera:
    """Follows a part and turns with it; it looks at the part from `distance` [m].

    `yaw` [rad] is where it stands around the part (0: behind it), `pitch` how high.

    Args:
        robot: the description of the robot, which gives the first distance.
        tree: the tree of the states.
        name: qualified name of its first part.
        clearance: keeps it out of houses; None: it goes where it is turned.
    """

    fov = FOV

    def __init__(
        self,
        robot: RobotDescription,
        *,
        tree: SimulationTree,
        name: str,
        clearance: Clearance | None = None,
    ) -> None:
        self._clearance = clearance or Clearance()
        node = tree.find(name)
        if node is None:
            raise ValueError(f"the tree has no part '{name}'")
        extent = RobotExtent.of(robot)
        largest = max(extent.length, extent.width, extent.height)
        self._nearest, self._farthest = max(0.6 * largest, 2.0 * NEAR), 300.0
        self._aim_height = extent.aim_height
        self.distance = extent.distance
        self.yaw = 0.0
        self.pitch = radians(16.0)
        self._position = node.field_offset("position") // WORD
        self._orientation = node.field_offset("orientation") // WORD

    def turn(self, left: float, up: float) -> None:
        """Goes around the part [rad]."""
        self.yaw = (self.yaw + left + pi) % (2 * pi) - pi
        self.pitch = float(np.clip(self.pitch + up, radians(-5.0), STEEPEST))

    def approach(self, factor: float) -> None:
        """Changes the distance by `factor`."""
        self.distance = float(np.clip(self.distance * factor, self._nearest, self._farthest))

    def pose(self, state: State) -> CameraPose:
        """Its pose in `state`."""
        p_WB = state.floats[self._position : self._position + 3]
        quaternion = state.floats[self._orientation : self._orientation + 4]
        R_yaw = yaw_matrix(rotation_matrix(unit_quaternions(quaternion[None])[0]))
        level = self.distance * cos(self.pitch)
        behind = np.array([-level * cos(self.yaw), -level * sin(self.yaw), 0.0])
        target = p_WB + self._aim_height * _UP
        wanted = target + R_yaw @ behind + self.distance * sin(self.pitch) * _UP
        position = self._clearance.place(target, wanted, nearest=self._nearest)
        return CameraPose(position, look_rotation(target - position, _UP))
