"""Descriptions of robots as protobuf records, for processes without the robot's file."""

from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from autosim.config import descriptions, noise_records
from autosim.config.descriptions import Device, Part, PartFile, RobotDescription
from autosim.kinds.actuators import drivetrain
from autosim.kinds.actuators.drivetrain import Differentials, ElectricMotor, Engine, Gearbox
from autosim.kinds.actuators.light import Follows
from autosim.kinds.actuators.tyre import Tyre
from autosim.kinds.actuators.wheel import AntiRollBar
from autosim.kinds.coupling.fmu_record import FmuDevice, FmuPort
from autosim.kinds.foreign import ForeignDevice
from autosim.kinds.registry import BUILT_IN, LINKS, PARTS
from autosim.model.rigid_bodies.shapes import Box, Capsule, Cylinder, PlacedShape, Sphere
from autosim.v1 import tree_pb2 as pb

_RECORDS: dict[str, Any] = {
    **{
        name: each
        for module in (descriptions, drivetrain)
        for name, each in vars(module).items()
        if is_dataclass(each)
    },
    **noise_records.RECORDS,
    **{kind.record.__name__: kind.record for kind in (*PARTS, *LINKS, *BUILT_IN)},
    "Follows": Follows,
    "Tyre": Tyre,
    "AntiRollBar": AntiRollBar,
    "FmuPort": FmuPort,
    **{each.__name__: each for each in (Engine, ElectricMotor, Gearbox, Differentials)},
    **{each.__name__: each for each in (PlacedShape, Box, Sphere, Capsule, Cylinder)},
}

_COMMON = tuple(each.name for each in fields(Device))
"""Fields that all devices share."""


def robot_to_record(robot: RobotDescription) -> pb.Record:
    """`robot` as a record of the wire; of its file, the name alone, of its running gear no file."""
    return _to_record(replace(robot, running_gear=None))


def object_to_record(body: Part) -> pb.Record:
    """Description of an object, as a record of the wire."""
    return _to_record(body)


def robot_from_record(record: pb.Record) -> RobotDescription:
    """The robot that `robot_to_record` wrote.

    Raises:
        ValueError: the record is not a robot.
    """
    try:
        robot = _from_record(record)
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a robot: {error!r}") from error
    if not isinstance(robot, RobotDescription):
        raise ValueError(f"not a robot, but a {record.kind}")
    return robot


def object_from_record(record: pb.Record) -> Part:
    """The object that `object_to_record` wrote.

    Raises:
        ValueError: the record is not an object.
    """
    try:
        body = _from_record(record)
    except (KeyError, TypeError) as error:
        raise ValueError(f"not an object: {error!r}") from error
    if not isinstance(body, Part):
        raise ValueError(f"not an object, but a {record.kind}")
    return body


def _to_record(value: Any) -> pb.Record:
    if isinstance(value, ForeignDevice):
        common = [(name, getattr(value, name)) for name in _COMMON]
        return _record(value.record, (*common, *value.values))
    own = [(each.name, getattr(value, each.name)) for each in fields(value)]
    return _record(type(value).__name__, own)


def _record(kind: str, content: Iterable[tuple[str, object]]) -> pb.Record:
    entries = [pb.Entry(name=name, value=_to_value(value)) for name, value in content]
    return pb.Record(kind=kind, entries=entries)


def _to_value(value: Any) -> pb.Value:
    if value is None:
        return pb.Value()
    if is_dataclass(value):
        return pb.Value(record=_to_record(value))
    if isinstance(value, tuple):
        return pb.Value(list=pb.Values(values=[_to_value(each) for each in value]))
    if isinstance(value, bytes):
        return pb.Value(text=value.decode(errors="replace"))
    if isinstance(value, Path):
        return pb.Value(text=value.name)
    kind = next(name for type_, name in _KINDS if isinstance(value, type_))
    return pb.Value(**{kind: value})


_KINDS = ((bool, "truth"), (int, "integer"), (float, "number"), (str, "text"))
"""In which entry of `Value` a plain value stands; a bool is an int, too."""


def _from_record(record: pb.Record) -> Any:
    content = {entry.name: _from_value(entry.value) for entry in record.entries}
    kind = _RECORDS.get(record.kind)
    if kind is None:
        return _foreign(record.kind, content)
    if kind is RobotDescription:
        content["source"] = Path(content["source"])
    if kind is FmuDevice:
        content["path"] = Path(content["path"])
    if kind is PartFile:
        path, text = Path(content["path"]), content["content"]
        content |= {"path": path, "content": text.encode()}
    return kind(**content)


def _foreign(record: str, content: dict[str, Any]) -> ForeignDevice:
    """A device of a plug-in, which this process has not."""
    if not content.keys() >= set(_COMMON):
        raise ValueError(f"'{record}' is not a record")
    common = {name: content.pop(name) for name in _COMMON}
    return ForeignDevice(**common, record=record, values=tuple(content.items()))


def _from_value(value: pb.Value) -> Any:
    kind = value.WhichOneof("kind")
    if kind is None:
        return None
    if kind == "record":
        return _from_record(value.record)
    if kind == "list":
        return tuple(_from_value(each) for each in value.list.values)
    return getattr(value, kind)
