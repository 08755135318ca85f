"""Drags on the map: of the map itself, or of a robot to move or turn."""

from dataclasses import dataclass
from math import atan2, degrees, pi

import numpy as np
from PyQt6.QtCore import QPointF
from PyQt6.QtWidgets import QApplication

from autosim.applications.gui.server.map.map_viewport import MapViewport
from autosim.arrays import Floats

SNAP = pi / 12.0
"""Turned with Shift, a robot heads in steps of 15°."""


@dataclass(slots=True)
class MapPan:
    """The map, held at the point `at` of the view."""

    at: QPointF


@dataclass(slots=True)
class GrabbedRobot:
    """A robot that is moved or turned.

    `start`: where the drag began; `pose` (3,) x, y [m] and yaw [rad] of the robot if dropped now;
    `offset` (2,) [m] from the mouse to its centre. It `is_moved` once the mouse moved far enough:
    a click is not a move.
    """

    robot: str
    start: QPointF
    pose: Floats
    offset: Floats
    is_turn: bool
    """Whether the robot is turned, not moved."""
    is_moved: bool = False

    def follow(self, point: QPointF, frame: MapViewport, *, is_snapped: bool) -> None:
        """Brings the robot along with the mouse."""
        way = point - self.start
        if abs(way.x()) + abs(way.y()) >= QApplication.startDragDistance():
            self.is_moved = True
        place = frame.to_world(point)
        if not self.is_turn:
            self.pose = np.array([*(place + self.offset), self.pose[2]])
            return
        x, y = place - self.pose[:2]
        yaw = atan2(y, x)
        self.pose[2] = round(yaw / SNAP) * SNAP if is_snapped else yaw

    @property
    def text(self) -> str:
        """The new pose as text."""
        x, y, yaw = self.pose
        return f"{self.robot}  x {x:.1f} m  y {y:.1f} m  heading {heading_of(yaw):.0f}°"


def heading_of(yaw: float) -> float:
    """The compass bearing [°] of a yaw [rad]: 0 north, 90 east."""
    return (90.0 - degrees(yaw)) % 360.0


def yaw_of(heading: float) -> float:
    """The yaw [rad] of a compass bearing [°]."""
    return float(np.deg2rad(90.0 - heading))
