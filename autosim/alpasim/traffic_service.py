"""AlpaSim's TrafficService: logged objects that react to the vehicle that is driven."""

from dataclasses import dataclass, field

from autosim.alpasim.alpasim_scene import EGO, AlpasimScene, version_message
from autosim.alpasim.frame_poses import MAX_TIME_US, TimedPoses, pose_message
from autosim.alpasim.reactive_objects import ReactiveObject, advance_objects
from autosim.alpasim.service_errors import InvalidRequestError, UnknownNameError
from autosim.alpasim.wire import common_pb2 as common
from autosim.alpasim.wire import traffic_pb2 as traffic
from autosim.traffic.scenarios.scenario_positions import LanePositions

_MAX_DURATION_US = 600_000_000
"""Longest time [µs] of a request."""


@dataclass(slots=True)
class _TrafficSession:
    """The objects of a session up to a time [µs]; `others` are those that the runtime moves."""

    objects: dict[str, ReactiveObject]
    time: int
    others: dict[str, TimedPoses] = field(default_factory=dict)


class TrafficService:
    """Moves the objects of sessions.

    Args:
        scene: the world, on whose lanes vehicles continue.
    """

    def __init__(self, scene: AlpasimScene) -> None:
        self._scene = scene
        self._lanes = LanePositions(scene.compiled.roads)
        self._sessions: dict[str, _TrafficSession] = {}

    def get_metadata(self, request: common.Empty) -> traffic.TrafficModuleMetadata:
        """The version of AutoSim; vehicles need no history."""
        return traffic.TrafficModuleMetadata(version_id=version_message())

    def get_available_scenes(self, request: common.Empty) -> common.AvailableScenesReturn:
        """The name of the world."""
        return self._scene.scenes()

    def start_session(self, request: traffic.TrafficSessionRequest) -> common.SessionRequestStatus:
        """Takes the logs of objects, which drive by themselves from the handover on.

        Raises:
            ServiceError: there is no such scene, a log is wrong, or the handover is missing.
        """
        self._scene.require(request.scene_id)
        if not request.handover_time_us:
            raise InvalidRequestError("handover_time_us is missing; it has to be positive")
        if request.handover_time_us > MAX_TIME_US:
            raise InvalidRequestError(f"handover_time_us is beyond {MAX_TIME_US}")
        objects = {}
        for each in request.logged_object_trajectories:
            self._scene.describe(each.object_id, each.aabb, each.label_class)
            objects[each.object_id] = ReactiveObject(
                self._scene.shape_of(each.object_id),
                TimedPoses(each.trajectory),
                is_static=each.is_static or each.object_id == EGO,
                handover=request.handover_time_us,
            )
        session = _TrafficSession(objects, request.handover_time_us)
        self._sessions[request.session_uuid] = session
        return common.SessionRequestStatus()

    def close_session(self, request: traffic.TrafficSessionCloseRequest) -> common.Empty:
        """Removes the objects of a session.

        Raises:
            UnknownNameError: there is no such session.
        """
        session = self._require(request.session_uuid)
        del self._sessions[request.session_uuid]
        used = {name for each in self._sessions.values() for name in each.objects}
        self._scene.forget(name for name in session.objects if name not in used)
        return common.Empty()

    def _require(self, name: str) -> _TrafficSession:
        if name not in self._sessions:
            raise UnknownNameError(f"there is no session '{name}'; call start_session")
        return self._sessions[name]

    def simulate(self, request: traffic.TrafficRequest) -> traffic.TrafficReturn:
        """Moves objects until `time_query_us`, and returns their poses then.

        Raises:
            ServiceError: there is no such session or object, or an update ends too early.
        """
        session, end = self._require(request.session_uuid), request.time_query_us
        if end - session.time > _MAX_DURATION_US:
            raise InvalidRequestError(f"time_query_us {end} is more than 600 s after the last one")
        for each in request.object_trajectory_updates:
            if each.object_id not in session.objects:
                raise UnknownNameError(f"there is no object '{each.object_id}' in the session")
            given = TimedPoses(each.trajectory)
            if end > given.times[-1]:
                raise InvalidRequestError(
                    f"the update of '{each.object_id}' ends before time_query_us {end}"
                )
            known = session.others.get(each.object_id)
            session.others[each.object_id] = given if known is None else known.continued(given)
        advance_objects(session.objects, session.others, self._lanes, begin=session.time, end=end)
        session.time = max(session.time, end)
        answer = traffic.TrafficReturn()
        for name, moved in session.objects.items():
            if name != EGO and name not in session.others and moved.is_present(end):
                update = answer.object_trajectory_updates.add(object_id=name)
                update.trajectory.poses.add(pose=pose_message(moved.pose(end)), timestamp_us=end)
        return answer
