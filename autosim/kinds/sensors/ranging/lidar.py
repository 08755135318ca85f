"""Lidars, rotating and solid-state: the ranges of the last sweep, sector by sector."""

from math import pi

from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schema import Interval, ValueType
from autosim.config.schemas.common import parameter
from autosim.kinds.checks import RobotBlocks, check_axes
from autosim.kinds.elements import LIST_NOISES, device_element, seen_from_to, update_rate, view
from autosim.kinds.kind import DeviceKind
from autosim.kinds.sensors.ranging.lidar_bank import LidarBank
from autosim.kinds.sensors.ranging.lidar_device import LidarSensor, ray_channels
from autosim.model.tree import Field, FieldType

MOST_RANGES = 65_536
"""Number of ranges of one lidar: half a megabyte of each state, which every client is sent."""

_ELEVATION = Interval(-pi / 2, pi / 2)


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


def _check(lidar: Block, robot: RobotBlocks, faults: Faults) -> None:
    check_axes(lidar, robot, faults)
    for low, high in (("MinElevation", "MaxElevation"), ("MinRange", "Range")):
        a, b = lidar.value(low), lidar.value(high)
        if a is not None and b is not None and float(a) >= float(b):
            message = f"<{low}> of {lidar.title} is {a}, which is not less than <{high}>, {b}"
            faults.error(lidar.line_of(low), message)
    channels, columns = lidar.value("Channels"), lidar.value("Columns")
    if channels and columns and int(channels) * int(columns) > MOST_RANGES:
        message = f"{lidar.title} has {channels} × {columns} ranges; {MOST_RANGES} are possible"
        faults.error(lidar.line_of("Columns"), message)


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
            "MinElevation",
            "Angle of the lowest channel above the horizontal.",
            unit="rad",
            default=-pi / 12,
            interval=_ELEVATION,
        ),
        parameter(
            "MaxElevation",
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
    make_bank=LidarBank,
)
