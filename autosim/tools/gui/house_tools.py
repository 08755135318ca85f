"""The tool bar above the map: the house that a click sets, and actions on chosen houses."""

from collections.abc import Sequence

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtGui import QAction, QKeySequence
from PyQt6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from autosim.config.descriptions import House
from autosim.tools.gui.house_edits import TURN, HouseEdits
from autosim.tools.gui.house_view import HouseView

_NAME_CHARACTERS = 20
"""Number of characters of a house and its land use that show without opening the list."""


class HouseTools(QWidget):
    """Tools for `view`. Signal `kind_chosen` (House, or None where a click sets nothing)."""

    kind_chosen = pyqtSignal(object)

    def __init__(self, edits: HouseEdits, view: HouseView) -> None:
        super().__init__()
        self._kinds: tuple[House, ...] = ()
        self.kind = QComboBox()
        self.kind.setAccessibleName("House to set")
        self.kind.setMinimumContentsLength(_NAME_CHARACTERS)
        self.set_button = QPushButton("&Set by Click")
        self.set_button.setCheckable(True)
        self.set_button.setToolTip("Click on the map to set this house; Esc stops")
        self.right = _button("↻", "Turn what is chosen by 15° to the right (R)")
        self.left = _button("↺", "Turn what is chosen by 15° to the left (Shift+R)")
        self.street = _button("⌂", "Let what is chosen look at the nearest street")
        self.delete = _button("✕", "Remove what is chosen (Delete)")
        self.undo = edits.stack.createUndoAction(self, "&Undo")
        self.redo = edits.stack.createRedoAction(self, "&Redo")
        for action, keys in ((self.undo, "Ctrl+Z"), (self.redo, "Ctrl+Y")):
            if action is not None:
                action.setShortcut(QKeySequence(keys))
        self.hint = QLabel("Drag a house to move it; right click for more.")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for widget in (self.kind, self.set_button, self.left, self.right, self.street, self.delete):
            row.addWidget(widget)
        for action in (self.undo, self.redo):
            row.addWidget(_for_action(action))
        row.addWidget(self.hint, 1)
        self.kind.currentIndexChanged.connect(self._tell)
        self.set_button.toggled.connect(self._tell)
        self.right.clicked.connect(lambda: edits.turn(view.chosen(), -TURN))
        self.left.clicked.connect(lambda: edits.turn(view.chosen(), TURN))
        self.street.clicked.connect(lambda: edits.face_street(view.chosen()))
        self.delete.clicked.connect(lambda: edits.remove(view.chosen()))
        view.let_go.connect(lambda: self.set_button.setChecked(False))
        self.kind_chosen.connect(view.set_kind)

    def show_kinds(self, kinds: Sequence[House]) -> None:
        """Offers the houses of a list."""
        if tuple(kinds) == self._kinds:
            return
        self._kinds = tuple(kinds)
        self.kind.clear()
        self.kind.addItems([f"{kind.name} ({kind.landuse})" for kind in kinds])

    def _tell(self) -> None:
        number = self.kind.currentIndex()
        is_set = self.set_button.isChecked() and 0 <= number < len(self._kinds)
        self.hint.setText(
            "Click the place for the house; Esc ends this mode."
            if is_set
            else "Drag a house to move it; right click for more."
        )
        self.kind_chosen.emit(self._kinds[number] if is_set else None)


def _button(text: str, tip: str) -> QToolButton:
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tip)
    button.setAccessibleName(tip)
    return button


def _for_action(action: QAction | None) -> QToolButton:
    button = QToolButton()
    button.setDefaultAction(action)
    return button
