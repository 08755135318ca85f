"""A client of AlpaSim's EgodriverService: a policy in another process that drives by pictures."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import grpc
from google.protobuf.message import Message

from autosim.alpasim.frame_poses import FramePose, pose_message, vector_message
from autosim.alpasim.grpc_services import MESSAGE_OPTIONS, calls_of
from autosim.alpasim.wire import common_pb2 as common
from autosim.alpasim.wire import egodriver_pb2 as egodriver
from autosim.alpasim.wire import sensorsim_pb2 as sensorsim
from autosim.arrays import Floats
from autosim.errors import UserError

_SECONDS = 60.0
"""Longest time [s] of a call: policies compute for seconds where they have no graphics card."""

M = TypeVar("M", bound=Message)


class DriverError(UserError):
    """The driver does not answer, or with an error."""


class DriveClient:
    """Calls of one session.

    Args:
        channel: to the driver.
        address: of the driver, for messages.
        session: identifier of the session.
    """

    def __init__(self, channel: grpc.Channel, address: str, session: str) -> None:
        service = egodriver.DESCRIPTOR.services_by_name["EgodriverService"]
        self._calls = calls_of(channel, service)
        self._address, self._session = address, session

    def version(self) -> common.VersionId:
        """The version of the driver."""
        return self._call("get_version", common.Empty(), common.VersionId)

    def start(
        self,
        cameras: Iterable[sensorsim.AvailableCamerasReturn.AvailableCamera],
        *,
        seed: int = 0,
        scene: str = "",
    ) -> None:
        """Starts the session, with the cameras whose pictures follow."""
        request = egodriver.DriveSessionRequest(session_uuid=self._session, random_seed=seed)
        request.rollout_spec.vehicle.available_cameras.extend(cameras)
        if scene:
            request.debug_info.scene_id = scene
        self._call("start_session", request, common.SessionRequestStatus)

    def close(self) -> None:
        """Ends the session."""
        request = egodriver.DriveSessionCloseRequest(session_uuid=self._session)
        self._call("close_session", request, common.Empty)

    def submit_picture(self, camera: str, data: bytes, begin: int, end: int) -> None:
        """Sends the picture of a camera, PNG or JPEG, and its times [µs]."""
        request = egodriver.RolloutCameraImage(session_uuid=self._session)
        picture = request.camera_image
        picture.logical_id, picture.image_bytes = camera, data
        picture.frame_start_us, picture.frame_end_us = begin, end
        self._call("submit_image_observation", request, common.Empty)

    def submit_motion(
        self, poses: Sequence[tuple[int, FramePose]], states: Iterable[common.DynamicState]
    ) -> None:
        """Sends where the rig has been, with its time [µs], and its motion there."""
        request = egodriver.RolloutEgoTrajectory(
            session_uuid=self._session, trajectory=trajectory_message(poses), dynamic_states=states
        )
        self._call("submit_egomotion_observation", request, common.Empty)

    def submit_route(self, time: int, points: Floats) -> None:
        """Sends the route: points (n, 3) [m] in the rig at a time [µs]."""
        request = egodriver.RouteRequest(session_uuid=self._session)
        request.route.timestamp_us = time
        request.route.waypoints.extend(vector_message(each) for each in points)
        self._call("submit_route", request, common.Empty)

    def submit_ground_truth(self, time: int, poses: Sequence[tuple[int, FramePose]]) -> None:
        """Sends a recorded trajectory, in the rig at a time [µs]."""
        request = egodriver.GroundTruthRequest(session_uuid=self._session)
        request.ground_truth.timestamp_us = time
        request.ground_truth.trajectory.CopyFrom(trajectory_message(poses))
        self._call("submit_recording_ground_truth", request, common.Empty)

    def drive(self, now: int, until: int) -> egodriver.DriveResponse:
        """The planned trajectory of the rig in the frame local, for times [µs] from `now` on."""
        request = egodriver.DriveRequest(
            session_uuid=self._session, time_now_us=now, time_query_us=until
        )
        return self._call("drive", request, egodriver.DriveResponse)

    def _call(self, name: str, request: Message, kind: type[M]) -> M:
        try:
            answer = self._calls[name](request, timeout=_SECONDS)
        except grpc.RpcError as error:
            raise DriverError(f"the driver at {self._address}: {name}: {error.details()}") from None
        assert isinstance(answer, kind)
        return answer


@contextmanager
def drive_client(address: str, session: str) -> Iterator[DriveClient]:
    """The client of the driver at HOST:PORT."""
    with grpc.insecure_channel(address, options=MESSAGE_OPTIONS) as channel:
        yield DriveClient(channel, address, session)


def trajectory_message(poses: Iterable[tuple[int, FramePose]]) -> common.Trajectory:
    """The message of poses with their times [µs]."""
    message = common.Trajectory()
    for time, pose in poses:
        message.poses.add(timestamp_us=time, pose=pose_message(pose))
    return message
