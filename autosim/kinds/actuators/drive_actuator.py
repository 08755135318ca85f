"""Drive actuators: what steers, drives and brakes the wheels that name it (see `vehicle`)."""

from dataclasses import dataclass, field

from autosim.config.descriptions import Device
from autosim.config.reading.attribute_values import suggestion
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schema import Attribute, Element, Interval, ValueType
from autosim.config.schemas.common import NOT_NEGATIVE, parameter, switch
from autosim.kinds.actuators.drivetrain import (
    DIFFERENTIALS,
    ELECTRIC_MOTOR,
    ENGINE,
    GEARBOX,
    Differentials,
    ElectricMotor,
    Engine,
    Gearbox,
    check_drivetrain,
    read_differentials,
    read_electric_motor,
    read_engine,
    read_gearbox,
)
from autosim.kinds.checks import RobotBlocks
from autosim.kinds.elements import NOISES, SHARE, device_element
from autosim.kinds.kind import DeviceKind
from autosim.model.tree import Access, Field


@dataclass(frozen=True, slots=True)
class DriveActuator(Device):
    """Steering, drive and brakes of the wheels that name it.

    `motor_force` [N] in all, shared by the powered wheels. `brake_force` [N] per kilogram of
    chassis mass (the convention of the suspension), shared by the wheels with brakes;
    `hand_brake_force` likewise, shared by those with hand brakes. `brake_balance` is the share of
    the brake force on the wheels ahead of the middle of all; None: each wheel has the same.

    With an `engine` or an `electric_motor` the motor force plays no part.

    `steering_rate` [rad/s] limits how fast the wheels turn, 0: not at all; they turn
    `steering_delay` [s] after the command. `rear_steering` is the angle of the wheels that steer
    behind the middle for each radian of those ahead, at rest; `fast_rear_steering` the same from
    `rear_steering_speed` [m/s] up, and between the two along a line; without the former, each
    wheel's axle meets the turning centre between the axles.

    `brakes_with` names another actuator of the robot: its brakes act as well.

    Attributes:
        max_steering_angle: largest angle of the road wheels [rad], to each side.
        has_abs: antilock braking system.
        has_esc: electronic stability control.
        gearbox: ratios between motor and wheels.
        differentials: division of the torque among the powered wheels.
    """

    motor_force: float = 0.0
    brake_force: float = 0.0
    max_steering_angle: float = 0.6
    hand_brake_force: float = 0.0
    brake_balance: float | None = None
    has_abs: bool = False
    has_esc: bool = False
    steering_rate: float = 0.0
    steering_delay: float = 0.0
    rear_steering: float | None = None
    fast_rear_steering: float | None = None
    rear_steering_speed: float = 20.0
    engine: Engine | None = None
    electric_motor: ElectricMotor | None = None
    gearbox: Gearbox = field(default_factory=Gearbox)
    differentials: Differentials = field(default_factory=Differentials)
    brakes_with: str = ""

    @property
    def has_motor(self) -> bool:
        """Whether it is an engine or an electric motor that drives, and not the motor force."""
        return self.engine is not None or self.electric_motor is not None

    @property
    def is_manual(self) -> bool:
        """Whether the driver chooses the gear."""
        return not self.gearbox.is_automatic


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
            limits=Interval(-1.0, float(len(actuator.gearbox.ratios) if actuator.is_manual else 1)),
            is_optional=True,
            meaning="Forwards where positive, backwards where negative; 0 is neutral.",
        ),
    )


def _check(actuator: Block, robot: RobotBlocks, faults: Faults) -> None:
    check_drivetrain(actuator, faults)
    leader = actuator.text("BrakesWith")
    if leader and (leader not in robot.actuators or leader == actuator.name):
        message = f"<BrakesWith> of {actuator.title} names '{leader}', which is not another "
        others = [each for each in robot.actuators if each != actuator.name]
        faults.error(
            actuator.line_of("BrakesWith"), message + "DriveActuator" + suggestion(leader, others)
        )
    # A wheel names its actuator without the part, so that name has to be the only one.
    first = next(iter(robot.actuators[actuator.name].values()))
    if actuator.name and first is not actuator:
        message = f"there is already a '{actuator.name}', <DriveActuator> in line {first.line}"
        faults.error(actuator, message)


def _optional(actuator: Block, tag: str) -> float | None:
    return actuator.real(tag) if actuator.first(tag) else None


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
        parameter(
            "BrakeBalance",
            "Share of BrakeForce on the wheels ahead of the middle of all wheels; when not given, "
            "each wheel with a brake has the same.",
            interval=SHARE,
        ),
        switch(
            "ABS",
            "Whether the brakes release a wheel that is about to lock, above walking pace.",
        ),
        switch(
            "ESC",
            "Whether single wheels are braked where the part turns more or less than its steering "
            "and the grip of the road let expect.",
        ),
        parameter(
            "SteeringRate",
            "Maximum rate of the road wheels' steering angle; 0: unlimited.",
            unit="rad/s",
            default=0.0,
            interval=Interval(0.0, 100.0),
        ),
        parameter(
            "SteeringDelay",
            "Time after which the wheels begin to turn as commanded.",
            unit="s",
            default=0.0,
            interval=Interval(0.0, 1.0),
        ),
        parameter(
            "RearSteering",
            "Angle of the steered wheels behind the middle of all for each radian of those ahead, "
            "at rest: negative turns them against each other. When not given, all steered wheels "
            "roll about the same point between the axles.",
            interval=Interval(-1.0, 1.0),
        ),
        parameter(
            "FastRearSteering",
            "The same from RearSteeringSpeed up; between rest and that speed along a line. That of "
            "RearSteering when not given.",
            interval=Interval(-1.0, 1.0),
        ),
        parameter(
            "RearSteeringSpeed",
            "Speed of FastRearSteering.",
            unit="m/s",
            default=20.0,
            interval=Interval(0.1, 200.0),
        ),
        ENGINE,
        ELECTRIC_MOTOR,
        GEARBOX,
        DIFFERENTIALS,
        Element(
            "BrakesWith",
            "Another DriveActuator of the robot, as that of the car before a trailer: where it "
            "brakes, this one brakes by the same share.",
            (Attribute("name", "", ValueType.NAME, required=True),),
        ),
        *NOISES,
    ),
    names={"ABS": "has_abs", "ESC": "has_esc"},
    codecs={
        "Engine": read_engine,
        "ElectricMotor": read_electric_motor,
        "Gearbox": read_gearbox,
        "Differentials": read_differentials,
        **dict.fromkeys(("BrakeBalance", "RearSteering", "FastRearSteering"), _optional),
    },
    fields=_fields,
    channels=lambda actuator, step_seconds: tuple(f".{each.name}" for each in _fields(actuator)),
    access=Access.DRIVE,
    rest=(None, 0.0, 1.0, None, 1.0),
    released=(None, None, 0.0),
    check=_check,
)
"""At rest it brakes, in the gear forward; steering and hand brake stay as they are."""
