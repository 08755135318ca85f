"""Mounting positions of sensors: in the vehicle's coordinates, whose origin is the rear axle."""

import numpy as np
from osi3.osi_common_pb2 import MountingPosition

from autosim.arrays import Floats
from autosim.config.descriptions import Device, RobotDescription, Vector3
from autosim.osi.osi_objects.robot_shape import RobotShape
from autosim.osi.osi_values import angles_of, orientation, vector

_PARALLEL = 1e-6
"""Sine of the angle between two axes below which one does not fix the other."""


def mounting_of(robot: RobotDescription, shape: RobotShape, device: Device) -> MountingPosition:
    """The pose of a sensor, with x along its direction, y to the left and z up.

    Sensors on parts that move against the first one have the place of the initial pose.
    """
    parts = {part.name: np.array(part.position) for part in robot.parts}
    offset = parts[device.part] - parts[robot.parts[0].name]
    place = offset + np.array(getattr(device, "position", (0.0, 0.0, 0.0))) - shape.reference
    direction: Vector3 = getattr(device, "direction", (1.0, 0.0, 0.0))
    up: Vector3 = getattr(device, "up", (0.0, 0.0, 1.0))
    axes = _axes(np.array(direction), np.array(up))
    return MountingPosition(position=vector(place), orientation=orientation(angles_of(axes)))


def _axes(direction: Floats, up: Floats) -> Floats:
    """The axes (3, 3) of a sensor as columns: forward, left, up."""
    forward = direction / np.linalg.norm(direction)
    for wanted in (up, np.array([0.0, 0.0, 1.0]), np.array([-1.0, 0.0, 0.0])):
        left = np.cross(wanted, forward)
        length = float(np.linalg.norm(left))
        if length > _PARALLEL:
            left = left / length
            return np.column_stack([forward, left, np.cross(forward, left)])
    raise AssertionError("one of two axes is not along the direction")
