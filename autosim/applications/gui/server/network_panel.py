"""Network: where the next server listens, and who is connected to this one."""

from collections.abc import Sequence

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QFrame,
    QLabel,
    QLineEdit,
    QScrollArea,
    QSpinBox,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from autosim.access.server_addresses import is_loopback
from autosim.applications.gui.server.clients_table import ClientsTable
from autosim.client.link.simulation_control import ConnectedClient, Status
from autosim.wire import DEFAULT_HOST

ALL_ADDRESSES = "0.0.0.0"
_HINT_FOR_OTHERS = (
    "Others need a token (autosim ctl token make), and compare the fingerprint of the certificate, "
    "which the messages show."
)
_WARNING = (
    "INSECURE: this server was started with --insecure, so nothing is encrypted. Anyone who can "
    "read the network traffic can copy tokens and use them."
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
        self.is_open = QCheckBox("&Let other machines connect")
        self.is_open.setChecked(not is_loopback(host))
        self.warning = QLabel(_WARNING if is_insecure else _HINT_FOR_OTHERS)
        self.warning.setWordWrap(True)
        self.hint = QLabel("Address and port count from the next Load or Reset on.")
        self.hint.setWordWrap(True)
        self.serving = QLabel("no server runs")
        self.programs = QLabel("–")
        self.clients = ClientsTable()
        self._lay_out()
        self.is_open.toggled.connect(self._follow_tick)
        self.address.editingFinished.connect(self.changed)
        self.port.valueChanged.connect(self.changed)
        self._show_tick()

    def _lay_out(self) -> None:
        inside = QWidget()
        form = QFormLayout(inside)
        form.setContentsMargins(6, 6, 6, 6)
        form.setVerticalSpacing(4)
        form.addRow("A&ddress", self.address)
        form.addRow("&Port", self.port)
        form.addRow(self.is_open)
        form.addRow(self.warning)
        form.addRow(self.hint)
        form.addRow("Serving at", self.serving)
        form.addRow("Programs elsewhere", self.programs)
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setWidget(inside)
        bar = area.verticalScrollBar()
        width = bar.sizeHint().width() if bar is not None else 0
        area.setMinimumWidth(inside.minimumSizeHint().width() + width)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(area)
        split.addWidget(self.clients)
        split.setSizes([360, 840])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(split)

    def show_server(self, address: str) -> None:
        """Shows where clients reach the server; "" where there is none."""
        self.serving.setText(address or "no server runs")
        if not address:
            self.programs.setText("–")
            self.clients.show_clients(())
            self.clients.show_clients(())

    def show_status(self, status: Status) -> None:
        """Shows how many programs take part from elsewhere."""
        self.programs.setText(str(status.programs))

    def show_clients(self, clients: Sequence[ConnectedClient]) -> None:
        """Shows who is connected."""
        self.clients.show_clients(clients)

    def _follow_tick(self, is_ticked: bool) -> None:
        self.address.setText(ALL_ADDRESSES if is_ticked else DEFAULT_HOST)
        self._show_tick()
        self.changed.emit()

    def _show_tick(self) -> None:
        self.warning.setVisible(self.is_open.isChecked())
        self.address.setEnabled(self.is_open.isChecked())
