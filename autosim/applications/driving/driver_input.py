"""Input of a person at the controls, and its conversion to values of a drive actuator."""

import os
import select
from dataclasses import dataclass
from math import atan
from typing import Protocol

import numpy as np

from autosim.arrays import Floats
from autosim.config.descriptions import RobotDescription
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.vehicle.info.vehicle_info import vehicle_info

STANDING = 0.5
"""Speed [m/s] below which a car that is commanded to go backwards stops braking and reverses."""

LATERAL_ACCELERATION = 5.0
"""[m/s²] in a turn at full lock. Tyres hold twice as much on a dry road: a car that keys drive
neither slides nor rolls over."""


@dataclass(frozen=True, slots=True)
class DriverCommand:
    """Current command of the driver.

    `steering` is a share, -1 (right) to 1 (left): of the angle that the speed allows (see
    `steering_limit`), or of the largest angle where it `is_direct`, as a steering wheel is. `push`
    is a share of the motor's force, -1 (backwards) to 1; `brake` a share of the brakes' force, 0
    to 1.
    """

    steering: float = 0.0
    push: float = 0.0
    brake: float = 0.0
    is_direct: bool = False


HALT = DriverCommand(brake=1.0)
"""Command at the end of driving."""

AWAY = DriverCommand(brake=0.2)
"""Command while the driver is away: the car comes to a stop, gently, and stays."""


class DriverInput(Protocol):
    """An input device of a driver. `help` describes how to drive."""

    help: str

    @property
    def is_over(self) -> bool:
        """Whether the driver is gone."""

    def read(self, *, speed: float, seconds: float) -> DriverCommand:
        """The driver's current command.

        Args:
            speed: of the car, forwards [m/s].
            seconds: of simulated time since the last call [s].
        """


@dataclass(frozen=True, slots=True)
class Steering:
    """Steering angle of the road wheels: at most `largest` [rad].

    `wheelbase` [m] is that of the vehicle; 0: it has none, and the speed does not limit the angle.
    """

    largest: float
    wheelbase: float = 0.0


def steering_of(robot: RobotDescription) -> Steering:
    """The steering of what the first drive actuator of `robot` drives, or of a kinematic vehicle.

    Raises:
        ValueError: it has neither.
    """
    try:
        vehicle = vehicle_info(robot)
    except ValueError:
        drives = [each for each in robot.devices if isinstance(each, DriveActuator)]
        if not drives:
            raise
        return Steering(drives[0].max_steering_angle)
    return Steering(vehicle.max_steering_angle, vehicle.wheelbase)


def steering_limit(steering: Steering, speed: float) -> float:
    """The largest angle [rad] at `speed` [m/s] with a lateral acceleration within its limit.

    A vehicle with the wheelbase L turns at the angle δ with the radius L / tan δ, so that its
    lateral acceleration is a = v² tan δ / L (R. Rajamani, Vehicle Dynamics and Control, 2nd
    edition, section 2.2). Where its tyres slip it turns less.
    """
    if steering.wheelbase == 0.0 or speed == 0.0:
        return steering.largest
    return min(steering.largest, atan(steering.wheelbase * LATERAL_ACCELERATION / speed**2))


def actuator_values(
    wish: DriverCommand, *, speed: float, steering: Steering
) -> tuple[float, float, float]:
    """Steering [rad], acceleration and brake of a drive actuator.

    Args:
        wish: of the driver.
        speed: of the car, forwards [m/s].
        steering: of the car.

    A push against the direction of travel brakes until the car stands.
    """
    most = steering.largest if wish.is_direct else steering_limit(steering, speed)
    angle = most * wish.steering
    if wish.push * speed < 0.0 and abs(speed) > STANDING:
        return angle, 0.0, max(wish.brake, abs(wish.push))
    return angle, 0.0 if wish.brake > 0.0 else wish.push, wish.brake


def forward_speed(orientation: Floats, velocity: Floats) -> float:
    """Speed [m/s] of a body along its x axis.

    Args:
        orientation: (4,) quaternion x, y, z, w.
        velocity: (3,) m/s in W.
    """
    x, y, z, w = orientation
    ahead = np.array([1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)])
    return float(ahead @ velocity)


def gear_of(*, speed: float, acceleration: float) -> str:
    """The gear that shows which way a car goes: D forwards, R backwards, N neither.

    Args:
        speed: of the car, forwards [m/s].
        acceleration: of its drive actuator.
    """
    way = speed if abs(speed) > STANDING else acceleration
    return "D" if way > 0.0 else "R" if way < 0.0 else "N"


def read_waiting(descriptor: int) -> tuple[bytes, bool]:
    """The bytes that wait to be read, and whether no more will come."""
    data = b""
    try:
        while select.select([descriptor], [], [], 0.0)[0]:
            more = os.read(descriptor, 1024)
            if not more:
                return data, True
            data += more
    except BlockingIOError:
        return data, False
    except OSError:
        return data, True
    return data, False
