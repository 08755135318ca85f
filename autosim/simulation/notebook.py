"""Trees and states as HTML, for notebooks: what folds and unfolds."""

from collections.abc import Callable
from html import escape

import numpy as np

from autosim.simulation.state import State, numbers_text, rows_text
from autosim.simulation.tree import Field, Node

Written = Callable[[Node, Field], str]
"""Text of the value of a field."""


def node_html(node: Node) -> str:
    """A node with all below it; fields with their types."""
    return _html(node, lambda _, field: field.type.name.lower(), is_open=True)


def state_html(state: State, title: str) -> str:
    """The values of a state, below a title; robots are folded."""

    def written(node: Node, field: Field) -> str:
        value = state.value(node, field)
        if field.is_list and isinstance(value, np.ndarray):
            return rows_text(value, field.capacity)
        if isinstance(value, np.ndarray):
            return numbers_text(value)
        return value if isinstance(value, str) else f"{value:g}"

    nodes = "".join(_html(each, written) for each in state.tree.children)
    return f"<div><strong>{escape(title)}</strong>{nodes}</div>"


def _html(node: Node, written: Written, *, is_open: bool = False) -> str:
    last = node.name.rpartition(".")[2] or node.kind
    title = f"<code>{escape(last)}</code> <small>{escape(node.kind)}</small>"
    rows = "".join(
        f"<tr><td>{escape(field.name)}</td><td>{escape(written(node, field))}</td></tr>"
        for field in node.fields
    )
    table = f"<table>{rows}</table>" if rows else ""
    below = "".join(_html(each, written) for each in node.children)
    open_ = ' open=""' if is_open else ""
    return (
        f"<details{open_}><summary>{title}</summary>"
        f'<div style="margin-left:1.5em">{table}{below}</div></details>'
    )
