"""Wheels on suspensions; `autosim.vehicle` computes all of them in each step."""

from dataclasses import dataclass

from autosim.config.descriptions import Device, ModelReference, Vector3
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.reading.values import nearest
from autosim.config.schema import Interval
from autosim.config.schemas.common import (
    POSITIVE_LENGTH,
    model,
    parameter,
    reference,
    switch,
    vector,
)
from autosim.kinds.checks import RobotBlocks
from autosim.kinds.elements import device_element
from autosim.kinds.kind import DeviceKind
from autosim.simulation.tree import Field


@dataclass(frozen=True, slots=True)
class WheelDevice(Device):
    """A ray-cast wheel.

    `position` [m], in B relative to the part's centre, is the upper end of the suspension
    (Bullet's chassis connection point).
    `suspension_ks` [N/m] and `suspension_kd` [N s/m] are per kilogram of chassis mass.
    """

    drive_actuator: str = ""
    position: Vector3 = (0.0, 0.0, 0.0)
    radius: float = 0.3
    width: float = 0.2
    suspension_rest_length: float = 0.1
    suspension_ks: float = 100.0
    suspension_kd: float = 10.0
    friction: float = 1.0
    is_powered: bool = False
    is_steering: bool = False
    has_brakes: bool = False
    has_hand_brake: bool = False
    model: ModelReference | None = None


def _check(wheel: Block, robot: RobotBlocks, faults: Faults) -> None:
    part, name = wheel.text("Part"), wheel.text("DriveActuator")
    message = f"<DriveActuator> of {wheel.title} names '{name}', which is no DriveActuator"
    if name and name not in robot.actuators:
        hint = nearest(name, robot.actuators)
        faults.error(wheel.line_of("DriveActuator"), message + hint)
    elif name and part and part not in robot.actuators[name]:
        message += f" on its part '{part}'; a part with wheels needs one of its own"
        faults.error(wheel.line_of("DriveActuator"), message)
    motion = robot.motions.get(part, "dynamic")
    if motion != "dynamic":
        message = f"{wheel.title} is on the part '{part}', which is {motion}: "
        faults.error(wheel.line_of("Part"), message + "expected a dynamic one")


KIND = DeviceKind(
    record=WheelDevice,
    element=device_element(
        "WheelDevice",
        "A wheel on a suspension, with its brake. Springs and dampers are given for each kilogram "
        "of the part: the force of a spring is SuspensionKs × mass of the part × deflection.",
        reference("DriveActuator", "The actuator that commands it, on the same part."),
        vector(
            "Position",
            "Upper end of the suspension, relative to the centre of the part. The wheel hangs at "
            "most SuspensionRestLength below.",
            required=True,
        ),
        parameter("Radius", "Radius.", unit="m", required=True, interval=POSITIVE_LENGTH),
        parameter("Width", "Width.", unit="m", required=True, interval=POSITIVE_LENGTH),
        parameter(
            "SuspensionRestLength",
            "Length of the suspension without load.",
            unit="m",
            required=True,
            interval=POSITIVE_LENGTH,
        ),
        parameter(
            "SuspensionKs",
            "Stiffness of the spring for each kilogram of the part; 200 is a stiff sports "
            "suspension.",
            unit="N/(m kg)",
            required=True,
            interval=Interval(0.001, 1e5),
        ),
        parameter(
            "SuspensionKd",
            "Damping for each kilogram of the part.",
            unit="N s/(m kg)",
            required=True,
            interval=Interval(0.0, 1e5),
        ),
        parameter(
            "Friction",
            "Coefficient of friction of the tyre on a dry road.",
            default=1.0,
            interval=Interval(0.0, 10.0),
        ),
        switch("Powered", "Whether the motor drives it."),
        switch("Steering", "Whether it is steered."),
        switch("Brakes", "Whether it has a brake."),
        switch("HandBrake", "Whether the hand brake acts on it."),
        model("Model", "How it looks; a plain cylinder when not given."),
    ),
    fields=(
        Field("steering", unit="rad", meaning="Its angle to the part, positive to the left."),
        Field("rotation", unit="rad", meaning="How far it has rolled about its axle."),
        Field("angular_velocity", unit="rad/s", meaning="How fast it rolls, positive forwards."),
        Field("suspension_length", unit="m", meaning="From its mount to its centre."),
        Field("load", unit="N", meaning="Force that presses it onto the ground; 0 in the air."),
        Field("slip_ratio", meaning="Longitudinal slip: rim against ground, as a share."),
        Field("slip_angle", unit="rad", meaning="Between where it points and where it goes."),
    ),
    names={
        "Powered": "is_powered",
        "Steering": "is_steering",
        "Brakes": "has_brakes",
        "HandBrake": "has_hand_brake",
    },
    check=_check,
)
