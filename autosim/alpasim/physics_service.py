"""AlpaSim's PhysicsService: puts boxes onto the ground of a world."""

from collections.abc import Sequence

import numpy as np
from scipy.spatial.transform import Rotation

from autosim.alpasim.alpasim_scene import AlpasimScene, version_message
from autosim.alpasim.frame_poses import FramePose, pose_message, pose_of
from autosim.alpasim.wire import common_pb2 as common
from autosim.alpasim.wire import physics_pb2 as physics
from autosim.arrays import Floats

_POINTS = 4
"""Number of points along each edge of a box's bottom that are set onto the ground: as AlpaSim's."""

_MIN_HITS = 3
"""Number of points that a plane needs."""

_MAX_TRANSLATION = 1.5
"""Distance [m] to the ground above which a box stays: as AlpaSim's own service."""

_MAX_ROTATION = np.radians(10.0)
"""Angle [rad] to the ground above which a box stays: as AlpaSim's own service."""

_OK = physics.PhysicsGroundIntersectionReturn.SUCCESSFUL_UPDATE
_FEW = physics.PhysicsGroundIntersectionReturn.INSUFFICIENT_POINTS_FITPLANE
_FAR = physics.PhysicsGroundIntersectionReturn.HIGH_TRANSLATION
_STEEP = physics.PhysicsGroundIntersectionReturn.HIGH_ROTATION

GroundStatus = physics.PhysicsGroundIntersectionReturn.Status


class PhysicsService:
    """Corrects height, pitch and roll of boxes, so that their bottoms lie on the ground.

    Args:
        scene: the world.
    """

    def __init__(self, scene: AlpasimScene) -> None:
        self._scene = scene

    def get_version(self, request: common.Empty) -> common.VersionId:
        """The version of AutoSim."""
        return version_message()

    def get_available_scenes(self, request: common.Empty) -> common.AvailableScenesReturn:
        """The name of the world."""
        return self._scene.scenes()

    def ground_intersection(
        self, request: physics.PhysicsGroundIntersectionRequest
    ) -> physics.PhysicsGroundIntersectionReturn:
        """The poses of boxes on the ground, with whether they could be corrected.

        Raises:
            ServiceError: there is no such scene, or a pose is wrong.
        """
        self._scene.require(request.scene_id)
        answer = physics.PhysicsGroundIntersectionReturn()
        if request.HasField("ego_data"):
            ego = request.ego_data
            wanted = [pose_of(each.pose) for each in ego.ego_trajectory_aabb.poses]
            found = self._settle(wanted, [ego.aabb] * len(wanted))
            for asked, (pose, status) in zip(ego.ego_trajectory_aabb.poses, found, strict=True):
                answer.ego_trajectory_aabb.poses.add(
                    pose=pose_message(pose), timestamp_us=asked.timestamp_us
                )
                answer.ego_status.append(status)
        others = request.other_objects
        poses = [pose_of(each.pose_pair.future_pose) for each in others]
        for pose, status in self._settle(poses, [each.aabb for each in others]):
            answer.other_poses.add(pose=pose_message(pose), status=status)
        return answer

    def _settle(
        self, poses: Sequence[FramePose], boxes: Sequence[common.AABB]
    ) -> list[tuple[FramePose, GroundStatus]]:
        """The poses on the ground, with their states; one that cannot be corrected stays."""
        if not poses:
            return []
        bottoms = np.array(
            [
                pose.position + _bottom_of(box) @ pose.axes.T
                for pose, box in zip(poses, boxes, strict=True)
            ]
        )
        heights = self._scene.ground_near(bottoms.reshape(-1, 3)).reshape(len(poses), -1)
        return [
            _settled(pose, bottom, height)
            for pose, bottom, height in zip(poses, bottoms, heights, strict=True)
        ]


def _bottom_of(box: common.AABB) -> Floats:
    """Points (n, 3) [m] of the bottom of a box, from its centre."""
    shares = np.linspace(-0.5, 0.5, _POINTS)
    x, y = np.meshgrid(shares * box.size_x, shares * box.size_y)
    return np.column_stack([x.ravel(), y.ravel(), np.full(x.size, -0.5 * box.size_z)])


def _settled(pose: FramePose, bottom: Floats, heights: Floats) -> tuple[FramePose, GroundStatus]:
    """A pose whose bottom (n, 3) lies in the plane through the ground at `heights` (n,)."""
    is_met = np.isfinite(heights)
    if is_met.sum() < _MIN_HITS:
        return pose, _FEW
    points = bottom[is_met]
    ground = np.column_stack([points[:, :2], heights[is_met]])
    before, after = _normal_of(points), _normal_of(ground)
    if before is None or after is None:
        return pose, _FEW
    lift = ground.mean(axis=0) - points.mean(axis=0)
    turn, _ = Rotation.align_vectors(after[None], before[None])
    if abs(lift[2]) > _MAX_TRANSLATION:
        return pose, _FAR
    if turn.magnitude() > _MAX_ROTATION:
        return pose, _STEEP
    position = pose.position + np.array([0.0, 0.0, lift[2]])
    return FramePose(position, turn.as_matrix() @ pose.axes), _OK


def _normal_of(points: Floats) -> Floats | None:
    """The upward normal (3,) of the plane through points (n, 3); None where they lie on a line."""
    _, sizes, axes = np.linalg.svd(points - points.mean(axis=0))
    if sizes[1] < 1e-9:
        return None
    normal: Floats = axes[2] * np.copysign(1.0, axes[2, 2])
    return normal
