"""From actions in [-1, 1] to the actuator of a car, whatever car it is."""

from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats
from autosim.config.descriptions import RobotDescription
from autosim.jit import jitable
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.portable import exp_of, log_of

STEERING, PEDAL = 0, 1
"""Columns of an action: the angle of the front wheels, positive to the left; the pedal, which
accelerates where positive and brakes where negative, see `acceleration_of`."""

WIDTH = 2
"""Number of values of an action."""

HARDEST_BRAKING = 6.0
"""[m/s²] that an action of -1 asks for: more than drivers brake without need, less than dry asphalt
holds."""

SWIFTEST = 3.0
"""[m/s²] that an action of 1 asks for: that of a brisk start."""

CREEP_ACCELERATION, CREEP_SPEED = 0.6, 2.0
"""Acceleration [m/s²] of a standing car with the pedal at 0, and the speed [m/s] at which it ends:
the idle creep of cars with an automatic gearbox, about 7 km/h."""

MOST_STEERING = 0.5
"""Angle [rad] of the wheels that an action of 1 asks for: a turning circle of ten metres."""


@jitable
def acceleration_of(pedal: float, speed: float) -> float:
    """The acceleration [m/s²] that a pedal in [-1, 1] asks for at a speed [m/s].

    The brake is progressive, as in cars: its deceleration grows with the cube of the pedal. So
    noise around 0, with which learning begins, brakes no more than it accelerates, and a policy
    without a preference drives slowly instead of standing still.
    """
    creep = CREEP_ACCELERATION * max(0.0, 1.0 - speed / CREEP_SPEED)
    if pedal > 0.0:
        return creep + SWIFTEST * pedal
    return creep + HARDEST_BRAKING * pedal * pedal * pedal


def pedal_for(acceleration: float, speed: float) -> float:
    """The pedal in [-1, 1] that asks for an acceleration [m/s²] at a speed [m/s].

    It is the inverse of `acceleration_of`, within what the pedal can ask for.
    """
    creep = CREEP_ACCELERATION * max(0.0, 1.0 - speed / CREEP_SPEED)
    more = acceleration - creep
    if more >= 0.0:
        return min(more / SWIFTEST, 1.0)
    share = min(-more / HARDEST_BRAKING, 1.0)
    return -exp_of(log_of(share) / 3.0)


class ActionMappingError(Exception):
    """A robot cannot be driven by actions."""


@dataclass(frozen=True, slots=True)
class ActionMapping:
    """Mapping of actions to the car whose drive actuator is `device`.

    `steering` [rad], `acceleration` and `brake`: commanded values at an action of 1, and of -1.
    """

    device: str
    steering: float
    acceleration: float
    brake: float

    @classmethod
    def of(cls, robot: RobotDescription, name: str) -> "ActionMapping":
        """Of a robot of that name in the world.

        Raises:
            ActionMappingError: it has no drive actuator, or more than one.
        """
        found = [each for each in robot.devices if isinstance(each, DriveActuator)]
        if len(found) != 1:
            many = "no DriveActuator" if not found else f"{len(found)} DriveActuators"
            raise ActionMappingError(f"robot '{name}' has {many}: actions need one")
        (actuator,) = found
        mass = sum(part.mass for part in robot.parts)
        most = actuator.motor_force / mass if not actuator.has_motor else SWIFTEST
        return cls(
            f"{name}.{actuator.part}.{actuator.name}",
            min(MOST_STEERING, actuator.max_steering_angle),
            min(1.0, SWIFTEST / most) if most > 0.0 else 0.0,
            min(1.0, HARDEST_BRAKING / actuator.brake_force) if actuator.brake_force else 0.0,
        )

    def command(self, action: Floats, speed: float) -> bytes:
        """The values of the actuator, as bytes: steering, acceleration and brake.

        Args:
            action: (2,) in [-1, 1].
            speed: of the car [m/s].
        """
        steering, pedal = action.tolist()
        wanted = acceleration_of(pedal, abs(speed))
        forward, braking = max(wanted, 0.0) / SWIFTEST, max(-wanted, 0.0) / HARDEST_BRAKING
        values = (
            steering * self.steering,
            min(forward, 1.0) * self.acceleration,
            braking * self.brake,
        )
        return np.array(values).tobytes()
