"""Objects in notebooks: a state as lists that unfold, and the view of a run."""

from html import escape
from importlib import import_module
from pathlib import Path
from typing import Protocol

import numpy as np

from autosim.model.state import State, numbers_text, rows_text
from autosim.model.tree import Field, TreeNode, tree_html

VIEW_HEIGHT = 480
"""Height [px] of the view of a run."""


class NotebookView(Protocol):
    """A run, displayed where it is the last value of a notebook's cell: see `autosim.show`."""

    def _repr_html_(self) -> str:
        """The view, for notebooks."""

    def save(self, file: str | Path) -> None:
        """Writes the view as a page, which a browser opens from disk.

        Raises:
            OSError: the file cannot be written.
        """


def view_of(run: object, height: int) -> NotebookView:
    """The result of `autosim.show`, which lies in a layer above all that it shows."""
    view: NotebookView = import_module("autosim.applications.records.notebook_view").show(
        run, height=height
    )
    return view


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
