"""AlpaSim's VDCService: a controller follows a trajectory with a model of a vehicle.

The vehicle is a kinematic single track whose steering and acceleration follow their commands with a
delay, as Autoware's model DELAY_STEER_ACC. The controller is pure pursuit (Coulter, 1992) with a
proportional control of position and speed along the trajectory.
"""

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from autosim.alpasim.alpasim_scene import version_message
from autosim.alpasim.frame_poses import (
    IDENTITY,
    MICROSECONDS,
    FramePose,
    TimedPoses,
    between,
    pose_message,
    pose_of,
    vector_message,
    vector_of,
)
from autosim.alpasim.service_errors import InvalidRequestError, UnknownNameError
from autosim.alpasim.wire import common_pb2 as common
from autosim.alpasim.wire import controller_pb2 as controller
from autosim.arrays import Floats

_STEP_US = 10_000
"""Longest step [µs] of the integration."""

_MAX_DURATION_US, _MIN_INTERVAL_US = 60_000_000, 1_000
"""Longest time [µs] of a request, and shortest interval of the states that it returns."""

_PERIOD_US = 50_000
"""Interval [µs] at which the controller computes its commands."""

_MIN_PREVIEW, _PREVIEW_SECONDS = 3.0, 0.6
"""Distance [m], and time [s] at the vehicle's speed, to the point that it steers for."""

_POSITION_GAIN, _SPEED_GAIN = 0.8, 1.6
"""Gains of the distance [1/s²] and of the speed [1/s] along the trajectory."""

_SPEED_SPAN_US = 100_000
"""Time [µs] over which the speed of a trajectory is measured."""

_MAX_PAST = 256
"""Number of former poses of a vehicle that are known: trajectories may begin in the past."""

_SLOW = 0.25
"""Speed [m/s] below which a yaw rate says nothing about the steering angle."""


@dataclass(frozen=True, slots=True)
class VehicleMeasures:
    """Measures and limits of the vehicle that is driven.

    `wheelbase` [m]; `steering` largest angle [rad] and `steering_rate` [rad/s]; `acceleration` and
    `braking` [m/s²]; the time constants [s] `steering_delay` and `acceleration_delay`.
    """

    wheelbase: float = 2.85
    """Default: a medium-sized car."""
    steering: float = 0.6
    steering_rate: float = 1.0
    acceleration: float = 4.0
    braking: float = 8.0
    steering_delay: float = 0.1
    acceleration_delay: float = 0.1


@dataclass(slots=True)
class _Motion:
    """Motion in the plane of the rig: speed [m/s], steering [rad], acceleration [m/s²]."""

    speed: float = 0.0
    steering: float = 0.0
    acceleration: float = 0.0


@dataclass(slots=True)
class _VehicleSession:
    """One vehicle: its pose, its motion, and the commands that it follows."""

    motion: _Motion | None = None
    time: int = 0
    pose: FramePose = field(default_factory=lambda: IDENTITY)
    commands: tuple[float, float] = (0.0, 0.0)
    controlled: int | None = None
    past: deque[tuple[int, FramePose]] = field(default_factory=lambda: deque(maxlen=_MAX_PAST))


class VehicleService:
    """Vehicles of sessions.

    Args:
        measures: of all vehicles.
    """

    def __init__(self, measures: VehicleMeasures | None = None) -> None:
        self._measures = measures or VehicleMeasures()
        self._sessions: dict[str, _VehicleSession] = {}

    def get_version(self, request: common.Empty) -> common.VersionId:
        """The version of AutoSim."""
        return version_message()

    def start_session(self, request: controller.VDCSessionRequest) -> common.SessionRequestStatus:
        """Adds a vehicle; it is where the first state has it."""
        self._sessions[request.session_uuid] = _VehicleSession()
        return common.SessionRequestStatus()

    def close_session(self, request: controller.VDCSessionCloseRequest) -> common.Empty:
        """Removes a vehicle.

        Raises:
            UnknownNameError: there is no such session.
        """
        self._require(request.session_uuid)
        del self._sessions[request.session_uuid]
        return common.Empty()

    def _require(self, name: str) -> _VehicleSession:
        if name not in self._sessions:
            raise UnknownNameError(f"there is no session '{name}'; call start_session")
        return self._sessions[name]

    def run_controller_and_vehicle(
        self, request: controller.RunControllerAndVehicleModelRequest
    ) -> controller.RunControllerAndVehicleModelResponse:
        """Follows a trajectory until `future_time_us`; the last state is the one then.

        Raises:
            ServiceError: there is no such session, or the request contradicts itself.
        """
        session = self._require(request.session_uuid)
        now, end = request.state.timestamp_us, request.future_time_us
        interval = request.pose_reporting_interval_us
        if end <= now:
            raise InvalidRequestError(f"future_time_us {end} is not after the state's {now}")
        if end - now > _MAX_DURATION_US:
            raise InvalidRequestError(f"future_time_us {end} is more than 60 s after the state's")
        if interval < 0 or 0 < interval < _MIN_INTERVAL_US:
            raise InvalidRequestError(
                f"pose_reporting_interval_us {interval} is neither 0 nor at least 1000"
            )
        plan = TimedPoses(request.planned_trajectory_in_rig)
        self._take_state(session, request)
        start = _pose_at(session, int(plan.times[0]))
        reports = {*range(now + interval, end, interval)} if interval else set()
        answer = controller.RunControllerAndVehicleModelResponse()
        while session.time < end:
            self._control(session, plan, start)
            assert session.controlled is not None
            goals = [end, session.time + _STEP_US, session.controlled + _PERIOD_US]
            until = min(goals + [each for each in reports if each > session.time])
            self._advance(session, until)
            if session.time in reports or session.time == end:
                self._report(session, answer)
        return answer

    def _take_state(
        self,
        session: _VehicleSession,
        request: controller.RunControllerAndVehicleModelRequest,
    ) -> None:
        """Takes over the pose of a request, and at the start or where it is coerced the motion."""
        state = request.state.state
        speed = float(vector_of(state.linear_velocity)[0])
        turning = float(vector_of(state.angular_velocity)[2])
        is_coerced = request.coerce_dynamic_state
        if session.motion is None:
            session.motion = _Motion(acceleration=float(state.linear_acceleration.x))
            is_coerced = True
        elif session.time != request.state.timestamp_us:
            raise InvalidRequestError(
                f"the session is at {session.time} µs, the state at {request.state.timestamp_us}"
            )
        if is_coerced:
            session.motion.speed = max(speed, 0.0)
            if speed > _SLOW:
                angle = np.arctan(turning / speed * self._measures.wheelbase)
                session.motion.steering = float(angle)
        session.time = request.state.timestamp_us
        session.pose = pose_of(request.state.pose)
        session.past.append((session.time, session.pose))

    def _control(self, session: _VehicleSession, plan: TimedPoses, start: FramePose) -> None:
        """Computes new commands where they are due.

        Args:
            session: with the vehicle.
            plan: the trajectory, in the frame `start`.
            start: the rig at the beginning.
        """
        due = None if session.controlled is None else session.controlled + _PERIOD_US
        if due is not None and session.time < due:
            return
        session.controlled = session.time
        assert session.motion is not None
        to_rig = session.pose.inverse() @ start
        limits, speed = self._measures, session.motion.speed
        target = to_rig @ plan.at(session.time)
        wanted = _speed_of(plan, session.time)
        later = _speed_of(plan, session.time + _SPEED_SPAN_US)
        change = (later - wanted) * MICROSECONDS / _SPEED_SPAN_US
        pull = _POSITION_GAIN * target.position[0] + _SPEED_GAIN * (wanted - speed) + change
        pull = float(np.clip(pull, -limits.braking, limits.acceleration))
        ahead = (to_rig.position + plan.positions @ to_rig.axes.T)[:, :2]
        steering = _pursuit(ahead, speed, limits)
        session.commands = pull, session.motion.steering if steering is None else steering

    def _advance(self, session: _VehicleSession, until: int) -> None:
        """Moves a vehicle to a time [µs] by the midpoint rule, in the plane of its rig."""
        motion, limits = session.motion, self._measures
        assert motion is not None
        seconds = (until - session.time) / MICROSECONDS
        pull, steering = session.commands
        rate = np.clip(
            (steering - motion.steering) / limits.steering_delay,
            -limits.steering_rate,
            limits.steering_rate,
        )
        jerk = (pull - motion.acceleration) / limits.acceleration_delay
        acceleration = motion.acceleration + 0.5 * seconds * jerk
        angle = motion.steering + 0.5 * seconds * float(rate)
        speed = max(motion.speed + 0.5 * seconds * acceleration, 0.0)
        turn = speed * np.tan(angle) / limits.wheelbase * seconds
        way = speed * seconds
        step = FramePose.at(way * np.cos(0.5 * turn), way * np.sin(0.5 * turn), 0.0, float(turn))
        session.pose, session.time = session.pose @ step, until
        motion.speed = max(motion.speed + seconds * acceleration, 0.0)
        motion.acceleration += seconds * jerk
        if motion.speed == 0.0:
            motion.acceleration = max(motion.acceleration, 0.0)
        motion.steering += seconds * float(rate)

    def _report(
        self, session: _VehicleSession, answer: controller.RunControllerAndVehicleModelResponse
    ) -> None:
        motion = session.motion
        assert motion is not None
        turning = motion.speed * np.tan(motion.steering) / self._measures.wheelbase
        state = common.DynamicState(
            linear_velocity=vector_message([motion.speed, 0.0, 0.0]),
            angular_velocity=vector_message([0.0, 0.0, turning]),
            linear_acceleration=vector_message([motion.acceleration, motion.speed * turning, 0.0]),
            angular_acceleration=common.Vec3(),
        )
        pose = pose_message(session.pose)
        answer.states.add(
            timestamp_us=session.time,
            pose_local_to_rig=pose,
            pose_local_to_rig_estimated=pose,
            dynamic_state=state,
            dynamic_state_estimated=state,
        )


def _pose_at(session: _VehicleSession, time: int) -> FramePose:
    """The rig at a time [µs] of the session, as far back as it is known."""
    known = list(session.past)
    after = next((k for k, (each, _) in enumerate(known) if each >= time), len(known) - 1)
    (first, before), (last, pose) = known[max(after - 1, 0)], known[after]
    if last == first or time >= last:
        return pose
    return between(before, pose, max((time - first) / (last - first), 0.0))


def _speed_of(plan: TimedPoses, time: int) -> float:
    """The speed [m/s] of a trajectory at a time [µs]; of one that has ended, or is a point, 0."""
    first, last = int(plan.times[0]), int(plan.times[-1])
    begin = int(np.clip(time, first, max(last - 1, first)))
    end = min(begin + _SPEED_SPAN_US, last)
    if time >= last or end <= begin:
        return 0.0
    before = plan.at(begin)
    way = before.axes.T @ (plan.at(end).position - before.position)
    return float(np.copysign(np.linalg.norm(way[:2]), way[0])) * MICROSECONDS / (end - begin)


def _pursuit(points: Floats, speed: float, limits: VehicleMeasures) -> float | None:
    """The steering angle [rad] towards a trajectory (n, 2) [m] in the rig; None where it ends here.

    The point that is steered for is where a circle around the rig leaves the trajectory.
    """
    reach = max(_MIN_PREVIEW, _PREVIEW_SECONDS * speed)
    distances = np.hypot(points[:, 0], points[:, 1])
    nearest = int(distances.argmin())
    beyond = nearest + np.flatnonzero(distances[nearest:] >= reach)
    x, y = points[-1]
    if len(beyond):
        after = int(beyond[0])
        before = max(after - 1, nearest)
        span = distances[after] - distances[before]
        share = (reach - distances[before]) / span if span > 0.0 else 1.0
        x, y = points[before] + share * (points[after] - points[before])
    square = x * x + y * y
    if x <= 0.0 or square < 0.25 * _MIN_PREVIEW:
        return None
    angle = np.arctan(limits.wheelbase * 2.0 * y / square)
    return float(np.clip(angle, -limits.steering, limits.steering))
