"""The page of the OSM Manipulator before it has a map: its purpose, and maps to begin with."""

from collections.abc import Sequence
from pathlib import Path

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QCommandLinkButton, QLabel, QVBoxLayout, QWidget

_WORDS = """\
<h2>Furnish a town</h2>
<p>Many maps have streets but few buildings. This program sets houses and trees along the streets,
or wherever you click, and writes a new map. The one that you give it stays as it is.</p>
<ol>
<li><b>Open a map</b> from OpenStreetMap.</li>
<li>Look at the houses that are set, and <b>change them by hand</b>: choose a model and click, drag,
turn, delete.</li>
<li><b>Generate OSM File</b>. Any world takes it as its map.</li>
</ol>
"""


class StartPage(QWidget):
    """The page. Signals: `map_wanted`, to ask the user for a map; `map_chosen` (Path)."""

    map_wanted = pyqtSignal()
    map_chosen = pyqtSignal(object)

    def __init__(self, shipped: Path, recent: Sequence[Path]) -> None:
        super().__init__()
        words = QLabel(_WORDS)
        words.setWordWrap(True)
        words.setTextFormat(Qt.TextFormat.RichText)
        column = QVBoxLayout(self)
        column.setContentsMargins(40, 24, 40, 24)
        column.addWidget(words)
        self.open_button = QCommandLinkButton("Open a Map…", "An extract: .osm, .osm.gz, .osm.pbf")
        self.open_button.clicked.connect(self.map_wanted)
        column.addWidget(self.open_button)
        self.buttons = [self._button(file, str(file.parent)) for file in recent]
        self.buttons.append(self._button(shipped, "The town that comes with AutoSim"))
        for button in self.buttons:
            column.addWidget(button)
        column.addStretch(1)

    def _button(self, file: Path, words: str) -> QCommandLinkButton:
        button = QCommandLinkButton(file.name, words)
        button.setAccessibleName(f"Open {file.name}")
        button.clicked.connect(lambda: self.map_chosen.emit(file))
        return button
