"""Other actions for cars: waypoints and lane changes; actions that come late or are noisy.

They wrap an environment of one car, `DrivingEnv`. Gymnasium has others that fit, too:
`DiscretizeAction`, `RepeatAction`, `StickyAction`, `DelayObservation`, `AddWhiteNoise`.
"""

from collections import deque
from collections.abc import Mapping
from typing import SupportsFloat, cast

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.utils import RecordConstructorArgs

from autosim import portable
from autosim.arrays import Floats
from autosim.environments.action_mapping import pedal_for
from autosim.environments.agent import Agent
from autosim.environments.agent_view import Seen
from autosim.environments.driving import DrivingEnv
from autosim.tracks.lane_paths import SPACING
from autosim.vehicle.info.vehicle_info import vehicle_info

Action = npt.NDArray[np.float32]

Info = dict[str, object]

Stepped = tuple[Seen, SupportsFloat, bool, bool, Info]
"""Result of a step: observation, reward, whether it ended or was cut, and `info`."""

_SPEED_GAIN = 1.5
"""Acceleration [m/s²] asked for each m/s below the wanted speed."""

_LOOK_AHEAD, _LOOK_AHEAD_SECONDS = 4.0, 0.6
"""Distance [m] and time [s] ahead of the point of a lane that the car steers at."""

_SPEED_STEP = 2.0
"""Change of the wanted speed [m/s] by one action `FASTER` or `SLOWER`."""

LANE_LEFT, IDLE, LANE_RIGHT, FASTER, SLOWER = range(5)
"""Actions of `LaneActions`, numbered as those of highway-env."""


def _car_of(env: gymnasium.Env[Seen, Action]) -> DrivingEnv:
    """The environment of one car that others wrap.

    Raises:
        TypeError: it is another one.
    """
    inner = env.unwrapped
    if not isinstance(inner, DrivingEnv):
        raise TypeError(f"expected an environment of one car (DrivingEnv), not {inner!r}")
    return inner


class _Follower:
    """Steers a car at points and brings it to speeds, by pure pursuit.

    Source: Coulter, Implementation of the Pure Pursuit Path Tracking Algorithm, CMU, 1992.
    """

    def __init__(self, env: DrivingEnv) -> None:
        robot = next(each.robot for each in env.run.world.robots if each.name == env.car)
        self._info = vehicle_info(robot)

    def action(self, agent: Agent, x: float, y: float, speed: float) -> Action:
        """Steering and pedal towards a point x, y [m] in the car's frame, at `speed` [m/s]."""
        info, now = self._info, float(agent.pose[3])
        ahead = x - info.rear_axle
        square = max(ahead * ahead + y * y, 1.0)
        angle = float(portable.arctan2(np.float64(2.0 * info.wheelbase * y), np.float64(square)))
        steering = float(np.clip(angle / agent.mapping.steering, -1.0, 1.0))
        pedal = pedal_for(_SPEED_GAIN * (speed - now), max(now, 0.0))
        if speed <= 0.0 and now < 0.5:
            pedal = -1.0
        return np.array([steering, pedal], dtype=np.float32)


class WaypointActions(gymnasium.Wrapper[Seen, Action, Seen, Action], RecordConstructorArgs):
    """Actions are a point to drive to, and a speed.

    An action is three numbers: x in [0, 1] and y in [-1, 1] of the point in the car's frame, by
    `reach` ahead and `aside` to the left [m], and the speed in [0, 1], by `speed` [m/s].

    Raises:
        TypeError: the environment is not one of one car.
    """

    def __init__(
        self,
        env: gymnasium.Env[Seen, Action],
        reach: float = 20.0,
        aside: float = 10.0,
        speed: float = 15.0,
    ) -> None:
        RecordConstructorArgs.__init__(self, reach=reach, aside=aside, speed=speed)
        super().__init__(env)
        self._car = _car_of(env)
        self._follower = _Follower(self._car)
        self._units = np.array([reach, aside, speed])
        low = np.array([0.0, -1.0, 0.0], dtype=np.float32)
        self.action_space = gymnasium.spaces.Box(low, np.ones(3, dtype=np.float32))

    def step(self, action: Action) -> Stepped:
        """Drives towards the point for a step.

        Raises:
            ValueError: the action is not three finite numbers.
        """
        chosen = np.asarray(action, dtype=np.float64)
        if chosen.shape != (3,) or not np.isfinite(chosen).all():
            raise ValueError(f"an action is three finite numbers, x, y and speed, not {action!r}")
        low, high = np.array([0.0, -1.0, 0.0]), 1.0
        x, y, speed = (np.clip(chosen, low, high) * self._units).tolist()
        return self.env.step(self._follower.action(self._car.agent, x, y, speed))


class LaneActions(gymnasium.Wrapper[Seen, np.int64, Seen, Action], RecordConstructorArgs):
    """Five actions: change to the lane on the left or right, nothing, faster, slower.

    The car follows its path, or a lane beside it in the same direction; a change to where there is
    no such lane does nothing, as does one while another is under way. The wanted speed changes by
    2 m/s, up to the limit. `info` has `lane_offset` [m] to the left of the path and `wanted_speed`.
    Use it with endings that allow other lanes, such as `OffRoad` in place of `OffLane`.

    Raises:
        TypeError: the environment is not one of one car.
    """

    def __init__(self, env: gymnasium.Env[Seen, Action]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)  # type: ignore[arg-type]  # its own order of types
        self._inner = env
        self._car = _car_of(env)
        self._follower = _Follower(self._car)
        self._aside, self._speed = 0.0, 0.0
        self.action_space = gymnasium.spaces.Discrete[np.int64](5, dtype=np.int64)

    def reset(
        self, *, seed: int | None = None, options: dict[str, object] | None = None
    ) -> tuple[Seen, Info]:
        """Begins an episode on the path, at the speed limit."""
        seen, info = self._inner.reset(seed=seed, options=options)
        self._aside, self._speed = 0.0, self._car.agent.situation.limit
        return seen, self._told(info)

    def step(self, action: np.int64 | int) -> Stepped:
        """Follows the wanted lane at the wanted speed for a step.

        Raises:
            ValueError: there is no such action.
        """
        if not self.action_space.contains(action):
            raise ValueError(f"an action is a whole number from 0 to 4, not {action!r}")
        agent = self._car.agent
        situation = agent.situation
        if action in (LANE_LEFT, LANE_RIGHT):
            self._change(agent, 1.0 if action == LANE_LEFT else -1.0)
        elif action != IDLE:
            change = _SPEED_STEP if action == FASTER else -_SPEED_STEP
            self._speed = float(np.clip(self._speed + change, 0.0, situation.limit))
        speed = min(self._speed, situation.limit)
        ahead = _LOOK_AHEAD + _LOOK_AHEAD_SECONDS * max(situation.speed, 0.0)
        x, y = _in_frame(
            agent.pose, _beside(situation.route, situation.station + ahead, self._aside)
        )
        seen, reward, ended, cut, info = self._inner.step(self._follower.action(agent, x, y, speed))
        return seen, reward, ended, cut, self._told(info)

    def _told(self, info: Info) -> Info:
        return {**info, "lane_offset": self._aside, "wanted_speed": self._speed}

    def _change(self, agent: Agent, sign: float) -> None:
        """Wants the next lane on the left (1) or right (-1), where one leads the same way."""
        situation = agent.situation
        if abs(situation.offset - self._aside) > 0.5 * situation.half_width:
            return
        aside = self._aside + sign * 2.0 * situation.half_width
        x, y = _beside(situation.route, situation.station + _LOOK_AHEAD, aside).tolist()
        heading = float(agent.pose[2]) - situation.heading
        roads = self._car.run.compiled.roads
        lane, station, offset = roads.nearest_lane((x, y), heading)
        turned = float(portable.wrapped(np.float64(roads.lanes[lane].heading(station) - heading)))
        if abs(offset) < 0.5 * roads.lanes[lane].width and abs(turned) < 0.5:
            self._aside = aside


def _beside(route: Floats, station: float, aside: float) -> Floats:
    """The point (2,) [m] at a station [m] of a path, `aside` [m] to its left."""
    row = int(np.clip(station / SPACING, 0, len(route) - 2))
    ahead = route[row + 1, :2] - route[row, :2]
    length = max(float(portable.hypot(ahead[0], ahead[1])), 1e-9)
    found: Floats = route[row, :2] + aside / length * np.array([-ahead[1], ahead[0]])
    return found


def _in_frame(pose: Floats, point: Floats) -> tuple[float, float]:
    """A point [m] in the frame of a car at a pose x, y, yaw."""
    dx, dy = (point - pose[:2]).tolist()
    sine, cosine = float(portable.sin(pose[2])), float(portable.cos(pose[2]))
    return cosine * dx + sine * dy, cosine * dy - sine * dx


class DelayedAction(gymnasium.Wrapper[Seen, Action, Seen, Action], RecordConstructorArgs):
    """Actions take effect `steps` steps later; until then the car has neither pedal nor steering.

    Raises:
        ValueError: the number of steps is negative.
    """

    def __init__(self, env: gymnasium.Env[Seen, Action], steps: int = 1) -> None:
        if steps < 0:
            raise ValueError(f"steps: expected 0 or more, not {steps}")
        RecordConstructorArgs.__init__(self, steps=steps)
        super().__init__(env)
        self._steps = steps
        self._queue: deque[Action] = deque()

    def reset(
        self, *, seed: int | None = None, options: dict[str, object] | None = None
    ) -> tuple[Seen, Info]:
        """Begins an episode without an action under way."""
        none = np.zeros(cast(tuple[int, ...], self.env.action_space.shape), dtype=np.float32)
        self._queue = deque([none] * self._steps)
        return self.env.reset(seed=seed, options=options)

    def step(self, action: Action) -> Stepped:
        """Carries out the action of some steps before."""
        self._queue.append(np.array(action, dtype=np.float32))
        return self.env.step(self._queue.popleft())


class NoisyAction(gymnasium.Wrapper[Seen, Action, Seen, Action], RecordConstructorArgs):
    """Adds normal noise of a standard `deviation` to each number of an action, by its own seed.

    Raises:
        ValueError: the deviation is negative.
    """

    def __init__(self, env: gymnasium.Env[Seen, Action], deviation: float = 0.05) -> None:
        if not deviation >= 0.0:
            raise ValueError(f"deviation: expected 0 or more, not {deviation}")
        RecordConstructorArgs.__init__(self, deviation=deviation)
        super().__init__(env)
        self._deviation = deviation
        self._rng = np.random.default_rng(0)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, object] | None = None
    ) -> tuple[Seen, Info]:
        """Begins an episode; a seed is that of the noise, too."""
        if seed is not None:
            self._rng = np.random.default_rng([seed, 1])
        return self.env.reset(seed=seed, options=dict(options) if options else None)

    def step(self, action: Action) -> Stepped:
        """Carries out the action with noise."""
        chosen = np.asarray(action, dtype=np.float64)
        noisy = chosen + self._deviation * self._rng.standard_normal(chosen.shape)
        return self.env.step(np.clip(noisy, -1.0, 1.0).astype(np.float32))
