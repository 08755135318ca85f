"""Changes that the user makes and can undo: robots moved, added and removed, actuators set."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PyQt6.QtCore import QObject, pyqtSignal
from PyQt6.QtWidgets import QInputDialog, QMessageBox, QWidget

from autosim.applications.gui.server.map.map_grip import heading_of, yaw_of
from autosim.applications.gui.server.map.undoing import Change, UndoStack
from autosim.applications.gui.server.operator import Operator
from autosim.arrays import Floats
from autosim.client.link.server_management import RobotMove, RobotOrder
from autosim.config.descriptions import PlacedRobot, WorldDescription
from autosim.simulation.bodies import rotation_matrices
from autosim.simulation.state import State
from autosim.simulation.tree import WORD


@dataclass(frozen=True, slots=True)
class _Stand:
    """Where the first part of a robot is: `place` (3,) [m] in W and `yaw` [rad]."""

    place: Floats
    yaw: float


class RobotChanges(QObject):
    """Asks the user where that is needed, and hands the orders to the server.

    Args:
        operator: has the server.
        window: dialogs are above it.

    Signal `changed`: what can be undone may be another change now.
    """

    changed = pyqtSignal()

    def __init__(self, operator: Operator, window: QWidget) -> None:
        super().__init__(window)
        self._operator, self._window = operator, window
        self._stack = UndoStack()
        self._source: Path | None = None
        operator.world_changed.connect(self._keep_changes_of)
        operator.loaded.connect(self._forget)

    @property
    def can_undo(self) -> bool:
        """Whether there is a change that can be undone."""
        return bool(self._stack.label) and self._operator.live_session is not None

    @property
    def undo_label(self) -> str:
        """The change that undo would take back, such as "move of impreza"; "" without one."""
        return self._stack.label

    def set_data(self, actuator: str, values: npt.ArrayLike) -> None:
        """Sets an actuator at the next step."""
        before = self._values_of(actuator)
        self._operator.set_data(actuator, values)
        if before is not None:
            self._add(
                Change(
                    f"setting of {actuator}",
                    needs=actuator.split(".", 1)[0],
                    undo=lambda: self._operator.set_data(actuator, before),
                    merge_key=actuator,
                )
            )

    def add(self, order: RobotOrder) -> None:
        """Adds a robot."""
        session = self._operator.live_session
        if session is None:
            return
        session.add_robot(order, on_done=lambda: self._note(f"adding of {order.name}"))

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
        """Lets the user say where a robot shall head, and turns it where it stands."""
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
            session.remove_robot(robot, on_done=lambda: self._note(f"removal of {robot}"))

    def _note(self, label: str) -> None:
        self._add(Change(label, "", self._undo_on_server))

    def _undo_on_server(self) -> None:
        """Has the server undo the last change of a robot, which it knows better."""
        if self._operator.live_session is not None:
            self._operator.live_session.undo()

    def undo(self) -> None:
        """Undoes the last change."""
        if self.can_undo:
            self._stack.undo()
            self.changed.emit()

    def _add(self, change: Change) -> None:
        self._stack.add(change)
        self.changed.emit()

    def _order(self, move: RobotMove) -> None:
        session = self._operator.live_session
        if session is not None:
            change = Change(f"move of {move.robot}", move.robot, self._undo_on_server)
            self._add(change)
            session.move_robot(move, on_refusal=lambda: self._drop(change))

    def _drop(self, change: Change) -> None:
        """Forgets a change that was refused."""
        self._stack.drop(change)
        self.changed.emit()

    def _forget(self) -> None:
        self._source = self._operator.world.source if self._operator.world is not None else None
        self._stack.clear()
        self.changed.emit()

    def _keep_changes_of(self, world: WorldDescription) -> None:
        """Another robot more or less leaves the changes of the others; another world does not."""
        if self._source != world.source:
            self._stack.clear()
        self._source = world.source
        self._stack.keep_of({robot.name for robot in world.robots})
        self.changed.emit()

    def _values_of(self, actuator: str) -> list[float] | None:
        """The present values of an actuator; None where there is none."""
        mirror = self._operator.mirror
        node = mirror.state.tree.find(actuator) if mirror is not None else None
        if mirror is None or node is None:
            return None
        values: list[float] = mirror.state.floats[
            node.start // WORD : node.own_stop // WORD
        ].tolist()
        return values

    def _present(self, robot: str) -> RobotMove | None:
        """The move that leads to where the robot is now."""
        stand = self._stand(robot)
        return None if stand is None else self._move_of(robot, stand.place, stand.yaw)

    def _move_of(self, robot: str, place: Floats, yaw: float) -> RobotMove:
        placed = self._placed(robot)
        assert placed is not None
        ahead, left, _ = placed.robot.parts[0].position
        x = place[0] - ahead * np.cos(yaw) + left * np.sin(yaw)
        y = place[1] - ahead * np.sin(yaw) - left * np.cos(yaw)
        return RobotMove(robot, (float(x), float(y)), yaw=float(yaw), height=float(place[2]))

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
