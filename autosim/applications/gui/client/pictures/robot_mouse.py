"""The mouse on robots in pictures: click, double click, drag, and program files dropped on them."""

from collections.abc import Callable

import numpy as np
from PyQt6.QtCore import QObject, QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QMouseEvent, QPainter, QPen
from PyQt6.QtWidgets import QApplication

from autosim.applications.gui.client.pictures.pane import Pane
from autosim.applications.gui.client.player import Player
from autosim.client.cameras.robot_picker import Picked

_CHOSEN = QColor(255, 200, 60)
"""Colour of the marks around the chosen robot: chosen by eye, seen on streets and on grass."""

_CORNER = 12.0
"""Length [pixels] of the marks at the corners around the chosen robot."""

_RING = 9.0
"""Radius [pixels] of the ring at the place to which a robot is dragged."""


class RobotMouse(QObject):
    """Attaches to a pane.

    A click chooses the robot below the pointer, a double click follows it, and a drag with Shift
    moves it. All else that the mouse does is left to the camera.

    Args:
        pane: whose picture it is.
        player: has the world and the state.
        chosen: gives the name of the chosen robot, "" for none.

    Signals: `picked`, `follow_wanted` (name of a robot); `move_wanted` (name, x and y [m] in W);
    `program_dropped` (name of a robot, "" where none is below the pointer; file).
    """

    picked = pyqtSignal(str)
    follow_wanted = pyqtSignal(str)
    move_wanted = pyqtSignal(str, float, float)
    program_dropped = pyqtSignal(str, str)

    def __init__(self, pane: Pane, player: Player, *, chosen: Callable[[], str]) -> None:
        super().__init__(pane)
        self._pane, self._player, self._chosen = pane, player, chosen
        self._pressed_at: QPointF | None = None
        self._carried = ""
        self._ring: QPointF | None = None
        view = pane.view
        view.take_mouse = self.take
        view.take_drop = lambda file, at: self.program_dropped.emit(self.robot_at(at), file)
        view.paint_marks = self.paint

    def robot_at(self, at: QPointF) -> str:
        """The robot at a place of the view; "" where there is none in sight."""
        found = self._pick(at)
        return found.robot if found is not None else ""

    def take(self, event: QMouseEvent) -> bool:
        """Takes an event of the mouse, unless it is the camera's; whether it did."""
        if event.button() is Qt.MouseButton.RightButton:
            return False
        match event.type():
            case QMouseEvent.Type.MouseButtonPress:
                return self._press(event)
            case QMouseEvent.Type.MouseMove:
                return self._move(event)
            case QMouseEvent.Type.MouseButtonRelease:
                return self._release(event)
            case QMouseEvent.Type.MouseButtonDblClick:
                robot = self.robot_at(event.position())
                if robot:
                    self.follow_wanted.emit(robot)
                return bool(robot)
        return False

    def _press(self, event: QMouseEvent) -> bool:
        self._pressed_at, self._carried = event.position(), ""
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._carried = self.robot_at(event.position())
        return bool(self._carried)

    def _move(self, event: QMouseEvent) -> bool:
        if not self._carried:
            return False
        self._ring = event.position()
        self._pane.view.update()
        return True

    def _release(self, event: QMouseEvent) -> bool:
        carried, self._carried, self._ring = self._carried, "", None
        begun, self._pressed_at = self._pressed_at, None
        if begun is None:
            return False
        way = (event.position() - begun).manhattanLength()
        is_click = way < QApplication.startDragDistance()
        if carried and not is_click:
            self._pane.view.update()
            self._drop(carried, event.position())
        elif is_click:
            robot = carried or self.robot_at(event.position())
            if robot:
                self.picked.emit(robot)
        return bool(carried)

    def _drop(self, robot: str, at: QPointF) -> None:
        place = self._pane.view.in_picture(at)
        camera, shown = self._pane.camera, self._player.shown
        if camera is None or shown is None or place is None or not camera.is_plain:
            return
        x, y, width, height = place
        ground = shown.picker.ground(camera.projection(width, height), x, y)
        if ground is not None:
            self.move_wanted.emit(robot, float(ground[0]), float(ground[1]))

    def _pick(self, at: QPointF) -> Picked | None:
        place = self._pane.view.in_picture(at)
        camera, shown, state = self._pane.camera, self._player.shown, self._player.state
        if camera is None or shown is None or state is None or place is None:
            return None
        if not camera.is_plain:
            return None
        x, y, width, height = place
        return shown.picker.pick(camera.projection(width, height), x, y, state)

    def paint(self, painter: QPainter, width: float, height: float) -> None:
        """Paints marks around the chosen robot over a picture of that size."""
        camera, shown, state = self._pane.camera, self._player.shown, self._player.state
        robot = self._chosen()
        if camera is None or shown is None or state is None or not camera.is_plain:
            return
        if robot in {each.name for each in shown.world.robots}:
            projection = camera.projection(width, height)
            places, _ = projection.points(shown.picker.corners(robot, state))
            if np.isfinite(places).all():
                (left, top), (right, bottom) = places.min(axis=0), places.max(axis=0)
                _paint_corners(painter, QRectF(QPointF(left, top), QPointF(right, bottom)))
        if self._ring is not None:
            place = self._pane.view.in_picture(self._ring)
            if place is not None:
                painter.setPen(QPen(_CHOSEN, 2.0))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawEllipse(QPointF(place[0], place[1]), _RING, _RING)


def _paint_corners(painter: QPainter, area: QRectF) -> None:
    painter.setPen(QPen(_CHOSEN, 2.0))
    length = min(_CORNER, area.width() / 3.0, area.height() / 3.0)
    for corner, x, y in (
        (area.topLeft(), length, length),
        (area.topRight(), -length, length),
        (area.bottomLeft(), length, -length),
        (area.bottomRight(), -length, -length),
    ):
        painter.drawLine(corner, corner + QPointF(x, 0.0))
        painter.drawLine(corner, corner + QPointF(0.0, y))
