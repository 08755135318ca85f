"""Ultrasonic sensors: the distance to the nearest thing in a cone that sends sound back."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi

from autosim.config.descriptions import Device, Vector3
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schema import Interval, ValueType
from autosim.config.schemas.common import NOT_NEGATIVE, direction, parameter, vector
from autosim.kinds.banks import BankContext, Mounted
from autosim.kinds.checks import RobotBlocks
from autosim.kinds.elements import FORWARD, ORIGIN, POINT_NOISES, device_element
from autosim.kinds.kind import DeviceKind
from autosim.simulation.tree import Field

SOUND = 343.0
"""Speed of sound [m/s] in dry air at 20 °C."""


@dataclass(frozen=True, slots=True)
class UltrasonicSensor(Device):
    """Distance to what sends sound back in a cone about `direction` (unit vector in B).

    The cone has an opening of `angle` [rad]. An echo from nearer than `minimum_range` [m] is lost
    in the sensor's own sound; `range` [m] stands for no echo. It sends when sound has had time to
    come back from `range`, and `dead_time` [s] more, and for the first time at `offset` [s].
    `has_crosstalk`: it hears what others of its robot send at the same time.
    """

    position: Vector3 = (0.0, 0.0, 0.0)
    direction: Vector3 = (1.0, 0.0, 0.0)
    angle: float = pi / 6
    minimum_range: float = 0.03
    range: float = 4.0
    dead_time: float = 0.01
    offset: float = 0.0
    has_crosstalk: bool = True


def _check(sensor: Block, robot: RobotBlocks, faults: Faults) -> None:
    low, high = sensor.value("MinimumRange"), sensor.value("Range")
    if low is not None and high is not None and float(low) >= float(high):
        message = f"<MinimumRange> of {sensor.title} is {low}, not less than <Range>, {high}"
        faults.error(sensor.line_of("MinimumRange"), message)


def _make_bank(devices: Sequence[Mounted[UltrasonicSensor]], context: BankContext) -> object:
    # Its kernels take numba, which programs and clients do without.
    from autosim.kinds.sensors.ranging.ultrasonic_bank import UltrasonicBank

    return UltrasonicBank(devices, context)


KIND = DeviceKind(
    record=UltrasonicSensor,
    element=device_element(
        "UltrasonicSensor",
        "The distance to the nearest thing in a cone that sends sound back: what is turned away "
        "from the sensor, as level ground is, reflects it elsewhere. A new value comes when sound "
        "has had time to come back from the greatest distance, and the dead time later. Sensors of "
        "one robot that send in the same step hear each other's echoes.",
        vector(
            "Position", "Where its sound begins, relative to the part's centre.", default=ORIGIN
        ),
        direction("Direction", "Where the middle of the cone points.", default=FORWARD),
        parameter(
            "Angle",
            "Opening of the cone, from one side to the other.",
            unit="rad",
            default=pi / 6,
            interval=Interval(0.0, pi),
        ),
        parameter(
            "MinimumRange",
            "An echo from nearer is lost in the sound that the sensor sends.",
            unit="m",
            default=0.03,
            interval=Interval(0.001, 100.0),
        ),
        parameter(
            "Range",
            "Greatest distance; also the value when nothing is heard.",
            unit="m",
            default=4.0,
            interval=Interval(0.01, 100.0),
        ),
        parameter(
            "DeadTime",
            "Time after the last possible echo until the sensor sends again.",
            unit="s",
            default=0.01,
            interval=NOT_NEGATIVE,
        ),
        parameter(
            "Offset",
            "When it sends for the first time: sensors that take turns do not hear each other.",
            unit="s",
            default=0.0,
            interval=NOT_NEGATIVE,
        ),
        parameter(
            "Crosstalk",
            "Whether it hears the echoes of other sensors of its robot.",
            default=True,
            type=ValueType.BOOLEAN,
        ),
        *POINT_NOISES,
    ),
    fields=(Field("distance", unit="m", meaning="To what sends sound back first."),),
    names={"Crosstalk": "has_crosstalk"},
    check=_check,
    make_bank=_make_bank,
)
