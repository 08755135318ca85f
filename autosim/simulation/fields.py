"""What each kind of node holds: the layout of the state, in one place."""

from autosim.config.descriptions import Device, LidarSensor, Publication
from autosim.simulation.tree import Column, Field, FieldType, list_field

NMEA_BYTES = 88
"""Room for an NMEA 0183 sentence (at most 82 characters), in whole words."""

FIELDS: dict[str, tuple[Field, ...]] = {
    "Robot": (Field("state", FieldType.INT), Field("collisions", FieldType.INT)),
    "Box": (
        Field("position", shape=(3,), unit="m"),
        Field("orientation", shape=(4,)),
        Field("velocity", shape=(3,), unit="m/s"),
        Field("angular_velocity", shape=(3,), unit="rad/s"),
    ),
    "SphericalLink": (),
    "DriveActuator": (Field("steering", unit="rad"), Field("acceleration"), Field("brake")),
    "WheelDevice": (
        Field("steering", unit="rad"),
        Field("rotation", unit="rad"),
        Field("angular_velocity", unit="rad/s"),
        Field("suspension_length", unit="m"),
        Field("load", unit="N"),
        Field("slip_ratio"),
        Field("slip_angle", unit="rad"),
    ),
    "LightDevice": (Field("intensity"),),
    "HeadLightDevice": (Field("intensity"),),
    "BeliefDevice": (
        Field("position", shape=(3,), unit="m"),
        Field("heading", unit="rad"),
        Field("position_deviation", shape=(3,), unit="m"),
        Field("heading_deviation", unit="rad"),
        Field("correlation"),
    ),
    "PSDSensor": (Field("distance", unit="m"),),
    "GyroscopeSensor": (Field("angular_velocity", unit="rad/s"),),
    "VelocimeterSensor": (Field("velocity", unit="m/s"),),
    "CompassSensor": (Field("heading", unit="rad"),),
    "InclinometerSensor": (Field("angle", unit="rad"),),
    "GPSSensor": (Field("sentence", FieldType.TEXT, (NMEA_BYTES,)),),
    "TimeDevice": (Field("time", unit="s"),),
    "Camera": (),
}
"""Fields by kind. Positions are in W; orientation is the quaternion (x, y, z, w) of R_WB."""


def fields_of(device: Device) -> tuple[Field, ...]:
    """What a device's node holds. A lidar's ranges have the size of its scan, 0: no return."""
    if isinstance(device, LidarSensor):
        ranges = Field("ranges", shape=(device.channels, device.columns), unit="m")
        return ranges, Field("newest_column", FieldType.INT)
    return FIELDS[type(device).__name__]


PUBLICATION = "Publication"
"""The kind of a list that user programs publish; it lies directly under its robot."""


def published_fields(publication: Publication) -> tuple[Field, ...]:
    """What the node of a publication holds: its rows."""
    columns = [Column(each.name, each.unit) for each in publication.columns]
    return (list_field("rows", columns, publication.capacity),)


ACTUATORS = frozenset({"DriveActuator", "LightDevice", "HeadLightDevice"})
"""The kinds by which a user program drives a robot; only one program drives it at a time."""

SETTABLE = ACTUATORS | {"BeliefDevice", PUBLICATION}
"""The kinds that `set_data` may write. What a program believes or publishes drives nothing."""
