"""What is painted over the pictures, and by what the user chooses it."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PyQt6.QtCore import QLineF, QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from autosim.client.annotations import DrivenPaths, LaneLines, RobotNames, SensorRays
from autosim.client.beliefs import Beliefs, Ghost
from autosim.client.lidar_points import LidarPoints, height_bands
from autosim.client.projection import Projection
from autosim.config.descriptions import WorldDescription
from autosim.simulation.state import State
from autosim.simulation.tree import SimulationTree
from autosim.world.compiled import CompiledWorld

LANES_WITHIN = 150.0
"""Lanes farther away [m] than this would be a tangle."""

NAMES_WITHIN = 400.0

_RAY = QColor(90, 220, 120, 170)
_HIT = QColor(255, 90, 60)
_LANE = QColor(80, 190, 255, 200)
_CONNECTOR = QColor(255, 200, 60, 170)
_PATH = QColor(255, 80, 200, 220)
_GHOST = QColor(190, 120, 255, 70)
_GHOST_EDGE = QColor(210, 160, 255, 220)
_ELLIPSE = QColor(255, 170, 60, 80)
_PAPER = QColor(0, 0, 0, 150)
_INK = QColor(255, 255, 255)

_HEIGHTS = [QColor.fromHsvF(0.6 * (1.0 - k / 15), 0.8, 1.0, 0.95) for k in range(16)]
"""Of lidar points from the lowest, blue, to the highest, red."""


@dataclass(slots=True)
class Chosen:
    """Which overlays are wanted."""

    figures: bool = True
    names: bool = False
    rays: bool = False
    lanes: bool = False
    paths: bool = False
    beliefs: bool = False
    lidar: bool = False


OVERLAYS = {
    "figures": "&Figures",
    "names": "&Names of robots",
    "rays": "&Sensor rays",
    "lanes": "&Lanes",
    "paths": "&Driven paths",
    "beliefs": "&Belief beside truth",
    "lidar": "L&idar points",
}


class Overlays:
    """The overlays of one world, for all panes."""

    def __init__(
        self, world: WorldDescription, compiled: CompiledWorld, tree: SimulationTree
    ) -> None:
        self._rays = SensorRays(world, tree)
        self._lanes = LaneLines(compiled.roads)
        self._names = RobotNames(world, tree)
        self._beliefs = Beliefs(world, tree)
        self._paths = DrivenPaths(world, tree)
        self._lidar = LidarPoints(world, tree)

    def take(self, state: State) -> None:
        """Takes note of a state that has come: of ways driven and points met."""
        self._paths.take(state)
        self._lidar.take(state)

    def clear(self) -> None:
        """Forgets ways and points."""
        self._paths.clear()
        self._lidar.clear()

    def paint(
        self, painter: QPainter, projection: Projection, state: State, chosen: Chosen
    ) -> None:
        """Paints those that are chosen; the painter's unit is that of the projection."""
        if chosen.lanes:
            self._paint_lanes(painter, projection)
        if chosen.paths:
            _paint_lines(painter, projection, *self._paths.segments(), pen=QPen(_PATH, 2.5))
        if chosen.beliefs:
            for ghost in self._beliefs.ghosts(state):
                _paint_ghost(painter, projection, ghost)
        if chosen.rays:
            self._paint_rays(painter, projection, state)
        if chosen.lidar:
            self._paint_lidar(painter, projection)
        if chosen.names:
            self._paint_names(painter, projection, state)

    def _paint_lanes(self, painter: QPainter, projection: Projection) -> None:
        near = self._lanes.near(projection.pose.position, LANES_WITHIN)
        is_connector = self._lanes.is_connector[near]
        for colour, chosen in ((_LANE, near[~is_connector]), (_CONNECTOR, near[is_connector])):
            starts, ends = self._lanes.starts[chosen], self._lanes.ends[chosen]
            _paint_lines(painter, projection, starts, ends, pen=QPen(colour, 1.6))

    def _paint_rays(self, painter: QPainter, projection: Projection, state: State) -> None:
        starts, ends, hits = self._rays.segments(state)
        for colour, rows in ((_RAY, ~hits), (_HIT, hits)):
            _paint_lines(painter, projection, starts[rows], ends[rows], pen=QPen(colour, 1.8))
        places, _ = projection.points(ends[hits])
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(_HIT)
        for x, y in places[np.isfinite(places).all(axis=1)].tolist():
            painter.drawEllipse(QPointF(x, y), 3.0, 3.0)

    def _paint_lidar(self, painter: QPainter, projection: Projection) -> None:
        """The points, coloured by height."""
        points, heights = self._lidar.points()
        places, _ = projection.points(points)
        bands = height_bands(heights, len(_HEIGHTS))
        is_seen = ((places >= 0.0) & (places <= projection.size)).all(axis=1)
        for band, colour in enumerate(_HEIGHTS):
            painter.setPen(QPen(colour, 3.0))
            rows = places[is_seen & (bands == band)].tolist()
            painter.drawPoints(QPolygonF([QPointF(x, y) for x, y in rows]))

    def _paint_names(self, painter: QPainter, projection: Projection, state: State) -> None:
        places, depths = projection.points(self._names.places(state))
        for name, place, depth in zip(self._names.names, places, depths.tolist(), strict=True):
            if np.isfinite(place).all() and depth < NAMES_WITHIN:
                paint_text(painter, name, centre=QPointF(*place.tolist()))


def _paint_ghost(painter: QPainter, projection: Projection, ghost: Ghost) -> None:
    """The sides of the ghost that can be seen, its ellipse, and how far it is from the truth."""
    _paint_surface(painter, projection, ghost.ellipse, fill=_ELLIPSE)
    for face in ghost.faces:
        outwards = np.cross(face[1] - face[0], face[3] - face[0])
        if outwards @ (projection.pose.position - face[0]) > 0.0:
            _paint_surface(painter, projection, face, fill=_GHOST)
    _paint_lines(
        painter,
        projection,
        ghost.true[None],
        ghost.believed[None],
        pen=QPen(_INK, 1.5, Qt.PenStyle.DashLine),
    )
    (place,), (depth,) = projection.points(ghost.label[None])
    if np.isfinite(place).all() and depth < NAMES_WITHIN:
        paint_text(painter, f"{ghost.name}: {ghost.error:.2f} m off", centre=QPointF(*place))


def _paint_surface(
    painter: QPainter, projection: Projection, corners: npt.NDArray[np.float64], *, fill: QColor
) -> None:
    """A flat polygon (n, 3) [m] in W; not where part of it is behind the camera."""
    places, _ = projection.points(corners)
    if (np.abs(places) < 1e5).all():
        painter.setPen(QPen(_GHOST_EDGE, 1.2))
        painter.setBrush(fill)
        painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in places.tolist()]))


def _paint_lines(
    painter: QPainter,
    projection: Projection,
    starts: npt.NDArray[np.float64],
    ends: npt.NDArray[np.float64],
    *,
    pen: QPen,
) -> None:
    lines, _ = projection.segments(starts, ends)
    # What nearly touches the camera projects to millions, which Qt's painter does not like.
    lines = lines[(np.abs(lines) < 1e5).all(axis=(1, 2))]
    if len(lines):
        painter.setPen(pen)
        painter.drawLines(*[QLineF(*line) for line in lines.reshape(-1, 4).tolist()])


def paint_text(painter: QPainter, text: str, *, centre: QPointF) -> None:
    """A line of text on dark paper, with its lower edge at `centre`."""
    metrics = QFontMetricsF(painter.font())
    box = QRectF(0.0, 0.0, metrics.horizontalAdvance(text) + 8.0, metrics.height() + 2.0)
    box.moveCenter(centre)
    box.moveBottom(centre.y())
    painter.fillRect(box, _PAPER)
    painter.setPen(_INK)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def paint_figures(painter: QPainter, lines: list[str], corner: QPointF) -> None:
    """Lines of text on dark paper, from a corner at the top left."""
    metrics = QFontMetricsF(painter.font())
    width = max(metrics.horizontalAdvance(line) for line in lines)
    box = QRectF(corner.x(), corner.y(), width + 12.0, metrics.height() * len(lines) + 8.0)
    painter.fillRect(box, _PAPER)
    painter.setPen(_INK)
    inside = box.adjusted(6.0, 4.0, 0.0, 0.0)
    painter.drawText(inside, Qt.AlignmentFlag.AlignLeft, "\n".join(lines))


def paint_banner(painter: QPainter, text: str, area: QRectF, *, is_fault: bool) -> None:
    """Something that the user must not miss, across the middle of `area`; in red for a fault."""
    inside = area.adjusted(12.0, 0.0, -12.0, 0.0)
    flags = int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextWordWrap)
    box = painter.boundingRect(inside, flags, text).adjusted(-12.0, -8.0, 12.0, 8.0)
    painter.fillRect(box, QColor(120, 20, 10, 215) if is_fault else QColor(25, 50, 85, 225))
    painter.setPen(_INK)
    painter.drawText(inside, flags, text)
