"""Values that many messages of OSI have: times, versions, vectors, angles, identifiers."""

from enum import IntEnum

import numpy as np
from osi3.osi_common_pb2 import Dimension3d, Orientation3d, Timestamp, Vector3d
from osi3.osi_version_pb2 import InterfaceVersion, current_interface_version

from autosim.arrays import Floats

NANOSECONDS = 1_000_000_000
"""Nanoseconds in a second."""

_PER_KIND = 1_000_000_000
"""Number of identifiers of each kind."""


class IdKind(IntEnum):
    """The kinds of things that have identifiers; each has its own range."""

    ROBOT = 1
    OBJECT = 2
    VEHICLE = 3
    PERSON = 4
    LANE = 5
    JUNCTION = 6
    LANE_BOUNDARY = 7
    STATIONARY = 8
    TRAFFIC_LIGHT = 9
    REFERENCE_LINE = 10
    LOGICAL_LANE = 11
    LOGICAL_BOUNDARY = 12
    SENSOR = 13


def identifier(kind: IdKind, number: int) -> int:
    """The identifier of the thing with that number among those of its kind."""
    return kind * _PER_KIND + number


def number_of(value: int) -> tuple[int, int]:
    """The kind and the number of an identifier that `identifier` made."""
    return divmod(value, _PER_KIND)


def interface_version() -> InterfaceVersion:
    """The version of OSI of the installed package."""
    version = InterfaceVersion()
    version.CopyFrom(
        InterfaceVersion.DESCRIPTOR.file.GetOptions().Extensions[current_interface_version]
    )
    return version


def version_text() -> str:
    """The version of OSI, as in 3.8.0."""
    version = interface_version()
    return f"{version.version_major}.{version.version_minor}.{version.version_patch}"


def timestamp(nanoseconds: int) -> Timestamp:
    """A time since the start of the simulation."""
    seconds, rest = divmod(nanoseconds, NANOSECONDS)
    return Timestamp(seconds=seconds, nanos=rest)


def vector(values: Floats | tuple[float, float, float]) -> Vector3d:
    """Three numbers as a vector."""
    return Vector3d(x=float(values[0]), y=float(values[1]), z=float(values[2]))


def dimensions(size: Floats | tuple[float, float, float]) -> Dimension3d:
    """Length, width and height [m]."""
    return Dimension3d(length=float(size[0]), width=float(size[1]), height=float(size[2]))


def orientation(angles: Floats | tuple[float, float, float]) -> Orientation3d:
    """Roll, pitch and yaw [rad], turned in the order yaw, pitch, roll."""
    return Orientation3d(roll=float(angles[0]), pitch=float(angles[1]), yaw=float(angles[2]))


def angles_of(rotation: Floats) -> Floats:
    """Roll, pitch and yaw (3,) [rad] of a rotation matrix (3, 3), by ISO 8855."""
    pitch = np.arcsin(np.clip(-rotation[2, 0], -1.0, 1.0))
    roll = np.arctan2(rotation[2, 1], rotation[2, 2])
    return np.array([roll, pitch, np.arctan2(rotation[1, 0], rotation[0, 0])])


def angle_rates(angles: Floats, turning: Floats) -> Floats:
    """Rates (3,) [rad/s] of roll, pitch and yaw of a body.

    Args:
        angles: its roll, pitch and yaw (3,) [rad].
        turning: its angular velocity (3,) [rad/s] along its own axes.
    """
    sin_roll, cos_roll = np.sin(angles[0]), np.cos(angles[0])
    across = sin_roll * turning[1] + cos_roll * turning[2]
    level = max(float(np.cos(angles[1])), 1e-6)
    return np.array(
        [
            turning[0] + np.tan(angles[1]) * across,
            cos_roll * turning[1] - sin_roll * turning[2],
            across / level,
        ]
    )
