"""Mouths of bridges and tunnels that a street of the ground shares.

A map may lead a street of the ground through the mouth of a tunnel or over the end of a bridge, so
close to it that the two differ by less than a storey in height. Two surfaces that nearly coincide
would leave a step wherever one of them emerges from the other. So the ground takes the deck up to
the place where that street has left it, and both lie on one surface.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import shapely

from autosim.arrays import Booleans, Floats, Integers
from autosim.world.geometry.curves import arc_lengths, length_of, points_at
from autosim.world.levels.junction_reaches import owners_of_nodes
from autosim.world.profiles.chains import End
from autosim.world.profiles.profile import Profile, heights_along
from autosim.world.streets.street_finding import Street

_STEP = 1.0
"""Distance [m] between the places of a deck that are compared with streets of the ground."""

_FARTHEST = 90.0
"""Longest shared mouth [m]: that of an extension of a deck."""

_APART = 1.5
"""Difference in height [m] from which two streets cannot lie on one surface: the greatest that
`extensions` leaves to a slope."""

_LARGEST_SHARE = 0.4
"""Largest share of a deck that a shared mouth takes. A street that stays beside or on it for longer
keeps its own surface: the step would only come later."""

_GAP = 8.0
"""Longest stretch [m] without a street of the ground within a mouth: the width of a street."""

_MORE = 2.0
"""Length [m] by which the ground continues beyond the street that it shares the mouth with: that of
a pavement."""


def find_shared_mouths(
    streets: Sequence[Street], profiles: Sequence[Profile], levels: Sequence[int]
) -> Mapping[End, float]:
    """Length [m] of each shared mouth, by the end of the bridge or tunnel.

    Args:
        streets: of all levels.
        profiles: of each street.
        levels: number of each street's level; 0 is the ground.
    """
    ground = [k for k, street in enumerate(streets) if street.layer == 0]
    owners = owners_of_nodes(streets, levels)
    ends = [
        (k, at_start)
        for k, street in enumerate(streets)
        if levels[k] != 0
        for at_start, node in ((True, street.start), (False, street.end))
        if owners[node] == 0
    ]
    if not ground or not ends:
        return {}
    distances, counts, s, places = _places(streets, ends)
    decks = np.repeat([k for k, _ in ends], counts)
    halves = np.array([street.profile.width / 2.0 for street in streets])
    lines = np.array([shapely.LineString(streets[k].points) for k in ground], dtype=object)
    points = np.asarray(shapely.points(places), dtype=object)
    reach = halves[decks] + halves[ground].max()
    rows, others = shapely.STRtree(lines).query(points, predicate="dwithin", distance=reach)
    numbers = np.array(ground)[others]
    overlaps = shapely.distance(points[rows], lines[others]) < halves[decks[rows]] + halves[numbers]
    at = np.asarray(shapely.line_locate_point(lines[others], points[rows]))
    # A street that meets the deck at a node parts from it there, as at any junction.
    overlaps &= ~_meet(streets, decks[rows], numbers)
    rows, at, numbers = rows[overlaps], at[overlaps], numbers[overlaps]
    own, _ = heights_along(profiles, decks[rows], s[rows])
    other, _ = heights_along(profiles, numbers, at)
    is_shared = np.zeros(len(places), dtype=np.bool_)
    gaps = np.abs(own - other)
    is_shared[rows[gaps < _APART]] = True
    # The ground cannot also follow a street that lies far higher or lower.
    is_shared[rows[gaps >= _APART]] = False
    bounds = np.cumsum(counts)[:-1]
    lengths = map(_length, np.split(distances, bounds), np.split(is_shared, bounds))
    found = zip(ends, lengths, strict=True)
    return {
        end: length
        for end, length in found
        if 0.0 < length < _LARGEST_SHARE * length_of(streets[end[0]].points)
    }


def _places(
    streets: Sequence[Street], ends: Sequence[End]
) -> tuple[Floats, list[int], Floats, Floats]:
    """Places along streets from some of their ends.

    Returns:
        Distances (n,) [m] from the ends, the number of places of each end, arc lengths (n,) [m] and
        points (n, 2) [m].
    """
    distances, along, points = [], [], []
    for number, at_start in ends:
        axis = streets[number].points
        stations = arc_lengths(axis)
        steps = np.arange(0.0, min(_FARTHEST, float(stations[-1])), _STEP)
        s = steps if at_start else stations[-1] - steps
        distances.append(steps)
        along.append(s)
        points.append(points_at(axis, stations, s))
    counts = [len(each) for each in distances]
    return np.concatenate(distances), counts, np.concatenate(along), np.vstack(points)


def _meet(streets: Sequence[Street], first: Integers, second: Integers) -> Booleans:
    """Whether each of n pairs of streets shares a node."""
    nodes = np.array([(street.start, street.end) for street in streets])
    return np.asarray((nodes[first][:, :, None] == nodes[second][:, None, :]).any(axis=(1, 2)))


def _length(distances: Floats, is_shared: Booleans) -> float:
    """Length [m] of a mouth; 0 where its beginning is not shared."""
    last = 0.0
    for distance in distances[is_shared].tolist():
        if distance > last + _GAP:
            break
        last = float(distance) + _MORE
    return last
