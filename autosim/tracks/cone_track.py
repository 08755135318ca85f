"""A closed track between cones: its centre line and its limits, from where the cones stand."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats
from autosim.tracks.curve import Curve
from autosim.tracks.nearest_points import nearest_points

_NAME = re.compile(r"(blue|yellow|orange)_(\d+)$")
"""Names of cones: their colour and, of blue and yellow ones, their place along the track."""

_FEWEST = 4
"""Number of cones on each side that may be a track."""

_SPACING = 0.5
"""Distance [m] of the points of the centre line, which is smooth between cones."""


class Cone(NamedTuple):
    """A cone's name, such as `blue_7`, and where it stands [m]."""

    name: str
    x: float
    """In the frame of the track [m]."""
    y: float
    """In the frame of the track [m]."""


@dataclass(frozen=True, slots=True)
class ConeTrack:
    """A closed track.

    centre: its line; left, right: (n,) distances [m] of its limits from the points of the line.
    """

    centre: Curve
    left: Floats
    right: Floats

    def room(self, distance: Floats, offset: Floats) -> Floats:
        """Distance of positions from the limits [m], positive inside.

        Args:
            distance: along the centre line [m], any shape.
            offset: from it [m], positive left.
        """
        stations = self.centre.distances[:-1]
        length = self.centre.length
        left = np.interp(distance, stations, self.left, period=length)
        right = np.interp(distance, stations, self.right, period=length)
        return np.asarray(np.where(offset > 0.0, left - offset, right + offset))


def is_cone(name: str) -> bool:
    """Whether an object of this name is a cone of a track."""
    return _NAME.match(name) is not None


def track_between(cones: Iterable[Cone]) -> ConeTrack | None:
    """The track between blue cones on the left and yellow ones on the right; None without such.

    Blue and yellow cones are numbered in the direction of driving. A lap starts between the orange
    cones; without these, at the first blue one.
    """
    sides: dict[str, list[tuple[int, float, float]]] = {"blue": [], "yellow": [], "orange": []}
    for cone in cones:
        match = _NAME.match(cone.name)
        if match:
            sides[match[1]].append((int(match[2]), cone.x, cone.y))
    if min(len(sides["blue"]), len(sides["yellow"])) < _FEWEST:
        return None
    left, right = (_in_order(sides[colour]) for colour in ("blue", "yellow"))
    line = sides["orange"] or sides["blue"][:1]
    start = np.mean([(x, y) for _, x, y in line], axis=0)
    borders = tuple(Curve.through(side, is_closed=True) for side in (left, right))
    opposite = borders[1].at(nearest_points(borders[1], left).distance)
    centre = _from_start(_smooth(0.5 * (left + opposite)), start)
    away = [np.abs(nearest_points(border, centre.points).offset) for border in borders]
    return ConeTrack(centre, away[0], away[1])


def _in_order(cones: list[tuple[int, float, float]]) -> Floats:
    return np.array([place for _, *place in sorted(cones)])


def _smooth(points: Floats) -> Curve:
    """The closed cubic spline through points (n, 2)."""
    from scipy.interpolate import CubicSpline

    rough = Curve.through(points, is_closed=True)
    spline = CubicSpline(
        rough.distances, np.vstack([rough.points, rough.points[:1]]), bc_type="periodic"
    )
    stations = np.linspace(0.0, rough.length, round(rough.length / _SPACING), endpoint=False)
    return Curve.through(spline(stations), is_closed=True)


def _from_start(curve: Curve, start: Floats) -> Curve:
    """The closed curve from its point nearest to `start` (2,) on."""
    station = float(nearest_points(curve, start).distance[0])
    stations = (curve.distances[:-1] + station) % curve.length
    return Curve.through(curve.at(stations), is_closed=True)
