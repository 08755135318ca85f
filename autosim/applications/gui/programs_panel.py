"""The user programs: which robot each drives, how it fares, and what can be done with it."""

from collections.abc import Sequence

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from autosim.applications.gui.operator import Stage
from autosim.applications.management import state_text, turn_text
from autosim.client.management import ProgramInfo
from autosim.config.descriptions import WorldDescription
from autosim.simulation.program_state import ProgramState

_TITLES = ("Robot", "User program", "State", "Step time", "Restarts", "Runs on")
_TIPS = (
    "The robot that the program drives",
    "The file, and the arguments that follow the robot's name",
    "How it stands, and why it does not run",
    "Wall-clock time of a turn in the last second: mean / longest",
    "How often it was started again",
    "The server, a client, or somewhere else",
)
_WIDTHS = (11, 27, 22, 18, 10, 10)
STATE = _TITLES.index("State")


class ProgramsPanel(QWidget):
    """One row for each program, and buttons for the one in hand.

    Signals: `restart_wanted`, `stop_wanted` (the robot's name); `attach_wanted` (the same, "" where
    no row is in hand); `safe_mode_changed` (whether the next world starts without programs).
    """

    restart_wanted = pyqtSignal(str)
    stop_wanted = pyqtSignal(str)
    attach_wanted = pyqtSignal(str)
    safe_mode_changed = pyqtSignal(bool)

    def __init__(self, *, is_safe: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = QTableWidget(0, len(_TITLES), self)
        self.restart = QPushButton("Re&start", self)
        self.restart.setToolTip("Starts the program, again where it runs; its file is read anew")
        self.stop = QPushButton("S&top", self)
        self.stop.setToolTip("Ends the program; its robot brakes")
        self.attach = QPushButton("Atta&ch…", self)
        self.attach.setToolTip("Gives a robot that has none a user program")
        self.is_safe = QCheckBox("Safe &mode", self)
        self.is_safe.setToolTip("The next Load or Reset starts no program; start each one here")
        self.is_safe.setChecked(is_safe)
        self._programs: tuple[ProgramInfo, ...] = ()
        self._is_live = False
        self._set_up_table()
        self._lay_out()
        self.restart.clicked.connect(lambda: self.restart_wanted.emit(self._robot()))
        self.stop.clicked.connect(lambda: self.stop_wanted.emit(self._robot()))
        self.attach.clicked.connect(lambda: self.attach_wanted.emit(self._robot()))
        self.is_safe.toggled.connect(self.safe_mode_changed)
        self.table.itemSelectionChanged.connect(self._enable)
        self._enable()

    def _set_up_table(self) -> None:
        table = self.table
        table.setHorizontalHeaderLabels(_TITLES)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setTabKeyNavigation(False)
        table.setWordWrap(False)
        table.setMinimumHeight(3 * table.fontMetrics().height())
        table.setAccessibleName("User programs")
        header, rows = table.horizontalHeader(), table.verticalHeader()
        assert header is not None
        assert rows is not None
        header.setSectionResizeMode(STATE, QHeaderView.ResizeMode.Stretch)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        character = self.fontMetrics().averageCharWidth()
        for column, width in enumerate(_WIDTHS):
            header.resizeSection(column, width * character)
        for column, tip in enumerate(_TIPS):
            item = table.horizontalHeaderItem(column)
            if item is not None:
                item.setToolTip(tip)
        rows.hide()
        rows.setDefaultSectionSize(self.fontMetrics().height() + 6)

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        for widget in (self.restart, self.stop, self.attach):
            buttons.addWidget(widget)
        buttons.addStretch(1)
        buttons.addWidget(self.is_safe)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.table, 1)
        column.addLayout(buttons)

    def show_world(self, world: WorldDescription) -> None:
        """Lists the programs of a world; none of them has started."""
        self.show_programs(
            [
                _waiting(robot.name, robot.program, robot.program_arguments, robot.program_side)
                for robot in world.robots
                if robot.program is not None
            ]
        )

    def show_stage(self, stage: Stage) -> None:
        """Follows the simulation: without one there is nothing to be done."""
        self._is_live = stage.is_live
        self._enable()

    def show_programs(self, programs: Sequence[ProgramInfo]) -> None:
        """Shows how the programs fare."""
        self._programs = tuple(programs)
        self.table.setRowCount(len(programs))
        for row, program in enumerate(programs):
            texts = (
                program.robot,
                program.call,
                state_text(program),
                turn_text(program),
                str(program.restarts or ""),
                program.side,
            )
            for column, text in enumerate(texts):
                self._write(row, column, text)
        self._enable()

    @property
    def busy_robots(self) -> frozenset[str]:
        """The robots whose program of the server runs, or will."""
        return frozenset(
            each.robot for each in self._programs if each.side == "server" and _is_active(each)
        )

    def text(self, row: int, column: int) -> str:
        """What a cell shows, "" where there is none."""
        item = self.table.item(row, column)
        return "" if item is None else item.text()

    def _write(self, row: int, column: int, text: str) -> None:
        item = self.table.item(row, column)
        if item is None:
            item = QTableWidgetItem()
            self.table.setItem(row, column, item)
        if item.text() != text:
            item.setText(text)
            item.setToolTip(text)

    def _current(self) -> ProgramInfo | None:
        row = self.table.currentRow()
        if row < 0 and len(self._programs) == 1:
            row = 0
        return self._programs[row] if 0 <= row < len(self._programs) else None

    def _robot(self) -> str:
        program = self._current()
        return "" if program is None else program.robot

    def _enable(self) -> None:
        program = self._current() if self._is_live else None
        is_own = program is not None and program.side == "server"
        can_end = program is not None and program.side != "client" and _is_active(program)
        self.restart.setEnabled(is_own)
        self.stop.setEnabled(can_end)
        self.attach.setEnabled(self._is_live)


def _is_active(program: ProgramInfo) -> bool:
    return program.state in (ProgramState.WAITING, ProgramState.RUNNING)


def _waiting(robot: str, file: str, arguments: tuple[str, ...], side: str) -> ProgramInfo:
    return ProgramInfo(
        robot=robot,
        file=file,
        arguments=arguments,
        side=side,
        state=ProgramState.WAITING,
        last_words="",
        restarts=0,
        turn_mean=0.0,
        turn_longest=0.0,
        turns=0,
        has_turn=False,
    )
