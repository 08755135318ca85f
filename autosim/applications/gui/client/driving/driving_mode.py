"""Driving in the client's window: the commands, the keys of its pictures, the display over them."""

from functools import partial

from PyQt6.QtCore import QObject
from PyQt6.QtGui import QAction, QActionGroup, QKeyEvent, QKeySequence, QPainter
from PyQt6.QtWidgets import QMainWindow, QMenu, QToolBar

from autosim.applications.driving.event_device import JoystickError, find_joysticks
from autosim.applications.gui.client.driving.driving_display import DrivingDisplay, paint_display
from autosim.applications.gui.client.driving.driving_seat import Seat, SeatStage
from autosim.applications.gui.client.pictures.pane import Pane, PaneGrid
from autosim.applications.gui.client.pictures.pane_camera import ViewKind
from autosim.applications.gui.client.player import ClientStage, Player, Shown
from autosim.applications.gui.shared.messages.entries import entry_of_text
from autosim.model.notices import Severity

KEYS = "Ctrl+D"
STILL_SECONDS = 1.0
"""Time [s] without a new state after which the display says that the simulation stands still."""


class DrivingMode(QObject):
    """Lets a person drive the robot of the current picture.

    Args:
        window: gets a menu and a button.
        tool_bar: of the window.
        grid: the pictures.
        player: has the connection and the state.
    """

    def __init__(
        self, window: QMainWindow, tool_bar: QToolBar, *, grid: PaneGrid, player: Player
    ) -> None:
        super().__init__(window)
        self.seat = Seat(self)
        self._grid, self._player = grid, player
        self._display: DrivingDisplay | None = None
        self.take_over = QAction("Take &Over", window)
        self.take_over.setShortcut(QKeySequence(KEYS))
        self.take_over.triggered.connect(self._change_driver)
        self.show_display = QAction("Show the &Display", window)
        self.show_display.setCheckable(True)
        self.show_display.setShortcut(QKeySequence("8"))
        self.show_display.triggered.connect(self._repaint)
        self.devices = QMenu("Drive &With", window)
        self.devices.aboutToShow.connect(self.fill_devices)
        self._equip_window(window, tool_bar)
        grid.changed.connect(self._equip_panes)
        player.loaded.connect(self._take_world)
        player.stage_changed.connect(self._take_stage)
        self.seat.changed.connect(self._show_seat)
        self.seat.said.connect(self._say)
        self._equip_panes()
        self._show_seat()

    def close(self) -> None:
        """Gives back what is driven."""
        self.seat.close()

    def fill_devices(self) -> None:
        """Lists what there is to drive with."""
        self.devices.clear()
        group = QActionGroup(self.devices)
        choices = {"": "The &keys alone"}
        trouble = ""
        try:
            choices |= find_joysticks()
        except JoystickError as error:
            trouble = str(error)
        for path, name in choices.items():
            action = QAction(name, self.devices)
            action.setCheckable(True)
            action.setChecked(path == self.seat.device)
            action.triggered.connect(partial(self.seat.choose_device, path))
            group.addAction(action)
        self.devices.addActions(group.actions())
        if trouble:
            nothing = QAction(trouble[:1].upper() + trouble[1:], self.devices)
            nothing.setEnabled(False)
            self.devices.addAction(nothing)

    def _equip_window(self, window: QMainWindow, tool_bar: QToolBar) -> None:
        bar = window.menuBar()
        assert bar is not None
        menu = QMenu("&Drive", window)
        menu.addAction(self.take_over)
        menu.addMenu(self.devices)
        menu.addAction(self.show_display)
        view = next((each for each in bar.actions() if each.text() == "&View"), None)
        bar.insertMenu(view, menu)
        window.addActions([self.take_over, self.show_display])
        tool_bar.addSeparator()
        tool_bar.addAction(self.take_over)

    def _equip_panes(self) -> None:
        for pane in self._grid.panes:
            pane.view.take_key = partial(self._take_key, pane)
            pane.view.take_focus = self.seat.take_focus
            pane.view.paint_display = partial(self._paint, pane)

    def _change_driver(self) -> None:
        if self.seat.is_driving:
            self.seat.give_back()
            return
        pane, session = self._grid.current, self._player.session
        if session is None or pane.camera is None or not pane.camera.robot_name:
            return
        if pane.camera.look is ViewKind.FREE:
            pane.choose(ViewKind.CHASE.value)
        self.seat.take_over(session.mirror, session.address, pane.camera.robot_name)
        pane.view.setFocus()
        self.seat.take_focus(pane.view.hasFocus())

    def _take_key(self, pane: Pane, event: QKeyEvent, is_down: bool) -> bool:
        return self.seat.take_key(event, is_down=is_down)

    def _take_world(self, shown: Shown) -> None:
        self._display = DrivingDisplay(shown.world, shown.tree)

    def _take_stage(self, stage: ClientStage) -> None:
        if stage is not ClientStage.RUNNING:
            self.seat.give_back()
        self._show_seat()

    def _show_seat(self) -> None:
        """Shows in the command what it would do now, and whether it can."""
        shown, is_driving = self._player.shown, self.seat.is_driving
        has_robots = shown is not None and bool(shown.world.robots)
        is_live = self._player.stage is ClientStage.RUNNING and has_robots
        self.take_over.setEnabled(is_live and self.seat.stage is not SeatStage.LEAVING)
        self.take_over.setText("Give &Back" if is_driving else "Take &Over")
        tip = (
            f"Returns '{self.seat.robot}' to the program that drove it, which restarts"
            if is_driving
            else "Drives the robot of this picture by hand; a program that drives it is stopped"
        )
        self.take_over.setToolTip(f"{tip} ({KEYS})")
        self._repaint()

    def _repaint(self) -> None:
        for pane in self._grid.panes:
            pane.view.update()

    def _paint(self, pane: Pane, painter: QPainter, width: float, height: float) -> None:
        state = self._player.state
        if self._display is None or state is None or pane.camera is None:
            return
        robot = pane.camera.robot_name
        is_ours = self.seat.stage is not SeatStage.OUT and robot == self.seat.robot
        if not is_ours and not self.show_display.isChecked():
            return
        reading = self._display.read(state, robot)
        if reading is not None:
            hint = self._hint() if is_ours else f"{robot} · {KEYS} takes over"
            paint_display(painter, width, height, reading, hint=hint)

    def _hint(self) -> str:
        session = self._player.session
        if self.seat.stage is SeatStage.LEAVING:
            return "giving back …"
        if session is not None and (session.age or 0.0) > STILL_SECONDS:
            return f"the simulation stands still · {KEYS} gives back"
        if not self.seat.has_focus:
            return "click the picture to drive: the keys are elsewhere"
        return f"W A S D, space: hand brake · {KEYS} gives back"

    def _say(self, level: Severity, text: str) -> None:
        self._player.said.emit(entry_of_text(level, "client", text))
