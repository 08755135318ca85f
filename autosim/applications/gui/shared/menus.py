"""Parts of context menus: one-line entries, and the clipboard."""

from collections.abc import Callable

from PyQt6.QtGui import QAction, QGuiApplication
from PyQt6.QtWidgets import QMenu


def copy_text(text: str) -> None:
    """Puts a text on the clipboard."""
    clipboard = QGuiApplication.clipboard()
    if clipboard is not None:
        clipboard.setText(text)


def add_action(
    menu: QMenu, text: str, do: Callable[[], object], *, is_enabled: bool = True
) -> QAction:
    """Adds an entry to a menu."""
    action = QAction(text, menu)
    action.setEnabled(is_enabled)
    action.triggered.connect(lambda: do())
    menu.addAction(action)
    return action
