"""Wheels on suspensions; `autosim.vehicle` computes all of them in each step."""

from dataclasses import dataclass

from autosim.config.descriptions import Device, ModelReference, Vector3
from autosim.config.reading.attribute_values import suggestion
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schema import Attribute, Element, Interval, ValueType
from autosim.config.schemas.common import (
    POSITIVE_LENGTH,
    model,
    parameter,
    reference,
    switch,
    vector,
)
from autosim.kinds.actuators.tyre import ELEMENT as TYRE
from autosim.kinds.actuators.tyre import STANDARD, TAG, Tyre, check_tyre, read_tyre
from autosim.kinds.checks import RobotBlocks
from autosim.kinds.elements import device_element
from autosim.kinds.kind import DeviceKind
from autosim.model.tree import Field

ROLLING_RESISTANCE = 0.012
"""Ratio of force to load of a car's tyre on asphalt (Gillespie, Fundamentals of Vehicle Dynamics,
1992, chapter 4)."""

BUMP_STOP = 10.0
"""Stiffness of the bump stop, as a multiple of the spring's."""

_BAR = "AntiRollBar"


@dataclass(frozen=True, slots=True)
class AntiRollBar:
    """A spring between two suspensions; `ks` [N/m] is per kilogram of chassis mass."""

    wheel: str
    """Name of the wheel on the other side."""
    ks: float


@dataclass(frozen=True, slots=True)
class WheelDevice(Device):
    """A ray-cast wheel.

    `position` [m], in B relative to the part's centre, is the upper end of the suspension
    (Bullet's chassis connection point).
    `suspension_ks` [N/m] and `suspension_kd` [N s/m] are per kilogram of chassis mass, as are
    `suspension_kd_rebound` (None: the damper is as strong as in bump) and `bump_stop_ks` (None:
    `BUMP_STOP` springs), which begins when the suspension is pressed by `suspension_travel` [m]
    (None: by its whole length). `camber` [rad] is positive where the wheel leans outwards.
    `rolling_resistance` is force by load.

    Attributes:
        drive_actuator: name of the actuator that steers, drives and brakes it, "": none.
        radius: of the unloaded tyre [m].
        width: of the tyre [m].
        suspension_rest_length: length of the suspension without load [m].
        anti_roll_bar: bar to another wheel, None: none.
        friction: coefficient of the tyre's friction on dry asphalt.
        tyre: the tyre's model of forces.
        is_powered: driven by the actuator's motor.
        is_steering: steered by the actuator.
        has_brakes: braked by the service brake.
        has_hand_brake: braked by the hand brake.
        model: drawn model, None: a plain wheel.
    """

    drive_actuator: str = ""
    position: Vector3 = (0.0, 0.0, 0.0)
    radius: float = 0.3
    width: float = 0.2
    suspension_rest_length: float = 0.1
    suspension_ks: float = 100.0
    suspension_kd: float = 10.0
    suspension_kd_rebound: float | None = None
    suspension_travel: float | None = None
    bump_stop_ks: float | None = None
    anti_roll_bar: AntiRollBar | None = None
    friction: float = 1.0
    rolling_resistance: float = ROLLING_RESISTANCE
    camber: float = 0.0
    tyre: Tyre = STANDARD
    is_powered: bool = False
    is_steering: bool = False
    has_brakes: bool = False
    has_hand_brake: bool = False
    model: ModelReference | None = None


def _real_or_none(wheel: Block, tag: str) -> float | None:
    return wheel.real(tag) if wheel.first(tag) else None


def _anti_roll_bar(wheel: Block, tag: str) -> AntiRollBar | None:
    if wheel.first(tag) is None:
        return None
    return AntiRollBar(wheel.text(tag, "wheel"), wheel.real(tag, "ks"))


def _check_bar(wheel: Block, robot: RobotBlocks, faults: Faults) -> None:
    other, part = wheel.text(_BAR, "wheel"), wheel.text("Part")
    wheels = [each for each in robot.devices if each.tag == wheel.tag]
    beside = {each.name: each for each in wheels if each.text("Part") == part}
    message = f"<{_BAR}> of {wheel.title} "
    if other == wheel.name or other not in beside:
        message += f"names '{other}', which is not another wheel of the part '{part}'"
        faults.error(wheel.line_of(_BAR), message + suggestion(other, set(beside) - {wheel.name}))
    elif beside[other].first(_BAR):
        message += f"is the second on '{other}': write it at one of the two wheels"
        faults.error(wheel.line_of(_BAR), message)


def _check(wheel: Block, robot: RobotBlocks, faults: Faults) -> None:
    check_tyre(wheel, faults)
    if wheel.first(_BAR) is not None:
        _check_bar(wheel, robot, faults)
    part, name = wheel.text("Part"), wheel.text("DriveActuator")
    message = f"<DriveActuator> of {wheel.title} names '{name}', which is no DriveActuator"
    if name and name not in robot.actuators:
        hint = suggestion(name, robot.actuators)
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
            "SuspensionKdRebound",
            "Damping while the suspension extends, for each kilogram of the part; that of "
            "SuspensionKd when not given.",
            unit="N s/(m kg)",
            interval=Interval(0.0, 1e5),
        ),
        parameter(
            "SuspensionTravel",
            "How far the unloaded suspension is pressed until it meets its bump stop; "
            "SuspensionRestLength when not given.",
            unit="m",
            interval=POSITIVE_LENGTH,
        ),
        parameter(
            "BumpStopKs",
            "Stiffness of the bump stop for each kilogram of the part; ten times SuspensionKs when "
            "not given.",
            unit="N/(m kg)",
            interval=Interval(0.0, 1e6),
        ),
        Element(
            _BAR,
            "An anti-roll bar to another wheel of the part: where one suspension is pressed by a "
            "metre more than the other, it pushes the first out and the other up with `ks` × mass "
            "of the part. It is written at one of the two wheels.",
            (
                Attribute("wheel", "The other wheel.", ValueType.NAME, required=True),
                Attribute(
                    "ks",
                    "Its stiffness.",
                    unit="N/(m kg)",
                    required=True,
                    interval=Interval(0.0, 1e5),
                ),
            ),
        ),
        parameter(
            "Friction",
            "Coefficient of friction of the tyre on a dry road; of a tyre with a Magic Formula a "
            "factor on that of its coefficients.",
            default=1.0,
            interval=Interval(0.0, 10.0),
        ),
        parameter(
            "RollingResistance",
            "Force against rolling by the load, on any ground.",
            default=ROLLING_RESISTANCE,
            interval=Interval(0.0, 1.0),
        ),
        parameter(
            "Camber",
            "Angle by which the top of the wheel leans outwards; it acts on tyres with a Magic "
            "Formula.",
            unit="rad",
            default=0.0,
            interval=Interval(-0.5, 0.5),
        ),
        TYRE,
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
    codecs={
        TAG: read_tyre,
        _BAR: _anti_roll_bar,
        **dict.fromkeys(("SuspensionKdRebound", "SuspensionTravel", "BumpStopKs"), _real_or_none),
    },
    check=_check,
)
