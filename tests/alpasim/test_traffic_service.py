"""TrafficService, called with AlpaSim's stubs."""

import math
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import grpc
import pytest

from tests.alpasim.messages import CAR, box, pose, trajectory

SECOND = 1_000_000
HANDOVER = 2 * SECOND
SPEED = 8.0


@pytest.fixture
def stub(protos: SimpleNamespace, channel: grpc.Channel) -> Any:
    return protos.traffic_grpc.TrafficServiceStub(channel)


def log(protos: SimpleNamespace, straight: SimpleNamespace, name: str, speed: float) -> Any:
    """Three seconds along a lane from its station 5 on; without a speed, a car that is parked."""
    poses = [
        (
            SECOND + k * SECOND // 10,
            pose(protos, straight.at(5.0 + 0.1 * k * speed, CAR[2] / 2.0), straight.yaw(5.0)),
        )
        for k in range(31)
    ]
    return protos.traffic.ObjectTrajectory(
        object_id=name,
        aabb=box(protos),
        trajectory=trajectory(protos, poses),
        is_static=not speed,
        label_class="automobile",
    )


@pytest.fixture
def session(
    protos: SimpleNamespace, stub: Any, straight: SimpleNamespace
) -> Iterator[SimpleNamespace]:
    """A vehicle that follows its log, then drives; the ego is far away."""
    request = protos.traffic.TrafficSessionRequest(
        session_uuid="jam",
        scene_id="circle_town",
        handover_time_us=HANDOVER,
        logged_object_trajectories=[
            log(protos, straight, "EGO", 1.0),
            log(protos, straight, "car", SPEED),
        ],
    )
    stub.start_session(request)

    def simulate(seconds: float, ego: list[float]) -> Any:
        time = round(seconds * SECOND)
        update = protos.traffic.ObjectTrajectoryUpdate(
            object_id="EGO",
            trajectory=trajectory(protos, [(time, pose(protos, ego, straight.yaw(5.0)))]),
        )
        request = protos.traffic.TrafficRequest(
            session_uuid="jam", time_query_us=time, object_trajectory_updates=[update]
        )
        return stub.simulate(request).object_trajectory_updates

    yield SimpleNamespace(simulate=simulate)
    stub.close_session(protos.traffic.TrafficSessionCloseRequest(session_uuid="jam"))


def test_it_says_its_version_and_its_scene(protos: SimpleNamespace, stub: Any) -> None:
    metadata = stub.get_metadata(protos.common.Empty())
    assert metadata.version_id.version_id.startswith("autosim-")
    assert metadata.minimum_history_length_us == 0
    assert list(stub.get_available_scenes(protos.common.Empty()).scene_ids) == ["circle_town"]


def gone(straight: SimpleNamespace, place: Any) -> float:
    """Distance [m] of a place from the beginning of the log."""
    x, y, _ = straight.at(5.0)
    return math.hypot(place.x - x, place.y - y)


def test_objects_follow_their_logs_and_then_drive_on(
    session: SimpleNamespace, straight: SimpleNamespace
) -> None:
    far = [500.0, 500.0, 0.0]
    (update,) = session.simulate(1.5, far)
    assert update.object_id == "car"
    (at,) = update.trajectory.poses
    assert at.timestamp_us == 1_500_000
    assert gone(straight, at.pose.vec) == pytest.approx(0.5 * SPEED, abs=0.01)
    for seconds in (2.0, 3.0, 4.0, 5.0):
        (update,) = session.simulate(seconds, far)
    assert gone(straight, update.trajectory.poses[0].pose.vec) == pytest.approx(
        4.0 * SPEED, rel=0.1
    )


def test_vehicles_stop_behind_the_ego(session: SimpleNamespace, straight: SimpleNamespace) -> None:
    ego = straight.at(5.0 + 30.0, CAR[2] / 2.0)
    for tenths in range(20, 140, 2):
        (update,) = session.simulate(tenths / 10.0, ego)
    left = 30.0 - gone(straight, update.trajectory.poses[0].pose.vec) - CAR[0]
    assert 0.5 < left < 5.0


def test_parked_vehicles_stay(
    protos: SimpleNamespace, stub: Any, straight: SimpleNamespace
) -> None:
    request = protos.traffic.TrafficSessionRequest(
        session_uuid="parked",
        scene_id="circle_town",
        handover_time_us=HANDOVER,
        logged_object_trajectories=[log(protos, straight, "van", 0.0)],
    )
    stub.start_session(request)
    request = protos.traffic.TrafficRequest(session_uuid="parked", time_query_us=9 * SECOND)
    (update,) = stub.simulate(request).object_trajectory_updates
    assert gone(straight, update.trajectory.poses[0].pose.vec) == pytest.approx(0.0, abs=0.01)
    stub.close_session(protos.traffic.TrafficSessionCloseRequest(session_uuid="parked"))
    with pytest.raises(grpc.RpcError, match="there is no session 'parked'"):
        stub.simulate(request)


def test_a_session_needs_a_handover(protos: SimpleNamespace, stub: Any) -> None:
    request = protos.traffic.TrafficSessionRequest(session_uuid="x", scene_id="circle_town")
    with pytest.raises(grpc.RpcError, match="handover_time_us is missing"):
        stub.start_session(request)


def test_an_update_has_to_reach_the_time_of_the_query(
    protos: SimpleNamespace, stub: Any, session: SimpleNamespace
) -> None:
    update = protos.traffic.ObjectTrajectoryUpdate(
        object_id="EGO", trajectory=trajectory(protos, [(5, pose(protos, [0.0, 0.0, 0.0]))])
    )
    request = protos.traffic.TrafficRequest(
        session_uuid="jam", time_query_us=3 * SECOND, object_trajectory_updates=[update]
    )
    with pytest.raises(grpc.RpcError, match="ends before time_query_us"):
        stub.simulate(request)
