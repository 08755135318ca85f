"""Drive actuators: what steers, drives and brakes the wheels that name it (see `vehicle`)."""

from dataclasses import dataclass

from autosim.config.descriptions import Device
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schema import Interval
from autosim.config.schemas.common import NOT_NEGATIVE, parameter
from autosim.kinds.checks import RobotBlocks
from autosim.kinds.elements import NOISES, SHARE, device_element
from autosim.kinds.kind import DeviceKind
from autosim.simulation.tree import Access, Field


@dataclass(frozen=True, slots=True)
class DriveActuator(Device):
    """Steering, drive and brakes of the wheels that name it.

    `motor_force` [N] in all, shared by the powered wheels. `brake_force` [N] per kilogram of
    chassis mass (the convention of the suspension), shared by the wheels with brakes;
    `hand_brake_force` likewise, shared by those with hand brakes.
    """

    motor_force: float = 0.0
    brake_force: float = 0.0
    max_steering_angle: float = 0.6
    hand_brake_force: float = 0.0


def _fields(actuator: DriveActuator) -> tuple[Field, ...]:
    most = actuator.max_steering_angle
    return (
        Field(
            "steering",
            unit="rad",
            limits=Interval(-most, most),
            meaning="Angle of the steered wheels, positive to the left.",
        ),
        Field(
            "acceleration",
            limits=Interval(-1.0, 1.0),
            meaning="Share of MotorForce; negative drives backwards.",
        ),
        Field("brake", limits=SHARE, meaning="Share of BrakeForce."),
        Field("hand_brake", limits=SHARE, is_optional=True, meaning="Share of the hand brake."),
        Field(
            "gear",
            limits=Interval(-1.0, 1.0),
            is_optional=True,
            meaning="Forwards where positive, backwards where negative; 0: as acceleration says.",
        ),
    )


def _check(actuator: Block, robot: RobotBlocks, faults: Faults) -> None:
    # A wheel names its actuator without the part, so that name has to be the only one.
    first = next(iter(robot.actuators[actuator.name].values()))
    if actuator.name and first is not actuator:
        message = f"there is already a '{actuator.name}', <DriveActuator> in line {first.line}"
        faults.error(actuator, message)


KIND = DeviceKind(
    record=DriveActuator,
    element=device_element(
        "DriveActuator",
        "Steers, drives and brakes the wheels that name it. A part with wheels needs one of its "
        "own. `set_data` sets steering [rad, positive to the left], acceleration (-1 to 1) and "
        "brake (0 to 1), and, where more is given, the hand brake (0 to 1) and the gear: 1 "
        "forward, 0 neutral, -1 reverse. The gear is forward until it is set; in it a negative "
        "acceleration drives backwards.",
        parameter(
            "MotorForce",
            "Force of the motor at full acceleration, shared by the powered wheels.",
            unit="N",
            default=0.0,
            interval=NOT_NEGATIVE,
        ),
        parameter(
            "BrakeForce",
            "Force of the brakes at full braking for each kilogram of the part, "
            "shared by the wheels with brakes.",
            unit="N/kg",
            default=0.0,
            interval=Interval(0.0, 1e4),
        ),
        parameter(
            "MaxSteeringAngle",
            "Greatest angle of the steered wheels to either side.",
            unit="rad",
            default=0.6,
            interval=Interval(0.0, 1.5),
        ),
        parameter(
            "HandBrakeForce",
            "Force of the hand brake at full braking for each kilogram of the part, shared by the "
            "wheels with a hand brake.",
            unit="N/kg",
            default=0.0,
            interval=Interval(0.0, 1e4),
        ),
        *NOISES,
    ),
    fields=_fields,
    channels=lambda actuator, step_seconds: tuple(f".{each.name}" for each in _fields(actuator)),
    access=Access.DRIVE,
    rest=(None, 0.0, 1.0, None, 1.0),
    check=_check,
)
"""At rest it brakes, in the gear forward; steering and hand brake stay as they are."""
