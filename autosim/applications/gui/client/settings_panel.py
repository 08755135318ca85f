"""World, server and user program: the fields of the client's window."""

from collections.abc import Sequence

from PyQt6.QtCore import QSettings, pyqtSignal
from PyQt6.QtWidgets import QComboBox, QFormLayout, QLineEdit, QVBoxLayout, QWidget

from autosim.applications.gui.client.sky_panel import SkyPanel
from autosim.applications.gui.shared.layout.foldable import Foldable
from autosim.config.arguments import join_arguments
from autosim.config.descriptions import PlacedRobot
from autosim.tools.gui.file_field import FileField
from autosim.wire import DEFAULT_ADDRESS

WORLDS = "Worlds (*.xml);;Maps (*.osm *.osm.gz *.osm.bz2 *.pbf *.xodr *.xodr.gz)"
PROGRAMS = "User programs (*.py)"


class SettingsPanel(QWidget):
    """World, server, robot, program, sky. Signal `robot_chosen` (name)."""

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
        self.arguments = QLineEdit()
        self.arguments.setToolTip(
            "What follows the robot's name in the program's argv, separated by spaces"
        )
        for field, name in (
            (self.address, "Server Address"),
            (self.robot, "Robot Name"),
            (self.arguments, "Program Arguments"),
        ):
            field.setAccessibleName(name)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        self.sky = SkyPanel()
        world = _form([("W&orld File", self.world, self.world.line)])
        program = _form(
            [
                ("Ro&bot", self.robot, self.robot),
                ("Pro&gram", self.program, self.program.line),
                ("Arg&uments", self.arguments, self.arguments),
            ]
        )
        network = _form([("Server &Address", self.address, self.address)])
        forms = {"World": world, "User Program": program, "Day Time and Weather": self.sky}
        self._folds = [
            Foldable(title, form) for title, form in (forms | {"Network": network}).items()
        ]
        for fold in self._folds:
            column.addWidget(fold)
        column.addStretch(1)
        self._programs: dict[str, PlacedRobot] = {}
        self._wanted = ""
        self._show_named_program()
        self.robot.currentTextChanged.connect(self._show_named_program)
        self.robot.currentTextChanged.connect(self._want)
        self.robot.activated.connect(lambda: self.robot_chosen.emit(self.robot.currentText()))

    @property
    def server_address(self) -> str:
        """The address in the field, with the default's port where it has none."""
        text = self.address.text().strip() or DEFAULT_ADDRESS
        return text if ":" in text else f"{text}:{DEFAULT_ADDRESS.rsplit(':', 1)[1]}"

    def show_robots(self, robots: Sequence[PlacedRobot]) -> None:
        """Offers the robots of a world; one that people have named is chosen where it is there."""
        wanted = self._wanted
        names = [robot.name for robot in robots]
        self._programs = {
            robot.name: robot
            for robot in robots
            if robot.program and robot.program_side == "client"
        }
        self.robot.clear()
        self.robot.addItems(names)
        if wanted in names:
            self.robot.setCurrentText(wanted)
        # A world without it does not reset the choice: the next one may have it again.
        self._wanted = wanted
        self._show_named_program()

    def save_folds(self, settings: QSettings) -> None:
        """Keeps which forms are folded."""
        for fold in self._folds:
            fold.save(settings)

    def restore_folds(self, settings: QSettings) -> None:
        """Folds the forms that were folded last time."""
        for fold in self._folds:
            fold.restore(settings)

    def set_connected(self, is_connected: bool) -> None:
        """While connected, what would need a new connection cannot be changed."""
        for field in (self.world, self.address):
            field.setEnabled(not is_connected)

    def _want(self, robot: str) -> None:
        self._wanted = robot

    def _show_named_program(self) -> None:
        """Shows what runs while the field is empty: the program of the world file, if any."""
        named = self._programs.get(self.robot.currentText())
        program = named.program if named is not None else ""
        arguments = join_arguments(named.program_arguments) if named is not None else ""
        for line, said in ((self.program.line, program), (self.arguments, arguments)):
            line.setPlaceholderText(f"{said} (as the world file says)" if said else "none")


def _form(rows: list[tuple[str, QWidget, QWidget]]) -> QWidget:
    group = QWidget()
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
