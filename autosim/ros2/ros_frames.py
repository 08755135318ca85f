"""Frames and times of messages: REP 103 (axes), REP 105 (map, odom, base_link).

The world's axes are x east, y north, z up, as in REP 103; a robot's first part is its base_link,
with x forward, y left, z up. The frame `map` is the world's; `ROBOT/odom` lies in it unmoved.
"""

from collections.abc import Sequence

import numpy as np

from autosim.arrays import Floats
from autosim.config.descriptions import Vector3
from autosim.ros2.message_types import Fields

MAP = "map"
"""The frame of the world."""

NANOSECONDS = 1_000_000_000
"""Nanoseconds in a second."""


def odom_frame(robot: str) -> str:
    """The frame in which a robot believes to move."""
    return f"{robot}/odom"


def part_frame(robot: str, part: str, first: str) -> str:
    """The frame of a part; that of the `first` part is base_link."""
    return f"{robot}/base_link" if part == first else f"{robot}/{part}"


def stamp_of(nanoseconds: int) -> dict[str, int]:
    """A time in a message."""
    seconds, rest = divmod(nanoseconds, NANOSECONDS)
    return {"sec": seconds, "nanosec": rest}


def header_of(nanoseconds: int, frame: str) -> Fields:
    """A header with that time and frame."""
    return {"stamp": stamp_of(nanoseconds), "frame_id": frame}


def xyz(values: Sequence[float] | Floats) -> dict[str, float]:
    """Three numbers as a vector or a point in a message."""
    return {"x": float(values[0]), "y": float(values[1]), "z": float(values[2])}


def xyzw(values: Sequence[float] | Floats) -> dict[str, float]:
    """A quaternion in a message."""
    return {**xyz(values), "w": float(values[3])}


def transform(
    nanoseconds: int, parent: str, child: str, position: Floats, orientation: Floats
) -> Fields:
    """A TransformStamped: where the frame `child` is in `parent`.

    `position` (3,) [m], `orientation` (4,) x, y, z, w.
    """
    return {
        "header": header_of(nanoseconds, parent),
        "child_frame_id": child,
        "transform": {"translation": xyz(position), "rotation": xyzw(orientation)},
    }


def rotation_of(orientation: Floats) -> Floats:
    """The matrix (3, 3) of a quaternion (4,) x, y, z, w: columns are the turned axes."""
    x, y, z, w = orientation
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def quaternion_of(rotation: Floats) -> Floats:
    """The quaternion (4,) x, y, z, w of a rotation matrix (3, 3), by Shepperd's method."""
    trace = float(np.trace(rotation))
    squares = np.array([*np.diag(rotation) * 2.0 - trace, trace]) + 1.0
    largest = int(np.argmax(squares))
    skew = rotation - rotation.T
    sums = rotation + rotation.T
    if largest == 3:
        raw = np.array([skew[2, 1], skew[0, 2], skew[1, 0], squares[3]])
    else:
        second, third = (largest + 1) % 3, (largest + 2) % 3
        raw = np.zeros(4)
        raw[largest] = squares[largest]
        raw[second] = sums[largest, second]
        raw[third] = sums[largest, third]
        raw[3] = skew[third, second]
    return np.asarray(raw / np.linalg.norm(raw))


def axes_of(direction: Vector3, up: Vector3 | None = None) -> Floats:
    """The orientation (4,) in B of a device that looks along `direction`: x there, z up.

    Without `up`, or where that is along the direction, z is as near to B's as can be.
    """
    forward = np.array(direction) / np.linalg.norm(direction)
    for wanted in (up, (0.0, 0.0, 1.0), (-1.0, 0.0, 0.0)):
        if wanted is None:
            continue
        left = np.cross(wanted, forward)
        length = float(np.linalg.norm(left))
        if length > 1e-6:
            left /= length
            rotation = np.stack([forward, left, np.cross(forward, left)], axis=1)
            return quaternion_of(rotation)
    raise AssertionError("one of two axes is not along the direction")


def product(first: Floats, second: Floats) -> Floats:
    """The quaternion (4,) that turns as `second` and then as `first`."""
    x1, y1, z1, w1 = first
    x2, y2, z2, w2 = second
    return np.array(
        [
            w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2,
            w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2,
            w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2,
            w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2,
        ]
    )


def conjugate(orientation: Floats) -> Floats:
    """The quaternion (4,) of the opposite turn."""
    return np.asarray(orientation * np.array([-1.0, -1.0, -1.0, 1.0]))


OPTICAL: Floats = quaternion_of(np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]))
"""Orientation (4,) of a camera's optical frame (z forward, x right, y down) in the camera's."""
