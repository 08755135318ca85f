"""The Help menu that all windows share: page, commands and keys of a window, version, licence."""

from collections.abc import Callable, Sequence

from PyQt6.QtGui import QKeySequence
from PyQt6.QtWidgets import QDialog, QMainWindow, QMenu

from autosim.tools.gui.about import AboutDialog
from autosim.tools.gui.command_palette import CommandPalette
from autosim.tools.gui.help_page import HelpPage
from autosim.tools.gui.key_list import KeyList, KeyRow


class HelpMenu(QMenu):
    """Help (F1), Commands (Ctrl+Shift+P), Keys, About. Each opens a separate window.

    Args:
        window: whose menu bar contains the menu; its keys are those in that menu bar.
        page: of the folder `docs/`, such as "client_window.md".
        more_keys: keys and mouse actions that are in no menu: action and key.

    `shown` is the window opened last, None before.
    """

    def __init__(self, window: QMainWindow, page: str, *, more_keys: Sequence[KeyRow] = ()) -> None:
        super().__init__("&Help", window)
        self.shown: QDialog | None = None
        self._window = window
        self._page = page
        self._more_keys = tuple(more_keys)
        self._add("&Help", "F1", self.show_page)
        self._add("&Commands…", ("Ctrl+Shift+P", "Ctrl+K"), self.show_commands)
        self._add("&Keys", "Shift+F1", self.show_keys)
        self.addSeparator()
        self._add("&About AutoSim", "", self.show_about)

    def show_page(self) -> None:
        """Opens the page on this window."""
        self._show(HelpPage(self._page, self._window))

    def show_commands(self) -> None:
        """Opens the list of all commands of this window, to execute one by its name."""
        self._show(CommandPalette(self._window))

    def show_keys(self) -> None:
        """Opens the list of this window's keys."""
        self._show(KeyList(self._window, self._more_keys))

    def show_about(self) -> None:
        """Opens version, licence and libraries."""
        self._show(AboutDialog(self._window))

    def _add(self, text: str, keys: str | Sequence[str], do: Callable[[], None]) -> None:
        action = self.addAction(text)
        assert action is not None
        both = (keys,) if isinstance(keys, str) else keys
        action.setShortcuts([QKeySequence(each) for each in both])
        action.triggered.connect(lambda: do())
        # So that its key is heard also where the menu bar is hidden.
        self._window.addAction(action)

    def _show(self, dialog: QDialog) -> None:
        if self.shown is not None:
            self.shown.close()
            self.shown.deleteLater()
        self.shown = dialog
        dialog.show()
