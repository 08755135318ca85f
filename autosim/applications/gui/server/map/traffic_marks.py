"""Traffic on a map: vehicles as boxes of their size, people as dots, signals as lights."""

import numpy as np
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QPainter, QPen, QPolygonF

from autosim.applications.gui.server.map.map_viewport import MapViewport
from autosim.arrays import Booleans, Floats, Integers
from autosim.model.state import State
from autosim.traffic.traffic_node import P, V, traffic_arrays_of
from autosim.traffic.vehicle_kinds import FLEET
from autosim.world.lanes.lane_rules import SignalState

MIN_VEHICLE_PIXELS = 5.0
"""Least length of a vehicle [pixels], so that traffic is seen from high above."""

MIN_PERSON_PIXELS = 3.0
"""Least diameter of a person [pixels], for the same reason."""

PERSON_DIAMETER = 0.6
"""Diameter of a person [m]: the breadth of shoulders."""

SIGNAL_SCALE = 0.8
"""Pixels per metre from which on signals are shown: below it they would cover their streets."""

SIGNAL_PIXELS = 6.0
"""Diameter of a signal's light [pixels]."""

_VEHICLE, _BICYCLE, _PERSON = QColor(240, 150, 30), QColor(40, 150, 90), QColor(150, 60, 170)
_EDGE = QColor(30, 30, 30)

_SIZES = np.array([(kind.length, kind.width) for kind in FLEET])
"""Length and width (kinds, 2) [m] of each kind of vehicle."""

_IS_BICYCLE = np.array([kind.name == "bicycle" for kind in FLEET])

_CORNERS = 0.5 * np.array([(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)])
"""Corners (4, 2) of a box, as shares of its length and width from its middle."""

_LIGHTS = {
    SignalState.RED: QColor(220, 30, 30),
    SignalState.RED_AMBER: QColor(240, 110, 20),
    SignalState.AMBER: QColor(240, 170, 20),
    SignalState.GREEN: QColor(30, 170, 60),
}
"""Colours of lights that are on."""


class TrafficMarks:
    """Vehicles, people and signals as the newest state has them; nothing without traffic.

    `vehicles` (n, 12) and `people` (m, 9) are the rows of those that are on their way, see
    `autosim.traffic.traffic_node`.
    """

    def __init__(self) -> None:
        self.show_signals(np.zeros(0, dtype=np.int64), np.zeros((0, 2)))
        self.clear()

    def clear(self) -> None:
        """Forgets all but where the signals are."""
        self.vehicles: Floats = np.zeros((0, len(V)))
        self.people: Floats = np.zeros((0, len(P)))
        self._shown: Integers = np.zeros(0, dtype=np.int64)

    def show_signals(self, groups: Integers, places: Floats) -> None:
        """Takes over the group (s,) of each light, and its place (s, 2) [m] in W."""
        self._groups, self._places = groups, places
        self._shown = np.zeros(0, dtype=np.int64)

    def show_state(self, state: State) -> None:
        """Takes over the traffic of a state."""
        arrays = traffic_arrays_of(state)
        if arrays is None:
            self.clear()
            return
        self.vehicles = arrays.vehicles[arrays.vehicles[:, V.kind] >= 0.0]
        self.people = arrays.people[arrays.people[:, P.kind] >= 0.0]
        self._shown = arrays.signals[self._groups]

    def paint(self, painter: QPainter, frame: MapViewport) -> None:
        """Paints all that is in view: signals, people, then vehicles."""
        self._paint_signals(painter, frame)
        self._paint_people(painter, frame)
        self._paint_vehicles(painter, frame)

    def _paint_signals(self, painter: QPainter, frame: MapViewport) -> None:
        if frame.scale < SIGNAL_SCALE or not len(self._shown):
            return
        pixels = frame.to_view(self._places)
        is_seen = _in_view(pixels, frame)
        painter.setPen(QPen(_EDGE, 0.8))
        for state, colour in _LIGHTS.items():
            painter.setBrush(colour)
            _paint_dots(painter, pixels[is_seen & (self._shown == state)], SIGNAL_PIXELS)

    def _paint_people(self, painter: QPainter, frame: MapViewport) -> None:
        pixels = frame.to_view(self.people[:, [P.x, P.y]])
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(_PERSON)
        size = max(MIN_PERSON_PIXELS, PERSON_DIAMETER * frame.scale)
        _paint_dots(painter, pixels[_in_view(pixels, frame)], size)

    def _paint_vehicles(self, painter: QPainter, frame: MapViewport) -> None:
        kinds = self.vehicles[:, V.kind].astype(np.int64)
        corners = _boxes(self.vehicles, _SIZES[kinds], frame)
        is_seen = _in_view(corners.mean(axis=1), frame)
        painter.setPen(QPen(_EDGE, 0.6))
        for colour, chosen in ((_VEHICLE, ~_IS_BICYCLE[kinds]), (_BICYCLE, _IS_BICYCLE[kinds])):
            painter.setBrush(colour)
            for box in corners[is_seen & chosen].tolist():
                painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in box]))


def _boxes(rows: Floats, sizes: Floats, frame: MapViewport) -> Floats:
    """Corners (n, 4, 2) [pixels] of vehicles, none shorter than `MIN_VEHICLE_PIXELS`."""
    sizes = sizes * np.maximum(1.0, MIN_VEHICLE_PIXELS / (sizes[:, :1] * frame.scale))
    local = _CORNERS * sizes[:, None]
    cos, sin = np.cos(rows[:, V.yaw])[:, None], np.sin(rows[:, V.yaw])[:, None]
    turned = np.stack(
        [
            cos * local[..., 0] - sin * local[..., 1],
            sin * local[..., 0] + cos * local[..., 1],
        ],
        axis=-1,
    )
    return frame.to_view(rows[:, None, [V.x, V.y]] + turned)


def _in_view(pixels: Floats, frame: MapViewport) -> Booleans:
    """Whether places (n, 2) [pixels] lie in the view, or just outside."""
    room = 20.0
    limits = np.array([frame.size.width(), frame.size.height()]) + room
    found = np.asarray((pixels > -room) & (pixels < limits))
    return np.asarray(found.all(axis=1))


def _paint_dots(painter: QPainter, pixels: Floats, size: float) -> None:
    for x, y in pixels.tolist():
        painter.drawEllipse(QRectF(x - size / 2.0, y - size / 2.0, size, size))
