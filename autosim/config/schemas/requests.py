"""The valid values of each field of a request from the wire, as data.

Names are those of the messages in `proto/autosim/v1/autosim.proto`. Every field of a request has
its rule here, except for the bytes of commands, whose rule is the device's.
"""

from autosim.config.schema import Attribute, Interval, ValueType
from autosim.config.world_limits import STEP_RATES

COUNT = Interval(0.0, 1e12)
"""Numbers of steps, samples and messages: a century has no more."""

RATE = Interval(1e-3, 1e6)
"""Number of states per second: from one in a quarter of an hour to faster than any step."""

PACE = Interval(1e-3, 1e6)
"""Ratio of simulated to real time: at the least a step of 1/240 s takes four seconds."""

MOTION = Interval(-1000.0, 1000.0)
"""[m/s] or [rad/s]: beyond it a body is through a wall before the next step."""

SECONDS = Interval(0.0, 1e9)


def _text(name: str, description: str) -> Attribute:
    return Attribute(name, description, ValueType.TEXT)


def _count(name: str, description: str, unit: str = "") -> Attribute:
    return Attribute(name, description, ValueType.INTEGER, unit, interval=COUNT)


PACE_FIELD = Attribute(
    "real_time_factor",
    "Simulated by real time; 0: as fast as it goes.",
    interval=PACE,
    may_be_zero=True,
)
RATE_FIELD = Attribute(
    "rate_hz",
    "States a simulated second; 0: every step.",
    unit="Hz",
    interval=RATE,
    may_be_zero=True,
)
STEPS_FIELD = _count("steps", "How many steps.")

STEP_RATE_FIELD = Attribute(
    "steps_per_second",
    "Integration steps in a second of simulated time; 0: as the world's file says.",
    ValueType.INTEGER,
    "Hz",
    interval=STEP_RATES,
    may_be_zero=True,
)

FIELDS: dict[str, tuple[Attribute, ...]] = {
    "ReadFileRequest": (_text("name", "Of the list of files."),),
    "File": (_text("name", "Of a file."), _text("digest", "SHA-256, hex.")),
    "SubscribeRequest": (
        _text("client", "Its name in messages and lists."),
        _text("layout_digest", "SHA-256, hex."),
        RATE_FIELD,
        Attribute(
            "max_hz",
            "States a second of real time at most; 0: no limit.",
            unit="Hz",
            interval=RATE,
            may_be_zero=True,
        ),
    ),
    "Plugin": (_text("name", "A file or a package."), _text("version", "Or SHA-256, hex.")),
    "Command": (_text("device", "robot.part.device"),),
    "Attach": (
        _text("program", "Its name in messages and lists."),
        _text("robot", "The robot that it drives."),
        _text("layout_digest", "SHA-256, hex."),
    ),
    "Wait": (
        Attribute(
            "until_step",
            "When to wake the program.",
            ValueType.INTEGER,
            interval=Interval(0.0, 2.0**62),
        ),
        Attribute("turn_seconds", "How long its turn took.", unit="s", interval=SECONDS),
    ),
    "RenderResult": (
        _count("number", "Of what the server wants; 0: an offer."),
        _text("layout_digest", "SHA-256, hex."),
        _text("failure", "Why there are no pictures."),
    ),
    "Image": (
        _count("width", "Of the picture.", "pixels"),
        _count("height", "Of the picture.", "pixels"),
        _count("offset", "Where it begins.", "bytes"),
        _count("step", "The step count that it shows."),
    ),
    "ImageSpec": (
        _text("camera", "robot.part.camera"),
        _text("kind", "Of its kinds of pictures."),
    ),
    "ControlRequest": (STEPS_FIELD, PACE_FIELD),
    "ReportRequest": (_count("messages_after", "The first message wanted."),),
    "TrackRequest": (
        _count("samples", "Number of samples that the client has."),
        _count("interval", "Between them.", "steps"),
    ),
    "ProgramOrder": (
        _text("robot", "The robot that it drives."),
        _text("file", "The program."),
        _text("arguments", "Arguments of its main after the robot's name."),
    ),
    "LoadRequest": (
        _text("world", "A world file or an extract."),
        STEP_RATE_FIELD,
    ),
    "AddRobotRequest": (
        Attribute("file", "A robot file.", ValueType.PATH),
        Attribute("name", "Of the new robot.", ValueType.NAME),
        Attribute("x", "East.", unit="m"),
        Attribute("y", "North.", unit="m"),
        Attribute("yaw", "Counter-clockwise from east.", unit="rad"),
        _text("program", "Its user program."),
        _text("arguments", "Arguments of its main after the robot's name."),
    ),
    "MoveRobotRequest": (
        _text("robot", "Its name."),
        Attribute("x", "East.", unit="m"),
        Attribute("y", "North.", unit="m"),
        Attribute("yaw", "Counter-clockwise from east.", unit="rad"),
        Attribute("height", "Above the surface below it.", unit="m"),
    ),
    "Vector": tuple(
        Attribute(axis, f"To the {side}.", interval=MOTION)
        for axis, side in (("x", "front"), ("y", "left"), ("z", "top"))
    ),
    "RemoveRobotRequest": (_text("robot", "Its name."),),
    "TimeOrder": (
        _text("name", "Of a record, or of a snapshot."),
        Attribute(
            "seconds", "Simulated time.", unit="s", interval=Interval(1e-3, 1e6), may_be_zero=True
        ),
        _count("step", "The step count."),
        _count("seed", "Of noise and traffic."),
    ),
    "StartPose": (
        _text("robot", "Its name."),
        Attribute("x", "East.", unit="m"),
        Attribute("y", "North.", unit="m"),
        Attribute("z", "Up.", unit="m"),
        Attribute("yaw", "Counter-clockwise from east.", unit="rad"),
    ),
    "SaveRequest": (_text("folder", "The folder of the new file."),),
    "CreateTokenRequest": (
        _text("name", "Its name in lists."),
        _text("robots", "The robots that it may drive."),
        Attribute("seconds", "Time until it expires.", unit="s", interval=SECONDS),
    ),
    "RevokeTokenRequest": (_text("name", "Of a token."),),
}
"""The fields of the messages that clients send. Enumerations need no rule: any known value is
valid."""

MOST = {
    "SubscribeRequest.files": 10_000,
    "SubscribeRequest.plugins": 1_000,
    "Commands.commands": 2_000,
    "Wait.commands": 10_000,
    "ImageRequest.images": 1_000,
    "RenderResult.images": 1_000,
    "ProgramOrder.arguments": 100,
    "AddRobotRequest.arguments": 100,
    "CreateTokenRequest.robots": 100,
    "TimeOrder.places": 1_000,
    "ControlRequest.commands": 2_000,
}
"""Largest number of values of a repeated field."""

FREE = frozenset({"Leave.reason", "Leave.traceback"})
"""Texts without a rule: the last words of a program, which may be about anything."""
