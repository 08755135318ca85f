"""Events of a run, in addition to its states: commands, messages, collisions, output."""

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar

from autosim.model.notices import Notice
from autosim.records.foxglove import foxglove_schema
from autosim.records.schemas import PACKAGE, Schema, add_field, new_file

Numbers = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened after `step` steps, before the next one."""

    topic: ClassVar[str]
    step: int


@dataclass(frozen=True, slots=True)
class CommandApplied(Event):
    """A device was set to `values`, in the order of its fields; of a list, its rows."""

    topic = "/commands"
    device: str
    values: Numbers


@dataclass(frozen=True, slots=True)
class CommandOrdered(Event):
    """A command to a device from outside the server's own programs."""

    topic = "/orders"
    device: str
    values: Numbers
    """Values of the device, in the order of its fields."""


@dataclass(frozen=True, slots=True)
class Intervention(Event):
    """An intervention after which programs cannot repeat what they did; in words."""

    topic = "/interventions"
    text: str
    """Description of the intervention."""


@dataclass(frozen=True, slots=True)
class StateDigest(Event):
    """The digest (SHA-256, hex) of all states from step 1 up to this one."""

    topic = "/check_points"
    digest: str


@dataclass(frozen=True, slots=True)
class PlacementApplied(Event):
    """A robot or an object was moved: see `autosim.engine.step.placement.Placement`."""

    topic = "/placements"
    name: str
    """Name of the robot or object."""
    position: Numbers
    """Position (3,) [m] in W."""
    yaw: float
    """Yaw [rad]."""
    pitch: float
    """Pitch [rad]; see `Placement`."""
    velocity: Numbers
    """Velocity (3,) [m/s] of the origin, in the robot's own axes."""
    angular_velocity: Numbers
    """Angular velocity (3,) [rad/s] in the robot's own axes."""


@dataclass(frozen=True, slots=True)
class StateChanged(Event):
    """A robot shows another state from now on: it is blocked, or driven again."""

    topic = "/device_states"
    robot: str
    state: int


@dataclass(frozen=True, slots=True)
class Collision(Event):
    """A robot has hit another one, an object or the world; `text` says what, in words."""

    topic = "/collisions"
    robot: str
    text: str


@dataclass(frozen=True, slots=True)
class OutputPrinted(Event):
    """Output of user programs; `source` is the robot and the file, "" in records without it."""

    topic = "/output"
    text: str
    """The output."""
    source: str = ""


@dataclass(frozen=True, slots=True)
class NoticeLogged(Event):
    """A message for the user; as a record has it, one that log panels of viewers show."""

    topic = "/messages"
    level: str
    """Level: info, warning or error."""
    source: str
    """Source of the message."""
    text: str
    """The message."""


LOGGED: tuple[type[Event], ...] = (
    *(CommandApplied, PlacementApplied, StateChanged),
    *(CommandOrdered, Intervention, StateDigest),
)
"""The events that are needed to simulate a run again: with one world and seed, the same log gives
the same bytes. With its programs, too, those that were `CommandOrdered` and `PlacementApplied`
suffice."""

KINDS: tuple[type[Event], ...] = (*LOGGED, Collision, OutputPrinted, NoticeLogged)
"""All kinds of events; each has its own topic."""

_LEVELS = {"info": 2, "warning": 3, "error": 4}
"""Levels of messages as foxglove.Log numbers them."""


def notice_event(notice: Notice) -> NoticeLogged:
    """The event that a notice is."""
    return NoticeLogged(notice.step, notice.level, notice.source, notice.text)


class EventCodec:
    """Turns events into messages and back; `schemas` has one for each topic."""

    def __init__(self) -> None:
        self.schemas = {kind.topic: _schema(kind) for kind in KINDS if kind is not NoticeLogged}
        self.schemas[NoticeLogged.topic] = foxglove_schema("Log")
        self._kinds = {kind.topic: kind for kind in KINDS}

    def encode(self, event: Event, time: int) -> bytes:
        """The message of an event at the simulated `time` [ns]."""
        schema = self.schemas[event.topic]
        if isinstance(event, NoticeLogged):
            message = schema.new(
                level=_LEVELS.get(event.level, 0), message=event.text, name=event.source
            )
            message.timestamp.FromNanoseconds(time)
        else:
            values = {each.name: getattr(event, each.name) for each in dataclasses.fields(event)}
            message = schema.new(**values)
        data: bytes = message.SerializeToString()
        return data

    def decode(self, topic: str, data: bytes, *, step: int) -> Event:
        """The event that a message of a topic holds; `step` is that of its time."""
        message, kind = self.schemas[topic].read(data), self._kinds[topic]
        if kind is NoticeLogged:
            level = next((n for n, code in _LEVELS.items() if code == message.level), "info")
            return NoticeLogged(step, level, message.name, message.message)
        return kind(**{each.name: _value(message, each.name) for each in dataclasses.fields(kind)})


def _value(message: object, name: str) -> Any:
    value = getattr(message, name)
    return value if isinstance(value, str | int | float) else tuple(value)


def _schema(kind: type[Event]) -> Schema:
    file = new_file(f"autosim/record/{kind.__name__}.proto", PACKAGE)
    message = file.message_type.add(name=kind.__name__)
    for each in dataclasses.fields(kind):
        is_repeated = each.type is Numbers
        name = "float" if is_repeated else each.type.__name__  # type: ignore[union-attr]
        add_field(message, each.name, name, is_repeated=is_repeated)
    return Schema(f"{PACKAGE}.{kind.__name__}", [file])
