"""Extensions of bridges and tunnels along streets that the map has on the ground.

A map ends a bridge at its abutment, which may be right beside the street below. The ground would
have two heights at once there. So the deck is extended until its street is clear of others.
"""

from collections.abc import Sequence

import numpy as np
import shapely

from autosim.world.geometry.curves import arc_lengths, points_at
from autosim.world.profiles.chains import End
from autosim.world.profiles.profile import Profile
from autosim.world.streets.street_finding import Street

_STEP = 2.0
"""Distance [m] between the places of a street that are compared with others: less than any street
is wide."""

_FARTHEST = 90.0
"""Longest extension [m] of a deck. Chosen: a ramp of 6 % has come down by a clearance there."""

_LARGEST_SHARE = 0.9
"""Largest share of a street that becomes a deck: its other end stays on the ground."""

_BESIDE = 1.0
"""Distance [m] between two carriageways that are still side by side: a kerb on each side."""

_APART = 1.5
"""Least difference in height [m] of streets that cannot lie on one ground: less becomes a slope."""

_GAP = 8.0
"""Longest stretch [m] without a conflict that does not end the search: the width of a street."""

_MORE = 3.0
"""Length [m] by which a deck is extended beyond the last conflict, for the abutment."""


def find_extensions(
    streets: Sequence[Street], profiles: Sequence[Profile]
) -> dict[End, tuple[int, float]]:
    """By end of a street on the ground: the bridge or tunnel extended there, and its length [m].

    Args:
        streets: of all levels.
        profiles: of each street.
    """
    finder = _Finder(streets, profiles)
    found: dict[End, tuple[int, float]] = {}
    for deck, ground in sorted(_continuations(streets), key=lambda pair: -streets[pair[0]].layer):
        length = finder.conflict(ground, 1 if streets[deck].layer > 0 else -1)
        if length > 0.0:
            found[ground] = (deck, length)
    return found


def _continuations(streets: Sequence[Street]) -> list[tuple[int, End]]:
    """Bridges and tunnels, each with the end of the only street that continues it."""
    ends: dict[int, list[End]] = {}
    for k, street in enumerate(streets):
        ends.setdefault(street.start, []).append((k, True))
        ends.setdefault(street.end, []).append((k, False))
    pairs = []
    for members in ends.values():
        if len(members) == 2:
            for one, other in (members, members[::-1]):
                if streets[one[0]].layer != 0 and streets[other[0]].layer == 0:
                    pairs.append((one[0], other))
    return pairs


class _Finder:
    """Finds places where two streets on the ground overlap at different heights."""

    def __init__(self, streets: Sequence[Street], profiles: Sequence[Profile]) -> None:
        self._streets = streets
        self._profiles = profiles
        self._ground = [k for k, street in enumerate(streets) if street.layer == 0]
        self._lines = [shapely.LineString(streets[k].points) for k in self._ground]
        self._tree = shapely.STRtree(self._lines)
        self._widest = max((street.profile.width for street in streets), default=0.0) / 2.0

    def conflict(self, end: End, sign: int) -> float:
        """Distance [m] from a street's end to others below (sign 1) or above it (sign -1)."""
        index, at_start = end
        street, profile = self._streets[index], self._profiles[index]
        s_all = arc_lengths(street.points)
        length = min(_FARTHEST, _LARGEST_SHARE * float(s_all[-1]))
        distances = np.arange(0.0, length, _STEP)
        s = distances if at_start else float(s_all[-1]) - distances
        places = points_at(street.points, s_all, s)
        half = street.profile.width / 2.0
        points = np.asarray(shapely.points(places), dtype=object)
        reach = half + self._widest + _BESIDE
        rows, others = self._tree.query(points, predicate="dwithin", distance=reach)
        heights = profile.at(s)
        last = 0.0
        for row, other in sorted(zip(rows.tolist(), others.tolist(), strict=True)):
            if distances[row] > last + _GAP:
                break
            if self._is_beside(int(other), points[row], half, sign * heights[row], sign, end):
                last = float(distances[row]) + _MORE
        return min(last, length)

    def _is_beside(
        self, row: int, point: shapely.Point, half: float, height: float, sign: int, end: End
    ) -> bool:
        other = self._ground[row]
        if other == end[0]:
            return False
        line = self._lines[row]
        if (
            shapely.distance(line, point)
            > half + self._streets[other].profile.width / 2.0 + _BESIDE
        ):
            return False
        there = float(self._profiles[other].at(shapely.line_locate_point(line, point)))
        return height - sign * there > _APART
