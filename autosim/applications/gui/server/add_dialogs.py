"""Dialogs of the server's window that add to a running simulation: a robot, a user program."""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from PyQt6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from autosim.config.arguments import split_arguments
from autosim.config.descriptions import WorldDescription
from autosim.config.files.lookup import Roots, locate
from autosim.config.files.program_files import program_names
from autosim.config.reading.attribute_values import is_name
from autosim.orders.robot_orders import AddRobot

_FARTHEST = 100_000.0
"""Distance [m] from the middle of the map that can be typed in: farther than any map reaches."""
NO_PROGRAM = "(none)"


def files_in(folder: str, pattern: str, roots: Roots) -> list[str]:
    """The files of that folder below `roots`, as a world file names them, each once."""
    found = (f"{folder}/{file.name}" for root in roots for file in _glob(root / folder, pattern))
    return list(dict.fromkeys(found))


def _glob(folder: Path, pattern: str) -> Iterable[Path]:
    return sorted(folder.glob(pattern)) if folder.is_dir() else ()


class _Dialog(QDialog):
    """A form above OK and Cancel."""

    def __init__(self, title: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.form = QFormLayout(self)
        self.program = QComboBox(self)
        self.arguments = QLineEdit(self)
        self.arguments.setPlaceholderText("separated by spaces")
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.obstacle = QLabel(self)
        self.obstacle.setWordWrap(True)
        self.obstacle.setStyleSheet("color: #b02020;")
        self.obstacle.hide()
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)

    def _end_form(self) -> None:
        self.form.addRow("User &program", self.program)
        self.form.addRow("Ar&guments", self.arguments)
        self.form.addRow(self.obstacle)
        self.form.addRow(self.buttons)

    def _complain(self, why: str) -> None:
        """Says why OK cannot be pressed; "": it can."""
        self.obstacle.setText(why)
        self.obstacle.setVisible(bool(why))
        is_enabled = not why
        ok = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        if ok is not None:
            ok.setEnabled(is_enabled)


class RobotDialog(_Dialog):
    """Choice of a robot to add and of its place.

    Args:
        world: the simulated one; its folders are searched.
    """

    def __init__(self, world: WorldDescription, parent: QWidget | None = None) -> None:
        super().__init__("Add a Robot", parent)
        roots = self._roots = locate(world.source)[1]
        self._taken = {robot.name for robot in world.robots}
        self.file = QComboBox(self)
        self.file.addItems(files_in("robots", "*.xml", roots))
        if world.robots and world.robots[0].robot.source:
            # Most often, one more of those that are there.
            self.file.setCurrentText(f"robots/{world.robots[0].robot.source.name}")
        self.browse = QPushButton("&Browse…", self)
        self.browse.setToolTip("Choose a robot file from the world's folders")
        self.browse.clicked.connect(self.ask_for_file)
        self.name = QLineEdit(self)
        self.is_on_lane = QCheckBox("On a free &lane", self)
        self.is_on_lane.setChecked(True)
        self.east = _number(-_FARTHEST, _FARTHEST, " m")
        self.north = _number(-_FARTHEST, _FARTHEST, " m")
        self.heading = _number(0.0, 360.0, "°")
        self.program.addItems([NO_PROGRAM, *program_names(roots)])
        for label, widget in (
            ("Robot &file", _beside(self.file, self.browse)),
            ("&Name", self.name),
            ("", self.is_on_lane),
            ("&East", self.east),
            ("No&rth", self.north),
            ("&Heading (0 north, 90 east)", self.heading),
        ):
            self.form.addRow(label, widget)
        self._end_form()
        self.file.currentTextChanged.connect(self._suggest)
        self.name.textChanged.connect(self._check)
        self.is_on_lane.toggled.connect(self._follow_tick)
        self._suggest(self.file.currentText())
        self._follow_tick(True)

    def suggest_place(self, x: float, y: float) -> None:
        """Fills in a place [m] in W."""
        self.is_on_lane.setChecked(False)
        self.east.setValue(x)
        self.north.setValue(y)

    def order(self) -> AddRobot:
        """The chosen robot."""
        program = self.program.currentText()
        return AddRobot(
            file=self.file.currentText(),
            name=self.name.text().strip(),
            position=None
            if self.is_on_lane.isChecked()
            else (self.east.value(), self.north.value()),
            yaw=math.pi / 2.0 - math.radians(self.heading.value()),
            program="" if program == NO_PROGRAM else program,
            arguments=split_arguments(self.arguments.text()),
        )

    def ask_for_file(self) -> None:
        """Lets the user choose a robot file from all of the world's folders."""
        start = str(self._roots[0] / "robots")
        chosen, _ = QFileDialog.getOpenFileName(self, "Robot File", start, "Robots (*.xml)")
        if not chosen:
            return
        name = name_relative_to(Path(chosen), self._roots)
        if not name:
            self._complain(
                f"'{Path(chosen).name}' lies in none of the folders of this world: copy it to "
                f"{self._roots[0] / 'robots'}"
            )
            return
        if self.file.findText(name) < 0:
            self.file.addItem(name)
        self.file.setCurrentText(name)
        self._check()

    def _suggest(self, file: str) -> None:
        stem = Path(file).stem
        names = (stem, *(f"{stem}{number}" for number in range(2, len(self._taken) + 3)))
        self.name.setText(next((each for each in names if each not in self._taken), stem))

    def _check(self) -> None:
        self._complain(self._obstacle())

    def _obstacle(self) -> str:
        """Why there is nothing to add yet, "" where there is."""
        name = self.name.text().strip()
        if not self.file.count():
            return "The world's folders hold no robot file: Browse… finds one."
        if not name:
            return "The robot needs a name."
        if name in self._taken:
            return f"There is already a robot called '{name}'."
        if not is_name(name):
            return "A name has letters, digits, '_' and '-', at most 64."
        return ""

    def _follow_tick(self, is_on_lane: bool) -> None:
        for widget in (self.east, self.north, self.heading):
            widget.setEnabled(not is_on_lane)


class ProgramDialog(_Dialog):
    """Choice of a user program and a robot for it.

    Args:
        world: the simulated one; its folders are searched.
        robots: those without a running program.
        robot: the selected one, "" for none.
    """

    def __init__(
        self,
        world: WorldDescription,
        *,
        robots: Sequence[str],
        robot: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("Attach a User Program", parent)
        self.robot = QComboBox(self)
        self.robot.addItems(robots)
        if robot in robots:
            self.robot.setCurrentText(robot)
        self.program.addItems(program_names(locate(world.source)[1]))
        self.form.addRow("&Robot", self.robot)
        self._end_form()
        self._complain(self._obstacle())

    def _obstacle(self) -> str:
        if not self.robot.count():
            return "Every robot has a program that runs: stop one first."
        if not self.program.count():
            return "The world's folder userprograms/ holds no program."
        return ""

    def chosen(self) -> tuple[str, str, tuple[str, ...]]:
        """The robot, the file and the arguments."""
        arguments = split_arguments(self.arguments.text())
        return self.robot.currentText(), self.program.currentText(), arguments


def _number(low: float, high: float, suffix: str) -> QDoubleSpinBox:
    box = QDoubleSpinBox()
    box.setRange(low, high)
    box.setDecimals(2)
    box.setSuffix(suffix)
    return box


def _beside(first: QWidget, second: QWidget) -> QWidget:
    both = QWidget()
    row = QHBoxLayout(both)
    row.setContentsMargins(0, 0, 0, 0)
    row.addWidget(first, 1)
    row.addWidget(second)
    return both


def name_relative_to(file: Path, roots: Roots) -> str:
    """Path of `file` as in a world file: relative to one of `roots`; "" if it is in none."""
    place = file.resolve()
    for root in roots:
        if place.is_relative_to(root.resolve()):
            return place.relative_to(root.resolve()).as_posix()
    return ""
