"""The world from above: a picture that is drawn once, with robots and traffic that move on it."""

from math import log10

import numpy as np
from PyQt6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import (
    QColor,
    QContextMenuEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PyQt6.QtWidgets import QWidget

from autosim.applications.gui.server.map.map_grip import GrabbedRobot, MapPan
from autosim.applications.gui.server.map.map_viewport import MapViewport
from autosim.applications.gui.server.map.robot_marks import RobotMarks, arrows
from autosim.applications.gui.server.map.traffic_marks import TrafficMarks
from autosim.arrays import Floats
from autosim.loading.world_worker import MapPicture
from autosim.model.state import State
from autosim.model.tree import SimulationTree

KEY_PIXELS = 60.0
"""Way [pixels] by which an arrow key moves the map: chosen by eye, a few streets in the whole
map."""

NEAR_SCALE = 4.0
"""Pixels for a metre at which the street of a robot is seen."""


_NO_WORLD = "The map appears here when a world is loaded."


class MapView(QWidget):
    """Wheel and + - zoom, drag and arrow keys pan, 0 shows all, F follows the selected robot.

    While `is_editable`, robots are moved with the mouse: dragged by themselves they are moved, by
    the handle of the selected one they are turned. Esc cancels.

    Signals: `robot_chosen` (name): the user clicked a robot. `move_wanted` (name, x, y [m], yaw
    [rad]): new pose of its first part. `remove_wanted` (name). `menu_wanted` (name or "",
    x, y [m], point on the screen).
    """

    robot_chosen = pyqtSignal(str)
    move_wanted = pyqtSignal(str, float, float, float)
    remove_wanted = pyqtSignal(str)
    menu_wanted = pyqtSignal(str, float, float, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.robots = RobotMarks()
        self.traffic = TrafficMarks()
        self.frame = MapViewport()
        self._pixmap: QPixmap | None = None
        self._is_fitted = True
        self._is_following = False
        self._is_editable = False
        self._grip: MapPan | GrabbedRobot | None = None
        self._pointer: QPointF | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumSize(QSize(120, 60))
        self.setAccessibleName("Map with all robots")
        self.setToolTip(
            "Wheel: zoom. Drag: move the map, or a robot. Drag the circle ahead of the selected "
            "robot: turn it. Delete: remove it. 0: show all. F: follow the selected robot."
        )

    @property
    def poses(self) -> Floats:
        """(robots, 3) x, y [m] and yaw [rad] in W, as shown."""
        return self.robots.poses

    @property
    def scale(self) -> float:
        """Pixels for a metre."""
        return self.frame.scale

    @property
    def hold(self) -> GrabbedRobot | None:
        """The robot that the mouse moves, None for none."""
        return self._grip if isinstance(self._grip, GrabbedRobot) and self._grip.is_moved else None

    def set_editable(self, is_editable: bool) -> None:
        """Says whether robots may be moved now."""
        self._is_editable = is_editable
        if not is_editable and isinstance(self._grip, GrabbedRobot):
            self._grip = None
        self.update()

    def show_picture(self, picture: MapPicture) -> None:
        """Takes over the picture of a world, and shows all of it where it is of another place.

        A part of the map that was chosen while its picture was being drawn stays in view.
        """
        is_elsewhere = self._pixmap is not None and picture.bounds != self.frame.bounds
        image = QImage(
            picture.pixels,
            picture.width,
            picture.height,
            3 * picture.width,
            QImage.Format.Format_RGB888,
        )
        self._pixmap = QPixmap.fromImage(image)
        self.traffic.show_signals(picture.signal_groups, picture.signal_places)
        self.frame.bounds = picture.bounds
        if self._is_fitted or is_elsewhere:
            self.fit()
        self.update()

    def forget_picture(self) -> None:
        """Shows no map until the next one is drawn, and all of that one: it is of another place."""
        self._pixmap = None
        self._is_fitted, self._is_following = True, False
        self.update()

    def show_tree(self, tree: SimulationTree) -> None:
        """Takes over whose robots are shown."""
        self.robots.show_tree(tree)
        self.traffic.clear()
        self._grip = None
        self.update()

    def show_state(self, state: State) -> None:
        """Moves robots and traffic to where they are in `state`."""
        self.robots.show_state(state)
        self.traffic.show_state(state)
        if self._is_following:
            self._centre_on_robot()
        self.update()

    def choose(self, robot: str) -> None:
        """Selects a robot."""
        self.robots.choose(robot)
        self.update()

    def fit(self) -> None:
        """Shows the whole world."""
        self.frame.size = self.size()
        self.frame.fit()
        self._is_fitted, self._is_following = True, False
        self.update()

    def follow(self) -> None:
        """Keeps the selected robot in the middle, from near enough to see its street."""
        self._is_following, self._is_fitted = True, False
        self.frame.scale = max(self.frame.scale, NEAR_SCALE)
        self._centre_on_robot()
        self.update()

    def _centre_on_robot(self) -> None:
        pose = self.robots.chosen_pose
        if pose is not None:
            self.frame.centre = pose[:2].copy()

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Zooms about a point of the view, by default its middle."""
        self.frame.zoom(factor, at)
        self._is_fitted = False
        self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: D102, N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self.palette()
        painter.fillRect(self.rect(), palette.base())
        if self._pixmap is None:
            is_drawing = bool(self.robots.names)
            text = "The map is being drawn." if is_drawing else _NO_WORLD
            painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, text)
        else:
            self._paint_picture(painter)
            self.traffic.paint(painter, self.frame)
            if self._is_editable:
                self.robots.paint_handle(painter, self.frame)
            self.robots.paint(painter, self.frame)
            self._paint_hold(painter)
            self._paint_scale(painter)
            self._paint_pointer(painter)
        painter.end()

    def _paint_picture(self, painter: QPainter) -> None:
        if self._pixmap is None:
            return
        x_min, y_min, x_max, y_max = self.frame.bounds
        corner = self.frame.to_view(np.array([x_min, y_max]))
        scale = self.frame.scale
        target = QRectF(corner[0], corner[1], (x_max - x_min) * scale, (y_max - y_min) * scale)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        # On a dark background the same picture, dimmed.
        is_dark = self.palette().color(QPalette.ColorRole.Base).lightness() < 128
        painter.setOpacity(0.7 if is_dark else 1.0)
        painter.drawPixmap(target, self._pixmap, QRectF(self._pixmap.rect()))
        painter.setOpacity(1.0)

    def _paint_hold(self, painter: QPainter) -> None:
        """Paints the new pose of the robot that is moved."""
        hold = self.hold
        if hold is None:
            return
        (arrow,) = arrows(hold.pose[None], self.frame)
        painter.setPen(QPen(QColor(214, 40, 40), 1.5, Qt.PenStyle.DashLine))
        painter.setBrush(QColor(214, 40, 40, 110))
        painter.drawPolygon(arrow)
        box = painter.fontMetrics().boundingRect(hold.text).adjusted(-6, -3, 6, 3)
        box.moveCenter(QPoint(self.width() // 2, 8 + box.height() // 2))
        _paint_note(painter, box, hold.text)

    def _paint_scale(self, painter: QPainter) -> None:
        length = round_length(100.0 / self.frame.scale)
        width = length * self.frame.scale
        y = self.height() - 12.0
        for colour, pen_width in ((QColor(255, 255, 255, 200), 5.0), (QColor(30, 30, 30), 2.0)):
            painter.setPen(QPen(colour, pen_width))
            painter.drawLine(QPointF(12.0, y), QPointF(12.0 + width, y))
        text = f"{length:g} m" if length < 1000.0 else f"{length / 1000.0:g} km"
        box = painter.fontMetrics().boundingRect(text).adjusted(-3, 0, 3, 0)
        box.moveBottomLeft(QPointF(12.0, y - 5.0).toPoint())
        _paint_note(painter, box, text)

    def _paint_pointer(self, painter: QPainter) -> None:
        """Paints the position of the mouse, in the form of commands and files."""
        if self._pointer is None:
            return
        x, y = self.frame.to_world(self._pointer)
        text = f"x {x:.1f} m  y {y:.1f} m"
        box = painter.fontMetrics().boundingRect(text).adjusted(-3, 0, 3, 0)
        box.moveBottomRight(QPoint(self.width() - 8, self.height() - 8))
        _paint_note(painter, box, text)

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: D102, N802
        self.frame.size = self.size()
        if self._is_fitted:
            self.fit()

    def wheelEvent(self, event: QWheelEvent | None) -> None:  # noqa: D102, N802
        if event is not None:
            self.zoom(1.2 ** (event.angleDelta().y() / 120.0), event.position())

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: D102, N802
        if event is None or event.button() is not Qt.MouseButton.LeftButton:
            return
        self._grip = self._take(event.position())
        self.update()

    def _take(self, point: QPointF) -> MapPan | GrabbedRobot:
        """The object of a drag that begins at a point of the view."""
        marks = self.robots
        if self._is_editable and marks.is_handle(point, self.frame):
            return self._hold(point, is_turn=True)
        robot = marks.at(point, self.frame)
        if robot < 0:
            return MapPan(point)
        marks.chosen = robot
        self.robot_chosen.emit(marks.names[robot])
        return self._hold(point, is_turn=False) if self._is_editable else MapPan(point)

    def _hold(self, point: QPointF, *, is_turn: bool) -> GrabbedRobot:
        pose = self.robots.chosen_pose
        assert pose is not None
        offset = pose[:2] - self.frame.to_world(point)
        return GrabbedRobot(self.robots.chosen_name, point, pose.copy(), offset, is_turn)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:  # noqa: D102, N802
        if event is None:
            return
        point = self._pointer = event.position()
        if isinstance(self._grip, MapPan):
            self.frame.move(self._grip.at, point)
            self._grip.at = point
            self._is_fitted = self._is_following = False
        elif isinstance(self._grip, GrabbedRobot):
            is_snapped = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._grip.follow(point, self.frame, is_snapped=is_snapped)
        self._show_cursor(point)
        self.update()

    def _show_cursor(self, point: QPointF) -> None:
        if self.hold is not None:
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        elif self._is_editable and self.robots.is_handle(point, self.frame):
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        elif self.robots.at(point, self.frame) >= 0:
            self.setCursor(Qt.CursorShape.OpenHandCursor)
        else:
            self.unsetCursor()

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:  # noqa: D102, N802
        hold, self._grip = self.hold, None
        if hold is not None:
            x, y, yaw = hold.pose.tolist()
            self.move_wanted.emit(hold.robot, x, y, yaw)
        self.update()

    def leaveEvent(self, event: object) -> None:  # noqa: D102, N802
        self._pointer = None
        self.update()

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:  # noqa: D102, N802
        if event is None or self._pixmap is None:
            return
        is_by_mouse = event.reason() is QContextMenuEvent.Reason.Mouse
        point, on_screen = QPointF(event.pos()), event.globalPos()
        robot = self.robots.at(point, self.frame) if is_by_mouse else self.robots.chosen
        pose = self.robots.chosen_pose
        if not is_by_mouse and pose is not None:
            point = QPointF(*self.frame.to_view(pose[:2]).tolist())
            on_screen = self.mapToGlobal(point.toPoint())
        if robot >= 0:
            self.robots.chosen = robot
            self.robot_chosen.emit(self.robots.names[robot])
        x, y = self.frame.to_world(point).tolist()
        self.menu_wanted.emit(self.robots.names[robot] if robot >= 0 else "", x, y, on_screen)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: D102, N802
        if event is None or not self._press(Qt.Key(event.key())):
            super().keyPressEvent(event)

    def _press(self, key: Qt.Key) -> bool:
        moves = {
            Qt.Key.Key_Left: (KEY_PIXELS, 0.0),
            Qt.Key.Key_Right: (-KEY_PIXELS, 0.0),
            Qt.Key.Key_Up: (0.0, KEY_PIXELS),
            Qt.Key.Key_Down: (0.0, -KEY_PIXELS),
        }
        if key in moves:
            self.frame.move(QPointF(0.0, 0.0), QPointF(*moves[key]))
            self._is_fitted = self._is_following = False
            self.update()
            return True
        match key:
            case Qt.Key.Key_Plus:
                self.zoom(1.25)
            case Qt.Key.Key_Minus:
                self.zoom(0.8)
            case Qt.Key.Key_0:
                self.fit()
            case Qt.Key.Key_F:
                self.follow()
            case _:
                return self._press_on_robot(key)
        return True

    def _press_on_robot(self, key: Qt.Key) -> bool:
        robot = self.robots.chosen_name
        if key == Qt.Key.Key_Escape and isinstance(self._grip, GrabbedRobot):
            self._grip = None
            self.update()
        elif key == Qt.Key.Key_Delete and robot and self._is_editable:
            self.remove_wanted.emit(robot)
        else:
            return False
        return True


def _paint_note(painter: QPainter, box: QRect, text: str) -> None:
    """A text on the map, readable on any ground."""
    painter.fillRect(box, QColor(255, 255, 255, 200))
    painter.setPen(QColor(30, 30, 30))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def round_length(length: float) -> float:
    """The largest of 1, 2, 5 × 10^n that is not above `length`."""
    power = float(10.0 ** np.floor(log10(length)))
    return max(step * power for step in (1.0, 2.0, 5.0) if step * power <= length * 1.0000001)
