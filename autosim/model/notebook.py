"""A state as HTML, for notebooks: lists that unfold."""

from html import escape

import numpy as np

from autosim.model.state import State, numbers_text, rows_text
from autosim.model.tree import Field, TreeNode, tree_html


def state_html(state: State, title: str) -> str:
    """The values of a state, below a title; robots are folded."""

    def written(node: TreeNode, field: Field) -> str:
        value = state.value(node, field)
        if field.is_list and isinstance(value, np.ndarray):
            return rows_text(value, field.capacity)
        if isinstance(value, np.ndarray):
            return numbers_text(value)
        return value if isinstance(value, str) else f"{value:g}"

    nodes = "".join(tree_html(each, written) for each in state.tree.children)
    return f"<div><strong>{escape(title)}</strong>{nodes}</div>"
