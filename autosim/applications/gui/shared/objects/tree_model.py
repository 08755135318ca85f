"""The simulation tree as Qt's views want it: rows of nodes and of their values.

The model holds no values: it reads the state's buffer for the rows that a view asks for, so its
cost does not grow with the tree.
"""

import dataclasses
from collections.abc import Iterator
from enum import IntEnum
from textwrap import fill
from typing import Any

from PyQt6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt, pyqtSignal

from autosim.applications.gui.shared.formats import other_units, unit_text, value_text
from autosim.model.device_states import has_usable_values, shown_value
from autosim.model.state import State, Value
from autosim.model.tree import WORD, Access, Field, FieldType, TreeNode

_TOP = -1
"""The number of the parent of rows that have none."""

TIP_CHARACTERS = 70
"""Characters in a line of a tool tip: more are slow to read, fewer make it tall."""

MOST_LINES = 32
"""Largest number of lines in one plot."""


class TreeColumn(IntEnum):
    """The columns, from the left."""

    NAME = 0
    VALUE = 1
    UNIT = 2
    OTHER = 3
    """The value in other units."""
    KIND = 4


_TITLES = ("Name", "Value", "Unit", "In °, km/h", "Kind")


@dataclasses.dataclass(slots=True)
class TreeRow:
    """A row: a node, or a field of a node.

    A node with one field alone carries it in its own row. `number` is the row's place in the
    model's list, `parent` that of the row above it, `position` its place among its siblings.
    """

    node: TreeNode
    field: Field | None
    number: int
    parent: int
    position: int
    children: list[int] = dataclasses.field(default_factory=list)
    """Numbers of the rows below it."""
    is_node: bool = True
    """False: a row for a field."""

    @property
    def path(self) -> str:
        """The qualified name, with the field's behind it."""
        own = self.field.name if self.field is not None else ""
        return ".".join(filter(None, (self.node.name, own)))

    @property
    def label(self) -> str:
        """The last part of the name."""
        if not self.is_node and self.field is not None:
            return self.field.name
        return self.node.name.rsplit(".", 1)[-1]


def lay_rows(tree: TreeNode) -> list[TreeRow]:
    """The rows of a whole tree, each after its parent; the root itself has none."""
    rows: list[TreeRow] = []

    def add(node: TreeNode, carried: Field | None, parent: int, is_node: bool) -> int:
        siblings = rows[parent].children if parent != _TOP else top
        row = TreeRow(node, carried, len(rows), parent, len(siblings), is_node=is_node)
        siblings.append(row.number)
        rows.append(row)
        return row.number

    def add_node(node: TreeNode, parent: int) -> None:
        carried = node.fields[0] if len(node.fields) == 1 else None
        number = add(node, carried, parent, True)
        if carried is None:
            for each in node.fields:
                add(node, each, number, False)
        for child in node.children:
            add_node(child, number)

    top: list[int] = []
    for each in tree.fields:
        add(tree, each, _TOP, False)
    for child in tree.children:
        add_node(child, _TOP)
    return rows


class TreeModel(QAbstractItemModel):
    """The tree of one simulation. Signal `edited` (actuator, values): the user has set it."""

    edited = pyqtSignal(str, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[TreeRow] = []
        self._top: list[int] = []
        self._state: State | None = None

    @property
    def state(self) -> State | None:
        """The state whose values are shown."""
        return self._state

    def show(self, state: State) -> bool:
        """Shows another state; True where its tree is another one, with other rows."""
        is_same = self._state is not None and self._state.tree.digest == state.tree.digest
        if is_same:
            self._state = state
            self.refresh()
            return False
        self.beginResetModel()
        self._state = state
        self._rows = lay_rows(state.tree)
        self._top = [row.number for row in self._rows if row.parent == _TOP]
        self.endResetModel()
        return True

    def refresh(self) -> None:
        """Says that values have changed.

        One signal about the top rows, upon which `TreeView` draws again what it shows, at all
        depths; one for each of thousands of rows would cost more than all the rest of the window.
        """
        if self._top:
            last = self.index(len(self._top) - 1, TreeColumn.VALUE)
            self.dataChanged.emit(
                self.index(0, TreeColumn.VALUE), last, [Qt.ItemDataRole.DisplayRole]
            )

    def rows(self) -> Iterator[TreeRow]:
        """All rows, each after its parent."""
        return iter(self._rows)

    def row_of(self, index: QModelIndex) -> TreeRow | None:
        """The row at `index`; None where there is none."""
        return self._rows[index.internalId()] if index.isValid() else None

    def index_of(self, row: TreeRow, column: int = TreeColumn.NAME) -> QModelIndex:
        """The index of a row."""
        return self.createIndex(row.position, column, row.number)

    def find(self, path: str) -> QModelIndex:
        """The index of a node or of a field (`robot.part.device.field`); invalid if unknown."""
        for row in self._rows:
            if row.path == path or (row.is_node and row.node.name == path):
                return self.index_of(row)
        return QModelIndex()

    def value(self, row: TreeRow) -> Value | None:
        """The present value of a row; None where it has none."""
        if self._state is None or row.field is None:
            return None
        return shown_value(self._state, row.node, row.field)

    def index(self, row: int, column: int, parent: QModelIndex = QModelIndex()) -> QModelIndex:  # noqa: B008, D102
        siblings = self._rows[parent.internalId()].children if parent.isValid() else self._top
        if not 0 <= row < len(siblings) or not 0 <= column < len(TreeColumn):
            return QModelIndex()
        return self.createIndex(row, column, siblings[row])

    def parent(self, index: QModelIndex) -> QModelIndex:  # type: ignore[override]  # noqa: D102
        row = self.row_of(index)
        if row is None or row.parent == _TOP:
            return QModelIndex()
        return self.index_of(self._rows[row.parent])

    def rowCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008, D102, N802
        if parent.column() > 0:
            return 0
        row = self.row_of(parent)
        return len(self._top if row is None else row.children)

    def columnCount(self, parent: QModelIndex = QModelIndex()) -> int:  # noqa: B008, D102, N802
        return len(TreeColumn)

    def headerData(  # noqa: D102, N802
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _TITLES[section]
        return None

    def flags(self, index: QModelIndex) -> Qt.ItemFlag:  # noqa: D102
        flags = super().flags(index)
        row = self.row_of(index)
        if row is not None and index.column() == TreeColumn.VALUE and is_editable(row):
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: D102
        row = self.row_of(index)
        if row is None:
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return self._text(row, index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tool_tip(row)
        return None

    def _text(self, row: TreeRow, column: int) -> str:
        if column == TreeColumn.NAME:
            return row.label
        if column == TreeColumn.KIND:
            return row.node.kind if row.is_node else ""
        if row.field is None:
            return ""
        if column == TreeColumn.UNIT:
            return unit_text(row.field)
        value = self.value(row)
        if value is None:
            return ""
        if column == TreeColumn.OTHER:
            return other_units(value, row.field)
        return value_text(value, row.node, row.field)

    def _tool_tip(self, row: TreeRow) -> str:
        state = self._state
        is_usable = state is None or has_usable_values(state, row.node)
        fault = "" if is_usable else "INVALID: a value of it is not a number"
        return "\n".join(filter(None, (self._value_tip(row), fault, *_meanings(row))))

    def _value_tip(self, row: TreeRow) -> str:
        value = self.value(row)
        if value is None or row.field is None:
            return row.path
        if row.field.is_list:
            columns = (f"{each.name} [{each.unit}]" for each in row.field.columns)
            return f"{row.path}: {', '.join(columns)}\n{value_text(value, row.node, row.field)}"
        more = other_units(value, row.field)
        return f"{row.path}\n{value_text(value, row.node, row.field)} {unit_text(row.field)}" + (
            f" = {more}" if more else ""
        )

    def setData(  # noqa: D102, N802
        self, index: QModelIndex, value: Any, role: int = Qt.ItemDataRole.EditRole
    ) -> bool:
        row = self.row_of(index)
        if row is None or row.field is None or role != Qt.ItemDataRole.EditRole:
            return False
        try:
            number = float(str(value).replace(",", "."))
        except ValueError:
            return False
        values = self.actuator_values(row.node)
        values[row.node.fields.index(row.field)] = number
        self.edited.emit(row.node.name, values)
        return True

    def actuator_values(self, node: TreeNode) -> list[float]:
        """The present values of all fields of an actuator."""
        state = self._state
        if state is None:
            return [0.0] * (node.own_size // WORD)
        first = node.start // WORD
        values: list[float] = state.floats[first : node.own_stop // WORD].tolist()
        return values


def _meanings(row: TreeRow) -> Iterator[str]:
    """Description of a node, and of the value in its row, in lines that fit a screen."""
    if row.is_node and row.node.schema is not None:
        yield fill(row.node.schema.element.description, TIP_CHARACTERS)
    if row.field is not None:
        yield fill(row.field.meaning, TIP_CHARACTERS)


def is_editable(row: TreeRow) -> bool:
    """Whether the user may set the row's value."""
    return row.field is not None and row.node.access is Access.DRIVE


def is_plottable(row: TreeRow) -> bool:
    """Whether the row has numbers to plot, few enough for a line each."""
    field = row.field
    if field is None or field.type is FieldType.TEXT or field.is_list:
        return False
    return field.size <= MOST_LINES * WORD
