"""Drives a vehicle at a wanted speed and steering angle, through its own actuator."""

import math
from dataclasses import dataclass

from autosim.arrays import Floats
from autosim.config.descriptions import RobotDescription
from autosim.kinds.kinematic.kinematic_vehicle import KinematicVehicle
from autosim.model.belief import ORIENTATION, VELOCITY, belief_of
from autosim.model.state import State
from autosim.model.tree import WORD
from autosim.ros2.ros_frames import rotation_of
from autosim.vehicle.info.vehicle_info import VehicleInfo, vehicle_info

COMMAND_SECONDS = 0.5
"""Age [s] of simulated time from which on a command no longer counts, as of cmd_vel_timeout in
ros2_control: the vehicle then brakes."""

_GAIN = 1.5
"""Acceleration for each metre a second that is lacking [1/s]."""

_INTEGRAL_GAIN = 0.5
"""Acceleration for each metre that the vehicle has fallen behind [1/s²]: against resistances."""

_MOST_BEHIND = 4.0
"""[m] Most that falling behind adds up to."""

_NEAR = 1.0
"""[m/s] Lack of speed up to which falling behind adds up: more is a matter of force."""

_HOLD = 0.3
"""Share of the brakes that holds a vehicle which is to stand."""

_STANDING = 0.05
"""[m/s] Speed below which a vehicle that is to stand is held."""

_SLOWEST = 0.1
"""[m/s] Speed below which a rate of turn asks for no steering angle: a car does not turn on the
spot."""


@dataclass(frozen=True, slots=True)
class WantedMotion:
    """A command to a vehicle.

    `speed` [m/s], negative backwards; `steering` [rad], positive to the left; `acceleration`
    [m/s²], None: as the controller finds it.
    """

    speed: float
    steering: float
    acceleration: float | None = None


class SpeedController:
    """Follows the newest command to one vehicle.

    Args:
        state: whose buffer holds the values.
        robot: its description.

    Raises:
        ValueError: the robot has no actuator that drives wheels, and no kinematic vehicle.
    """

    def __init__(self, state: State, robot: RobotDescription) -> None:
        self.info: VehicleInfo = vehicle_info(robot)
        self.device = f"{robot.name}.{self.info.part}.{self.info.actuator}"
        self._is_kinematic = any(isinstance(each, KinematicVehicle) for each in robot.devices)
        node = belief_of(state.tree, robot.name)
        self._words: Floats = state.floats[node.start // WORD : node.own_stop // WORD]
        self._wanted: WantedMotion | None = None
        self._given = self._last = 0.0
        self._behind = 0.0

    def wish(self, motion: WantedMotion, now: float) -> None:
        """Takes a command, given at the simulated time `now` [s]."""
        self._wanted, self._given = motion, now

    def wish_twist(self, forward: float, turn: float, now: float) -> None:
        """Takes a command of a speed [m/s] and a rate of turn [rad/s]."""
        if abs(forward) < _SLOWEST:
            self.wish(WantedMotion(0.0, 0.0), now)
            return
        self.wish(WantedMotion(forward, math.atan(self.info.wheelbase * turn / forward)), now)

    def values(self, now: float) -> list[float] | None:
        """Values for the actuator at `now` [s]; None where there was never a command."""
        if self._wanted is None:
            return None
        seconds, self._last = max(0.0, min(now - self._last, 0.1)), now
        is_stale = not 0.0 <= now - self._given <= COMMAND_SECONDS
        wanted = WantedMotion(0.0, self._wanted.steering) if is_stale else self._wanted
        speed = self._speed()
        acceleration = self._acceleration(wanted, speed, seconds)
        limit = self.info.max_steering_angle
        steering = min(max(wanted.steering, -limit), limit)
        if self._is_kinematic:
            return [acceleration, wanted.speed, steering]
        if wanted.speed == 0.0 and abs(speed) < _STANDING:
            return [steering, 0.0, _HOLD]
        direction = -1.0 if (wanted.speed or speed) < 0.0 else 1.0
        along = acceleration * direction
        if along < 0.0 or speed * direction < -_STANDING:
            return [steering, 0.0, min(abs(along) / max(self.info.deceleration, 1.0), 1.0)]
        return [steering, direction * min(along / max(self.info.acceleration, 0.1), 1.0), 0.0]

    def _acceleration(self, wanted: WantedMotion, speed: float, seconds: float) -> float:
        lacking = wanted.speed - speed
        if wanted.speed == 0.0 or abs(lacking) > _NEAR:
            self._behind = 0.0
        else:
            self._behind += lacking * seconds
            self._behind = min(max(self._behind, -_MOST_BEHIND), _MOST_BEHIND)
        found = _GAIN * lacking + _INTEGRAL_GAIN * self._behind
        if wanted.acceleration is None or wanted.acceleration == 0.0:
            return found
        # A commanded acceleration bounds the controller's.
        bound = abs(wanted.acceleration)
        return min(max(found, -bound), bound)

    def _speed(self) -> float:
        """Speed [m/s] along the vehicle's own axis, negative backwards."""
        ahead = rotation_of(self._words[ORIENTATION:VELOCITY])[:, 0]
        return float(ahead @ self._words[VELOCITY : VELOCITY + 3])
