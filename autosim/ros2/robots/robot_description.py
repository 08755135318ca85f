"""A robot's shape as URDF, on the latched topic ROBOT/robot_description, which rviz2 draws.

The names of its links are those of the frames on /tf and /tf_static, so that no
robot_state_publisher is needed. Wheels are joints with the names of ROBOT/joint_states; other
parts that move have floating joints, because a link of AutoSim need not turn about the origin of
its part.
"""

import numpy as np
from lxml import etree

from autosim.arrays import Floats
from autosim.config.descriptions import RobotDescription
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.kinds.kind import body_of
from autosim.kinds.kinematic.kinematic_wheel import KinematicWheel
from autosim.model.rigid_bodies.shapes import (
    Box,
    Capsule,
    Cylinder,
    MeshShape,
    PlacedShape,
    Sphere,
)
from autosim.ros2.robots.odometry import device_frame
from autosim.ros2.ros_frames import part_frame, rotation_of

_WHEEL_COLOUR = (0.1, 0.1, 0.1)
"""Colour (sRGB, shares in 0..1) of wheels without a model."""

_AXLE = "1.5707963267948966 0 0"
"""Roll, pitch and yaw [rad] that turn the axis of a cylinder (z) into that of a wheel (y)."""

_MAX_RATE, _MAX_EFFORT = 100.0, 1000.0
"""Limits [rad/s], [N m] of steering, which URDF asks for; AutoSim does not use them."""


def urdf_of(robot: RobotDescription) -> str:
    """The URDF of a robot in its initial pose."""
    root = etree.Element("robot", name=robot.name)
    first = robot.parts[0]
    places = {part.name: np.array(part.position) - np.array(first.position) for part in robot.parts}
    frames = {part.name: part_frame(robot.name, part.name, first.name) for part in robot.parts}
    for part in robot.parts:
        link = etree.SubElement(root, "link", name=frames[part.name])
        for shape in body_of(part).shapes:
            for tag in ("visual", "collision"):
                _add_shape(etree.SubElement(link, tag), shape)
        for visual in link.findall("visual"):
            _add_colour(visual, part.name, part.colour)
        if part is not first:
            _add_joint(
                root, f"{part.name}_joint", "floating", frames[first.name], frames[part.name],
                places[part.name],
            )  # fmt: skip
    for device in robot.devices:
        if isinstance(device, WheelDevice | KinematicWheel):
            _add_wheel(root, robot, device, frames[device.part])
    return etree.tostring(root, encoding="unicode", pretty_print=True)


def _add_wheel(
    root: etree._Element,
    robot: RobotDescription,
    wheel: WheelDevice | KinematicWheel,
    parent: str,
) -> None:
    """Adds a wheel, which steers and rolls; the frame on /tf is that of the rolling wheel."""
    frame, place = device_frame(robot, wheel.name), np.array(wheel.position)
    if isinstance(wheel, WheelDevice):
        place[2] -= wheel.suspension_rest_length
    if wheel.is_steering:
        knuckle = f"{frame}_steering"
        etree.SubElement(root, "link", name=knuckle)
        joint = _add_joint(root, f"{wheel.name}_steering", "revolute", parent, knuckle, place)
        etree.SubElement(joint, "axis", xyz="0 0 1")
        limits = {"lower": -np.pi / 2, "upper": np.pi / 2, "effort": _MAX_EFFORT}
        etree.SubElement(joint, "limit", _texts(limits | {"velocity": _MAX_RATE}))
        parent, place = knuckle, np.zeros(3)
    joint = _add_joint(root, wheel.name, "continuous", parent, frame, place)
    etree.SubElement(joint, "axis", xyz="0 1 0")
    link = etree.SubElement(root, "link", name=frame)
    for tag in ("visual", "collision"):
        element = etree.SubElement(link, tag)
        etree.SubElement(element, "origin", xyz="0 0 0", rpy=_AXLE)
        geometry = etree.SubElement(element, "geometry")
        size = {"radius": wheel.radius, "length": wheel.width}
        etree.SubElement(geometry, "cylinder", _texts(size))
    for visual in link.findall("visual"):
        _add_colour(visual, "tyre", _WHEEL_COLOUR)


def _add_joint(
    root: etree._Element, name: str, kind: str, parent: str, child: str, place: Floats
) -> etree._Element:
    joint = etree.SubElement(root, "joint", name=name, type=kind)
    etree.SubElement(joint, "parent", link=parent)
    etree.SubElement(joint, "child", link=child)
    etree.SubElement(joint, "origin", xyz=_numbers(place), rpy="0 0 0")
    return joint


def _add_shape(element: etree._Element, placed: PlacedShape) -> None:
    """Adds a shape; URDF has meshes in files alone, so that a mesh becomes the box around it."""
    shape, place = placed.shape, np.array(placed.position)
    rotation = rotation_of(np.array(placed.orientation))
    if isinstance(shape, MeshShape):
        low, high = np.array(shape.low), np.array(shape.high)
        place = place + rotation @ ((low + high) / 2.0)
    etree.SubElement(element, "origin", xyz=_numbers(place), rpy=_numbers(_angles(rotation)))
    geometry = etree.SubElement(element, "geometry")
    match shape:
        case Sphere():
            etree.SubElement(geometry, "sphere", _texts({"radius": shape.radius}))
        case Cylinder():
            size = {"radius": shape.radius, "length": shape.length}
            etree.SubElement(geometry, "cylinder", _texts(size))
        case Capsule():
            size = {"radius": shape.radius, "length": shape.length + 2.0 * shape.radius}
            etree.SubElement(geometry, "cylinder", _texts(size))
        case Box() | MeshShape():
            extent = np.array(shape.high) - np.array(shape.low)
            etree.SubElement(geometry, "box", size=_numbers(extent))


def _add_colour(visual: etree._Element, name: str, colour: tuple[float, float, float]) -> None:
    material = etree.SubElement(visual, "material", name=name)
    etree.SubElement(material, "color", rgba=_numbers(np.array([*colour, 1.0])))


def _angles(rotation: Floats) -> Floats:
    """Roll, pitch and yaw (3,) [rad] of a rotation matrix (3, 3)."""
    return np.array(
        [
            np.arctan2(rotation[2, 1], rotation[2, 2]),
            np.arcsin(np.clip(-rotation[2, 0], -1.0, 1.0)),
            np.arctan2(rotation[1, 0], rotation[0, 0]),
        ]
    )


def _numbers(values: Floats) -> str:
    return " ".join(f"{value:.9g}" for value in values)


def _texts(values: dict[str, float]) -> dict[str, str]:
    return {key: f"{value:.9g}" for key, value in values.items()}
