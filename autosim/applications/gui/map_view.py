"""The world from above with all robots: a picture that is drawn once, arrows that move on it."""

from math import log10

import numpy as np
import numpy.typing as npt
from PyQt6.QtCore import QPointF, QRect, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import (
    QColor,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QPixmap,
    QPolygonF,
    QResizeEvent,
    QWheelEvent,
)
from PyQt6.QtWidgets import QWidget

from autosim.server.world_worker import MapPicture
from autosim.simulation.state import State
from autosim.simulation.tree import WORD, SimulationTree

Floats = npt.NDArray[np.float64]
ARROW = np.array([(2.4, 0.0), (-2.0, 1.2), (-1.2, 0.0), (-2.0, -1.2)])
"""An arrow as long as a car, forward along x [m]."""

ARROW_PIXELS = 18.0
"""Its least length, so that it is seen from high above."""

MAX_SCALE = 60.0
"""Pixels for a metre."""

CLICK_PIXELS = 12.0


class MapView(QWidget):
    """Wheel and + - zoom, drag and arrow keys move, 0 shows all, F follows the robot in hand.

    Signal `robot_chosen` (name): the user clicked a robot.
    """

    robot_chosen = pyqtSignal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pixmap: QPixmap | None = None
        self._bounds = (-100.0, -100.0, 100.0, 100.0)
        self._names: tuple[str, ...] = ()
        self._words = np.empty(0, dtype=np.int64)
        self._poses = np.empty((0, 3))
        self._chosen = -1
        self._centre = np.zeros(2)
        self._scale = 1.0
        self._is_fitted = True
        self._is_following = False
        self._grip: QPointF | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(QSize(120, 60))
        self.setAccessibleName("Map with all robots")
        self.setToolTip("Wheel: zoom. Drag: move. 0: show all. F: follow the robot in hand.")

    @property
    def poses(self) -> Floats:
        """(robots, 3) x, y [m] and yaw [rad] in W, as shown."""
        return self._poses

    @property
    def scale(self) -> float:
        """Pixels for a metre."""
        return self._scale

    def show_picture(self, picture: MapPicture) -> None:
        """Takes over the picture of a world."""
        image = QImage(
            picture.pixels,
            picture.width,
            picture.height,
            3 * picture.width,
            QImage.Format.Format_RGB888,
        )
        self._pixmap = QPixmap.fromImage(image)
        self._bounds = picture.bounds
        self.fit()

    def clear(self) -> None:
        """Forgets picture and robots."""
        self._pixmap = None
        self._names, self._poses, self._chosen = (), np.empty((0, 3)), -1
        self.update()

    def show_tree(self, tree: SimulationTree) -> None:
        """Takes over whose robots are shown: each stands where its first part is."""
        robots = [robot for robot in tree.children if robot.kind == "Robot" and robot.children]
        self._names = tuple(robot.name for robot in robots)
        starts = [robot.children[0].field_offset("position") // WORD for robot in robots]
        self._words = np.array(starts, dtype=np.int64)
        self._poses = np.empty((0, 3))
        self._chosen = 0 if robots else -1

    def show_state(self, state: State) -> None:
        """Moves the robots to where they are in `state`."""
        if not self._names:
            return
        rows = state.floats[self._words[:, None] + np.arange(7)]
        x, y, z, w = rows[:, 3:7].T
        yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        self._poses = np.column_stack([rows[:, :2], yaw])
        if self._is_following and self._chosen >= 0:
            self._centre = self._poses[self._chosen, :2].copy()
        self.update()

    def choose(self, robot: str) -> None:
        """Makes a robot the one in hand."""
        if robot in self._names:
            self._chosen = self._names.index(robot)
            self.update()

    def fit(self) -> None:
        """Shows the whole world."""
        x_min, y_min, x_max, y_max = self._bounds
        self._centre = np.array([(x_min + x_max) / 2.0, (y_min + y_max) / 2.0])
        room = min(self.width() / (x_max - x_min), self.height() / (y_max - y_min))
        self._scale = max(room, 1e-3)
        self._is_fitted, self._is_following = True, False
        self.update()

    def follow(self) -> None:
        """Keeps the robot in hand in the middle, from near enough to see its street."""
        self._is_following, self._is_fitted = True, False
        self._scale = max(self._scale, 4.0)
        if 0 <= self._chosen < len(self._poses):
            self._centre = self._poses[self._chosen, :2].copy()
        self.update()

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Zooms about a point of the view, by default its middle."""
        point = QPointF(self.width() / 2.0, self.height() / 2.0) if at is None else at
        held = self._to_world(point)
        self._scale = float(np.clip(self._scale * factor, self._least_scale(), MAX_SCALE))
        self._centre += held - self._to_world(point)
        self._is_fitted = False
        self.update()

    def _least_scale(self) -> float:
        x_min, y_min, x_max, y_max = self._bounds
        return 0.2 * min(self.width() / (x_max - x_min), self.height() / (y_max - y_min))

    def _to_world(self, point: QPointF) -> Floats:
        offset = np.array([point.x() - self.width() / 2.0, self.height() / 2.0 - point.y()])
        return self._centre + offset / self._scale

    def _to_view(self, points: Floats) -> Floats:
        pixels: Floats = (points - self._centre) * np.array([self._scale, -self._scale])
        pixels += np.array([self.width() / 2.0, self.height() / 2.0])
        return pixels

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: D102, N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self.palette()
        painter.fillRect(self.rect(), palette.base())
        if self._pixmap is None and not self._names:
            text = "The map appears here when a world is loaded."
            painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, text)
        else:
            self._paint_picture(painter)
            self._paint_robots(painter)
            self._paint_scale(painter)
        painter.end()

    def _paint_picture(self, painter: QPainter) -> None:
        if self._pixmap is None:
            return
        x_min, y_min, x_max, y_max = self._bounds
        corner = self._to_view(np.array([x_min, y_max]))
        target = QRectF(
            corner[0], corner[1], (x_max - x_min) * self._scale, (y_max - y_min) * self._scale
        )
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        # On a dark background the same picture, dimmed.
        is_dark = self.palette().color(QPalette.ColorRole.Base).lightness() < 128
        painter.setOpacity(0.7 if is_dark else 1.0)
        painter.drawPixmap(target, self._pixmap, QRectF(self._pixmap.rect()))
        painter.setOpacity(1.0)

    def _paint_robots(self, painter: QPainter) -> None:
        if not len(self._poses):
            return
        size = max(self._scale, ARROW_PIXELS / np.ptp(ARROW[:, 0])) / self._scale
        c, s = np.cos(self._poses[:, 2]), np.sin(self._poses[:, 2])
        turns = np.stack([np.column_stack([c, -s]), np.column_stack([s, c])], axis=1)
        corners = self._to_view(
            self._poses[:, None, :2] + np.einsum("nij,kj->nki", turns, size * ARROW)
        )
        painter.setPen(QPen(QColor(255, 255, 255), 1.2))
        for number, arrow in enumerate(corners.tolist()):
            is_chosen = number == self._chosen
            painter.setBrush(QColor(214, 40, 40) if is_chosen else QColor(38, 84, 180))
            painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in arrow]))
        self._paint_names(painter)

    def _paint_names(self, painter: QPainter) -> None:
        for number, box in self.name_boxes():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(0, 0, 0, 150))
            painter.drawRoundedRect(box, 4.0, 4.0)
            painter.setPen(QColor(255, 255, 255))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._names[number])

    def name_boxes(self) -> list[tuple[int, QRect]]:
        """Which robots are named, and where: none whose name would cover another's.

        The robot in hand comes first, then the order of the file decides.
        """
        metrics = self.fontMetrics()
        places = self._to_view(self._poses[:, :2]).tolist()
        order = sorted(range(len(places)), key=lambda number: number != self._chosen)
        shown: list[tuple[int, QRect]] = []
        for number in order:
            x, y = places[number]
            box = metrics.boundingRect(self._names[number]).adjusted(-4, -2, 4, 2)
            box.moveTopLeft(QPointF(x + 12.0, y - box.height() / 2.0).toPoint())
            if not any(box.intersects(other) for _, other in shown):
                shown.append((number, box))
        return shown

    def _paint_scale(self, painter: QPainter) -> None:
        length = round_length(100.0 / self._scale)
        width = length * self._scale
        y = self.height() - 12.0
        for colour, pen_width in ((QColor(255, 255, 255, 200), 5.0), (QColor(30, 30, 30), 2.0)):
            painter.setPen(QPen(colour, pen_width))
            painter.drawLine(QPointF(12.0, y), QPointF(12.0 + width, y))
        text = f"{length:g} m" if length < 1000.0 else f"{length / 1000.0:g} km"
        box = painter.fontMetrics().boundingRect(text).adjusted(-3, 0, 3, 0)
        box.moveBottomLeft(QPointF(12.0, y - 5.0).toPoint())
        painter.fillRect(box, QColor(255, 255, 255, 200))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: D102, N802
        if self._is_fitted:
            self.fit()

    def wheelEvent(self, event: QWheelEvent | None) -> None:  # noqa: D102, N802
        if event is not None:
            self.zoom(1.2 ** (event.angleDelta().y() / 120.0), event.position())

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: D102, N802
        if event is None:
            return
        self._grip = event.position()
        robot = self._robot_at(event.position())
        if robot >= 0:
            self._chosen = robot
            self.robot_chosen.emit(self._names[robot])
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:  # noqa: D102, N802
        if event is None or self._grip is None:
            return
        self._centre += self._to_world(self._grip) - self._to_world(event.position())
        self._grip = event.position()
        self._is_fitted = self._is_following = False
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:  # noqa: D102, N802
        self._grip = None

    def _robot_at(self, point: QPointF) -> int:
        if not len(self._poses):
            return -1
        offsets = self._to_view(self._poses[:, :2]) - np.array([point.x(), point.y()])
        distances = np.hypot(*offsets.T)
        nearest = int(np.argmin(distances))
        return nearest if distances[nearest] <= CLICK_PIXELS else -1

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: D102, N802
        if event is None or not self._press(Qt.Key(event.key())):
            super().keyPressEvent(event)

    def _press(self, key: Qt.Key) -> bool:
        moves = {
            Qt.Key.Key_Left: (-1.0, 0.0),
            Qt.Key.Key_Right: (1.0, 0.0),
            Qt.Key.Key_Up: (0.0, 1.0),
            Qt.Key.Key_Down: (0.0, -1.0),
        }
        if key in moves:
            self._centre += np.array(moves[key]) * 60.0 / self._scale
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
                return False
        return True


def round_length(length: float) -> float:
    """The largest of 1, 2, 5 × 10^n that is not above `length`."""
    power = float(10.0 ** np.floor(log10(length)))
    return max(step * power for step in (1.0, 2.0, 5.0) if step * power <= length * 1.0000001)
