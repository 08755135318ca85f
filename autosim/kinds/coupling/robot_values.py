"""The single numbers of a robot by their names: `chassis.velocimeter`, `chassis.velocity.0`."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod

from autosim.config.descriptions import Device, RobotDescription
from autosim.config.reading.attribute_values import suggestion
from autosim.errors import UserError
from autosim.kinds.kind import kind_of, link_kind_of, part_kind_of
from autosim.model.tree import WORD, Access, Field, FieldType

_MAX_NUMBERS = 64
"""Largest number of numbers of a field that are named one by one."""


class RobotValueError(UserError):
    """A robot has no such value, or it cannot be set."""


@dataclass(frozen=True, slots=True)
class RobotValue:
    """A number in the state of a robot.

    Attributes:
        node: name of its node below the robot: `chassis.velocimeter`.
        offset: words of 8 bytes from the start of the node.
        place: number among all numbers of the node, from 0 on.
        device: the device whose value it is; None for parts and links.
    """

    node: str
    offset: int
    place: int
    device: Device | None

    @property
    def is_settable(self) -> bool:
        """Whether commands may set it."""
        if self.device is None:
            return False
        node = kind_of(self.device).node(self.device.name, self.device)
        return node.access is not Access.READ

    @property
    def rest(self) -> float | None:
        """Value at rest; None: it stays as it is."""
        if self.device is None:
            return None
        rest = kind_of(self.device).rest_of(self.device)
        return rest[self.place] if self.place < len(rest) else None

    @property
    def released(self) -> float | None:
        """Value with which it holds its device no longer; None: it does not hold it."""
        if self.device is None:
            return None
        released = kind_of(self.device).released
        return released[self.place] if self.place < len(released) else None


def find_value(robot: RobotDescription, name: str) -> RobotValue:
    """The number of that name.

    Args:
        robot: whose it is.
        name: `PART.DEVICE` of a device with one number, `PART.DEVICE.FIELD`, `PART.DEVICE.NUMBER`
            (from 0 on), `PART.FIELD.NUMBER` of a part's motion, or `LINK.FIELD`.

    Raises:
        RobotValueError: it has none.
    """
    values = _values_of(robot)
    found = values.get(name)
    if found is None:
        raise RobotValueError(
            f"'{name}' is not a number of this robot: expected PART.DEVICE, PART.DEVICE.FIELD or "
            f"PART.DEVICE.NUMBER{suggestion(name, values)}"
        )
    return found


def value_names(robot: RobotDescription) -> Iterator[tuple[str, Field, int | None]]:
    """The names of all numbers of a robot by their fields, each with its field.

    The last is the place of a number in a field with several, else None.
    """
    for node, fields, _ in _nodes(robot):
        for field in fields:
            if not _is_named(field):
                continue
            for k in range(prod(field.shape)):
                name = f"{node}.{field.name}"
                yield (f"{name}.{k}", field, k) if field.shape else (name, field, None)


def _values_of(robot: RobotDescription) -> dict[str, RobotValue]:
    found: dict[str, RobotValue] = {}
    for node, fields, device in _nodes(robot):
        own = {
            name: RobotValue(node, offset, place, device)
            for name, offset, place in _numbers(fields)
        }
        found |= {f"{node}.{name}": each for name, each in own.items()}
        if len(own) == 2:  # one number, by its field's name and by its place
            found[node] = own["0"]
    return found


def _nodes(
    robot: RobotDescription,
) -> Iterator[tuple[str, tuple[Field, ...], Device | None]]:
    for part in robot.parts:
        yield part.name, part_kind_of(part).fields_of(part), None
    for link in robot.links:
        yield link.name, link_kind_of(link).fields_of(link), None
    for device in robot.devices:
        yield f"{device.part}.{device.name}", kind_of(device).fields_of(device), device


def _numbers(fields: Iterable[Field]) -> Iterator[tuple[str, int, int]]:
    """The names of the numbers of a node, each with its offset in words and its place."""
    offset = place = 0
    for field in fields:
        count = prod(field.shape)
        if _is_named(field):
            for k in range(count):
                name = f"{field.name}.{k}" if field.shape else field.name
                yield name, offset + k, place + k
                yield str(place + k), offset + k, place + k
        place += count
        offset += field.size // WORD


def _is_named(field: Field) -> bool:
    is_number = field.type is FieldType.FLOAT and not field.is_list
    return is_number and prod(field.shape) <= _MAX_NUMBERS
