"""The user programs: which robot each drives, how it fares, and what can be done with it."""

from collections.abc import Sequence

from PyQt6.QtCore import QPoint, Qt, pyqtSignal
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from autosim.applications.gui.server.operator import ServerStage
from autosim.applications.gui.shared.menus import add_action, copy_text
from autosim.applications.remote.management_orders import state_text, turn_text
from autosim.config.arguments import join_arguments
from autosim.config.descriptions import WorldDescription
from autosim.model.program_status import ProgramStatus
from autosim.orders.programs import ProgramReport

_TITLES = ("Robot", "User program", "State", "Step time", "Restarts", "Runs on")
_TIPS = (
    "The robot that the program drives",
    "The file, and the arguments that follow the robot's name",
    "Its state, and the reason if it does not run",
    "Real time of a turn in the last second: mean / longest",
    "How often it was started again",
    "The server, a client, or somewhere else",
)
_WIDTHS = (11, 27, 22, 18, 10, 10)
"""Widths of the columns [characters], enough for the usual names."""
STATE = _TITLES.index("State")

_SHARES = {_TITLES.index("Robot"): 0.2, _TITLES.index("User program"): 0.35}
"""Greatest share of the table's width that a column takes for a longer text."""


class ProgramsPanel(QWidget):
    """One row for each program, and buttons for the selected one.

    Signals: `restart_wanted`, `stop_wanted` (the robot's name); `restart_with_wanted` (the same,
    and the line of the new arguments); `attach_wanted` (the same, "" without a selected
    row); `robot_wanted` (the same): show it; `safe_mode_changed` (whether
    the next world starts without programs).
    """

    restart_wanted = pyqtSignal(str)
    restart_with_wanted = pyqtSignal(str, str)
    stop_wanted = pyqtSignal(str)
    attach_wanted = pyqtSignal(str)
    robot_wanted = pyqtSignal(str)
    safe_mode_changed = pyqtSignal(bool)

    def __init__(self, *, is_safe: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = QTableWidget(0, len(_TITLES), self)
        self.restart = QPushButton("&Restart", self)
        self.restart.setToolTip("Starts or restarts the program, from its present file")
        self.stop = QPushButton("Sto&p", self)
        self.stop.setToolTip("Ends the program; its robot brakes")
        self.attach = QPushButton("A&ttach…", self)
        self.attach.setToolTip("Gives a user program to a robot without one")
        self.is_safe = QCheckBox("Safe &mode", self)
        self.is_safe.setToolTip(
            "The next Load or Reset starts no programs; start them one by one here"
        )
        self.is_safe.setChecked(is_safe)
        self._programs: tuple[ProgramReport, ...] = ()
        self._texts: tuple[tuple[str, str], ...] = ()
        self._is_live = False
        self._set_up_table()
        self._lay_out()
        self.restart.clicked.connect(lambda: self.restart_wanted.emit(self._robot()))
        self.stop.clicked.connect(lambda: self.stop_wanted.emit(self._robot()))
        self.attach.clicked.connect(lambda: self.attach_wanted.emit(self._robot()))
        self.is_safe.toggled.connect(self.safe_mode_changed)
        self.table.itemSelectionChanged.connect(self._enable)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._open_menu)
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

    def show_stage(self, stage: ServerStage) -> None:
        """Follows the simulation: without one there is nothing to be done."""
        self._is_live = stage.is_live
        if stage is ServerStage.STOPPED:
            for row in range(self.table.rowCount()):
                self._write(row, STATE, "ended with the server")
        self._enable()

    def show_programs(self, programs: Sequence[ProgramReport]) -> None:
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
        self._widen()
        self._enable()

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802
        """Updates the layout."""
        super().resizeEvent(event)
        self._texts = ()
        self._widen()

    def _widen(self) -> None:
        """Makes room for the names and files, where they are others than before."""
        texts = tuple((each.robot, each.call) for each in self._programs)
        if texts == self._texts:
            return
        self._texts = texts
        for column, share in _SHARES.items():
            # Some pixels more than the text: else it ends in an ellipsis.
            wanted = self.table.sizeHintForColumn(column) + self.fontMetrics().averageCharWidth()
            width = min(wanted, round(share * self.width()))
            self.table.setColumnWidth(column, max(width, self.table.columnWidth(column)))

    def add_to_menu(self, menu: QMenu, robot: str) -> None:
        """Adds what can be done with the program of a robot."""
        program = next((each for each in self._programs if each.robot == robot), None)
        can_start, can_end = self._can(program)
        add_action(
            menu, "Re&start Program", lambda: self.restart_wanted.emit(robot), is_enabled=can_start
        )
        line = join_arguments(program.arguments) if program is not None else ""
        add_action(
            menu,
            "Restart With Ar&guments…",
            lambda: self.restart_with_wanted.emit(robot, line),
            is_enabled=can_start,
        )
        add_action(menu, "St&op Program", lambda: self.stop_wanted.emit(robot), is_enabled=can_end)
        add_action(
            menu,
            "Atta&ch a Program…",
            lambda: self.attach_wanted.emit(robot),
            is_enabled=self._is_live and robot not in self.busy_robots,
        )

    def _can(self, program: ProgramReport | None) -> tuple[bool, bool]:
        """Whether a program can be started again, and whether it can be ended."""
        if program is None or not self._is_live:
            return False, False
        return program.side == "server", program.side != "client" and program.is_active

    def _open_menu(self, point: QPoint) -> None:
        menu = self.menu_at(self.table.rowAt(point.y()))
        viewport = self.table.viewport()
        if menu is not None and viewport is not None:
            menu.popup(viewport.mapToGlobal(point))

    def menu_at(self, row: int) -> QMenu | None:
        """Context menu of the program in a row; None without one."""
        if not 0 <= row < len(self._programs):
            return None
        self.table.selectRow(row)
        program = self._programs[row]
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        self.add_to_menu(menu, program.robot)
        menu.addSeparator()
        add_action(menu, f"S&how {program.robot}", lambda: self.robot_wanted.emit(program.robot))
        add_action(menu, "Copy &Program", lambda: copy_text(program.call))
        add_action(menu, "Copy St&ate", lambda: copy_text(state_text(program)))
        return menu

    @property
    def listed(self) -> tuple[ProgramReport, ...]:
        """The programs that are shown."""
        return self._programs

    @property
    def busy_robots(self) -> frozenset[str]:
        """The robots whose program of the server runs, or will."""
        return frozenset(
            each.robot for each in self._programs if each.side == "server" and each.is_active
        )

    def text(self, row: int, column: int) -> str:
        """Text of a cell, "" for none."""
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

    def _current(self) -> ProgramReport | None:
        row = self.table.currentRow()
        if row < 0 and len(self._programs) == 1:
            row = 0
        return self._programs[row] if 0 <= row < len(self._programs) else None

    def _robot(self) -> str:
        program = self._current()
        return "" if program is None else program.robot

    def _enable(self) -> None:
        can_start, can_end = self._can(self._current())
        self.restart.setEnabled(can_start)
        self.stop.setEnabled(can_end)
        self.attach.setEnabled(self._is_live)


def _waiting(robot: str, file: str, arguments: tuple[str, ...], side: str) -> ProgramReport:
    return ProgramReport(
        robot=robot,
        file=file,
        arguments=arguments,
        side=side,
        state=ProgramStatus.WAITING,
    )
