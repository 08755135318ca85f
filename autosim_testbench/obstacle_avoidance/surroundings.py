"""Surroundings of a rover: point obstacles, boundaries, and which of them it perceives."""

import math
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats

BOUNDARY, NOTHING = -1, -2
"""Codes, without unit, besides the numbers of obstacles: a boundary, and nothing."""


@dataclass(frozen=True, slots=True)
class Perceived:
    """The nearest thing that a rover perceives: its number, its place [m], its distance [m].

    Attributes:
        obstacle: number of the obstacle.
        x: of the place, in the frame of the obstacles [m].
        y: likewise.
    """

    obstacle: int
    x: float
    y: float
    distance: float


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Obstacles and boundaries in the plane.

    Args:
        obstacles: (n, 2) m, points.
        boundaries: (m, 2, 2) m, both ends of each segment.
    """

    obstacles: Floats
    boundaries: Floats

    def with_obstacle(self, x: float, y: float) -> "Surroundings":
        """The same with one obstacle more, which has the next number."""
        return Surroundings(np.concatenate([self.obstacles, [[x, y]]]), self.boundaries)

    def perceive(
        self, x: float, y: float, yaw: float, *, reach: float, half_view: float
    ) -> Perceived:
        """The nearest of all that lies ahead.

        Obstacles count within `reach` [m] and `half_view` [rad] to either side of `yaw` [rad].
        Boundaries count where a ray at either edge of the view meets them within `reach`; where
        the two rays meet two boundaries, the rover sees a corner: the outer coordinates of both.
        """
        rover = np.array([x, y])
        points = self._points(rover, yaw, reach, half_view)
        edge = self._edge(rover, yaw, reach, half_view)
        if edge is not None:
            points.append((float(np.hypot(*(edge - rover))), BOUNDARY, edge))
        if not points:
            return Perceived(NOTHING, 0.0, 0.0, math.inf)
        distance, number, place = min(points, key=lambda each: each[0])
        return Perceived(number, float(place[0]), float(place[1]), distance)

    def _points(
        self, rover: Floats, yaw: float, reach: float, half_view: float
    ) -> list[tuple[float, int, Floats]]:
        away = self.obstacles - rover
        distances = np.hypot(away[:, 0], away[:, 1])
        bearing = np.arctan2(away[:, 1], away[:, 0]) - yaw
        aside = np.abs(np.remainder(bearing + np.pi, 2.0 * np.pi) - np.pi)
        seen = np.flatnonzero((distances <= reach) & (aside <= half_view))
        return [(float(distances[each]), int(each), self.obstacles[each]) for each in seen]

    def _edge(self, rover: Floats, yaw: float, reach: float, half_view: float) -> Floats | None:
        met = [self._meet(rover, yaw + side, reach) for side in (half_view, -half_view)]
        found = [each for each in met if each is not None]
        if len(found) < 2:
            return found[0][1] if found else None
        (first, here), (second, there) = found
        if first == second:
            nearer = np.hypot(*(here - rover)) <= np.hypot(*(there - rover))
            return here if nearer else there
        return np.where(np.abs(here) >= np.abs(there), here, there)

    def _meet(self, rover: Floats, angle: float, reach: float) -> tuple[int, Floats] | None:
        """The number of the nearest boundary that a ray meets, and where."""
        along = np.array([math.cos(angle), math.sin(angle)])
        best, found = reach, None
        for number, (begin, end) in enumerate(self.boundaries):
            side = end - begin
            across = along[0] * side[1] - along[1] * side[0]
            if across == 0.0:
                continue
            to = begin - rover
            distance = (to[0] * side[1] - to[1] * side[0]) / across
            share = (to[0] * along[1] - to[1] * along[0]) / across
            if 0.0 <= distance <= best and 0.0 <= share <= 1.0:
                best, found = distance, (number, rover + distance * along)
        return found


def room(
    half_side: float, obstacles: int, radius: float, random: np.random.Generator
) -> Surroundings:
    """A square room around the origin with obstacles at random.

    Args:
        half_side: half the length of a side [m].
        obstacles: how many.
        radius: [m] of the circle that they stand in; none within a fifth of it, where a rover
            starts.
        random: decides where.
    """
    angles = random.uniform(0.0, 2.0 * np.pi, obstacles)
    distances = radius * np.sqrt(random.uniform(_CLEAR * _CLEAR, 1.0, obstacles))
    points = np.stack([distances * np.cos(angles), distances * np.sin(angles)], axis=1)
    corners = half_side * np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
    return Surroundings(points, np.stack([corners, np.roll(corners, -1, axis=0)], axis=1))


_CLEAR = 0.2
"""Share of the radius that is kept free around the rover's start."""
