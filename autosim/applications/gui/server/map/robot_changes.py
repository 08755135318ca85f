"""Changes that the user makes and can undo: robots moved, added and removed, actuators set."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PyQt6.QtCore import QObject, pyqtSignal
from PyQt6.QtWidgets import QInputDialog, QMessageBox, QWidget

from autosim.applications.gui.server.map.map_grip import heading_of, yaw_of
from autosim.applications.gui.server.operator import Operator
from autosim.arrays import Floats
from autosim.config.descriptions import PlacedRobot
from autosim.model.bodies import rotation_matrices
from autosim.model.state import State
from autosim.model.tree import WORD
from autosim.orders.robot_orders import AddRobot, MoveRobot


@dataclass(frozen=True, slots=True)
class _Stand:
    """Pose of the first part of a robot: `place` (3,) [m] in W and `yaw` [rad]."""

    place: Floats
    yaw: float


class RobotChanges(QObject):
    """Asks the user where that is needed, and hands the orders to the server.

    Args:
        operator: has the server.
        window: dialogs are above it.

    `undo_label`: the change that undo undoes, such as "impreza was moved"; "" without one. The
    server has the changes of all clients, so this is what `autosim ctl undo` undoes.

    Signal `changed`: `undo_label` is another one.
    """

    changed = pyqtSignal()

    def __init__(self, operator: Operator, window: QWidget) -> None:
        super().__init__(window)
        self._operator, self._window = operator, window
        self.undo_label = ""
        operator.undoable_told.connect(self._take_undoable)
        operator.loaded.connect(lambda _: self._take_undoable(""))

    def _expect(self, text: str) -> None:
        """Shows a change that is on its way; the server's answer confirms or corrects it."""
        self._take_undoable(text)

    def _take_undoable(self, text: str) -> None:
        if text != self.undo_label:
            self.undo_label = text
            self.changed.emit()

    def set_data(self, actuator: str, values: npt.ArrayLike) -> None:
        """Sets an actuator at the next step."""
        self._expect(f"{actuator} was set")
        self._operator.set_data(actuator, values)

    def add(self, order: AddRobot) -> None:
        """Adds a robot."""
        session = self._operator.live_session
        if session is None:
            return
        self._expect(f"{order.name} was added")
        session.add_robot(order)

    def move(self, robot: str, x: float, y: float, yaw: float) -> None:
        """Puts a robot where its first part is at x, y [m], with that yaw [rad]."""
        back = self._present(robot)
        if back is not None:
            self._order(self._move_of(robot, np.array([x, y, back.height or 0.0]), yaw))

    def move_here(self, robot: str, x: float, y: float) -> None:
        """Puts a robot at x, y [m]; it heads as before."""
        stand = self._stand(robot)
        if stand is not None:
            self.move(robot, x, y, stand.yaw)

    def ask_for_heading(self, robot: str) -> None:
        """Lets the user enter a heading for a robot, and turns it in place."""
        stand = self._stand(robot)
        if stand is None:
            return
        heading, is_said = QInputDialog.getDouble(
            self._window,
            f"Turn {robot}",
            "Heading [°]: 0 north, 90 east",
            heading_of(stand.yaw),
            -360.0,
            360.0,
            1,
        )
        if is_said:
            x, y, _ = stand.place.tolist()
            self.move(robot, x, y, yaw_of(heading))

    def ask_to_remove(self, robot: str) -> None:
        """Removes a robot, if the user means it."""
        if self._operator.live_session is None:
            return
        box = QMessageBox(self._window)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle("Remove a Robot")
        box.setText(f"Remove {robot} from the simulation?")
        box.setInformativeText(
            "Its user program ends; those of the other robots continue. Undo (Ctrl+Z) puts the "
            "robot back."
        )
        remove = box.addButton("&Remove", QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        box.exec()
        if box.clickedButton() is remove:
            self.remove(robot)

    def remove(self, robot: str) -> None:
        """Removes a robot."""
        session = self._operator.live_session
        if session is not None:
            self._expect(f"{robot} was removed")
            session.remove_robot(robot)

    def undo(self) -> None:
        """Undoes the last change, also that of another client, and one not yet in the label."""
        if self._operator.live_session is not None:
            self._operator.live_session.undo()

    def _order(self, move: MoveRobot) -> None:
        session = self._operator.live_session
        if session is not None:
            self._expect(f"{move.robot} was moved")
            session.move_robot(move)

    def _present(self, robot: str) -> MoveRobot | None:
        """The move that leads to where the robot is now."""
        stand = self._stand(robot)
        return None if stand is None else self._move_of(robot, stand.place, stand.yaw)

    def _move_of(self, robot: str, place: Floats, yaw: float) -> MoveRobot:
        placed = self._placed(robot)
        assert placed is not None
        ahead, left, _ = placed.robot.parts[0].position
        x = place[0] - ahead * np.cos(yaw) + left * np.sin(yaw)
        y = place[1] - ahead * np.sin(yaw) - left * np.cos(yaw)
        return MoveRobot(robot, (float(x), float(y)), yaw=float(yaw), height=float(place[2]))

    def _stand(self, robot: str) -> _Stand | None:
        mirror, placed = self._operator.mirror, self._placed(robot)
        if mirror is None or placed is None:
            return None
        return _stand_of(mirror.state, f"{robot}.{placed.robot.parts[0].name}")

    def _placed(self, robot: str) -> PlacedRobot | None:
        world = self._operator.world
        robots = () if world is None else world.robots
        return next((each for each in robots if each.name == robot), None)


def _stand_of(state: State, part: str) -> _Stand | None:
    node = state.tree.find(part)
    if node is None:
        return None
    first = node.field_offset("position") // WORD
    (rotation,) = rotation_matrices(state.floats[first + 3 : first + 7][None])
    yaw = float(np.arctan2(rotation[1, 0], rotation[0, 0]))
    return _Stand(state.floats[first : first + 3].copy(), yaw)
