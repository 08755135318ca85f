"""Paints places of the world over a picture: what is hidden there, faintly."""

import numpy as np
from PyQt6.QtCore import QLineF, QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from autosim.arrays import Floats
from autosim.client.cameras.camera_projection import CameraProjection
from autosim.client.cameras.depth_test import DepthTest

PAPER = QColor(0, 0, 0, 150)
INK = QColor(255, 255, 255)

FAINT = 0.2
"""Opacity, as a share, of what is hidden behind something in the picture: chosen by eye, so that it
is there to be found without covering what hides it."""

BODY_SLACK = 3.0
"""A robot does not hide [m] what belongs to it: its name, and what it believes of itself."""

_LONGEST = 2.0
"""Length [m] of the pieces in which lines are tested for visibility."""

_MOST = 1e5
"""Largest coordinate [pixels] that is painted: what nearly touches the camera projects to millions,
which Qt's painter cannot draw."""


class Brush:
    """Paints through one camera; the painter's unit is that of the projection."""

    def __init__(self, painter: QPainter, projection: CameraProjection, sight: DepthTest) -> None:
        self.projection = projection
        self.sight = sight
        self._painter = painter

    def lines(self, starts: Floats, ends: Floats, *, pen: QPen) -> None:
        """Straight lines between places (n, 3) [m] in W, faint where they are hidden."""
        if not len(starts):
            return
        starts, ends = in_pieces(starts, ends, longest=_LONGEST)
        is_seen = self.sight.sees((starts + ends) / 2.0)
        for opacity, rows in ((FAINT, ~is_seen), (1.0, is_seen)):
            lines, _ = self.projection.segments(starts[rows], ends[rows])
            lines = lines[(np.abs(lines) < _MOST).all(axis=(1, 2))]
            if len(lines):
                self._painter.setOpacity(opacity)
                self._painter.setPen(pen)
                self._painter.drawLines(*[QLineF(*line) for line in lines.reshape(-1, 4).tolist()])
        self._painter.setOpacity(1.0)

    def surface(self, corners: Floats, *, fill: QColor, edge: QColor) -> None:
        """A flat polygon (n, 3) [m] in W; not where part of it is behind the camera."""
        places, _ = self.projection.points(corners)
        if not (np.abs(places) < _MOST).all():
            return
        is_seen = self.sight.sees(corners, slack=BODY_SLACK).mean() >= 0.5
        self._painter.setOpacity(1.0 if is_seen else FAINT)
        self._painter.setPen(QPen(edge, 1.2))
        self._painter.setBrush(fill)
        self._painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in places.tolist()]))
        self._painter.setOpacity(1.0)

    def dots(self, points: Floats, *, colour: QColor, radius: float) -> None:
        """Dots at places (n, 3) [m] in W that are not hidden."""
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(colour)
        for x, y in self._places(points[self.sight.sees(points)]):
            self._painter.drawEllipse(QPointF(x, y), radius, radius)

    def points(self, points: Floats, *, pen: QPen) -> None:
        """Points at places (n, 3) [m] in W, in the pen's width."""
        self._painter.setPen(pen)
        self._painter.drawPoints(QPolygonF([QPointF(x, y) for x, y in self._places(points)]))

    def text(self, text: str, place: Floats, *, within: float) -> None:
        """A line of text at a place (3,) [m] in W, where it is nearer than `within` [m]."""
        (at,), (depth,) = self.projection.points(place[None])
        if np.isfinite(at).all() and depth < within:
            is_seen = self.sight.sees(place[None], slack=BODY_SLACK)[0]
            self._painter.setOpacity(1.0 if is_seen else 2.0 * FAINT)
            paint_text(self._painter, text, centre=QPointF(*at.tolist()))
            self._painter.setOpacity(1.0)

    def _places(self, points: Floats) -> list[list[float]]:
        """The places in the picture of those points that are in it."""
        places, _ = self.projection.points(points)
        is_inside = ((places >= 0.0) & (places <= self.projection.size)).all(axis=1)
        inside: list[list[float]] = places[is_inside].tolist()
        return inside


def in_pieces(starts: Floats, ends: Floats, *, longest: float) -> tuple[Floats, Floats]:
    """Straight lines (n, 3) cut into (m, 3) equal pieces of at most `longest` [m] each."""
    lengths = np.linalg.norm(ends - starts, axis=1)
    counts = np.maximum(np.ceil(lengths / longest), 1.0).astype(np.int64)
    line = np.arange(len(starts)).repeat(counts)
    number = np.arange(len(line)) - (counts.cumsum() - counts)[line]
    along = (ends - starts)[line]
    first = starts[line] + along * (number / counts[line])[:, None]
    last = starts[line] + along * ((number + 1) / counts[line])[:, None]
    return first, last


def paint_text(painter: QPainter, text: str, *, centre: QPointF) -> None:
    """A line of text on dark paper, with its lower edge at `centre`."""
    metrics = QFontMetricsF(painter.font())
    box = QRectF(0.0, 0.0, metrics.horizontalAdvance(text) + 8.0, metrics.height() + 2.0)
    box.moveCenter(centre)
    box.moveBottom(centre.y())
    painter.fillRect(box, PAPER)
    painter.setPen(INK)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
