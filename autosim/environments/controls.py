"""From actions in [-1, 1] to the actuator of a car, whatever car it is."""

from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats
from autosim.config.descriptions import RobotDescription
from autosim.kinds.actuators.drive_actuator import DriveActuator

STEERING, PEDAL = 0, 1
"""Places of an action's numbers: the angle of the front wheels, positive to the left; accelerator
where positive, brake where negative."""

WIDTH = 2
"""How many numbers an action has."""

HARDEST_BRAKING = 6.0
"""[m/s²] that an action of -1 asks for: more than drivers brake without need, less than dry asphalt
holds."""

SWIFTEST = 3.0
"""[m/s²] that an action of 1 asks for: that of a brisk start."""

MOST_STEERING = 0.5
"""Angle [rad] of the wheels that an action of 1 asks for: a turning circle of ten metres."""


class ControlsError(Exception):
    """A robot cannot be driven by actions."""


@dataclass(frozen=True, slots=True)
class Controls:
    """What actions do to the car whose drive actuator is `device`.

    `steering` [rad], `acceleration` and `brake`: what it is told at an action of 1, and of -1.
    """

    device: str
    steering: float
    acceleration: float
    brake: float

    @classmethod
    def of(cls, robot: RobotDescription, name: str) -> "Controls":
        """Of a robot of that name in the world.

        Raises:
            ControlsError: it has no drive actuator, or more than one.
        """
        found = [each for each in robot.devices if isinstance(each, DriveActuator)]
        if len(found) != 1:
            many = "no DriveActuator" if not found else f"{len(found)} DriveActuators"
            raise ControlsError(f"robot '{name}' has {many}: actions need one")
        (actuator,) = found
        mass = sum(part.mass for part in robot.parts)
        most = actuator.motor_force / mass if not actuator.has_motor else SWIFTEST
        return cls(
            f"{name}.{actuator.part}.{actuator.name}",
            min(MOST_STEERING, actuator.max_steering_angle),
            min(1.0, SWIFTEST / most) if most > 0.0 else 0.0,
            min(1.0, HARDEST_BRAKING / actuator.brake_force) if actuator.brake_force else 0.0,
        )

    def command(self, action: Floats) -> bytes:
        """What the actuator is told: steering, acceleration and brake, as bytes."""
        steering, pedal = action.tolist()
        forward, braking = max(pedal, 0.0), max(-pedal, 0.0)
        values = (steering * self.steering, forward * self.acceleration, braking * self.brake)
        return np.array(values).tobytes()
