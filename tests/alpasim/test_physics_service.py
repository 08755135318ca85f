"""PhysicsService, called with AlpaSim's stubs."""

from types import SimpleNamespace
from typing import Any

import grpc
import pytest

from tests.alpasim.messages import box, pose, trajectory


@pytest.fixture
def stub(protos: SimpleNamespace, channel: grpc.Channel) -> Any:
    return protos.physics_grpc.PhysicsServiceStub(channel)


def test_it_says_its_version_and_its_scene(protos: SimpleNamespace, stub: Any) -> None:
    version = stub.get_version(protos.common.Empty())
    assert version.version_id.startswith("autosim-")
    assert version.grpc_api_version.minor == 54
    assert list(stub.get_available_scenes(protos.common.Empty()).scene_ids) == ["circle_town"]


def test_boxes_come_to_lie_on_the_ground(
    protos: SimpleNamespace, stub: Any, straight: SimpleNamespace
) -> None:
    above = straight.at(20.0, 0.725 + 0.4)
    yaw = straight.yaw(20.0)
    ego = protos.physics.PhysicsGroundIntersectionRequest.EgoData(
        aabb=box(protos),
        ego_trajectory_aabb=trajectory(
            protos,
            [(100, pose(protos, above, yaw)), (200, pose(protos, straight.at(25.0, 0.5), yaw))],
        ),
    )
    other = protos.physics.PhysicsGroundIntersectionRequest.OtherObject(aabb=box(protos))
    other.pose_pair.future_pose.CopyFrom(pose(protos, straight.at(30.0, 0.9), yaw))
    far = protos.physics.PhysicsGroundIntersectionRequest.OtherObject(aabb=box(protos))
    far.pose_pair.future_pose.CopyFrom(pose(protos, straight.at(30.0, 9.0), yaw))
    gone = protos.physics.PhysicsGroundIntersectionRequest.OtherObject(aabb=box(protos))
    gone.pose_pair.future_pose.CopyFrom(pose(protos, [1e6, 1e6, 0.0]))
    found = stub.ground_intersection(
        protos.physics.PhysicsGroundIntersectionRequest(
            scene_id="circle_town", ego_data=ego, other_objects=[other, far, gone]
        )
    )
    assert list(found.ego_status) == [0, 0]
    poses = found.ego_trajectory_aabb.poses
    assert [each.timestamp_us for each in poses] == [100, 200]
    assert poses[0].pose.vec.z == pytest.approx(straight.at(20.0, 0.725)[2], abs=0.05)
    assert poses[0].pose.vec.x == pytest.approx(above[0], abs=1e-3)
    assert found.other_poses[0].pose.vec.z == pytest.approx(straight.at(30.0, 0.725)[2], abs=0.05)
    assert [each.status for each in found.other_poses] == [0, 3, 2]
    assert found.other_poses[1].pose.vec.z == pytest.approx(straight.at(30.0, 9.0)[2], abs=1e-3)


def test_another_scene_is_named(protos: SimpleNamespace, stub: Any) -> None:
    request = protos.physics.PhysicsGroundIntersectionRequest(scene_id="elsewhere")
    with pytest.raises(grpc.RpcError) as error:
        stub.ground_intersection(request)
    assert error.value.code() == grpc.StatusCode.NOT_FOUND
    assert "there is no scene 'elsewhere'" in error.value.details()
