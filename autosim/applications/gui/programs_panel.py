"""The world's user programs: which robot each drives, where it runs, how it fares."""

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from autosim.applications.gui.entries import Entry
from autosim.applications.gui.operator import Stage
from autosim.config.descriptions import PlacedRobot, WorldDescription
from autosim.simulation.commands import DeviceState
from autosim.simulation.state import State
from autosim.simulation.tree import WORD

_TITLES = ("Robot", "User program", "Arguments", "Runs on", "State")
_STATE = len(_TITLES) - 1


class ProgramsPanel(QTableWidget):
    """One row for each robot that has a program in the world file.

    Which program left is said in messages, by its file; which robot it drove, by the robot's state:
    one file may drive many robots.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(0, len(_TITLES), parent)
        self.setHorizontalHeaderLabels(_TITLES)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setAccessibleName("User programs")
        header, rows = self.horizontalHeader(), self.verticalHeader()
        assert header is not None
        assert rows is not None
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setStretchLastSection(True)
        character = self.fontMetrics().averageCharWidth()
        for column, width in enumerate((18, 34, 20, 12)):
            header.resizeSection(column, width * character)
        rows.hide()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        rows.setDefaultSectionSize(self.fontMetrics().height() + 6)
        self._robots: tuple[PlacedRobot, ...] = ()
        self._stage = Stage.EMPTY
        self._last_words: dict[str, Entry] = {}

    def show_world(self, world: WorldDescription) -> None:
        """Lists the programs of a world; none of them has started."""
        self._robots = tuple(robot for robot in world.robots if robot.program is not None)
        self._last_words.clear()
        self.setRowCount(len(self._robots))
        for row, robot in enumerate(self._robots):
            arguments = " ".join(robot.program_arguments)
            texts = (robot.name, str(robot.program), arguments, robot.program_side, "")
            for column, text in enumerate(texts):
                self.setItem(row, column, QTableWidgetItem(text))

    def show_stage(self, stage: Stage) -> None:
        """Follows the simulation."""
        self._stage = stage

    def take(self, entry: Entry) -> None:
        """Looks whether a message is a program's last word."""
        if entry.level != "warning" and any(each.program in entry.source for each in self._robots):  # type: ignore[operator]
            self._last_words[entry.source] = entry

    def refresh(self, state: State | None) -> None:
        """Shows how the programs fare, by the robots in `state`."""
        for row, robot in enumerate(self._robots):
            text = self._state_of(robot, state)
            item = self.item(row, _STATE)
            if item is not None and item.text() != text:
                item.setText(text)
                item.setToolTip(text)

    def _state_of(self, robot: PlacedRobot, state: State | None) -> str:
        if robot.program_side != "server":
            return "runs on the client that takes the robot"
        said = [each for source, each in self._last_words.items() if str(robot.program) in source]
        if _is_blocked(robot.name, state):
            return f"failed: {said[-1].headline}" if said else "failed"
        is_alone = sum(each.program == robot.program for each in self._robots) == 1
        if said and is_alone and said[-1].level == "info":
            return f"has ended: {said[-1].headline}"
        return _state_at(self._stage)


def _is_blocked(robot: str, state: State | None) -> bool:
    node = state.tree.find(robot) if state is not None else None
    if state is None or node is None:
        return False
    return bool(state.ints[node.start // WORD] == DeviceState.BLOCKED)


def _state_at(stage: Stage) -> str:
    match stage:
        case Stage.RUNNING:
            return "runs"
        case Stage.PAUSED:
            return "waits: the simulation is paused"
        case Stage.STOPPED | Stage.STOPPING:
            return "ended with the server"
    return "starts with the first step"
