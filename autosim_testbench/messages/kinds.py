"""The kinds of messages that come with the test bench: SI units, angles in radians.

Planar poses are x east, y north, yaw anticlockwise from x.
"""

from functools import cache

from autosim_testbench.messages.serial_object import DynamicMessage, MessageField, SerialObject


class Scalar(SerialObject):
    """A number; its unit is the topic's."""

    value = MessageField("float64")


class Range(SerialObject):
    """Distance to the nearest thing ahead."""

    distance = MessageField("float32", unit="m", about="infinity where nothing is in reach")


class Heading(SerialObject):
    """Heading of an object."""

    angle = MessageField(
        "float32", unit="rad", about="anticlockwise from x; of a compass, see its node"
    )


class PlanarPose(SerialObject):
    """Place and direction in the plane."""

    x = MessageField("float64", unit="m")
    y = MessageField("float64", unit="m")
    yaw = MessageField("float64", unit="rad")


class Transform(SerialObject):
    """Pose of a frame B in a frame A: p_AB and q_AB."""

    position = MessageField("float64", shape=(3,), unit="m")
    orientation = MessageField("float64", shape=(4,), about="quaternion x, y, z, w of length 1")


class WheelCommand(SerialObject):
    """Commanded directions of two sides of wheels: -1 back, 0 stop, 1 ahead."""

    left = MessageField("int8")
    right = MessageField("int8")


class Detection(SerialObject):
    """The nearest obstacle that a rover perceives."""

    obstacle = MessageField("int32", about="its number; -1 of a boundary; -2 where there is none")
    x = MessageField("float64", unit="m")
    y = MessageField("float64", unit="m")
    distance = MessageField("float64", unit="m")


@cache
def scan_kind(count: int) -> type[DynamicMessage]:
    """The kind of message with `count` distances of a lidar, in the order of its rays."""
    return type(
        f"Scan{count}",
        (DynamicMessage,),
        {
            "__doc__": f"Distances along the {count} rays of a lidar.",
            "ranges": MessageField(
                "float32", shape=(count,), unit="m", about="infinity where nothing is in reach"
            ),
        },
    )


@cache
def picture_kind(width: int, height: int) -> type[DynamicMessage]:
    """The kind of message with a picture and the depth of each of its pixels, rows from the top."""
    return type(
        f"Picture{width}x{height}",
        (DynamicMessage,),
        {
            "__doc__": f"A picture of {width} by {height} pixels with its depth.",
            "colours": MessageField("uint8", shape=(height, width, 3), about="red, green, blue"),
            "depths": MessageField(
                "float32",
                shape=(height, width),
                unit="m",
                about="along the view's axis; infinity where nothing is, or where it is unknown",
            ),
        },
    )
