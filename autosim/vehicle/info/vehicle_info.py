"""The measures of a vehicle that a driver needs, from its robot's description."""

from collections.abc import Sequence
from dataclasses import dataclass

from autosim.config.descriptions import RobotDescription
from autosim.config.world_settings import GRAVITY
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.kinds.kinematic.kinematic_vehicle import KinematicVehicle
from autosim.vehicle.info.standing_height import standing_height

IDEAL_ANGLE, IDEAL_ACCELERATION = 0.6, 7.0
"""[rad], [m/s²] of kinematic models that have no limits: full lock and brakes of a usual car."""


@dataclass(frozen=True, slots=True)
class VehicleInfo:
    """A part with wheels and the actuator that drives them, or with a kinematic vehicle.

    `part` and `actuator` are their names within the robot (`chassis`, `drive_chassis`).
    `wheelbase` [m] is the distance between the axle that steers and the one that does not,
    `track` [m] that between left and right wheels, `wheel_radius` [m] their mean radius.
    `rear_axle` [m] is where the axle that does not steer lies, along B's x from the part's centre
    (negative: behind it); `height` [m] that of the part's centre above level ground, at rest.
    `max_steering_angle` [rad]. `acceleration` and `deceleration` [m/s^2] are those at full motor
    and brake force, of an engine in its lowest gear, on the whole robot's `mass` [kg]; tyres and
    brakes may give less. Of a kinematic vehicle both are the limit of its model, and its wheels
    have no radius.
    """

    part: str
    actuator: str
    wheelbase: float
    track: float
    rear_axle: float
    wheel_radius: float
    height: float
    max_steering_angle: float
    mass: float
    acceleration: float
    deceleration: float


def vehicle_info(robot: RobotDescription, actuator: str | None = None) -> VehicleInfo:
    """The measures of the part and wheels that `actuator` drives (None: the first one).

    Raises:
        ValueError: the robot has no such actuator, or the actuator has no wheels.
    """
    kinematic = next((each for each in robot.devices if isinstance(each, KinematicVehicle)), None)
    if kinematic is not None and actuator in (None, kinematic.name):
        return _kinematic(robot, kinematic)
    drive = _drive(robot, actuator)
    wheels = [each for each in robot.devices if isinstance(each, WheelDevice)]
    wheels = [each for each in wheels if each.drive_actuator == drive.name]
    if not wheels:
        raise ValueError(f"the actuator '{drive.name}' of robot '{robot.name}' has no wheels")
    part = next(each for each in robot.parts if each.name == drive.part)
    mass = sum(each.mass for each in robot.parts)
    steering = [each.position[0] for each in wheels if each.is_steering]
    fixed = [each.position[0] for each in wheels if not each.is_steering]
    rear = _mean(fixed or steering)
    sides = [each.position[1] for each in wheels]
    radius = _mean([each.radius for each in wheels])
    return VehicleInfo(
        part=part.name,
        actuator=drive.name,
        wheelbase=abs(_mean(steering or fixed) - rear),
        track=max(sides) - min(sides),
        rear_axle=rear,
        wheel_radius=radius,
        height=standing_height(robot, gravity=GRAVITY) + part.position[2],
        max_steering_angle=drive.max_steering_angle,
        mass=mass,
        acceleration=_full_force(drive, radius) / mass,
        deceleration=drive.brake_force * part.mass / mass,
    )


def _kinematic(robot: RobotDescription, vehicle: KinematicVehicle) -> VehicleInfo:
    law = {each.name for each in vehicle.law.parameters}
    base = vehicle.number("wheelbase") if "wheelbase" in law else 0.0
    base = base or vehicle.number("a") + vehicle.number("b")
    behind = vehicle.number("b") if vehicle.law.reference == "centre of mass" else 0.0
    steered = next((each for each in ("steer_lim", "steering_max") if each in law), "")
    hardest = next((each for each in ("vel_rate_lim", "a_max") if each in law), "")
    part = next(each for each in robot.parts if each.name == vehicle.part)
    most = vehicle.number(hardest) if hardest else IDEAL_ACCELERATION
    return VehicleInfo(
        part=part.name,
        actuator=vehicle.name,
        wheelbase=base,
        track=vehicle.number("track"),
        rear_axle=vehicle.reference_offset - behind,
        wheel_radius=0.0,
        height=standing_height(robot, gravity=GRAVITY) + part.position[2],
        max_steering_angle=vehicle.number(steered) if steered else IDEAL_ANGLE,
        mass=sum(each.mass for each in robot.parts),
        acceleration=most,
        deceleration=most,
    )


def _drive(robot: RobotDescription, name: str | None) -> DriveActuator:
    for each in robot.devices:
        if isinstance(each, DriveActuator) and name in (None, each.name):
            return each
    wanted = "no DriveActuator" if name is None else f"no DriveActuator '{name}'"
    raise ValueError(f"robot '{robot.name}' has {wanted}")


def _full_force(drive: DriveActuator, radius: float) -> float:
    """The greatest force [N] that drives wheels of `radius` [m], in the lowest gear."""
    if drive.engine is not None:
        torque = max(torque for _, torque in drive.engine.curve)
    elif drive.electric_motor is not None:
        torque = drive.electric_motor.torque
    else:
        return drive.motor_force
    box = drive.gearbox
    return torque * box.ratios[0] * box.final * box.efficiency / radius


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
