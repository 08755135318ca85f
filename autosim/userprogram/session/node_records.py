"""Finds the record of a node of the tree by its name."""

from autosim.config.descriptions import (
    Device,
    Link,
    Part,
    Publication,
    RobotDescription,
)
from autosim.config.reserved_names import STATES
from autosim.kinds.kind import owns_state
from autosim.kinds.sensors.perception.camera import Camera
from autosim.kinds.sensors.ranging.lidar_device import LidarSensor
from autosim.model.commands import DeviceError, DeviceErrorCode, find_device
from autosim.model.tree import SimulationTree, TreeNode

Described = RobotDescription | Part | Link | Device | Publication


def describe(tree: SimulationTree, name: str) -> Described:
    """The record of a robot, a part, a link, a device, a publication or an object.

    Of a state, that of the device that owns the belief; without one, that of the part whose motion
    it is.

    Raises:
        DeviceError: UNKNOWN_ROBOT, UNKNOWN_DEVICE.
    """
    node = tree.find(name) or find_device(tree, name)
    if node.name in tree.objects:
        return tree.objects[node.name]
    robot_name, _, inner = node.name.partition(".")
    robot = describe_robot(tree, robot_name)
    if not inner:
        return robot
    part, _, device = inner.partition(".")
    if part in STATES:
        return _owner(robot) or robot.parts[0]
    if not device:
        own: tuple[Part | Link | Publication, ...] = (
            *robot.parts,
            *robot.links,
            *robot.publications,
        )
        return next(each for each in own if each.name == part)
    return next(each for each in robot.devices if (each.part, each.name) == (part, device))


def _owner(robot: RobotDescription) -> Device | None:
    """The device that keeps what the robot believes up to date."""
    return next((each for each in robot.devices if owns_state(each)), None)


def describe_robot(tree: SimulationTree, name: str) -> RobotDescription:
    """The record of the robot called `name`.

    Raises:
        DeviceError: UNKNOWN_ROBOT; UNKNOWN_DEVICE for anything else.
    """
    robot = tree.find(name)
    if robot is None or name not in tree.descriptions:
        node = find_device(tree, name)
        raise DeviceError(DeviceErrorCode.INVALID_DEVICE, f"'{name}' is a {node.kind}, no robot")
    return tree.descriptions[name]


def find_camera(tree: SimulationTree, name: str) -> Camera:
    """The record of the camera called `name`.

    Raises:
        DeviceError: UNKNOWN_ROBOT, UNKNOWN_DEVICE, INVALID_DEVICE; INVALID_OPERATION for a device
            of another kind.
    """
    node = find_device(tree, name)
    device = describe(tree, name)
    if not isinstance(device, Camera):
        raise DeviceError(
            DeviceErrorCode.INVALID_OPERATION, f"'{name}' is a {node.kind}, no Camera"
        )
    return device


def find_lidar(tree: SimulationTree, name: str) -> tuple[TreeNode, LidarSensor]:
    """The node and the record of the lidar called `name`.

    Raises:
        DeviceError: UNKNOWN_ROBOT, UNKNOWN_DEVICE, INVALID_DEVICE; INVALID_OPERATION for a device
            of another kind.
    """
    node = find_device(tree, name)
    device = describe(tree, name)
    if not isinstance(device, LidarSensor):
        raise DeviceError(
            DeviceErrorCode.INVALID_OPERATION, f"'{name}' is a {node.kind}, no LidarSensor"
        )
    return node, device
