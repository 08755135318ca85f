"""Conversion of a driver's input to the commands of a kinematic vehicle."""

from dataclasses import dataclass

from autosim.applications.driving.driver_input import STANDING
from autosim.kinds.kinematic.kinematic_vehicle import HOLD, KinematicVehicle

PUSH, BRAKE = 3.0, 6.0
"""[m/s²] of a car with its pedals down: a quick start, and hard braking on a dry road."""

COASTING = 0.4
"""[m/s²] that a car loses without any pedal, to its engine and to the air."""

SLOW = 0.3
"""[m/s] below which a car that brakes is held: it stands."""

AT_ONCE, LATER = 0.05, 0.5
"""[s] after which a vehicle that is commanded by a velocity has it: the ideal one by the next
command, the other within its time constant."""

DRIVE, REVERSE = 1.0, 2.0
"""Numbers of gears in a VehicleStateCommand."""

_PEDALS = (
    "DELAY_STEER_ACC_GEARED_WO_FALL_GUARD",
    *("ACTUATION_CMD", "ACTUATION_CMD_STEER_MAP"),
    *("ACTUATION_CMD_VGR", "ACTUATION_CMD_MECHANICAL"),
)
"""The models whose acceleration acts in the direction of the gear."""


@dataclass(frozen=True, slots=True)
class KinematicCommands:
    """Turns the values of a drive actuator into commands of `vehicle`."""

    vehicle: KinematicVehicle

    def values(self, wanted: tuple[float, float, float], *, speed: float) -> list[float]:
        """Acceleration [m/s²], velocity [m/s] and steering angle [rad] for the vehicle.

        Args:
            wanted: steering [rad], push (-1 to 1) and brake (0 to 1), see `actuator_values`.
            speed: of the vehicle, forwards [m/s].
        """
        steering, push, brake = wanted
        way = 1.0 if speed > 0.0 else -1.0
        if brake > 0.0:
            acceleration = HOLD if abs(speed) < SLOW else -way * BRAKE * brake
        elif push != 0.0:
            acceleration = PUSH * push
        else:
            acceleration = HOLD if abs(speed) < SLOW else -way * COASTING
        seconds = AT_ONCE if self.vehicle.model == "IDEAL_STEER_VEL" else LATER
        velocity = 0.0 if acceleration == HOLD else speed + seconds * acceleration
        if brake > 0.0 and velocity * speed < 0.0:
            velocity = 0.0
        is_pedal = self.vehicle.model in _PEDALS and acceleration != HOLD
        backwards = push < 0.0 or (push == 0.0 and way < 0.0)
        if is_pedal and backwards:
            acceleration = -acceleration
        return [acceleration, velocity, self._steering(steering, speed)]

    def _steering(self, angle: float, speed: float) -> float:
        """The steering command for an angle [rad] of the wheels, at a speed [m/s]."""
        if self.vehicle.law.steered_by != "steering wheel":
            return angle
        a, b, c = (self.vehicle.number(f"vgr_coef_{each}") for each in "abc")
        return (a + b * speed * speed) * angle / (1.0 + c * abs(angle))

    def gear(self, wanted: tuple[float, float, float], *, speed: float) -> float:
        """The gear to be in; 0 where it stays as it is."""
        _, push, _ = wanted
        if push == 0.0 or abs(speed) > STANDING:
            return 0.0
        return DRIVE if push > 0.0 else REVERSE


def wanted_of(values: tuple[float, ...], *, speed: float) -> tuple[float, float, float]:
    """Steering [rad], push and brake that the first three values of a vehicle stand for.

    Args:
        values: see `KinematicCommands.values`.
        speed: of the vehicle, forwards [m/s].
    """
    acceleration, _, steering = values
    if acceleration == HOLD:
        return steering, 0.0, 1.0
    if acceleration * speed < 0.0:
        return steering, 0.0, min(abs(acceleration) / BRAKE, 1.0)
    return steering, max(-1.0, min(acceleration / PUSH, 1.0)), 0.0
