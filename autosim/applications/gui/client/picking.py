"""Actions of the client's window on the robot under the mouse in a picture."""

from collections.abc import Callable

from PyQt6.QtCore import QObject, QPoint, QPointF, Qt
from PyQt6.QtWidgets import QMenu, QWidget

from autosim.applications.gui.client.pictures.pane import Pane, PaneGrid
from autosim.applications.gui.client.pictures.robot_mouse import RobotMouse
from autosim.applications.gui.client.player import Player
from autosim.applications.gui.shared.menus import add_action
from autosim.orders.robot_orders import MoveRobot


class Picking(QObject):
    """Selects, follows, moves and drives robots by the mouse in pictures.

    Args:
        grid: the pictures.
        player: has the world and the connection.
        inspect: called with the name of a robot to select it in the tree and in the fields.
        drive: takes over the robot of the current picture.
        run: called with a robot and a program file to run for it.
        parent: owns this.

    `chosen` is the name of the selected robot, "" for none.
    """

    def __init__(
        self,
        grid: PaneGrid,
        player: Player,
        *,
        inspect: Callable[[str], None],
        drive: Callable[[], None],
        run: Callable[[str, str], None],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.chosen = ""
        self._grid, self._player, self._window = grid, player, parent
        self._inspect, self._drive, self._run = inspect, drive, run
        self._mice: dict[Pane, RobotMouse] = {}
        grid.changed.connect(self._equip)
        self._equip()

    def _equip(self) -> None:
        """Attaches to panes that are new, and forgets those that are gone."""
        self._mice = {pane: mouse for pane, mouse in self._mice.items() if pane in self._grid.panes}
        for pane in self._grid.panes:
            if pane not in self._mice:
                self._mice[pane] = self._attach(pane)

    def _attach(self, pane: Pane) -> RobotMouse:
        mouse = RobotMouse(pane, self._player, chosen=lambda: self.chosen)
        mouse.picked.connect(self.select)
        mouse.follow_wanted.connect(lambda robot: self.follow(pane, robot))
        mouse.move_wanted.connect(self._move)
        mouse.program_dropped.connect(lambda robot, file: self._take_program(pane, robot, file))
        view = pane.view
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.customContextMenuRequested.connect(lambda at: self._open_menu(pane, at))
        return mouse

    def select(self, robot: str) -> None:
        """Marks a robot in all pictures, and shows it in the tree."""
        self.chosen = robot
        self._inspect(robot)
        for pane in self._grid.panes:
            pane.view.update()

    def follow(self, pane: Pane, robot: str) -> None:
        """Has a picture follow a robot."""
        self.select(robot)
        pane.choose("Chase camera")
        pane.choose_robot(robot)

    def menu(self, pane: Pane, at: QPointF) -> QMenu:
        """Actions at a position of a picture: first those on the robot there."""
        menu = QMenu(self._window)
        menu.aboutToHide.connect(menu.deleteLater)
        robot = self._mice[pane].robot_at(at)
        if robot:
            add_action(menu, f"&Inspect {robot}", lambda: self.select(robot))
            add_action(menu, f"F&ollow {robot}", lambda: self.follow(pane, robot))
            add_action(menu, f"Dri&ve {robot}", lambda: self._take_over(pane, robot))
            menu.addSeparator()
        menu.addActions(pane.view.actions())
        return menu

    def _open_menu(self, pane: Pane, at: QPoint) -> None:
        self.menu(pane, QPointF(at)).popup(pane.view.mapToGlobal(at))

    def _take_over(self, pane: Pane, robot: str) -> None:
        self.follow(pane, robot)
        pane.view.setFocus()
        self._drive()

    def _move(self, robot: str, x: float, y: float) -> None:
        self._player.news.move(MoveRobot(robot, (x, y)))

    def _take_program(self, pane: Pane, robot: str, file: str) -> None:
        camera = pane.camera
        robot = robot or (camera.robot_name if camera is not None else "")
        if robot:
            self._run(robot, file)
