"""One car of an environment: its observations, actions and rewards."""

from dataclasses import replace
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.config.descriptions import PlacedRobot
from autosim.environments import action_mapping as actions
from autosim.environments.action_mapping import ActionMapping
from autosim.environments.agent_view import AgentView, Seen
from autosim.environments.observations import ObservationSource
from autosim.environments.situation import Situation
from autosim.environments.tasks import Start, Task
from autosim.environments.traffic_watch import TrafficWatch
from autosim.jit import bind_arguments, compiled
from autosim.model.commands import Command
from autosim.model.state import State
from autosim.model.tree import WORD
from autosim.tracks import lane_view
from autosim.tracks.lane_paths import SPACING, PathArrays
from autosim.tracks.lane_view import ALLOWED, HALF, HEADING_ERROR, PLACES, SIDE, STATION
from autosim.vehicle.info.standing_height import standing_height

_MOVING = 0.2
"""Speed [m/s] below which a car stands."""

_POSE_WORDS = 13
"""Numbers of a body in the state: place, quaternion, velocity, angular velocity."""


class Agent:
    """A car that has a task, in one episode after the other.

    Args:
        robot: the car, as the world has it.
        task: the agent's task.
        paths: the paths to follow, found by `task`.
        view: the agent's observations.
        seconds: length of a step [s].
        gravity: [m/s²].
        traffic: the road users around it; None without traffic.

    `situation` is what rewards and endings look at; `place` (2,) [m] in W where the car is.

    Raises:
        ActionMappingError: the car has no drive actuator.
    """

    def __init__(
        self,
        robot: PlacedRobot,
        *,
        task: Task,
        paths: PathArrays,
        view: AgentView,
        seconds: float,
        gravity: float,
        traffic: TrafficWatch | None = None,
    ) -> None:
        self._traffic = traffic
        self.name, self._robot = robot.name, robot
        self.task, self.paths = task, paths
        self._seconds = seconds
        self._controls = ActionMapping.of(robot.robot, robot.name)
        self._height = standing_height(robot.robot, gravity=gravity)
        self._sight = view
        self.observation_space = self._sight.space
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (actions.WIDTH,))
        self._set_up_looks()

    @property
    def mapping(self) -> ActionMapping:
        """The mapping of actions to the actuator of the car."""
        return self._controls

    @property
    def pose(self) -> Floats:
        """Position x, y [m] and yaw [rad] in W, and speed [m/s] of the car at the last look."""
        pose: Floats = self._poses[0].copy()
        return pose

    @property
    def place(self) -> Floats:
        """Position of the car at the last look."""
        return self._poses[0, :2].copy()

    def at(self, start: Start) -> PlacedRobot:
        """The car where an episode begins."""
        x, y, z = start.place.tolist()
        height = None if np.isnan(z) else z + self._height
        return replace(self._robot, position=(x, y, height), yaw=start.yaw)

    def begin(self, state: State, start: Start, paths: PathArrays | None = None) -> None:
        """Begins an episode.

        Args:
            state: that of the episode from now on.
            start: on the paths.
            paths: of this episode; None: those of the task.
        """
        self._state, paths = state, paths or self.paths
        self._follow(paths)
        robot = next(each for each in state.tree.robots if each.name == self.name)
        part = next(each for each in robot.children if each.kind != "State")
        first = part.start // WORD
        self._body_words = slice(first, first + _POSE_WORDS)
        self._collision_word = robot.start // WORD + 1
        self._sight.begin(state)
        self._path[0], self._rows[0], self._steering[0] = start.path, -1, 0.0
        rows = paths.starts[start.path + 1] - paths.starts[start.path]
        self.situation = Situation(
            self._seconds, length=float(rows - 1) * SPACING, traffic=self._traffic
        )
        own = slice(paths.starts[start.path], paths.starts[start.path + 1])
        self.situation.route = paths.points[own]
        if self._traffic is not None:
            self._traffic.begin(state)
        self._goal, self._yaw = start.goal, start.yaw
        if not np.isnan(start.place[2]):
            self._rows[0] = int(paths.starts[start.path] + start.station / SPACING)
        self.look_around()

    def command(self, action: npt.ArrayLike) -> Command:
        """The commands to the car for an action, which is stored.

        Raises:
            ValueError: it is not two finite numbers.
        """
        chosen = _finite_pair(action)
        situation = self.situation
        situation.last_action, situation.action = situation.action, chosen
        self._steering[0] = chosen[actions.STEERING]
        return self._command(chosen)

    def brake(self) -> Command:
        """The command of a car whose episode has ended while those of others continue."""
        return self._command(np.array([0.0, -1.0]))

    def _command(self, action: Floats) -> Command:
        speed = self.situation.speed
        return Command(self._controls.device, self._controls.command(action, speed))

    def judge(self) -> tuple[float, str]:
        """After a step: its reward, and the name of what has ended the episode, or ""."""
        situation = self.situation
        situation.time += self._seconds
        before = situation.station
        self.look_around()
        situation.progress = situation.station - before
        is_moving = abs(situation.speed) > _MOVING
        situation.standing = 0.0 if is_moving else situation.standing + self._seconds
        reward = sum(each.of(situation) for each in self.task.rewards)
        for ending in self.task.endings:
            if ending.is_met(situation):
                return float(reward + ending.reward), type(ending).__name__
        return float(reward), ""

    def observe(self) -> Seen:
        """The current observation."""
        return self._sight.read(ObservationSource(self._state, self._views[0], self.situation))

    def info(self, ended: str) -> dict[str, Any]:
        """Position of the car, for users and logs."""
        situation = self.situation
        return {
            "station": situation.station,
            "offset": situation.offset,
            "speed": situation.speed,
            "collisions": situation.collisions,
            "ended_by": ended,
            "is_success": ended in ("Arrived", "Parked", "ScenarioPassed"),
        }

    def _set_up_looks(self) -> None:
        self._path: Integers = np.zeros(1, dtype=np.int64)
        self._followed: PathArrays | None = None
        self._rows: Integers = np.full(1, -1, dtype=np.int64)
        self._poses, self._steering = np.zeros((1, 4)), np.zeros(1)
        self._views, self._told = np.zeros((1, lane_view.WIDTH)), np.zeros((1, PLACES))
        self._body = np.zeros(_POSE_WORDS)
        self._read_pose = bind_arguments(pose_of, self._body, self._poses)
        self._follow(self.paths)

    def _follow(self, paths: PathArrays) -> None:
        """Looks at these paths from now on."""
        if paths is self._followed:
            return
        self._followed = paths
        self._look_ahead = bind_arguments(
            lane_view.observe_lane,
            paths,
            self._path,
            self._rows,
            self._poses,
            self._steering,
            self._views,
            self._told,
        )

    def look_around(self) -> None:
        """Brings the situation up to date."""
        state, situation = self._state, self.situation
        self._body[:] = state.floats[self._body_words]
        self._read_pose()
        self._look_ahead()
        x, y, yaw, speed = self._poses[0].tolist()
        if self._traffic is not None:
            self._traffic.pose[:] = x, y, self._body[2], yaw, speed
        turned = float(portable.wrapped(np.float64(yaw - self._yaw)))
        situation.lateral, self._yaw = speed * turned / self._seconds, yaw
        told = self._told[0].tolist()
        situation.speed, situation.station, situation.offset = speed, told[STATION], told[SIDE]
        situation.half_width, situation.limit = told[HALF], told[ALLOWED]
        situation.heading = told[HEADING_ERROR]
        situation.collisions = int(state.ints[self._collision_word])
        dx, dy = self._goal[0] - x, self._goal[1] - y
        sin, cos = float(portable.sin(yaw)), float(portable.cos(yaw))
        turn = float(portable.wrapped(np.float64(self._goal[2] - yaw)))
        situation.goal[:] = cos * dx + sin * dy, cos * dy - sin * dx, turn


def _finite_pair(action: npt.ArrayLike) -> Floats:
    """An action within [-1, 1].

    Raises:
        ValueError: it is not two finite numbers.
    """
    try:
        chosen = np.asarray(action, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError):
        chosen = np.zeros(0)
    if chosen.shape != (actions.WIDTH,) or not np.isfinite(chosen).all():
        raise ValueError(f"an action is two finite numbers, steering and pedal, not {action!r}")
    return np.clip(chosen, -1.0, 1.0)


@compiled
def pose_of(body: Floats, poses: Floats) -> None:
    """Writes x, y [m], yaw [rad] and forward speed [m/s] of a body's thirteen numbers."""
    x, y, z, w = body[3], body[4], body[5], body[6]
    forward_x = 1.0 - 2.0 * (y * y + z * z)
    forward_y = 2.0 * (x * y + w * z)
    forward_z = 2.0 * (x * z - w * y)
    poses[0, 0], poses[0, 1] = body[0], body[1]
    poses[0, 2] = portable.arctan2(forward_y, forward_x)
    poses[0, 3] = forward_x * body[7] + forward_y * body[8] + forward_z * body[9]
