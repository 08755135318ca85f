"""A box for a number whose value counts once it is entered."""

from PyQt6.QtCore import QEvent
from PyQt6.QtGui import QKeyEvent, QKeySequence
from PyQt6.QtWidgets import QDoubleSpinBox, QWidget


class NumberBox(QDoubleSpinBox):
    """Emits its value after Enter, when it loses the focus, or for a step, not while one types.

    Ctrl+Z undoes what is being typed. Before and after that the key belongs to the window, whose
    *Undo* undoes the last change of the world.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setKeyboardTracking(False)
        self._is_typed = False
        if (text := self.lineEdit()) is not None:
            text.textEdited.connect(self._note_typing)
        self.editingFinished.connect(self._note_end)
        self.valueChanged.connect(self._note_end)

    @property
    def is_typed(self) -> bool:
        """Whether it holds text that the user has typed and not entered."""
        return self._is_typed

    def event(self, event: QEvent | None) -> bool:
        """Leaves Ctrl+Z to the window where no typing is undone by it."""
        if (
            isinstance(event, QKeyEvent)
            and event.type() is QEvent.Type.ShortcutOverride
            and event.matches(QKeySequence.StandardKey.Undo)
            and not self._is_typed
        ):
            event.ignore()
            return True
        return super().event(event)

    def _note_typing(self) -> None:
        self._is_typed = True

    def _note_end(self) -> None:
        self._is_typed = False
