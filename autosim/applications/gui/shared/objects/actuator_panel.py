"""An actuator by hand: a slider and a number for each of its fields."""

from collections.abc import Callable, Iterator

import numpy as np
from PyQt6.QtCore import QSignalBlocker, Qt, pyqtSignal
from PyQt6.QtWidgets import QGridLayout, QGroupBox, QLabel, QSlider, QWidget

from autosim.applications.gui.shared.formats import other_units, unit_text
from autosim.applications.gui.shared.number_box import NumberBox
from autosim.applications.gui.shared.objects.tree_model import TreeModel
from autosim.config.schema import Interval
from autosim.model.tree import Field, TreeNode

TICKS = 1000
"""Number of a slider's positions to either side of zero: finer than a hand moves it."""

ANY = Interval(-1000.0, 1000.0)
"""Range of an unlimited number: a slider has two ends."""


class _FieldEditor:
    """Slider and number of a field, or of one of the numbers in it, called `name`."""

    def __init__(self, name: str, field: Field, on_change: Callable[[], None]) -> None:
        limits = field.limits or ANY
        low, high = limits.low, limits.high
        self._scale = max(abs(low), abs(high)) / TICKS
        self.label = QLabel(name)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(round(low / self._scale), round(high / self._scale))
        self.slider.setPageStep(TICKS // 10)
        self.slider.setSingleStep(TICKS // 50)
        self.slider.setAccessibleName(name)
        self.number = NumberBox()
        self.number.setRange(low, high)
        self.number.setDecimals(3)
        self.number.setSingleStep(0.05)
        self.number.setAccessibleName(name)
        unit = unit_text(field)
        self.number.setSuffix(f" {unit}" if unit else "")
        self.label.setBuddy(self.number)
        self.other = QLabel()
        self._field = field
        self._on_change = on_change
        self.slider.valueChanged.connect(self._take_slider)
        self.number.valueChanged.connect(self._take_number)

    @property
    def is_in_use(self) -> bool:
        """Whether the user is changing it."""
        return self.slider.isSliderDown() or self.number.is_typed

    @property
    def has_focus(self) -> bool:
        """Whether keys go to it."""
        return self.slider.hasFocus() or self.number.hasFocus()

    def show(self, value: float) -> None:
        """Shows a value without setting it."""
        with QSignalBlocker(self.slider), QSignalBlocker(self.number):
            self.number.setValue(value)
            self.slider.setValue(round(value / self._scale))
        self._show_other()

    def _show_other(self) -> None:
        self.other.setText(other_units(self.number.value(), self._field))

    def _take_slider(self, position: int) -> None:
        with QSignalBlocker(self.number):
            self.number.setValue(position * self._scale)
        self._show_other()
        self._on_change()

    def _take_number(self, value: float) -> None:
        with QSignalBlocker(self.slider):
            self.slider.setValue(round(value / self._scale))
        self._show_other()
        self._on_change()


class ActuatorPanel(QGroupBox):
    """The actuator that the user has chosen. Signal `set_wanted` (actuator, values)."""

    set_wanted = pyqtSignal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._node: TreeNode | None = None
        self._model: TreeModel | None = None
        self._values_before: list[float] | None = None
        self.editors: dict[str, _FieldEditor] = {}
        self._grid = QGridLayout(self)
        self._grid.setColumnStretch(1, 1)
        self._grid.setVerticalSpacing(2)
        self.forget()

    @property
    def node(self) -> TreeNode | None:
        """The shown actuator."""
        return self._node

    def take(self, node: TreeNode, *, model: TreeModel) -> None:
        """Shows an actuator."""
        if node is self._node:
            self.refresh()
            return
        self.forget()
        self._node, self._model = node, model
        self.setTitle(node.name)
        for line, (name, field) in enumerate(_numbers(node)):
            editor = _FieldEditor(name, field, self._set)
            self.editors[name] = editor
            for column, widget in enumerate(
                (editor.label, editor.slider, editor.number, editor.other)
            ):
                self._grid.addWidget(widget, line, column)
        self.refresh()
        self.setVisible(True)

    def forget(self) -> None:
        """Shows no actuator."""
        self._node, self._values_before = None, None
        self.editors.clear()
        while (item := self._grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        self.setVisible(False)

    def refresh(self) -> None:
        """Shows the current values, unless the user is changing one.

        One that the user has changed stays until the simulation has followed.
        """
        if self._node is None or self._model is None:
            return
        editors = self.editors.values()
        if any(editor.is_in_use for editor in editors):
            return
        values = self._model.actuator_values(self._node)
        if values == self._values_before and any(editor.has_focus for editor in editors):
            return
        self._values_before = None
        for editor, value in zip(editors, values, strict=True):
            editor.show(value)

    def _set(self) -> None:
        if self._node is not None and self._model is not None:
            self._values_before = self._model.actuator_values(self._node)
            values = [editor.number.value() for editor in self.editors.values()]
            self.set_wanted.emit(self._node.name, values)


def _numbers(node: TreeNode) -> Iterator[tuple[str, Field]]:
    """All numbers of an actuator, each with a name and the field that it stands in."""
    for field in node.fields:
        if field.shape:
            for place in np.ndindex(field.shape):
                yield f"{field.name} {', '.join(map(str, place))}", field
        else:
            yield field.name, field
