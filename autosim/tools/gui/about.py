"""Shows version, licence and libraries of this program."""

import platform
from importlib.metadata import PackageNotFoundError, version

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QGuiApplication
from PyQt6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QVBoxLayout, QWidget

from autosim.version import __version__

LIBRARIES = ("PyQt6", "panda3d", "pybullet", "grpcio", "numpy", "numba", "osmium", "shapely")
"""Distributions whose versions a report of a fault should name."""

_WORDS = """\
<h3>AutoSim {version}</h3>
<p>An open driving simulator: an OpenStreetMap extract becomes a town that robots drive in.</p>
<p>AutoSim is under the Apache License 2.0. Its windows use PyQt6, which is under the GPL 3.<br>
Maps made from OpenStreetMap are © OpenStreetMap contributors, ODbL 1.0.</p>
<p>{details}</p>
"""


class AboutDialog(QDialog):
    """Version, licence and libraries; *Copy* puts the versions on the clipboard."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("About AutoSim")
        details = details_text()
        self.label = QLabel(_WORDS.format(version=__version__, details=_as_html(details)))
        self.label.setTextFormat(Qt.TextFormat.RichText)
        self.label.setWordWrap(True)
        self.label.setMinimumWidth(440)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.close)
        copy = buttons.addButton("&Copy Versions", QDialogButtonBox.ButtonRole.ActionRole)
        assert copy is not None
        copy.setToolTip("For a bug report")
        copy.clicked.connect(lambda: _copy(details))
        column = QVBoxLayout(self)
        column.addWidget(self.label)
        column.addWidget(buttons)


def details_text() -> str:
    """A line for AutoSim, Python, the system, and each library that is installed."""
    lines = [
        f"AutoSim {__version__}",
        f"Python {platform.python_version()} on {platform.system()} {platform.machine()}",
    ]
    return "\n".join([*lines, *(f"{name} {found}" for name, found in _libraries())])


def _libraries() -> list[tuple[str, str]]:
    found = []
    for name in LIBRARIES:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return found


def _as_html(details: str) -> str:
    return "<br>".join(details.splitlines()[1:])


def _copy(text: str) -> None:
    clipboard = QGuiApplication.clipboard()
    if clipboard is not None:
        clipboard.setText(text)
