"""A frame that lets a widget be smaller than it wants to be, with scroll bars."""

from PyQt6.QtCore import QEvent, QObject, QSize
from PyQt6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

_LEAST_HEIGHT = 48
"""[pixels] Two lines of a form: less cannot be scrolled through."""


class Shrinkable(QScrollArea):
    """As high as its widget wants to be where there is room, lower where there is none.

    Args:
        inside: the widget; while it is hidden the frame takes no room.
    """

    def __init__(self, inside: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._inside = inside
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        is_hidden = inside.isHidden()
        self.setWidget(inside)
        # To hand over a widget shows it.
        inside.setHidden(is_hidden)
        inside.installEventFilter(self)

    def sizeHint(self) -> QSize:  # noqa: D102, N802
        return QSize(0, 0) if self._inside.isHidden() else self._inside.sizeHint()

    def minimumSizeHint(self) -> QSize:  # noqa: D102, N802
        return QSize(0, 0 if self._inside.isHidden() else _LEAST_HEIGHT)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:  # noqa: D102, N802
        kinds = (QEvent.Type.LayoutRequest, QEvent.Type.ShowToParent, QEvent.Type.HideToParent)
        if event is not None and event.type() in kinds:
            self.updateGeometry()
        return super().eventFilter(watched, event)
