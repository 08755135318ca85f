"""A form under a title that folds it away."""

from PyQt6.QtCore import QSettings, Qt
from PyQt6.QtWidgets import QFrame, QSizePolicy, QToolButton, QVBoxLayout, QWidget


class Foldable(QWidget):
    """A titled form; a click on the title hides or shows it.

    Args:
        title: above the form, and its name in the settings.
        form: below the title.
    """

    def __init__(self, title: str, form: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name, self._form = title, form
        self.header = QToolButton(self)
        self.header.setText(title.replace("&", "&&"))
        self.header.setCheckable(True)
        self.header.setAutoRaise(True)
        self.header.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.header.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.header.setToolTip("Fold or unfold this form")
        font = self.header.font()
        font.setBold(True)
        self.header.setFont(font)
        line = QFrame(self)
        line.setFrameShape(QFrame.Shape.HLine)
        line.setFrameShadow(QFrame.Shadow.Sunken)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part in (self.header, form, line):
            column.addWidget(part)
        self.header.toggled.connect(self._unfold)
        self.header.setChecked(True)

    @property
    def is_folded(self) -> bool:
        """Whether only the title is shown."""
        return not self.header.isChecked()

    def fold(self, is_folded: bool) -> None:
        """Hides or shows the form."""
        self.header.setChecked(not is_folded)

    def save(self, settings: QSettings) -> None:
        """Keeps whether it is folded."""
        settings.setValue(f"folded/{self._name}", self.is_folded)

    def restore(self, settings: QSettings) -> None:
        """Folds it if it was folded last time."""
        self.fold(settings.value(f"folded/{self._name}", False, type=bool))

    def _unfold(self, is_shown: bool) -> None:
        arrow = Qt.ArrowType.DownArrow if is_shown else Qt.ArrowType.RightArrow
        self.header.setArrowType(arrow)
        self._form.setVisible(is_shown)
