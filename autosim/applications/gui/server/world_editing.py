"""Editing a running world in the server's window: adding to it, and saving it."""

from collections.abc import Sequence
from pathlib import Path

from PyQt6.QtCore import QObject
from PyQt6.QtWidgets import QDialog, QFileDialog, QInputDialog, QMessageBox, QWidget

from autosim.applications.gui.server.add_dialogs import ProgramDialog, RobotDialog
from autosim.applications.gui.server.map.robot_changes import RobotChanges
from autosim.applications.gui.server.operator import Operator
from autosim.applications.gui.server.programs_panel import ProgramsPanel
from autosim.config.arguments import split_arguments
from autosim.config.descriptions import WorldDescription
from autosim.config.files.lookup import locate
from autosim.orders.programs import ProgramReport
from autosim.server.worlds.world_changes import discarded_by_reset


def reset_question(
    loaded: WorldDescription, world: WorldDescription, programs: Sequence[ProgramReport]
) -> str:
    """Question to the user before a reset of `world`; "" where it discards nothing.

    Args:
        loaded: the world as it was loaded.
        world: the same with the robots that it has now.
        programs: its current programs.
    """
    discarded = discarded_by_reset(loaded, world, programs)
    if not discarded:
        return ""
    lines = "\n".join(f"  • {each}" for each in discarded)
    return (
        f"Reset starts the world as it was loaded, and discards\n{lines}\n\n"
        "Save As (Ctrl+S) keeps them in a world file. Load (Ctrl+L) reads the files again, "
        "Reset does not."
    )


class WorldEditing(QObject):
    """Asks the user, and hands the answer to the server.

    Args:
        operator: has the server.
        programs: the list of user programs; its buttons are answered here.
        changes: adds robots, so that this can be undone.
        window: dialogs are above it.
    """

    def __init__(
        self,
        operator: Operator,
        programs: ProgramsPanel,
        *,
        changes: RobotChanges,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._changes = changes
        self._operator, self._programs, self._window = operator, programs, window
        programs.restart_wanted.connect(self.restart)
        programs.restart_with_wanted.connect(self._ask_for_arguments)
        programs.stop_wanted.connect(self._stop)
        programs.attach_wanted.connect(self.ask_for_program)
        operator.programs_listed.connect(programs.show_programs)

    def ask_for_robot(self, place: tuple[float, float] | None = None) -> None:
        """Lets the user choose a robot, and adds it; at `place` x, y [m] if given."""
        if self._operator.world is None:
            return
        dialog = RobotDialog(self._operator.world, self._window)
        if place is not None:
            dialog.suggest_place(*place)
        if dialog.exec() == QDialog.DialogCode.Accepted:
            self._changes.add(dialog.order())

    def ask_for_program(self, robot: str = "") -> None:
        """Lets the user choose a program for a robot that has none which runs."""
        if self._operator.world is None:
            return
        busy = self._programs.busy_robots
        robots = [each.name for each in self._operator.world.robots if each.name not in busy]
        dialog = ProgramDialog(
            self._operator.world, robots=robots, robot=robot, parent=self._window
        )
        if dialog.exec() == QDialog.DialogCode.Accepted and self._operator.live_session is not None:
            self._operator.live_session.attach_program(*dialog.chosen())

    def save(self) -> None:
        """Lets the user choose a file, and writes the current world to it."""
        start = locate(self._operator.world_file)[0].parent / "saved.xml"
        file, _ = QFileDialog.getSaveFileName(
            self._window, "Save the World As It Stands", str(start), "Worlds (*.xml)"
        )
        if file and self._operator.live_session is not None:
            path = Path(file)
            self._operator.live_session.save(path if path.suffix else path.with_suffix(".xml"))

    def reset(self) -> None:
        """Starts the world again at step 0; asks the user where that discards something."""
        operator = self._operator
        loaded, world = operator.as_loaded, operator.world
        text = ""
        if loaded is not None and world is not None and operator.stage.is_live:
            text = reset_question(loaded, world, self._programs.listed)
        buttons = QMessageBox.StandardButton
        if text:
            answer = QMessageBox.question(
                self._window,
                "Reset",
                text,
                buttons.Reset | buttons.Cancel,
                buttons.Cancel,
            )
            if answer != buttons.Reset:
                return
        operator.reset()

    def restart(self, robot: str) -> None:
        """Starts the program of a robot again."""
        if self._operator.live_session is not None:
            self._operator.live_session.restart_program(robot)

    def _ask_for_arguments(self, robot: str, line: str) -> None:
        """Lets the user change the arguments of a program, and starts it with them."""
        title, text = "Restart With Arguments", f"Arguments after '{robot}', separated by spaces:"
        line, is_chosen = QInputDialog.getText(self._window, title, text, text=line)
        if is_chosen and self._operator.live_session is not None:
            self._operator.live_session.restart_program(robot, split_arguments(line))

    def _stop(self, robot: str) -> None:
        if self._operator.live_session is not None:
            self._operator.live_session.stop_program(robot)
