"""Converts the axes of XML files to the frames of the simulation; no other module knows both.

XML: x right (east), y up, z forward (north), left-handed. Body B: x forward, y left, z up.
World W: x east, y north, z up.
"""

from math import hypot, pi

from autosim.config.descriptions import Vector3


def body_vector(xml: Vector3) -> Vector3:
    """A point or direction of a robot file in B."""
    x, y, z = xml
    return (z, 0.0 - x, y)  # 0 - x, as -x would make -0.0 of 0.0


def body_extent(xml: Vector3) -> Vector3:
    """Full extents of a box of a robot file along the axes of B."""
    x, y, z = xml
    return (z, x, y)


def file_vector(body: Vector3) -> Vector3:
    """The point or direction of a robot file that `body_vector` reads as this one of B."""
    x, y, z = body
    return (0.0 - y, z, x)


def file_extent(body: Vector3) -> Vector3:
    """The extents of a robot file that `body_extent` reads as these along the axes of B."""
    length, width, height = body
    return (width, height, length)


def body_direction(xml: Vector3) -> Vector3:
    """A direction of a robot file, not zero, as a unit vector in B."""
    x, y, z = body_vector(xml)
    length = hypot(x, y, z)
    return (x / length, y / length, z / length)


def world_yaw(rot_y: float) -> float:
    """The angle counter-clockwise from east [rad] of one clockwise from north [rad], or back."""
    return pi / 2 - rot_y
