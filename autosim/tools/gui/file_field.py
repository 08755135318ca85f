"""A field for a file's name, with a button that opens a file dialogue."""

from pathlib import Path

from PyQt6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QPushButton, QWidget


class FileField(QWidget):
    """A line for a path and its button "Change". `is_target` asks for a file that may be new."""

    def __init__(self, title: str, kinds: str, *, is_target: bool = False) -> None:
        super().__init__()
        self._title = title
        self._kinds = kinds
        self._is_target = is_target
        self.line = QLineEdit()
        self.line.setAccessibleName(title)
        self.button = QPushButton("Change")
        self.button.setAccessibleName(f"Change {title}")
        self.button.clicked.connect(self._ask)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.line, stretch=1)
        row.addWidget(self.button)

    @property
    def path(self) -> Path | None:
        """The path in the field, None where it is empty."""
        text = self.line.text().strip()
        return Path(text).expanduser() if text else None

    @path.setter
    def path(self, path: Path | None) -> None:
        self.line.setText("" if path is None else str(path))

    def _ask(self) -> None:
        ask = QFileDialog.getSaveFileName if self._is_target else QFileDialog.getOpenFileName
        name, _ = ask(self, self._title, self.line.text(), f"{self._kinds};;All files (*)")
        if name:
            self.line.setText(name)
