"""A robot or an object that is moved between two steps, as the command log has it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.config.descriptions import Vector3
from autosim.engine.engine_errors import PlacementError
from autosim.engine.physics.spawn_poses import SpawnPose

AT_REST = (0.0, 0.0, 0.0)
"""Velocity [m/s], [rad/s] of what is placed without a motion."""


@dataclass(frozen=True, slots=True)
class Placement:
    """New pose and motion of a robot or an object.

    `position` [m] in W of its origin; `yaw` [rad] from east to north; `pitch` [rad] by which its
    nose points up. `velocity` [m/s] of its origin and `angular_velocity` [rad/s] are along its own
    axes: forward, left, up.
    """

    name: str
    """Name of the robot or object."""
    position: Vector3
    yaw: float
    pitch: float = 0.0
    velocity: Vector3 = AT_REST
    angular_velocity: Vector3 = AT_REST

    @property
    def pose(self) -> SpawnPose:
        """The pose of its origin."""
        return SpawnPose(np.array(self.position), self.yaw, self.pitch)


def as_vector(name: str, numbers: Sequence[float]) -> Vector3:
    """Three numbers from a user.

    Raises:
        PlacementError: they are not three finite numbers.
    """
    array = np.asarray(numbers, dtype=np.float64)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise PlacementError(f"{name}: expected three finite numbers, not {numbers!r}")
    x, y, z = array.tolist()
    return x, y, z
