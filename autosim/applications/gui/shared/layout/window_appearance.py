"""Light and dark colours of a window: those of the system, or of the user's choice."""

from enum import Enum
from functools import partial

from PyQt6.QtCore import QSettings, Qt
from PyQt6.QtGui import QAction, QActionGroup, QColor, QGuiApplication, QPalette
from PyQt6.QtWidgets import QApplication, QMenu, QWidget

_DARK_LIGHTNESS = 128
"""Lightness (0 to 255) of a window's ground below which its colours are dark."""

_DARK = (QColor(53, 53, 53), QColor(35, 35, 35))
_LIGHT = (QColor(239, 239, 239), QColor(239, 239, 239))
"""Colours of buttons and grounds where the platform does not follow the choice; Qt derives all
others from them."""

_DARK_BOXES = """
QCheckBox::indicator:unchecked, QAbstractItemView::indicator:unchecked {
    border: 1px solid #909090;
    border-radius: 2px;
}
QCheckBox::indicator:unchecked:disabled { border-color: #606060; }
"""
"""Frames of check boxes on dark ground, at three times its luminance (WCAG 2.1, 1.4.11): the style
Fusion derives them from the ground, 1.4 times as dark, which is black on black."""

_KEY = "appearance"


class Appearance(Enum):
    """The colours to use; the values are what the menu shows."""

    SYSTEM = "As the &System"
    LIGHT = "&Light"
    DARK = "&Dark"


_SCHEMES = {
    Appearance.SYSTEM: Qt.ColorScheme.Unknown,
    Appearance.LIGHT: Qt.ColorScheme.Light,
    Appearance.DARK: Qt.ColorScheme.Dark,
}


class AppearanceMenu(QMenu):
    """The choice of colours, which holds for all windows of the process and is remembered.

    Args:
        settings: where the choice is kept.
        parent: has the menu.
    """

    def __init__(self, settings: QSettings, parent: QWidget) -> None:
        super().__init__("A&ppearance", parent)
        self._settings = settings
        group = QActionGroup(self)
        self.choices: dict[Appearance, QAction] = {}
        for each in Appearance:
            action = QAction(each.value, self)
            action.setCheckable(True)
            action.triggered.connect(partial(self.choose, each))
            group.addAction(action)
            self.addAction(action)
            self.choices[each] = action
        kept = str(settings.value(_KEY, Appearance.SYSTEM.name))
        if kept in (Appearance.LIGHT.name, Appearance.DARK.name):
            self.choose(Appearance[kept])
        else:
            self.choices[Appearance.SYSTEM].setChecked(True)
            _frame_boxes()

    def choose(self, appearance: Appearance) -> None:
        """Uses these colours from now on."""
        self.choices[appearance].setChecked(True)
        self._settings.setValue(_KEY, appearance.name)
        use_appearance(appearance)


def use_appearance(appearance: Appearance) -> None:
    """Gives all windows of the process these colours."""
    hints = QGuiApplication.styleHints()
    if hints is not None:
        hints.setColorScheme(_SCHEMES[appearance])
    # That of the platform; not every platform follows the hint.
    QApplication.setPalette(QPalette())
    is_dark = appearance is Appearance.DARK
    is_free = appearance is Appearance.SYSTEM
    if not is_free and is_dark_palette(QApplication.palette()) != is_dark:
        QApplication.setPalette(QPalette(*(_DARK if is_dark else _LIGHT)))
    _frame_boxes()


def _frame_boxes() -> None:
    """Makes check boxes visible in the present colours, where the style is Fusion."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    application.setStyleSheet("")
    style = QApplication.style()
    if style is not None and style.name() == "fusion" and is_dark_palette(QApplication.palette()):
        application.setStyleSheet(_DARK_BOXES)


def is_dark_palette(palette: QPalette) -> bool:
    """Whether text is light on a dark ground."""
    return palette.color(QPalette.ColorRole.Window).lightness() < _DARK_LIGHTNESS
