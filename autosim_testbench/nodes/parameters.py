"""Numbers among the parameters of a node, with errors that name node and parameter."""

import math
from pathlib import Path

from autosim.errors import UserError
from autosim_testbench.nodes.node import Node


def number_of(node: Node, name: str, default: float | None = None) -> float:
    """A finite number.

    Args:
        node: whose parameters.
        name: of the parameter.
        default: taken where the launch file does not set it; without one, it must.

    Raises:
        UserError: it is missing, or no number.
    """
    text = node.parameters.get(name)
    if text is None:
        if default is None:
            raise UserError(f'node {node.name} needs <param name="~{name}" value="NUMBER"/>')
        return default
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UserError(f"node {node.name}: parameter {name} is {text!r}, which is not a number")
    return value


def whole_number_of(node: Node, name: str, default: int | None = None) -> int:
    """A whole number above zero; see `number_of`."""
    value = number_of(node, name, default)
    if value < 1 or value != int(value):
        raise UserError(f"node {node.name}: parameter {name} is {value:g}, but has to be 1, 2, 3 …")
    return int(value)


def file_of(node: Node, name: str) -> Path:
    """A file; its name is relative to the launch file."""
    text = node.parameters.get(name)
    if text is None:
        raise UserError(f'node {node.name} needs <param name="~{name}" value="FILE"/>')
    return node.setting.files / text


def choice_of(node: Node, name: str, choices: tuple[str, ...]) -> str:
    """One of several words; the first where the launch file does not set it."""
    text = node.parameters.get(name, choices[0])
    if text not in choices:
        raise UserError(
            f"node {node.name}: parameter {name} is {text!r}, none of {', '.join(choices)}"
        )
    return text
