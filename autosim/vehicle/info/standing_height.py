"""The height at which a robot stands, so that it enters a world without a drop."""

from autosim.config.descriptions import Part, RobotDescription
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.kinds.kind import body_of
from autosim.kinds.kinematic.kinematic_vehicle import KinematicVehicle

CLEARANCE = 0.01
"""Gap [m] between the ground and the lowest part of a robot that its wheels do not carry."""


def standing_height(robot: RobotDescription, *, gravity: float) -> float:
    """Height [m] of the robot's origin above level ground, standing untilted on its wheels.

    The suspensions of all its wheels together carry all its parts; a robot without wheels, or
    with wheels too weak or too high up, stands on its lowest part. A kinematic vehicle has its
    ground clearance.

    Args:
        robot: parts and wheels.
        gravity: [m/s^2].
    """
    parts = {part.name: part for part in robot.parts}
    for device in robot.devices:
        if isinstance(device, KinematicVehicle):
            low = body_of(parts[device.part]).low[2] + parts[device.part].position[2]
            return device.number("ground_clearance") - low
    bottom = max(-(body_of(part).low[2] + part.position[2]) for part in robot.parts) + CLEARANCE
    wheels = [device for device in robot.devices if isinstance(device, WheelDevice)]
    weight = gravity * sum(part.mass for part in robot.parts)
    touches = sorted((_touch_height(parts, wheel), _stiffness(parts, wheel)) for wheel in wheels)
    # From the highest wheel down: each more that touches takes its part of the weight.
    stiffness = moment = 0.0
    height = bottom
    for touch, spring in reversed(touches):
        if stiffness > 0.0 and moment - stiffness * touch >= weight:
            break
        stiffness += spring
        moment += spring * touch
        height = (moment - weight) / stiffness
    return max(height, bottom)


def _touch_height(parts: dict[str, Part], wheel: WheelDevice) -> float:
    """Height of the robot's origin at which the wheel, its suspension relaxed, just touches."""
    up = parts[wheel.part].position[2] + wheel.position[2]
    return wheel.radius + wheel.suspension_rest_length - up


def _stiffness(parts: dict[str, Part], wheel: WheelDevice) -> float:
    return wheel.suspension_ks * parts[wheel.part].mass
