"""What to show, from which server, with which user program: the fields of the client's window."""

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QComboBox, QFormLayout, QGroupBox, QLineEdit, QVBoxLayout, QWidget

from autosim.tools.gui.file_field import FileField
from autosim.wire import DEFAULT_ADDRESS

WORLDS = "Worlds (*.xml);;OpenStreetMap (*.osm *.osm.gz *.osm.bz2 *.osm.pbf *.pbf)"
PROGRAMS = "User programs (*.py)"


class SettingsPanel(QWidget):
    """World, server, robot, program. Signal `robot_chosen` (name)."""

    robot_chosen = pyqtSignal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.world = FileField("World File", WORLDS)
        self.world.line.setPlaceholderText("the server's world")
        self.address = QLineEdit()
        self.address.setPlaceholderText(DEFAULT_ADDRESS)
        self.address.setToolTip("HOST:PORT of the server")
        self.robot = QComboBox()
        self.robot.setEditable(True)
        self.robot.setToolTip("The robot that the user program drives")
        self.program = FileField("User Program", PROGRAMS)
        self.program.line.setPlaceholderText("none")
        for field, name in ((self.address, "Server Address"), (self.robot, "Robot Name")):
            field.setAccessibleName(name)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(_group("World", [("&File", self.world, self.world.line)]))
        column.addWidget(
            _group(
                "User Program",
                [
                    ("Robot &Name", self.robot, self.robot),
                    ("&Program", self.program, self.program.line),
                ],
            )
        )
        column.addWidget(_group("Network", [("Server &Address", self.address, self.address)]))
        self.robot.activated.connect(lambda: self.robot_chosen.emit(self.robot.currentText()))

    @property
    def server_address(self) -> str:
        """The address in the field, with the default's port where it has none."""
        text = self.address.text().strip() or DEFAULT_ADDRESS
        return text if ":" in text else f"{text}:{DEFAULT_ADDRESS.rsplit(':', 1)[1]}"

    def show_robots(self, names: list[str]) -> None:
        """Offers the robots of a world; one that was named before stays, if it is there."""
        chosen = self.robot.currentText()
        self.robot.clear()
        self.robot.addItems(names)
        if chosen in names:
            self.robot.setCurrentText(chosen)

    def set_connected(self, is_connected: bool) -> None:
        """While connected, what would need a new connection cannot be changed."""
        for field in (self.world, self.address):
            field.setEnabled(not is_connected)


def _group(title: str, rows: list[tuple[str, QWidget, QWidget]]) -> QGroupBox:
    group = QGroupBox(title)
    form = QFormLayout(group)
    form.setContentsMargins(6, 4, 6, 4)
    form.setVerticalSpacing(3)
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    for text, widget, focus in rows:
        form.addRow(text, widget)
        label = form.labelForField(widget)
        if label is not None:
            label.setBuddy(focus)  # type: ignore[attr-defined]
    return group
