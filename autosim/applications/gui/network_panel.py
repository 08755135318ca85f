"""Network: where the next server listens, and who is connected to this one."""

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QFrame,
    QLabel,
    QLineEdit,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from autosim.client.connection import Status
from autosim.wire import DEFAULT_HOST

ALL_ADDRESSES = "0.0.0.0"
_WARNING = (
    "Whoever reaches this address can stop the simulation and drive its robots: there is no "
    "password, and nothing is encrypted. Tick this only in a network that you trust."
)


class NetworkPanel(QWidget):
    """Signal `changed`: address or port are others now; they count from the next Load on."""

    changed = pyqtSignal()

    def __init__(
        self, *, host: str, port: int, is_insecure: bool, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.address = QLineEdit(host)
        self.port = QSpinBox()
        self.port.setRange(0, 65535)
        self.port.setSpecialValueText("any free one")
        self.port.setValue(port)
        self.is_insecure = QCheckBox("&Let other machines connect")
        self.is_insecure.setChecked(is_insecure)
        self.warning = QLabel(_WARNING)
        self.warning.setWordWrap(True)
        self.serving = QLabel("no server runs")
        self.clients = QLabel("–")
        self.hint = QLabel("Address and port count from the next Load or Reset on.")
        inside = QWidget()
        layout = QFormLayout(inside)
        layout.setContentsMargins(6, 6, 6, 6)
        layout.setVerticalSpacing(4)
        layout.addRow("A&ddress", self.address)
        layout.addRow("&Port", self.port)
        layout.addRow("", self.is_insecure)
        layout.addRow("", self.warning)
        layout.addRow("", self.hint)
        layout.addRow("Serving at", self.serving)
        layout.addRow("Connected", self.clients)
        layout.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.FieldsStayAtSizeHint)
        self.warning.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setWidget(inside)
        column.addWidget(area)
        self.is_insecure.toggled.connect(self._follow_tick)
        self.address.editingFinished.connect(self.changed)
        self.port.valueChanged.connect(self.changed)
        self._show_tick()

    def show_server(self, address: str) -> None:
        """Shows where clients reach the server; "" where there is none."""
        self.serving.setText(address or "no server runs")
        if not address:
            self.clients.setText("–")

    def show_status(self, status: Status) -> None:
        """Shows who is connected, this window not counted."""
        others = max(0, status.clients - 1)
        self.clients.setText(
            f"{others} client{'' if others == 1 else 's'} beside this window, "
            f"{status.programs} user program{'' if status.programs == 1 else 's'} elsewhere"
        )

    def _follow_tick(self, is_ticked: bool) -> None:
        self.address.setText(ALL_ADDRESSES if is_ticked else DEFAULT_HOST)
        self._show_tick()
        self.changed.emit()

    def _show_tick(self) -> None:
        self.warning.setVisible(self.is_insecure.isChecked())
        self.address.setEnabled(self.is_insecure.isChecked())
