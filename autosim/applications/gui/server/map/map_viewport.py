"""Viewport of a map: conversion between positions [m] and pixels."""

import numpy as np
from PyQt6.QtCore import QPointF, QSize

from autosim.arrays import Floats

Bounds = tuple[float, float, float, float]

MAX_SCALE = 60.0
"""Pixels for a metre."""

_LEAST_SHARE = 0.2
"""Smallest size of the whole world, as a share of the view."""


class MapViewport:
    """The part of the world in a view of `size` pixels: its middle `centre` (2,) [m], and `scale`.

    `scale` is in pixels for a metre; x of the world goes to the right, y up.
    """

    def __init__(self) -> None:
        self.bounds: Bounds = (-100.0, -100.0, 100.0, 100.0)
        self.centre: Floats = np.zeros(2)
        self.scale = 1.0
        self.size = QSize(1, 1)

    def fit(self) -> None:
        """Shows the whole world."""
        x_min, y_min, x_max, y_max = self.bounds
        self.centre = np.array([(x_min + x_max) / 2.0, (y_min + y_max) / 2.0])
        self.scale = max(self._whole_scale(), 1e-3)

    def _whole_scale(self) -> float:
        x_min, y_min, x_max, y_max = self.bounds
        return min(self.size.width() / (x_max - x_min), self.size.height() / (y_max - y_min))

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Zooms about a point of the view, by default its middle."""
        point = self._middle() if at is None else at
        held = self.to_world(point)
        least = _LEAST_SHARE * self._whole_scale()
        self.scale = float(np.clip(self.scale * factor, least, MAX_SCALE))
        self.centre = self.centre + held - self.to_world(point)

    def move(self, before: QPointF, after: QPointF) -> None:
        """Brings what is at one point of the view to another."""
        self.centre = self.centre + self.to_world(before) - self.to_world(after)

    def to_world(self, point: QPointF) -> Floats:
        """The place (2,) [m] at a point of the view."""
        middle = self._middle()
        offset = np.array([point.x() - middle.x(), middle.y() - point.y()])
        return np.asarray(self.centre + offset / self.scale)

    def to_view(self, places: Floats) -> Floats:
        """The pixels (..., 2) of places (..., 2) [m]."""
        middle = self._middle()
        pixels: Floats = (places - self.centre) * np.array([self.scale, -self.scale])
        pixels += np.array([middle.x(), middle.y()])
        return pixels

    def _middle(self) -> QPointF:
        return QPointF(self.size.width() / 2.0, self.size.height() / 2.0)
