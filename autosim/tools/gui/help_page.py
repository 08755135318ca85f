"""A page of the documentation in its own window."""

from PyQt6.QtCore import Qt, QUrl
from PyQt6.QtGui import QImage, QKeySequence, QShortcut, QTextDocument
from PyQt6.QtWidgets import QDialog, QTextBrowser, QVBoxLayout, QWidget

from autosim.config.files.lookup import PathError, find_file, search_roots
from autosim.tools.gui.first_size import take_first_size

FOLDER = "docs"
_MARGIN = 60
"""Width [px] that pictures leave free: the margins of the text and the scroll bar."""


class HelpPage(QDialog):
    """Shows a page of the folder `docs/`, and those that it leads to; Alt+Left goes back."""

    def __init__(self, page: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Help: {parent.windowTitle()}")
        take_first_size(self, 820, 680)
        self.text = _Page(self)
        self.text.setOpenExternalLinks(True)
        self.text.setAccessibleName("Help")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.text)
        for keys, go in (("Alt+Left", self.text.backward), ("Alt+Right", self.text.forward)):
            QShortcut(QKeySequence(keys), self, go)
        self.text.resize(self.size())
        self._open(page)

    def _open(self, page: str) -> None:
        try:
            file = find_file(f"{FOLDER}/{page}", search_roots())
        except PathError as error:
            self.text.setPlainText(f"The documentation is not installed: {error}.")
            return
        self.text.setSource(QUrl.fromLocalFile(str(file)))


class _Page(QTextBrowser):
    """Pages whose pictures are never wider than the window."""

    def loadResource(self, kind: int, name: QUrl) -> object:  # noqa: N802
        found = super().loadResource(kind, name)
        if kind != QTextDocument.ResourceType.ImageResource.value:
            return found
        picture = QImage(self.source().resolved(name).toLocalFile())
        room = self.width() - _MARGIN
        if picture.isNull() or picture.width() <= room or room <= 0:
            return found
        return picture.scaledToWidth(room, Qt.TransformationMode.SmoothTransformation)
