"""Requests as AlpaSim's runtime makes them."""

import math
from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import Any

CAR = (4.65, 1.81, 1.45)


def pose(protos: SimpleNamespace, place: Sequence[float], yaw: float = 0.0) -> Any:
    """An upright pose."""
    x, y, z = place
    return protos.common.Pose(
        vec=protos.common.Vec3(x=x, y=y, z=z),
        quat=protos.common.Quat(w=math.cos(yaw / 2.0), z=math.sin(yaw / 2.0)),
    )


def trajectory(protos: SimpleNamespace, poses: Iterable[tuple[int, Any]]) -> Any:
    """Poses with their times [µs]."""
    return protos.common.Trajectory(
        poses=[protos.common.PoseAtTime(timestamp_us=time, pose=each) for time, each in poses]
    )


def box(protos: SimpleNamespace, size: Sequence[float] = CAR) -> Any:
    """The size of a box."""
    return protos.common.AABB(size_x=size[0], size_y=size[1], size_z=size[2])
