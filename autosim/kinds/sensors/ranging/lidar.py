"""Lidars, rotating and solid-state: the ranges of the last sweep, sector by sector."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, pi

from autosim.config.descriptions import Device, Vector3
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schema import Interval, ValueType
from autosim.config.schemas.common import parameter
from autosim.kinds.banks import BankContext, Mounted
from autosim.kinds.checks import RobotBlocks, check_axes
from autosim.kinds.elements import LIST_NOISES, device_element, seen_from_to, update_rate, view
from autosim.kinds.kind import DeviceKind
from autosim.simulation.tree import Field, FieldType

MOST_RANGES = 65_536
"""Number of ranges of one lidar: half a megabyte of each state, which every client is sent."""

_ELEVATION = Interval(-pi / 2, pi / 2)


@dataclass(frozen=True, slots=True)
class LidarSensor(Device):
    """A lidar of `channels` × `columns` ranges [m]; noise in metres.

    It turns `update_rate` [Hz] times a second about `up`, counter-clockwise from above; its first
    column points along `direction` (unit vectors in B; only the share of `direction` at a right
    angle to `up` counts). The channels are spread evenly from `lowest_elevation` to
    `highest_elevation` [rad]. What is nearer than `minimum_range` or farther than `range` [m] gives
    no return, and a share `dropout` of all rays gives none by chance.

    With a `field_of_view` [rad] of less than a turn nothing rotates: the columns lie within it,
    half of them on each side of `direction`, and are measured from the right to the left. If it
    `has_intensity`, it tells how strong each return is. In `rain` [mm/h] and in fog with a
    `visibility` [m] (0: clear) light is lost, and with it returns; None: those of the world.
    """

    position: Vector3 = (0.0, 0.0, 0.0)
    direction: Vector3 = (1.0, 0.0, 0.0)
    up: Vector3 = (0.0, 0.0, 1.0)
    channels: int = 16
    lowest_elevation: float = -pi / 12
    highest_elevation: float = pi / 12
    columns: int = 360
    update_rate: float = 10.0
    minimum_range: float = 0.5
    range: float = 100.0
    dropout: float = 0.0
    field_of_view: float = 2.0 * pi
    has_intensity: bool = False
    rain: float | None = None
    visibility: float | None = None

    @property
    def is_spinning(self) -> bool:
        """Whether it turns, and sees all around."""
        return self.field_of_view >= 2.0 * pi


def most_columns(lidar: LidarSensor, step_seconds: float) -> int:
    """How many columns a lidar measures in a step of that length [s] at most."""
    return min(lidar.columns, max(1, ceil(lidar.columns * lidar.update_rate * step_seconds - 1e-9)))


def _fields(lidar: LidarSensor) -> tuple[Field, ...]:
    """The ranges have the size of the scan; 0 means no return."""
    shape = (lidar.channels, lidar.columns)
    ranges = Field(
        "ranges",
        shape=shape,
        unit="m",
        meaning="Of each channel, from the lowest, and column; 0 where nothing came back.",
    )
    newest = Field("newest_column", FieldType.INT, meaning="The column that was measured last.")
    if not lidar.has_intensity:
        return ranges, newest
    meaning = "How much of the light came back, of each range; 0 where nothing did."
    return ranges, newest, Field("intensities", shape=shape, meaning=meaning)


def ray_channels(lidar: LidarSensor, step_seconds: float) -> tuple[str, ...]:
    """A name for each ray that a lidar casts in a step at most; its noise follows from it."""
    count = lidar.channels * most_columns(lidar, step_seconds)
    return tuple(f".ray{number}" for number in range(count))


def _check(lidar: Block, robot: RobotBlocks, faults: Faults) -> None:
    check_axes(lidar, robot, faults)
    for low, high in (("LowestElevation", "HighestElevation"), ("MinimumRange", "Range")):
        a, b = lidar.value(low), lidar.value(high)
        if a is not None and b is not None and float(a) >= float(b):
            message = f"<{low}> of {lidar.title} is {a}, which is not less than <{high}>, {b}"
            faults.error(lidar.line_of(low), message)
    channels, columns = lidar.value("Channels"), lidar.value("Columns")
    if channels and columns and int(channels) * int(columns) > MOST_RANGES:
        message = f"{lidar.title} has {channels} × {columns} ranges; {MOST_RANGES} are possible"
        faults.error(lidar.line_of("Columns"), message)


def _make_bank(devices: Sequence[Mounted[LidarSensor]], context: BankContext) -> object:
    # Its kernels take numba, which programs and clients do without.
    from autosim.kinds.sensors.ranging.lidar_bank import LidarBank

    return LidarBank(devices, context)


KIND = DeviceKind(
    record=LidarSensor,
    element=device_element(
        "LidarSensor",
        "A lidar: in each step it measures only the sector that it sweeps in this step. "
        "Its values are ranges [m], a row for each channel from the lowest to the highest, a "
        "column for each direction, counter-clockwise from above beginning with Direction; 0 "
        "where nothing came back. It sees surfaces and the boxes of other robots. Noise is in "
        "metres.",
        *view(
            "Where the rays begin, relative to the part's centre.", "Where its first column points."
        ),
        parameter(
            "Channels",
            "Rays above each other.",
            default=16,
            interval=Interval(1, 128),
            type=ValueType.INTEGER,
        ),
        parameter(
            "LowestElevation",
            "Angle of the lowest channel above the horizontal.",
            unit="rad",
            default=-pi / 12,
            interval=_ELEVATION,
        ),
        parameter(
            "HighestElevation",
            "Angle of the highest channel above the horizontal.",
            unit="rad",
            default=pi / 12,
            interval=_ELEVATION,
        ),
        parameter(
            "Columns",
            "Directions in a revolution. Channels × Columns are 65536 at most.",
            default=360,
            interval=Interval(1, 4096),
            type=ValueType.INTEGER,
        ),
        update_rate(
            "Revolutions in a second, in each of which every point is renewed.",
            default=10.0,
            highest=1000.0,
        ),
        *seen_from_to("What is nearer gives no return.", "What is farther gives no return."),
        parameter(
            "Dropout",
            "Share of the rays that give no return by chance.",
            default=0.0,
            interval=Interval(0.0, 1.0),
        ),
        parameter(
            "FieldOfView",
            "Width of what it sees. A whole turn: it rotates. Less: a solid-state lidar, whose "
            "columns lie evenly within this angle, half of it on each side of Direction, and are "
            "measured one after the other from the right to the left.",
            unit="rad",
            default=2.0 * pi,
            interval=Interval(0.01, 2.0 * pi),
        ),
        parameter(
            "Intensity",
            "Whether it tells how strong each return is: the reflectivity of the surface, from 0 "
            "to 1, times the cosine of the angle at which it is met, and times the share of the "
            "light that rain and fog let through; 0 where nothing came back.",
            default=False,
            type=ValueType.BOOLEAN,
        ),
        parameter(
            "Rain",
            "Takes light on both ways, so that returns from far are lost by chance: 4 is moderate, "
            "25 heavy. Without it, it rains as the world's Sky says.",
            unit="mm/h",
            interval=Interval(0.0, 500.0),
        ),
        parameter(
            "Visibility",
            "In fog, as meteorologists give it; it takes light as rain does. 0: there is no fog. "
            "Without it, it is that of the world's Sky.",
            unit="m",
            interval=Interval(0.0, 1e5),
        ),
        *LIST_NOISES,
    ),
    fields=_fields,
    names={"UpVector": "up", "Intensity": "has_intensity"},
    codecs=dict.fromkeys(("Rain", "Visibility"), Block.value),
    channels=ray_channels,
    check=_check,
    is_late_whole=True,
    make_bank=_make_bank,
)
