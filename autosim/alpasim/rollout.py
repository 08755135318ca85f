"""A drive of an external driver through a world: AutoSim in the place of AlpaSim's runtime."""

from dataclasses import dataclass

import numpy as np

from autosim.alpasim.alpasim_scene import EGO, AlpasimScene
from autosim.alpasim.drive_client import DriveClient, trajectory_message
from autosim.alpasim.ego_vehicle import EgoVehicle, cameras_of
from autosim.alpasim.frame_poses import (
    MICROSECONDS,
    FramePose,
    TimedPoses,
    pose_message,
    pose_of,
)
from autosim.alpasim.physics_service import PhysicsService
from autosim.alpasim.sensor_service import SensorService
from autosim.alpasim.vehicle_service import VehicleService
from autosim.alpasim.wire import common_pb2 as common
from autosim.alpasim.wire import controller_pb2 as controller
from autosim.alpasim.wire import physics_pb2 as physics
from autosim.alpasim.wire import sensorsim_pb2 as sensorsim
from autosim.arrays import Floats
from autosim.errors import UserError
from autosim.traffic.scenarios.scenario_positions import LanePositions

STEP_US = 100_000
"""Interval [µs] of pictures and plans: as AlpaSim's runtime has it by default."""

_HISTORY = 16
"""Number of poses that the driver gets at the start: 1.6 s, as its policies expect."""

_ROUTE, _ROUTE_STEP = 80.0, 4.0
"""Length [m] of the route ahead, and the distance [m] of its points."""

_START_US = 2_000_000
"""Time [µs] of the start: before it lies the history."""

_MIN_LANE = 60.0
"""Length [m] of a lane on which a drive starts, where the world has such a lane."""


@dataclass(frozen=True, slots=True)
class RolloutReport:
    """Result of a drive.

    Attributes:
        steps: number of plans.
        distance: length [m] of the way.
        mean_offset: mean distance [m] from the middle of the nearest lane.
        is_ended_by_driver: whether the driver has ended it.
    """

    steps: int
    distance: float
    mean_offset: float
    is_ended_by_driver: bool


class Rollout:
    """A robot of a world that a driver drives by its cameras.

    Args:
        scene: the world; its first robot drives.
        driver: the driver's session.

    Raises:
        UserError: the world has no robot, the robot has no camera, or there are no lanes.
    """

    def __init__(self, scene: AlpasimScene, driver: DriveClient) -> None:
        if not scene.world.robots:
            raise UserError(f"world '{scene.name}' has no robot to drive")
        robot = scene.world.robots[0].robot
        self._ego = EgoVehicle.of(robot)
        self._cameras = cameras_of(robot, scene.world.graphics)
        if not self._cameras:
            raise UserError(
                f"robot '{scene.world.robots[0].name}' has no fixed camera: a driver needs one"
            )
        if not len(scene.compiled.roads.lanes):
            raise UserError(f"world '{scene.name}' has no lanes to drive on")
        self._scene, self._driver = scene, driver
        self._lanes = LanePositions(scene.compiled.roads)
        self._physics = PhysicsService(scene)
        self._vehicle = VehicleService(self._ego.measures)
        self._sensors = SensorService(scene)
        self._time = _START_US
        self._pose = self._start_pose()
        self._state = common.DynamicState()

    def run(self, seconds: float, *, seed: int = 0) -> RolloutReport:
        """Drives for `seconds` of simulated time, or until the driver ends it.

        Raises:
            UserError: the driver or a service fails.
        """
        session = controller.VDCSessionRequest(session_uuid=EGO)
        self._driver.start(self._cameras, seed=seed, scene=self._scene.name)
        try:
            self._vehicle.start_session(session)
            self._send_history()
            steps, way, offsets, is_ended = 0, 0.0, [self._offset()], False
            while steps * STEP_US < seconds * MICROSECONDS and not is_ended:
                before = self._pose.position
                is_ended = self._step()
                steps += 1
                way += float(np.linalg.norm(self._pose.position - before))
                offsets.append(self._offset())
        finally:
            self._sensors.close()
            self._driver.close()
        return RolloutReport(steps, way, float(np.mean(offsets)), is_ended)

    def _step(self) -> bool:
        """One plan, and the motion along it; returns whether the driver has ended the drive."""
        self._send_pictures()
        self._driver.submit_route(self._time, self._route())
        until = self._time + STEP_US
        answer = self._driver.drive(self._time, until)
        if answer.terminate_session:
            return True
        plan = TimedPoses(answer.trajectory)
        to_rig = self._pose.inverse()
        in_rig = [(int(time), to_rig @ plan.at(int(time))) for time in plan.times]
        request = controller.RunControllerAndVehicleModelRequest(
            session_uuid=EGO,
            state=common.StateAtTime(
                timestamp_us=self._time, pose=pose_message(self._pose), state=self._state
            ),
            planned_trajectory_in_rig=trajectory_message(
                [(max(time, 0), pose) for time, pose in in_rig]
            ),
            future_time_us=until,
        )
        # The trajectory counts from its first pose; the vehicle is at its own present one.
        if plan.times[0] != self._time:
            request.planned_trajectory_in_rig.poses.insert(
                0, common.PoseAtTime(timestamp_us=self._time, pose=common.Pose())
            )
        reached = self._vehicle.run_controller_and_vehicle(request).states[-1]
        self._time, self._state = until, reached.dynamic_state
        self._pose = self._on_ground(pose_of(reached.pose_local_to_rig))
        self._driver.submit_motion([(self._time, self._pose)], [self._state])
        return False

    def _start_pose(self) -> FramePose:
        """The robot's pose in the world file, on its lane; else the beginning of a long lane."""
        robot, lanes = self._scene.world.robots[0], self._scene.compiled.roads.lanes
        if robot.position is not None:
            at = self._lanes.nearest(robot.position[0], robot.position[1], None)
        else:
            longest = max(lanes, key=lambda each: min(each.length, _MIN_LANE))
            x, y, _ = longest.position(5.0).tolist()
            at = self._lanes.nearest(x, y, longest.heading(5.0))
        pose = self._lanes.pose(at._replace(left=0.0))
        return self._on_ground(FramePose.at(pose.x, pose.y, pose.z, pose.yaw))

    def _on_ground(self, rig: FramePose) -> FramePose:
        """The rig, with its box on the ground."""
        to_box = FramePose(self._ego.centre, np.eye(3))
        request = physics.PhysicsGroundIntersectionRequest(scene_id=self._scene.name)
        request.ego_data.aabb.CopyFrom(self._ego.box)
        request.ego_data.ego_trajectory_aabb.poses.add(pose=pose_message(rig @ to_box))
        found = self._physics.ground_intersection(request)
        if found.ego_status[0] != physics.PhysicsGroundIntersectionReturn.SUCCESSFUL_UPDATE:
            return rig
        return pose_of(found.ego_trajectory_aabb.poses[0].pose) @ to_box.inverse()

    def _send_history(self) -> None:
        times = [self._time - k * STEP_US for k in range(_HISTORY - 1, -1, -1)]
        states = [self._state] * _HISTORY
        self._driver.submit_motion([(time, self._pose) for time in times], states)

    def _send_pictures(self) -> None:
        for camera in self._cameras:
            spec = camera.intrinsics
            pose = pose_message(self._pose @ pose_of(camera.rig_to_camera))
            request = sensorsim.RGBRenderRequest(
                scene_id=self._scene.name,
                resolution_w=spec.resolution_w,
                resolution_h=spec.resolution_h,
                camera_intrinsics=spec,
                sensor_pose=sensorsim.PosePair(start_pose=pose, end_pose=pose),
                image_format=sensorsim.JPEG,
            )
            data = self._sensors.render_rgb(request).image_bytes
            self._driver.submit_picture(camera.logical_id, data, self._time, self._time)

    def _route(self) -> Floats:
        """Points (n, 3) [m] of the lanes ahead, in the rig."""
        x, y, _ = self._pose.position.tolist()
        here = self._lanes.nearest(x, y, self._pose.yaw)._replace(left=0.0)
        points = []
        for metres in np.arange(_ROUTE_STEP, _ROUTE, _ROUTE_STEP).tolist():
            pose = self._lanes.pose(self._lanes.moved(here, metres))
            points.append(np.array([pose.x, pose.y, pose.z]) - self._pose.position)
        return np.array(points) @ self._pose.axes

    def _offset(self) -> float:
        x, y, _ = self._pose.position.tolist()
        return abs(self._lanes.nearest(x, y, self._pose.yaw).left)
