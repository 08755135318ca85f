"""Clients of the server: subscriptions, rates, and delays of each."""

import time
from collections.abc import Sequence

from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtWidgets import QAbstractItemView, QMenu, QTableWidget, QTableWidgetItem, QWidget

from autosim.applications.gui.shared.menus import add_action, copy_text
from autosim.client.link.simulation_control import ConnectedClient

_TITLES = ("Client", "From", "Asks for", "Gets", "Skipped", "Delay")
_TIPS = (
    "The name that the client gives itself",
    "Its address",
    "States per simulated second that it asked for",
    "States per second, and their amount of data",
    "States that it missed because it was too slow",
    "How long the newest state waited for the client or the network to take it",
)


class ClientsTable(QTableWidget):
    """One row for each client."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(0, len(_TITLES), parent)
        self.setHorizontalHeaderLabels(_TITLES)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setAccessibleName("Connected clients")
        columns, rows = self.horizontalHeader(), self.verticalHeader()
        assert columns is not None
        assert rows is not None
        columns.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        columns.setStretchLastSection(True)
        rows.hide()
        rows.setDefaultSectionSize(self.fontMetrics().height() + 6)
        character = self.fontMetrics().averageCharWidth()
        for column, width in enumerate((22, 26, 14, 26, 11)):
            columns.resizeSection(column, width * character)
        for column, tip in enumerate(_TIPS):
            item = self.horizontalHeaderItem(column)
            if item is not None:
                item.setToolTip(tip)
        self._before: dict[str, ConnectedClient] = {}
        self._when = 0.0
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._open_menu)

    def _open_menu(self, point: QPoint) -> None:
        row, viewport = self.rowAt(point.y()), self.viewport()
        if row >= 0 and viewport is not None:
            self.menu_at(row).popup(viewport.mapToGlobal(point))

    def menu_at(self, row: int) -> QMenu:
        """Context menu of a row: copying its text."""
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        texts = [self._text(row, column) for column in range(len(_TITLES))]
        add_action(menu, "Copy &Name", lambda: copy_text(texts[0]))
        add_action(menu, "Copy &Address", lambda: copy_text(texts[1]))
        add_action(menu, "Copy &Row", lambda: copy_text("\t".join(texts)))
        return menu

    def _text(self, row: int, column: int) -> str:
        item = self.item(row, column)
        return "" if item is None else item.text()

    def show_clients(self, clients: Sequence[ConnectedClient]) -> None:
        """Shows who is there; rates are those since the last time."""
        now = time.monotonic()
        seconds = now - self._when
        self.setRowCount(len(clients))
        for row, client in enumerate(clients):
            gets = rate_text(self._before.get(client.peer), client, seconds)
            asks = f"{client.rate_hz:g} Hz" if client.rate_hz else "every step"
            delay = f"{1e3 * client.delay:.1f} ms"
            name, peer = client.name or "(no name)", peer_text(client.peer)
            for column, text in enumerate((name, peer, asks, gets, str(client.skipped), delay)):
                self._write(row, column, text)
        self._before = {client.peer: client for client in clients}
        self._when = now

    def _write(self, row: int, column: int, text: str) -> None:
        item = self.item(row, column)
        if item is None:
            self.setItem(row, column, QTableWidgetItem(text))
        elif item.text() != text:
            item.setText(text)


def rate_text(before: ConnectedClient | None, now: ConnectedClient, seconds: float) -> str:
    """States and bytes a second since `before`, which was `seconds` [s] ago; "" where unknown."""
    if before is None or seconds <= 0.0 or now.updates < before.updates:
        return ""
    updates = (now.updates - before.updates) / seconds
    size = (now.bytes - before.bytes) / seconds
    return f"{updates:.1f} Hz, {size / 1e3:.1f} kB/s"


def peer_text(peer: str) -> str:
    """GRPC's name of a peer, without the protocol's."""
    address = peer.partition(":")[2] if peer.startswith(("ipv4:", "ipv6:")) else peer
    return address.replace("%5B", "[").replace("%5D", "]")
