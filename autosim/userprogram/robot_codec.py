"""What a robot is made of as plain data for JSON, for processes without the robot's file."""

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from autosim.config import descriptions
from autosim.config.descriptions import RobotDescription
from autosim.kinds.light import Follows
from autosim.kinds.registry import BUILT_IN

_RECORD = "record"
_RECORDS: dict[str, Any] = {
    **{name: each for name, each in vars(descriptions).items() if is_dataclass(each)},
    **{kind.record.__name__: kind.record for kind in BUILT_IN},
    "Follows": Follows,
}


def robot_to_data(robot: RobotDescription) -> Any:
    """`robot` as dictionaries, lists, texts and numbers; of its file, the name alone."""
    return _plain(robot)


def robot_from_data(data: Any) -> RobotDescription:
    """The robot that `robot_to_data` made plain.

    Raises:
        ValueError: the data is no robot.
    """
    try:
        robot = _revive(data)
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a robot: {error!r}") from error
    if not isinstance(robot, RobotDescription):
        raise ValueError("not a robot")
    return robot


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        content = {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
        return {_RECORD: type(value).__name__, **content}
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value.name if isinstance(value, Path) else value


def _revive(data: Any) -> Any:
    if isinstance(data, dict):
        content = {name: _revive(each) for name, each in data.items() if name != _RECORD}
        record = _RECORDS[data[_RECORD]]
        if record is RobotDescription:
            content["source"] = Path(content["source"])
        return record(**content)
    return tuple(_revive(each) for each in data) if isinstance(data, list) else data
