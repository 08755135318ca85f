"""Values of the simulation tree by name, as text and as JSON.

A name is that of a robot, a part or a device (`impreza.chassis.gyro_yaw`), or of one of its
fields (`impreza.chassis.position`).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from math import isfinite
from typing import Any

import numpy as np
import numpy.typing as npt

from autosim.errors import UserError
from autosim.model.actuator_limits import within_limits
from autosim.model.commands import (
    BLOCKED,
    Command,
    DeviceError,
    DeviceState,
    command_for,
    find_device,
)
from autosim.model.device_states import (
    has_usable_values,
    is_device_state,
    shown_value,
)
from autosim.model.state import State, Value, numbers_text, rows_text
from autosim.model.tree import Field, FieldType, SimulationTree, TreeNode

INVALID = DeviceState.INVALID.name
"""Text for a device without a usable value."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Meaning of a name: `fields` of `node`, all of the node's or one."""

    name: str
    node: TreeNode
    fields: tuple[Field, ...]

    def read(self, state: State) -> dict[str, object]:
        """The values by field, as JSON has them."""
        return {field.name: _plain(state, self.node, field) for field in self.fields}

    def as_text(self, state: State) -> str:
        """One line: the name, the values, the units."""
        values = [self._field_text(state, field) for field in self.fields]
        text = f"{self.name} " + " ".join(values)
        return text if has_usable_values(state, self.node) else f"{text} ({INVALID})"

    def _field_text(self, state: State, field: Field) -> str:
        label = "" if self.name == f"{self.node.name}.{field.name}" else f"{field.name}="
        value = shown_value(state, self.node, field)
        return label + format_value(value, self.node, field) + _unit(field)


def select(tree: SimulationTree, name: str) -> Selection:
    """The node and fields of `name`.

    Raises:
        UserError: nothing has that name, or it has no values.
    """
    node = tree.find(name)
    if node is not None:
        if not node.fields:
            raise UserError(f"'{name}' is a {node.kind}: it has no values")
        return Selection(name, node, node.fields)
    owner, _, field_name = name.rpartition(".")
    node = tree.find(owner)
    found = tuple(field for field in node.fields if field.name == field_name) if node else ()
    if node is None or not found:
        raise UserError(f"there is no '{name}'{_nearest(name, names_with_fields(tree))}")
    return Selection(name, node, found)


def find_node(tree: SimulationTree, name: str) -> TreeNode:
    """The robot, part or device called `name`.

    Raises:
        UserError: nothing has that name.
    """
    node = tree.find(name)
    if node is None:
        raise UserError(f"there is no '{name}'{_nearest(name, (n.name for n in tree.walk()))}")
    return node


def names_with_fields(tree: SimulationTree) -> list[str]:
    """Every name that `select` takes, depth first."""
    names = []
    for node in tree.walk():
        if node is not tree and node.fields:
            names += [node.name, *(f"{node.name}.{field.name}" for field in node.fields)]
    return names


def command_of(state: State, name: str, values: tuple[float, ...]) -> Command:
    """The command that sets an actuator, or one field of it: the others keep their values.

    Raises:
        UserError: there is no such actuator, it does not take these values, its robot is blocked.
    """
    try:
        command = within_limits(state.tree, _command(state, name, values))
    except DeviceError as error:
        raise UserError(str(error)) from error
    robot = find_node(state.tree, command.device.split(".", 1)[0])
    is_robot = robot in state.tree.robots
    if is_robot and state.value(robot, robot.fields[0]) == DeviceState.BLOCKED:
        raise UserError(f"'{robot.name}' {BLOCKED}")
    return command


def tree_record(state: State, node: TreeNode) -> dict[str, object]:
    """A subtree with its values, as JSON has it."""
    return {
        "name": node.name,
        "kind": node.kind,
        "fields": [
            {
                "name": field.name,
                "unit": field.unit,
                "value": _plain(state, node, field),
            }
            for field in node.fields
        ],
        "children": [tree_record(state, child) for child in node.children],
    }


def tree_text(state: State, node: TreeNode, depth: int = 0) -> str:
    """A subtree with its values, one node a line, children indented."""
    values = [f"{field.name}={_value_in_tree(state, node, field)}" for field in node.fields]
    name = node.name.rsplit(".", 1)[-1] or "(tree)"
    lines = ["  " * depth + f"{name} [{node.kind}] " + " ".join(values)]
    lines += [tree_text(state, child, depth + 1) for child in node.children]
    return "\n".join(line.rstrip() for line in lines)


def _value_in_tree(state: State, node: TreeNode, field: Field) -> str:
    value = shown_value(state, node, field)
    text = format_value(value, node, field)
    return (f"({text})" if isinstance(value, np.ndarray) else text) + _unit(field)


def _unit(field: Field) -> str:
    return "" if field.unit == "1" or field.type is FieldType.TEXT else f" {field.unit}"


def format_value(value: Value, node: TreeNode, field: Field) -> str:
    """Numbers with six digits, separated by spaces, long arrays shortened; a text as it is.

    Of a list, the count of its rows before them; the state of a robot by its name.
    """
    if is_device_state(node, field) and isinstance(value, int):
        return robot_state_name(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, np.ndarray):
        return rows_text(value, field.capacity) if field.is_list else numbers_text(value)
    return str(value)


def robot_state_name(value: int) -> str:
    """The name of a robot's state."""
    return DeviceState(value).name if value in tuple(DeviceState) else str(value)


def _command(state: State, name: str, values: tuple[float, ...]) -> Command:
    node = state.tree.find(name)
    if node is not None:
        return command_for(state.tree, name, _rows(node, values))
    chosen = select(state.tree, name)
    find_device(state.tree, chosen.node.name)
    return command_for(state.tree, chosen.node.name, _changed(state, chosen, values))


def _rows(node: TreeNode, values: tuple[float, ...]) -> npt.ArrayLike:
    """The values as rows where a node is a list and they fill whole ones."""
    columns = len(node.fields[0].columns) if node.fields else 0
    if not columns or len(values) % columns:
        return values
    return np.array(values).reshape(-1, columns)


def _changed(state: State, chosen: Selection, values: tuple[float, ...]) -> list[Any]:
    """The values of the whole actuator with those of the chosen field replaced."""
    if len(values) != 1:
        raise UserError(f"'{chosen.name}' takes one value, {len(values)} given")
    replaced = chosen.fields[0]
    return [
        values[0] if field is replaced else state.value(chosen.node, field)
        for field in chosen.node.fields
    ]


def _nearest(name: str, names: Iterable[str]) -> str:
    near = get_close_matches(name, names, n=1)
    return f"; did you mean '{near[0]}'?" if near else ""


def _plain(state: State, node: TreeNode, field: Field) -> object:
    """A value for JSON: the state of a robot by its name, null if it is not finite."""
    value = shown_value(state, node, field)
    if is_device_state(node, field) and isinstance(value, int):
        return robot_state_name(value)
    if isinstance(value, np.ndarray):
        return [_plain_number(each) for each in value.tolist()]
    return _plain_number(value)


def _plain_number(value: object) -> object:
    """The same in arrays of any depth."""
    if isinstance(value, list):
        return [_plain_number(each) for each in value]
    return None if isinstance(value, float) and not isfinite(value) else value
