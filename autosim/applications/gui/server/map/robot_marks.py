"""The robots on a map: arrows with names, the selected one, and the handle to turn it."""

import numpy as np
from PyQt6.QtCore import QPointF, QRect, Qt
from PyQt6.QtGui import QColor, QFontMetrics, QPainter, QPen, QPolygonF

from autosim.applications.gui.server.map.map_viewport import MapViewport
from autosim.arrays import Floats
from autosim.model.state import State
from autosim.model.tree import WORD, SimulationTree

ARROW = np.array([(2.4, 0.0), (-2.0, 1.2), (-1.2, 0.0), (-2.0, -1.2)])
"""An arrow as long as a car, forward along x [m]."""

ARROW_PIXELS = 18.0
"""Least length of an arrow [pixels], so that a robot is seen from high above."""

CLICK_PIXELS = 12.0
"""Distance [pixels] from a robot's middle, or from its handle, within which a click means it: an
arrow of the least length can be hit."""

HANDLE_PIXELS = 34.0
"""Least distance [pixels] of a robot's handle before its middle: beyond what a click on the robot
reaches."""

_HANDLE_RADIUS = 5.0
"""Radius [pixels] of the handle as it is painted: chosen by eye, smaller than what a click
reaches."""
_CHOSEN, _OTHER = QColor(214, 40, 40), QColor(38, 84, 180)


class RobotMarks:
    """Robots as the newest state has them.

    `names` of all; `poses` (n, 3) x, y [m] and yaw [rad] in W; `chosen` is the number of the
    selected one, -1 for none.
    """

    def __init__(self) -> None:
        self._words = np.empty(0, dtype=np.int64)
        self.clear()

    def clear(self) -> None:
        """Forgets all."""
        self.names: tuple[str, ...] = ()
        self.poses: Floats = np.empty((0, 3))
        self.chosen = -1

    def show_tree(self, tree: SimulationTree) -> None:
        """Takes over whose robots are shown: each stands where its first part is."""
        before = self.chosen_name
        robots = [robot for robot in tree.robots if robot.children]
        self.names = tuple(robot.name for robot in robots)
        starts = [robot.children[0].field_offset("position") // WORD for robot in robots]
        self._words = np.array(starts, dtype=np.int64)
        self.poses = np.empty((0, 3))
        self.chosen = 0 if robots else -1
        self.choose(before)

    def show_state(self, state: State) -> None:
        """Moves the robots to where they are in `state`."""
        if not self.names:
            return
        rows = state.floats[self._words[:, None] + np.arange(7)]
        x, y, z, w = rows[:, 3:7].T
        yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        self.poses = np.column_stack([rows[:, :2], yaw])

    def choose(self, robot: str) -> None:
        """Selects a robot, if there is one of that name."""
        if robot in self.names:
            self.chosen = self.names.index(robot)

    @property
    def chosen_name(self) -> str:
        """The selected robot, "" for none."""
        return self.names[self.chosen] if 0 <= self.chosen < len(self.names) else ""

    @property
    def chosen_pose(self) -> Floats | None:
        """Pose of the selected robot; None while it is unknown."""
        return self.poses[self.chosen] if 0 <= self.chosen < len(self.poses) else None

    def at(self, point: QPointF, frame: MapViewport) -> int:
        """The robot at a point of the view, -1 for none."""
        if not len(self.poses):
            return -1
        offsets = frame.to_view(self.poses[:, :2]) - np.array([point.x(), point.y()])
        distances = np.hypot(*offsets.T)
        nearest = int(np.argmin(distances))
        reach = max(CLICK_PIXELS, ARROW[0, 0] * frame.scale)
        return nearest if distances[nearest] <= reach else -1

    def handle(self, frame: MapViewport) -> QPointF | None:
        """Position of the handle that turns the selected robot; None without one."""
        pose = self.chosen_pose
        if pose is None:
            return None
        length = max(HANDLE_PIXELS, 2.0 * ARROW[0, 0] * frame.scale)
        x, y = frame.to_view(pose[:2])
        return QPointF(x + length * np.cos(pose[2]), y - length * np.sin(pose[2]))

    def is_handle(self, point: QPointF, frame: MapViewport) -> bool:
        """Whether the handle is at a point of the view."""
        handle = self.handle(frame)
        if handle is None:
            return False
        offset = handle - point
        return bool(np.hypot(offset.x(), offset.y()) <= CLICK_PIXELS)

    def paint(self, painter: QPainter, frame: MapViewport) -> None:
        """Paints arrows and names."""
        if not len(self.poses):
            return
        painter.setPen(QPen(QColor(255, 255, 255), 1.2))
        for number, arrow in enumerate(arrows(self.poses, frame)):
            painter.setBrush(_CHOSEN if number == self.chosen else _OTHER)
            painter.drawPolygon(arrow)
        for number, box in self.name_boxes(painter.fontMetrics(), frame):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(0, 0, 0, 150))
            painter.drawRoundedRect(box, 4.0, 4.0)
            painter.setPen(QColor(255, 255, 255))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self.names[number])

    def paint_handle(self, painter: QPainter, frame: MapViewport) -> None:
        """Paints the handle of the selected robot."""
        handle, pose = self.handle(frame), self.chosen_pose
        if handle is None or pose is None:
            return
        painter.setPen(QPen(_CHOSEN, 1.5, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(*frame.to_view(pose[:2]).tolist()), handle)
        painter.setPen(QPen(_CHOSEN, 1.5))
        painter.setBrush(QColor(255, 255, 255))
        painter.drawEllipse(handle, _HANDLE_RADIUS, _HANDLE_RADIUS)

    def name_boxes(self, metrics: QFontMetrics, frame: MapViewport) -> list[tuple[int, QRect]]:
        """Robots whose names are shown, with their positions: none covers another.

        The selected robot comes first, then the order of the file decides.
        """
        places = frame.to_view(self.poses[:, :2]).tolist()
        order = sorted(range(len(places)), key=lambda number: number != self.chosen)
        shown: list[tuple[int, QRect]] = []
        for number in order:
            x, y = places[number]
            box = metrics.boundingRect(self.names[number]).adjusted(-4, -2, 4, 2)
            box.moveTopLeft(QPointF(x + 12.0, y - box.height() / 2.0).toPoint())
            if not any(box.intersects(other) for _, other in shown):
                shown.append((number, box))
        return shown


def arrows(poses: Floats, frame: MapViewport) -> list[QPolygonF]:
    """An arrow in the view for each of `poses` (n, 3)."""
    size = max(frame.scale, ARROW_PIXELS / np.ptp(ARROW[:, 0])) / frame.scale
    c, s = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    turns = np.stack([np.column_stack([c, -s]), np.column_stack([s, c])], axis=1)
    corners = frame.to_view(poses[:, None, :2] + np.einsum("nij,kj->nki", turns, size * ARROW))
    return [QPolygonF([QPointF(*corner) for corner in arrow]) for arrow in corners.tolist()]
