"""Belief of an inertial navigation system: a filter over the robot's own sensors."""

from collections.abc import Sequence
from dataclasses import dataclass

from autosim.config.descriptions import Device
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schema import Element, Interval
from autosim.config.schemas.common import parameter
from autosim.kinds.banks import BankContext, Mounted
from autosim.kinds.checks import RobotBlocks, vector_of
from autosim.kinds.elements import device_element
from autosim.kinds.kind import DeviceKind
from autosim.simulation.tree import Access, Field


@dataclass(frozen=True, slots=True)
class INS(Device):
    """An error-state Kalman filter keeps the robot's belief up to date.

    It begins at the truth and an error with these standard deviations: `start_position` [m],
    `start_turn` [rad], `start_velocity` [m/s], which is that of the velocity along its own axes.
    `rolling_deviation` [m/s] is that of the speed that a wheel tells, for tyres slip, and
    `sliding_deviation` [m/s] that of the speeds sideways and upwards of a robot on wheels, which
    are taken for 0.
    """

    start_position: float = 1.0
    start_turn: float = 0.01
    start_velocity: float = 0.1
    rolling_deviation: float = 0.2
    sliding_deviation: float = 0.6


def _make_bank(devices: Sequence[Mounted[INS]], context: BankContext) -> object:
    # Its kernels take numba, which programs and clients do without.
    from autosim.kinds.owners.ins_bank import INSBank

    return INSBank(devices, context)


def _check(ins: Block, robot: RobotBlocks, faults: Faults) -> None:
    part = ins.text("Part")
    own = [each for each in robot.devices if each.text("Part") == part]
    if robot.bodies and part and robot.bodies[0].name != part:
        message = f"{ins.title} is on the part '{part}': expected the first part of the robot, "
        faults.error(ins.line_of("Part"), message + f"'{robot.bodies[0].name}'")
    unit = next((each for each in own if each.tag == "IMU"), None)
    if unit is None:
        faults.error(ins, f"{ins.title} needs an <IMU> on the part '{part}'")
    elif any(vector_of(unit, "Position") or ()):
        message = f"{ins.title} needs an <IMU> at the centre of its part, "
        message += f"which {unit.title} is not: without <Position>"
        faults.error(unit.line_of("Position"), message)
    _warn_of_lasting_errors(own, faults)


_MOVING = ("GPSSensor", "CompassSensor", "VelocimeterSensor", "Barometer")
"""The kinds of sensors that it reads beside the inertial unit and those of wheels."""


def _warn_of_lasting_errors(own: Sequence[Block], faults: Faults) -> None:
    """Notes errors that last of sensors whose errors it takes for others at each time."""
    for device in own:
        if device.tag in _MOVING:
            lasting = [each for each in device.all("Bias") if each.own_real("deviation")]
            lasting += [*device.all("RandomWalk"), *device.all("Scale")]
            for each in lasting:
                message = f"<INS> does not know of the <{each.tag}> of {device.title}, "
                faults.warning(each, message + "and will be surer than it may be")


def _start(name: str, what: str, unit: str, default: float) -> Element:
    return parameter(
        name,
        f"Standard deviation of the believed {what} at the start, along each axis.",
        unit=unit,
        default=default,
        interval=Interval(1e-6, 1e4),
    )


KIND = DeviceKind(
    record=INS,
    element=device_element(
        "INS",
        "An error-state Kalman filter over the robot's own sensors on the same part: an "
        "inertial measurement unit at its centre, and, where there are any, a GPS receiver (place, "
        "speed and course, and the height of its GGA sentence), compasses, velocimeters, "
        "barometers, and encoders and odometers of wheels that are not steered, at their own rates "
        "and delays. How wrong these are it reads from their noise. A robot with such wheels is "
        "taken not to slide. It owns the belief. Its values are the biases that it has found.",
        _start("StartPosition", "position", "m", 1.0),
        _start("StartTurn", "orientation", "rad", 0.01),
        _start("StartVelocity", "velocity", "m/s", 0.1),
        parameter(
            "RollingDeviation",
            "Standard deviation of the speed that an encoder or an odometer tells beside its "
            "noise, as tyres slip: of each tenth of a second.",
            unit="m/s",
            default=0.2,
            interval=Interval(1e-6, 1e4),
        ),
        parameter(
            "SlidingDeviation",
            "Standard deviation of the speeds sideways and upwards between the wheels that are not "
            "steered, which are taken for 0 ten times a second.",
            unit="m/s",
            default=0.6,
            interval=Interval(1e-6, 1e4),
        ),
    ),
    fields=(
        Field("accelerometer_bias", shape=(3,), unit="m/s^2"),
        Field("gyroscope_bias", shape=(3,), unit="rad/s"),
    ),
    check=_check,
    state_access=Access.READ,
    make_bank=_make_bank,
)
