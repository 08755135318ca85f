"""Radars: a list of what returns their waves, with range, azimuth and radial speed."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi

from autosim.config.descriptions import Device, Vector3
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schema import Interval, ValueType
from autosim.config.schemas.common import parameter
from autosim.kinds.banks import BankContext, Mounted
from autosim.kinds.checks import RobotBlocks, check_axes
from autosim.kinds.elements import LIST_NOISES, device_element, seen_from_to, update_rate, view
from autosim.kinds.kind import DeviceKind
from autosim.simulation.tree import Column, Field, list_field

COLUMNS = (Column("range", "m"), Column("azimuth", "rad"), Column("radial_speed", "m/s"))
"""Of a target: positive azimuths lie to the left, positive speeds lead away."""


@dataclass(frozen=True, slots=True)
class RadarSensor(Device):
    """A radar that looks along `direction` (unit vector in B, at a right angle to `up`).

    It sees `field_of_view` [rad] across and `elevation` [rad] in height, a beam every `resolution`
    [rad], from `minimum_range` to `range` [m], `update_rate` [Hz] times a second, and tells of the
    `capacity` nearest targets.
    """

    position: Vector3 = (0.0, 0.0, 0.0)
    direction: Vector3 = (1.0, 0.0, 0.0)
    up: Vector3 = (0.0, 0.0, 1.0)
    field_of_view: float = pi / 2
    elevation: float = pi / 18
    resolution: float = pi / 180
    minimum_range: float = 0.5
    range: float = 100.0
    update_rate: float = 20.0
    capacity: int = 32


def _check(radar: Block, robot: RobotBlocks, faults: Faults) -> None:
    check_axes(radar, robot, faults)
    low, high = radar.value("MinimumRange"), radar.value("Range")
    if low is not None and high is not None and float(low) >= float(high):
        message = (
            f"<MinimumRange> of {radar.title} is {low}, which is not less than <Range>, {high}"
        )
        faults.error(radar.line_of("MinimumRange"), message)


def _fields(radar: RadarSensor) -> tuple[Field, ...]:
    return (list_field("targets", COLUMNS, radar.capacity),)


def _channels(radar: RadarSensor, step_seconds: float) -> tuple[str, ...]:
    return tuple(
        f".{column.name}.{number}" for number in range(radar.capacity) for column in COLUMNS
    )


def _make_bank(devices: Sequence[Mounted[RadarSensor]], context: BankContext) -> object:
    # Its kernels take numba, which programs and clients do without.
    from autosim.kinds.sensors.ranging.radar_bank import RadarBank

    return RadarBank(devices, context)


KIND = DeviceKind(
    record=RadarSensor,
    element=device_element(
        "RadarSensor",
        "A radar: a list of targets, the nearest first, with range [m], azimuth [rad] to the left, "
        "and radial speed [m/s], which is positive where the target goes away. It sees the bodies "
        "of other robots, each once, and upright surfaces that face it; what is behind them is "
        "hidden. The level ground returns nothing. Noise acts on each number of each target: with "
        "a field, on that one.",
        *view("Where its waves begin, relative to the part's centre.", "Where it looks."),
        parameter(
            "FieldOfView",
            "Width of what it sees, half of it on each side.",
            unit="rad",
            default=pi / 2,
            interval=Interval(0.01, 2.0 * pi),
        ),
        parameter(
            "Elevation",
            "Height of what it sees, half of it above and below.",
            unit="rad",
            default=pi / 18,
            interval=Interval(0.0, pi / 2),
        ),
        parameter(
            "Resolution",
            "Angle between its beams: targets nearer to each other are one.",
            unit="rad",
            default=pi / 180,
            interval=Interval(0.001, 1.0),
        ),
        *seen_from_to("What is nearer is not seen.", "What is farther is not seen."),
        update_rate("New lists in a second.", default=20.0),
        parameter(
            "Capacity",
            "Most targets of a list.",
            default=32,
            interval=Interval(1, 256),
            type=ValueType.INTEGER,
        ),
        *LIST_NOISES,
    ),
    fields=_fields,
    names={"UpVector": "up"},
    channels=_channels,
    check=_check,
    is_late_whole=True,
    make_bank=_make_bank,
)
