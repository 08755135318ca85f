"""Overlays on the pictures, and their selection by the user."""

from dataclasses import dataclass
from itertools import cycle

import numpy as np
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from autosim.applications.gui.client.pictures.brush import INK, PAPER, Brush
from autosim.client.cameras.camera_projection import CameraProjection
from autosim.client.cameras.depth_test import DepthTest
from autosim.client.overlays.annotations import DrivenPaths, LaneLines, RobotNames, SensorRays
from autosim.client.overlays.belief_overlays import BeliefOverlays, Ghost, SeenRobot, SeenRobots
from autosim.client.overlays.lidar_points import LidarPoints, height_bands
from autosim.client.overlays.published_overlays import PublishedDrawing, PublishedOverlays
from autosim.config.descriptions import WorldDescription
from autosim.model.state import State
from autosim.model.tree import SimulationTree
from autosim.world.compiled.compiled_world import CompiledWorld

LANES_WITHIN = 150.0
"""Lanes farther away [m] than this would be a tangle."""

NAMES_WITHIN = 400.0
"""Distance [m] up to which names are written: farther away a car is a few pixels long, and names
would cover one another."""

_RAY = QColor(90, 220, 120, 170)
_HIT = QColor(255, 90, 60)
_LANE = QColor(80, 190, 255, 200)
_CONNECTOR = QColor(255, 200, 60, 170)
_PATH = QColor(255, 80, 200, 220)
_GHOST = QColor(190, 120, 255, 70)
_GHOST_EDGE = QColor(210, 160, 255, 220)
_ELLIPSE = QColor(255, 170, 60, 80)
_SEEN = QColor(80, 200, 255, 60)
_SEEN_EDGE = QColor(120, 220, 255, 220)

_PUBLISHED = (QColor(80, 240, 210), QColor(255, 225, 90), QColor(255, 130, 190))
"""Bright colours that no other overlay has."""

_HEIGHTS = [QColor.fromHsvF(0.6 * (1.0 - k / 15), 0.8, 1.0, 0.95) for k in range(16)]
"""Of lidar points from the lowest, blue, to the highest, red."""


_LABEL_ABOVE = np.array([0.0, 0.0, 1.5])
"""From the middle of a list's points to what they are coloured by [m]."""

_LEAST_SPAN = 1e-9
"""Difference of values, in their unit, below which all have one colour."""


@dataclass(slots=True)
class Chosen:
    """The selected overlays."""

    figures: bool = True
    """Time, speed and position as text."""
    names: bool = False
    """Names of robots."""
    rays: bool = False
    """Rays of distance sensors."""
    lanes: bool = False
    """Lanes and their connections."""
    paths: bool = False
    """Paths of robots so far."""
    beliefs: bool = False
    """Robots at the states that they believe in, and the objects that they see."""
    lidar: bool = False
    """Points of lidars."""
    published: bool = False
    """Lists of points that programs publish."""
    column: str = ""
    """By which points of published lists are coloured; "" each list in its own colour."""

    @property
    def has_places(self) -> bool:
        """Whether something is painted that has a place in the world, which may be hidden."""
        return any(getattr(self, name) for name in OVERLAYS if name != "figures")


OVERLAYS = {
    "figures": "&Figures",
    "names": "&Names of robots",
    "rays": "&Sensor rays",
    "lanes": "&Lanes",
    "paths": "&Driven paths",
    "beliefs": "&Belief beside truth",
    "lidar": "L&idar points",
    "published": "P&ublished lists",
}


class Overlays:
    """The overlays of one world, for all panes."""

    def __init__(
        self, world: WorldDescription, compiled: CompiledWorld, tree: SimulationTree
    ) -> None:
        self._rays = SensorRays(world, tree)
        self._lanes = LaneLines(compiled.roads)
        self._names = RobotNames(world, tree)
        self._beliefs, self._seen = BeliefOverlays(world, tree), SeenRobots(world, tree)
        self._paths = DrivenPaths(world, tree)
        self._lidar = LidarPoints(world, tree)
        self._published = PublishedOverlays(world, tree)

    @property
    def columns(self) -> list[str]:
        """The columns of published lists by which their points can be coloured."""
        return self._published.columns

    def take(self, state: State) -> None:
        """Takes note of a state that has come: of ways driven and points met."""
        self._paths.take(state)
        self._lidar.take(state)

    def clear(self) -> None:
        """Forgets ways and points."""
        self._paths.clear()
        self._lidar.clear()

    def paint(
        self,
        painter: QPainter,
        projection: CameraProjection,
        state: State,
        chosen: Chosen,
        *,
        sight: DepthTest | None = None,
    ) -> None:
        """Paints those that are chosen; the painter's unit is that of the projection.

        What lies behind things in the picture is faint, or not painted: `sight` knows.
        """
        brush = Brush(painter, projection, sight or DepthTest(projection))
        if chosen.lanes:
            self._paint_lanes(brush)
        if chosen.paths:
            brush.lines(*self._paths.segments(), pen=QPen(_PATH, 2.5))
        if chosen.beliefs:
            for ghost in self._beliefs.ghosts(state):
                _paint_ghost(brush, ghost)
            for other in self._seen.seen(state):
                _paint_seen(brush, other)
        if chosen.rays:
            self._paint_rays(brush, state)
        if chosen.lidar:
            self._paint_lidar(brush)
        if chosen.published:
            self._paint_published(brush, state, chosen.column)
        if chosen.names:
            self._paint_names(brush, state)

    def _paint_lanes(self, brush: Brush) -> None:
        near = self._lanes.near(brush.projection.pose.position, LANES_WITHIN)
        is_connector = self._lanes.is_connector[near]
        for colour, chosen in ((_LANE, near[~is_connector]), (_CONNECTOR, near[is_connector])):
            starts, ends = self._lanes.starts[chosen], self._lanes.ends[chosen]
            brush.lines(starts, ends, pen=QPen(colour, 1.6))

    def _paint_rays(self, brush: Brush, state: State) -> None:
        starts, ends, hits = self._rays.segments(state)
        for colour, rows in ((_RAY, ~hits), (_HIT, hits)):
            brush.lines(starts[rows], ends[rows], pen=QPen(colour, 1.8))
        brush.dots(ends[hits], colour=_HIT, radius=3.0)

    def _paint_lidar(self, brush: Brush) -> None:
        """The points, coloured by height."""
        points, heights = self._lidar.points()
        bands = height_bands(heights, len(_HEIGHTS))
        is_seen = brush.sight.sees(points)
        for band, colour in enumerate(_HEIGHTS):
            brush.points(points[is_seen & (bands == band)], pen=QPen(colour, 3.0))

    def _paint_published(self, brush: Brush, state: State, column: str) -> None:
        """Paints each list in its own colour, in turn; points that have the column, by its values.

        Lines lie over points.
        """
        drawings = zip(self._published.drawings(state), cycle(_PUBLISHED))
        for drawing, colour in sorted(drawings, key=lambda each: each[0].is_line):
            if drawing.is_line:
                brush.lines(*drawing.segments, pen=QPen(colour, 2.5))
            elif column in drawing.values:
                _paint_values(brush, drawing, column)
            else:
                brush.dots(drawing.points, colour=colour, radius=3.0)

    def _paint_names(self, brush: Brush, state: State) -> None:
        places = self._names.places(state)
        for name, place in zip(self._names.names, places, strict=True):
            brush.text(name, place, within=NAMES_WITHIN)


def _paint_values(brush: Brush, drawing: PublishedDrawing, column: str) -> None:
    """The points of a list from the lowest value, blue, to the highest, red, and what that is."""
    values = drawing.values[column]
    low, high = float(values.min()), float(values.max())
    bands = (values - low) / max(high - low, _LEAST_SPAN) * (len(_HEIGHTS) - 1)
    for band, colour in enumerate(_HEIGHTS):
        brush.dots(drawing.points[bands.round() == band], colour=colour, radius=3.0)
    unit = drawing.units[column]
    said = f"{drawing.name} by {column}: {low:.2f} … {high:.2f} {'' if unit == '1' else unit}"
    brush.text(said.strip(), drawing.points.mean(axis=0) + _LABEL_ABOVE, within=NAMES_WITHIN)


def _paint_ghost(brush: Brush, ghost: Ghost) -> None:
    """The sides of the ghost that can be seen, its ellipse, and how far it is from the truth."""
    brush.surface(ghost.ellipse, fill=_ELLIPSE, edge=_GHOST_EDGE)
    for face in ghost.faces:
        outwards = np.cross(face[1] - face[0], face[3] - face[0])
        if outwards @ (brush.projection.pose.position - face[0]) > 0.0:
            brush.surface(face, fill=_GHOST, edge=_GHOST_EDGE)
    pen = QPen(INK, 1.5, Qt.PenStyle.DashLine)
    brush.lines(ghost.true[None], ghost.believed[None], pen=pen)
    brush.text(ghost.text, ghost.label, within=NAMES_WITHIN)


def _paint_seen(brush: Brush, other: SeenRobot) -> None:
    """The ellipse in which a robot takes another to be, and how far that is from the truth."""
    brush.surface(other.ellipse, fill=_SEEN, edge=_SEEN_EDGE)
    brush.dots(other.believed[None], colour=_SEEN_EDGE, radius=3.0)
    pen = QPen(INK, 1.5, Qt.PenStyle.DashLine)
    brush.lines(other.true[None], other.believed[None], pen=pen)
    brush.text(other.text, other.believed + np.array([0.0, 0.0, 1.5]), within=LANES_WITHIN)


def paint_figures(painter: QPainter, lines: list[str], corner: QPointF) -> None:
    """Lines of text on dark paper, from a corner at the top left."""
    metrics = QFontMetricsF(painter.font())
    width = max(metrics.horizontalAdvance(line) for line in lines)
    box = QRectF(corner.x(), corner.y(), width + 12.0, metrics.height() * len(lines) + 8.0)
    painter.fillRect(box, PAPER)
    painter.setPen(INK)
    inside = box.adjusted(6.0, 4.0, 0.0, 0.0)
    painter.drawText(inside, Qt.AlignmentFlag.AlignLeft, "\n".join(lines))


def paint_banner(painter: QPainter, text: str, area: QRectF, *, is_fault: bool) -> None:
    """Something that the user must not miss, across the middle of `area`; in red for a fault."""
    inside = area.adjusted(12.0, 0.0, -12.0, 0.0)
    flags = int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextWordWrap)
    box = painter.boundingRect(inside, flags, text).adjusted(-12.0, -8.0, 12.0, 8.0)
    painter.fillRect(box, QColor(120, 20, 10, 215) if is_fault else QColor(25, 50, 85, 225))
    painter.setPen(INK)
    painter.drawText(inside, flags, text)
