"""A coloured bar above a picture that says what is wrong, with a button that mends it."""

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton

_STYLE = (
    "#banner{background:#b02a30;border-radius:3px}"
    "#banner QLabel{color:white;font-weight:bold}"
    "#banner QPushButton,#banner QToolButton{color:white;background:#8a1f25;"
    "border:1px solid #e8b4b8;border-radius:3px;padding:2px 10px}"
    "#banner QPushButton:hover,#banner QToolButton:hover{background:#6f161b}"
    "#banner QPushButton:focus,#banner QToolButton:focus{border:2px solid white}"
)


class Banner(QFrame):
    """Hidden until `show_fault`. Signals: `mend_wanted`: its button was pressed."""

    mend_wanted = pyqtSignal()

    def __init__(self, button: str) -> None:
        super().__init__()
        self.setObjectName("banner")
        self.setStyleSheet(_STYLE)
        self.text = QLabel()
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.text.setAccessibleName("What is wrong")
        self.button = QPushButton(button)
        self.button.clicked.connect(self.mend_wanted)
        self.hide_button = QToolButton()
        self.hide_button.setText("✕")
        self.hide_button.setToolTip("Hide this until something else fails")
        self.hide_button.setAccessibleName("Hide")
        self.hide_button.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 5, 6, 5)
        row.addWidget(self.text, 1)
        row.addWidget(self.button)
        row.addWidget(self.hide_button)
        self.hide()

    def show_fault(self, text: str) -> None:
        """Shows a sentence, the whole of it as a tip; "" hides the bar."""
        self.text.setText(text.split("\n", 1)[0])
        self.text.setToolTip(text)
        self.setVisible(bool(text))
