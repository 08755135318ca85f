"""The client of EgodriverService, with a driver that is made of AlpaSim's stubs."""

import io
import math
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import grpc
import numpy as np
import pytest
from PIL import Image
from scipy.spatial.transform import Rotation

from autosim.alpasim.alpasim_scene import AlpasimScene
from autosim.alpasim.drive_client import DriverError, drive_client
from autosim.alpasim.frame_poses import FramePose
from autosim.alpasim.rollout import STEP_US, Rollout

SPEED = 5.0


class RouteFollower:
    """A driver that follows the route, and notes what it gets."""

    def __init__(self, protos: SimpleNamespace) -> None:
        self._protos = protos
        self.calls: Counter[str] = Counter()
        self.last: dict[str, Any] = {}
        self.ends_after = 1000

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)

        def take(request: Any, context: grpc.ServicerContext) -> Any:
            self.calls[name] += 1
            self.last[name] = request
            if name == "drive":
                return self._plan(request)
            if name == "get_version":
                return self._protos.common.VersionId(version_id="follower")
            is_start = name == "start_session"
            common = self._protos.common
            return common.SessionRequestStatus() if is_start else common.Empty()

        return take

    def _plan(self, request: Any) -> Any:
        """Points of the route at an even speed, in the frame local."""
        here = self.last["submit_egomotion_observation"].trajectory.poses[-1].pose
        axes = Rotation.from_quat([getattr(here.quat, each) for each in "xyzw"]).as_matrix()
        place = np.array([here.vec.x, here.vec.y, here.vec.z])
        points = [[each.x, each.y, each.z] for each in self.last["submit_route"].route.waypoints]
        way = np.array([[0.0, 0.0, 0.0], *points])
        stations = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(way, axis=0), axis=1))])
        answer = self._protos.egodriver.DriveResponse()
        answer.terminate_session = self.calls["drive"] > self.ends_after
        for number in range(31):
            station = SPEED * 0.1 * number
            at = [np.interp(station, stations, each) for each in way.T]
            x, y, z = place + axes @ at
            pose = self._protos.common.Pose(vec=self._protos.common.Vec3(x=x, y=y, z=z))
            pose.quat.CopyFrom(here.quat)
            time = request.time_now_us + number * 100_000
            answer.trajectory.poses.add(timestamp_us=time, pose=pose)
        return answer


@pytest.fixture
def driver(protos: SimpleNamespace) -> Iterator[tuple[RouteFollower, str]]:
    follower = RouteFollower(protos)
    server = grpc.server(ThreadPoolExecutor(1))
    protos.egodriver_grpc.add_EgodriverServiceServicer_to_server(follower, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield follower, f"127.0.0.1:{port}"
    server.stop(None).wait()


def test_a_driver_drives_a_robot_along_its_route(
    driver: tuple[RouteFollower, str], scene: AlpasimScene
) -> None:
    follower, address = driver
    with drive_client(address, "drive") as client:
        report = Rollout(scene, client).run(3.0, seed=7)
    assert report.steps == 30
    # It stands at first, and then drives at the planned speed.
    assert 0.6 * 3.0 * SPEED < report.distance < 3.0 * SPEED
    assert report.mean_offset < 0.5
    assert not report.is_ended_by_driver
    start = follower.last["start_session"]
    assert (start.random_seed, start.debug_info.scene_id) == (7, "circle_town")
    cameras = start.rollout_spec.vehicle.available_cameras
    assert [each.logical_id for each in cameras] == ["front_view"]
    assert follower.calls["submit_image_observation"] == 30
    image = follower.last["submit_image_observation"].camera_image
    assert image.logical_id == "front_view"
    picture = Image.open(io.BytesIO(image.image_bytes))
    spec = cameras[0].intrinsics
    assert picture.size == (spec.resolution_w, spec.resolution_h)
    assert np.asarray(picture).std() > 15.0
    motion = follower.last["submit_egomotion_observation"]
    assert motion.dynamic_states[0].linear_velocity.x == pytest.approx(SPEED, abs=0.5)
    assert motion.trajectory.poses[0].timestamp_us - image.frame_end_us == STEP_US
    assert follower.calls["close_session"] == 1


def test_a_driver_can_end_the_drive(driver: tuple[RouteFollower, str], scene: AlpasimScene) -> None:
    follower, address = driver
    follower.ends_after = 2
    with drive_client(address, "drive") as client:
        report = Rollout(scene, client).run(3.0)
    assert report.steps == 3
    assert report.is_ended_by_driver
    assert follower.calls["close_session"] == 1


def test_each_call_reaches_the_driver(driver: tuple[RouteFollower, str]) -> None:
    follower, address = driver
    here = FramePose.at(1.0, 2.0, 3.0, math.pi / 2.0)
    with drive_client(address, "calls") as client:
        assert client.version().version_id == "follower"
        client.start([], seed=3)
        client.submit_picture("front", b"data", 5, 6)
        client.submit_motion([(7, here)], [])
        client.submit_route(8, np.array([[1.0, 0.0, 0.0]]))
        client.submit_ground_truth(9, [(9, here)])
        assert len(client.drive(10, 20).trajectory.poses) == 31
        client.close()
    assert set(follower.calls.values()) == {1}
    assert len(follower.calls) == 8
    assert {each.session_uuid for name, each in follower.last.items() if name != "get_version"} == {
        "calls"
    }
    truth = follower.last["submit_recording_ground_truth"].ground_truth
    assert truth.trajectory.poses[0].pose.quat.z == pytest.approx(math.sqrt(0.5), abs=1e-6)


def test_a_driver_that_is_not_there_is_named() -> None:
    with (
        drive_client("127.0.0.1:1", "none") as client,
        pytest.raises(DriverError, match=r"the driver at 127\.0\.0\.1:1: get_version"),
    ):
        client.version()
