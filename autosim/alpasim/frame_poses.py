"""Poses, trajectories and boxes of AlpaSim's messages as arrays."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

from autosim.alpasim.service_errors import InvalidRequestError
from autosim.alpasim.wire import common_pb2 as common
from autosim.arrays import Floats

MICROSECONDS = 1_000_000
"""Microseconds in a second."""

MAX_TIME_US = 2**62
"""Latest time [µs] of a request."""

_MAX_KEPT = 64
"""Number of samples of the past that are kept of a motion that is continued."""

_MAX_LENGTH_ERROR = 1e-3
"""Largest difference (without unit) of a quaternion's length from 1: what rounding makes."""


@dataclass(frozen=True, slots=True)
class FramePose:
    """A frame in another one: `position` (3,) [m], `axes` (3, 3) with its axes as columns."""

    position: Floats
    axes: Floats

    def __matmul__(self, other: "FramePose") -> "FramePose":
        """The frame `other`, which is given in this one, in the parent of this one."""
        return FramePose(self.position + self.axes @ other.position, self.axes @ other.axes)

    def inverse(self) -> "FramePose":
        """The parent in this frame."""
        return FramePose(-self.axes.T @ self.position, self.axes.T)

    @property
    def yaw(self) -> float:
        """Heading [rad] of the x axis, counter-clockwise from the parent's."""
        return float(np.arctan2(self.axes[1, 0], self.axes[0, 0]))

    @classmethod
    def at(cls, x: float, y: float, z: float, yaw: float) -> "FramePose":
        """An upright pose."""
        return cls(np.array([x, y, z]), Rotation.from_euler("z", yaw).as_matrix())


IDENTITY = FramePose(np.zeros(3), np.eye(3))
"""The pose of a frame in itself."""


def pose_of(message: common.Pose) -> FramePose:
    """The pose in a message; one without a rotation keeps the axes.

    Raises:
        InvalidRequestError: its quaternion does not have the length 1, or a number is not finite.
    """
    vec, quat = message.vec, message.quat
    position = np.array([vec.x, vec.y, vec.z], dtype=np.float64)
    numbers = np.array([quat.x, quat.y, quat.z, quat.w], dtype=np.float64)
    if not np.isfinite(position).all() or not np.isfinite(numbers).all():
        raise InvalidRequestError("a pose has a number that is not finite")
    if not message.HasField("quat"):
        return FramePose(position, np.eye(3))
    if abs(np.linalg.norm(numbers) - 1.0) > _MAX_LENGTH_ERROR:
        raise InvalidRequestError("the quaternion of a pose does not have the length 1")
    return FramePose(position, Rotation.from_quat(numbers).as_matrix())


def pose_message(pose: FramePose) -> common.Pose:
    """The message of a pose."""
    x, y, z = pose.position.tolist()
    qx, qy, qz, qw = Rotation.from_matrix(pose.axes).as_quat().tolist()
    return common.Pose(vec=common.Vec3(x=x, y=y, z=z), quat=common.Quat(x=qx, y=qy, z=qz, w=qw))


def vector_of(message: common.Vec3) -> Floats:
    """The vector (3,) in a message."""
    return np.array([message.x, message.y, message.z], dtype=np.float64)


def vector_message(values: Sequence[float] | Floats) -> common.Vec3:
    """The message of a vector."""
    x, y, z = (float(each) for each in values)
    return common.Vec3(x=x, y=y, z=z)


def between(first: FramePose, last: FramePose, share: float) -> FramePose:
    """The pose at a share of the way from one to another: position and rotation change evenly."""
    position = first.position + share * (last.position - first.position)
    turn = Rotation.from_matrix(first.axes.T @ last.axes).as_rotvec()
    return FramePose(position, first.axes @ Rotation.from_rotvec(share * turn).as_matrix())


class TimedPoses:
    """The motion of a frame: positions and rotations change evenly between its samples.

    Args:
        message: with at least one pose, in the order of time.

    Raises:
        InvalidRequestError: it has none, a pose is wrong, or times do not ascend.
    """

    def __init__(self, message: common.Trajectory) -> None:
        if not message.poses:
            raise InvalidRequestError("a trajectory has no poses")
        poses = [pose_of(each.pose) for each in message.poses]
        times = [each.timestamp_us for each in message.poses]
        if max(times) > MAX_TIME_US:
            raise InvalidRequestError(f"a time of a trajectory is beyond {MAX_TIME_US} µs")
        self.times = np.array(times, dtype=np.int64)
        if (np.diff(self.times) <= 0).any():
            raise InvalidRequestError("the times of a trajectory do not ascend")
        self.positions: Floats = np.array([each.position for each in poses])
        self._axes: Floats = np.array([each.axes for each in poses])

    def at(self, time: int) -> FramePose:
        """The pose at a time [µs]; before the first and after the last sample it is that one's."""
        time = int(np.clip(time, self.times[0], self.times[-1]))
        after = int(np.searchsorted(self.times, time))
        if self.times[after] == time:
            return FramePose(self.positions[after], self._axes[after])
        span = self.times[after - 1 : after + 1]
        share = (time - span[0]) / (span[1] - span[0])
        turn = Slerp([0.0, 1.0], Rotation.from_matrix(self._axes[after - 1 : after + 1]))
        before, behind = self.positions[after - 1], self.positions[after]
        return FramePose(before + share * (behind - before), turn(share).as_matrix())

    def continued(self, later: "TimedPoses") -> "TimedPoses":
        """These samples as far as they are before others, then the others."""
        kept = self.times < later.times[0]
        joined = copy(self)
        joined.times = np.concatenate([self.times[kept][-_MAX_KEPT:], later.times])
        joined.positions = np.concatenate([self.positions[kept][-_MAX_KEPT:], later.positions])
        joined._axes = np.concatenate([self._axes[kept][-_MAX_KEPT:], later._axes])
        return joined
