"""VDCService, called with AlpaSim's stubs."""

import math
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import grpc
import pytest

from tests.alpasim.messages import pose, trajectory

STEP = 100_000


@pytest.fixture
def stub(protos: SimpleNamespace, channel: grpc.Channel) -> Iterator[Any]:
    made = protos.controller_grpc.VDCServiceStub(channel)
    made.start_session(protos.controller.VDCSessionRequest(session_uuid="drive"))
    yield made
    made.close_session(protos.controller.VDCSessionCloseRequest(session_uuid="drive"))


def follow(
    protos: SimpleNamespace, stub: Any, way: Callable[[float], tuple[float, float, float]]
) -> list[Any]:
    """The states every 0.1 s for 4 s along a way: x, y, yaw [rad] at a time [s]."""
    state = protos.common.StateAtTime(timestamp_us=STEP, pose=pose(protos, [0.0, 0.0, 0.0]))
    state.state.linear_velocity.x = 10.0
    states = []
    for number in range(1, 41):
        now = number * STEP
        here = state.pose
        heading = 2.0 * math.atan2(here.quat.z, here.quat.w)
        plan = []
        for k in range(21):
            x, y, yaw = way((now - STEP) / 1e6 + 0.1 * k)
            east, north = x - here.vec.x, y - here.vec.y
            place = [
                math.cos(heading) * east + math.sin(heading) * north,
                math.cos(heading) * north - math.sin(heading) * east,
                0.0,
            ]
            plan.append((now + k * STEP, pose(protos, place, yaw - heading)))
        answer = stub.run_controller_and_vehicle(
            protos.controller.RunControllerAndVehicleModelRequest(
                session_uuid="drive",
                state=state,
                planned_trajectory_in_rig=trajectory(protos, plan),
                future_time_us=now + STEP,
                coerce_dynamic_state=number == 1,
            )
        )
        (last,) = answer.states
        assert last.timestamp_us == now + STEP
        states.append(last)
        state = protos.common.StateAtTime(
            timestamp_us=last.timestamp_us, pose=last.pose_local_to_rig, state=last.dynamic_state
        )
    return states


def test_it_says_its_version(protos: SimpleNamespace, stub: Any) -> None:
    assert stub.get_version(protos.common.Empty()).version_id.startswith("autosim-")


def test_the_vehicle_keeps_a_straight_trajectory(protos: SimpleNamespace, stub: Any) -> None:
    last = follow(protos, stub, lambda time: (10.0 * time, 0.0, 0.0))[-1]
    assert last.pose_local_to_rig.vec.x == pytest.approx(40.0, abs=0.3)
    assert last.pose_local_to_rig.vec.y == pytest.approx(0.0, abs=0.01)
    assert last.dynamic_state.linear_velocity.x == pytest.approx(10.0, abs=0.1)
    assert last.pose_local_to_rig_estimated == last.pose_local_to_rig


def test_the_vehicle_keeps_a_bend(protos: SimpleNamespace, stub: Any) -> None:
    radius = 40.0

    def bend(time: float) -> tuple[float, float, float]:
        angle = 10.0 * time / radius
        return radius * math.sin(angle), radius * (1.0 - math.cos(angle)), angle

    states = follow(protos, stub, bend)
    for each in states[10:]:
        place = each.pose_local_to_rig.vec
        assert math.hypot(place.x, place.y - radius) == pytest.approx(radius, abs=0.35)
    assert states[-1].dynamic_state.angular_velocity.z == pytest.approx(0.25, abs=0.03)


def test_the_vehicle_brakes_to_a_stop(protos: SimpleNamespace, stub: Any) -> None:
    def stop(time: float) -> tuple[float, float, float]:
        time = min(time, 2.5)
        return 10.0 * time - 2.0 * time * time, 0.0, 0.0

    last = follow(protos, stub, stop)[-1]
    assert last.pose_local_to_rig.vec.x == pytest.approx(12.5, abs=0.6)
    assert last.dynamic_state.linear_velocity.x == pytest.approx(0.0, abs=0.3)


def test_states_in_between_are_reported(protos: SimpleNamespace, stub: Any) -> None:
    plan = [(k * STEP, pose(protos, [1.0 * k, 0.0, 0.0])) for k in range(1, 12)]
    request = protos.controller.RunControllerAndVehicleModelRequest(
        session_uuid="drive",
        state=protos.common.StateAtTime(timestamp_us=STEP, pose=pose(protos, [0.0, 0.0, 0.0])),
        planned_trajectory_in_rig=trajectory(protos, plan),
        future_time_us=2 * STEP,
        pose_reporting_interval_us=33_333,
    )
    times = [each.timestamp_us for each in stub.run_controller_and_vehicle(request).states]
    assert times == [133_333, 166_666, 199_999, 200_000]


@pytest.mark.parametrize(
    ("changes", "status", "reason"),
    [
        ({"session_uuid": "other"}, grpc.StatusCode.NOT_FOUND, "there is no session 'other'"),
        ({"future_time_us": 5}, grpc.StatusCode.INVALID_ARGUMENT, "is not after the state's"),
        ({"pose_reporting_interval_us": -1}, grpc.StatusCode.INVALID_ARGUMENT, "is neither 0 nor"),
        ({"future_time_us": 2**62}, grpc.StatusCode.INVALID_ARGUMENT, "more than 60 s after"),
        ({}, grpc.StatusCode.INVALID_ARGUMENT, "a trajectory has no poses"),
    ],
)
def test_wrong_requests_are_named(
    protos: SimpleNamespace,
    stub: Any,
    changes: dict[str, Any],
    status: grpc.StatusCode,
    reason: str,
) -> None:
    fields = {"session_uuid": "drive", "future_time_us": 2 * STEP} | changes
    request = protos.controller.RunControllerAndVehicleModelRequest(**fields)
    request.state.timestamp_us = STEP
    with pytest.raises(grpc.RpcError) as error:
        stub.run_controller_and_vehicle(request)
    assert error.value.code() == status
    assert reason in error.value.details()
