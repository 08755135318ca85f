"""Divides streets into levels: surfaces on which each place has one height.

The ground is level 0. Streets on bridges and in tunnels lie on further levels, so that no street
passes over another of its level. A street leaves the ground at a transition: up to there it belongs
to the ground, from there on to its deck.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
import shapely
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from autosim import portable
from autosim.arrays import Floats
from autosim.world.geometry import overlays
from autosim.world.geometry.curves import arc_lengths, cut
from autosim.world.levels.extensions import find_extensions
from autosim.world.levels.graph_colours import Neighbours, coloured_as_groups
from autosim.world.levels.junction_reaches import clear_of_separations, owners_of_nodes
from autosim.world.levels.shared_mouths import find_shared_mouths
from autosim.world.profiles.chains import End
from autosim.world.profiles.grade_separations import GradeSeparations
from autosim.world.profiles.profile import Profile
from autosim.world.streets.street_finding import Street

GROUND = 0
"""Number of the ground's level: the first, so that nodes at which levels meet belong to it."""

_SHALLOW = {1: 1.0, -1: 2.0}
"""Height [m] of a bridge over the terrain, and depth of a tunnel under it, below which it is none:
less is a culvert or a hollow."""

_SIMILAR = 1.5
"""Largest difference in height [m] of two decks side by side that lie on one level: the slope
between them is not a wall."""

_FORKED = 3.0
"""Largest difference in height [m] of two decks on one level that part at a node: they drift apart,
and where they differ most there is already a gap between them."""

_ONE_HEIGHT = 0.3
"""Largest difference in height [m] of two streets that cross on one surface: profiles that are to
have one height at a crossing keep it to some centimetres."""

_FORK_GAP = 2.0
"""Largest gap [m] between two decks that part at a node and are still one surface."""

_DECK_GAP = 12.0
"""Largest gap [m] between decks of which one can reach the other: the rounded corners of their
junctions lie between them."""

_KERB_RADIUS = 3.0
"""Distance [m] from a crossing carriageway up to which a junction reaches: its rounded kerb."""

_LARGEST_SHARE = 0.45
"""Largest share of a deck that the level at each of its ends takes, where both take some."""

_LARGEST_TOTAL = 0.92
"""Largest share of a street that other levels take together: a piece remains."""

_STRAIGHT_ON = np.radians(20.0)
"""Largest turn [rad] of a street that merely continues, without a junction to keep whole."""

_SHORT = 12.0
"""Length [m] of a street below which no level begins or ends on it: the junctions at both its ends
reach as far, by half the width of a street and the kerb's radius each."""

_NO_LENGTH = 0.01
"""Length [m] of a piece that is none: it would be a triangle thinner than a vertex is exact."""


@dataclass(frozen=True, slots=True)
class LevelTransition:
    """The place where a street changes from one level to another.

    `place` (2,) [m] in W; `ahead` (2,) the unit vector from level `owner` to level `level`; `half`
    [m] half the street's width; `z` [m] the height there.
    """

    owner: int
    level: int
    street: int
    place: Floats
    ahead: Floats
    half: float
    z: float


@dataclass(frozen=True, slots=True)
class LevelPiece:
    """A part of a street on one level: `line` (n, 2) in W from arc length `start` to `end` [m]."""

    street: int
    level: int
    start: float
    end: float
    line: Floats


@dataclass(frozen=True, slots=True)
class Levels:
    """The division of all streets into levels.

    `signs[k]` of level k: 0 the ground, 1 bridges, -1 tunnels. `pieces[i]` are the pieces of
    street i in order.
    """

    signs: tuple[int, ...]
    pieces: tuple[tuple[LevelPiece, ...], ...]
    transitions: tuple[LevelTransition, ...]
    """Places at which a street changes its level."""

    def on(self, level: int) -> list[LevelPiece]:
        """All pieces on a level."""
        return [piece for each in self.pieces for piece in each if piece.level == level]

    def level_at(self, street: int, place: Floats) -> int:
        """The level of the piece of a street that is nearest to a place (2,) in W."""
        pieces = self.pieces[street]
        lines = [shapely.LineString(piece.line) for piece in pieces]
        return pieces[int(np.argmin(shapely.distance(lines, shapely.Point(place))))].level


def without_shallow_levels(
    streets: Sequence[Street],
    profiles: Sequence[Profile],
    grounds: Sequence[Floats],
    separations: GradeSeparations,
) -> list[Street]:
    """The streets, with shallow bridges and tunnels put on the ground.

    A bridge is shallow if it crosses no street and nowhere rises 1 m over the terrain, a tunnel if
    it nowhere lies 2 m under it: on a plain, a bridge over a ditch needs no deck.

    Args:
        streets: all streets.
        profiles: of each street.
        grounds: the terrain at each sample of each profile.
        separations: where streets of different levels cross.
    """
    crossed = set(separations.upper.tolist()) | set(separations.lower.tolist())
    kept = list(streets)
    for members in _connected(streets, [k for k, s in enumerate(streets) if s.layer != 0]):
        sign = 1 if streets[members[0]].layer > 0 else -1
        rise = max(float(np.max(sign * (profiles[k].z - grounds[k]))) for k in members)
        if rise < _SHALLOW[sign] and not crossed & set(members):
            for k in members:
                kept[k] = replace(streets[k], layer=0)
    return kept


def _connected(streets: Sequence[Street], chosen: Iterable[int]) -> list[list[int]]:
    """Groups of streets of one layer that are connected by nodes."""
    members = list(chosen)
    at: dict[tuple[int, int], list[int]] = defaultdict(list)
    for row, k in enumerate(members):
        for node in {streets[k].start, streets[k].end}:
            at[(node, streets[k].layer)].append(row)
    links = [(rows[0], row) for rows in at.values() for row in rows[1:]]
    return [[members[row] for row in group] for group in _groups(len(members), links)]


def _groups(count: int, links: Sequence[tuple[int, int]]) -> list[list[int]]:
    """The connected components of a graph, each sorted, by their first members."""
    if not count:
        return []
    a = np.array([link[0] for link in links], dtype=np.int64)
    b = np.array([link[1] for link in links], dtype=np.int64)
    graph = coo_array((np.ones(len(a)), (a, b)), shape=(count, count))
    _, labels = connected_components(graph, directed=False)
    groups: dict[int, list[int]] = defaultdict(list)
    for row, label in enumerate(labels.tolist()):
        groups[label].append(row)
    return sorted(groups.values())


def divide_into_levels(
    streets: Sequence[Street],
    profiles: Sequence[Profile],
    merged: GradeSeparations | None = None,
    *,
    separations: GradeSeparations | None = None,
    reaches: Mapping[End, float] = MappingProxyType({}),
) -> Levels:
    """Divides the streets into levels.

    Args:
        streets: of all levels.
        profiles: of each street.
        merged: places where two streets have one height.
        separations: places where one is over the other, even if they have one height elsewhere.
        reaches: `junction_reaches`; separations cut them short.
    """
    levels, signs = _levels(streets, profiles, _pairs(merged) - _pairs(separations))
    if separations is not None:
        reaches = clear_of_separations(reaches, streets, separations, levels)
    extensions = find_extensions(streets, profiles)
    mouths = find_shared_mouths(streets, profiles, levels)
    setbacks = _setbacks(streets, levels, extensions, reaches, mouths)
    pieces: list[tuple[LevelPiece, ...]] = []
    transitions: list[LevelTransition] = []
    for k, street in enumerate(streets):
        own, found = _cut_up(k, street, levels[k], setbacks[k], profiles[k])
        pieces.append(own)
        transitions += found
    return Levels(signs, tuple(pieces), tuple(transitions))


def _pairs(separations: GradeSeparations | None) -> set[tuple[int, int]]:
    """The two streets of each crossing, the lower number first."""
    if separations is None:
        return set()
    pairs = np.column_stack([separations.upper, separations.lower])
    return set(zip(pairs.min(axis=1).tolist(), pairs.max(axis=1).tolist(), strict=True))


def _levels(
    streets: Sequence[Street], profiles: Sequence[Profile], merged: Set[tuple[int, int]]
) -> tuple[list[int], tuple[int, ...]]:
    """The level of each street, and the sign of each level."""
    levels = [GROUND] * len(streets)
    signs = [0]
    for sign in (1, -1):
        chosen = [k for k, street in enumerate(streets) if street.layer * sign > 0]
        apart, close = _overlaps(streets, profiles, chosen, merged)
        pieces = _short_pieces(streets, chosen, apart, close)
        colours = coloured_as_groups(pieces, apart, close)
        for row, k in enumerate(chosen):
            levels[k] = len(signs) + colours[row]
        signs += [sign] * (max(colours, default=-1) + 1)
    return levels, tuple(signs)


def _overlaps(
    streets: Sequence[Street],
    profiles: Sequence[Profile],
    chosen: Sequence[int],
    merged: Set[tuple[int, int]],
) -> tuple[Neighbours, Neighbours]:
    """For each row of `chosen` the rows that overlap it in plan: far apart in height, and close."""
    apart: dict[int, set[int]] = defaultdict(set)
    close: dict[int, set[int]] = defaultdict(set)
    lines = np.array([shapely.LineString(streets[k].points) for k in chosen], dtype=object)
    halves = np.array([streets[k].profile.width / 2.0 for k in chosen])
    if not len(lines):
        return apart, close
    found = shapely.STRtree(lines).query(
        lines, predicate="dwithin", distance=halves + halves.max() + _DECK_GAP
    )
    for a, b in found.T.tolist():
        first, second = chosen[a], chosen[b]
        is_fork = bool(_nodes(streets[first]) & _nodes(streets[second])) or _is_level_crossing(
            lines[a], lines[b], profiles[first], profiles[second]
        )
        # Decks without a node in common must also be clear of each other's rounded corners.
        reach = halves[a] + halves[b] + (_FORK_GAP if is_fork else _DECK_GAP)
        if a < b and shapely.distance(lines[a], lines[b]) < reach:
            gap = _largest_gap(lines[a], lines[b], profiles[first], profiles[second], reach)
            is_close = gap < (_FORKED if is_fork else _SIMILAR) or (first, second) in merged
            kind = close if is_close else apart
            kind[a].add(b)
            kind[b].add(a)
    return apart, close


def _is_level_crossing(
    first: shapely.LineString,
    second: shapely.LineString,
    first_profile: Profile,
    second_profile: Profile,
) -> bool:
    """Whether two streets cross without a node at one height: their decks are one surface."""
    if not first.crosses(second):
        return False
    places = shapely.get_parts(overlays.intersection(first, second))
    heights = (
        profile.at(shapely.line_locate_point(line, places))
        for line, profile in ((first, first_profile), (second, second_profile))
    )
    return bool((np.abs(np.subtract(*heights)) < _ONE_HEIGHT).all())


def _nodes(street: Street) -> set[int]:
    return {street.start, street.end}


def _largest_gap(
    first: shapely.LineString,
    second: shapely.LineString,
    first_profile: Profile,
    second_profile: Profile,
    reach: float,
) -> float:
    """The largest difference [m] in height of two streets that lie within `reach` [m]."""
    gap = 0.0
    for line, profile, other, other_profile in (
        (first, first_profile, second, second_profile),
        (second, second_profile, first, first_profile),
    ):
        s = np.linspace(0.0, line.length, max(2, int(line.length / 2.0)))
        places = shapely.line_interpolate_point(line, s)
        near = shapely.distance(places, other) < reach
        there = shapely.line_locate_point(other, places[near])
        differences = np.abs(profile.at(s[near]) - other_profile.at(there))
        gap = max(gap, float(differences.max(initial=0.0)))
    return gap


def _short_pieces(
    streets: Sequence[Street], chosen: Sequence[int], apart: Neighbours, close: Neighbours
) -> list[list[int]]:
    """Groups of the rows of `chosen` that keep one level; those of several rows come first.

    A street as short as the junctions at its ends cannot change its level: a roundabout, or a
    crossing of two dual carriageways, is one surface.
    """
    is_short = [float(arc_lengths(streets[k].points)[-1]) < _SHORT for k in chosen]
    group = {row: {row} for row in range(len(chosen))}
    for row in range(len(chosen)):
        for other in sorted(close.get(row, ())):
            meets = _nodes(streets[chosen[row]]) & _nodes(streets[chosen[other]])
            if is_short[row] and is_short[other] and meets and group[row] is not group[other]:
                both = group[row] | group[other]
                if not any(both & apart.get(each, set()) for each in both):
                    group.update(dict.fromkeys(both, both))
    groups = {min(each): sorted(each) for each in group.values()}
    return sorted(groups.values(), key=lambda rows: (len(rows) == 1, rows))


@dataclass(frozen=True, slots=True)
class _Setback:
    """The level `owner` takes `length` [m] of a street, from one of its ends."""

    owner: int
    length: float


def _setbacks(
    streets: Sequence[Street],
    levels: Sequence[int],
    extensions: Mapping[End, tuple[int, float]],
    reaches: Mapping[End, float],
    mouths: Mapping[End, float],
) -> list[tuple[_Setback | None, _Setback | None]]:
    """For both ends of each street, the part that another level takes.

    A node belongs to the lowest-numbered level of its streets. The transition of a street that only
    continues is at the node, or where an extended deck ends; otherwise it is beyond the junction,
    which must not be cut in two. The ground also takes the mouth that a deck shares with one of its
    streets.
    """
    ends: dict[int, list[tuple[int, bool]]] = defaultdict(list)
    for k, street in enumerate(streets):
        ends[street.start].append((k, True))
        ends[street.end].append((k, False))
    found: dict[tuple[int, bool], _Setback] = {}
    for end, (deck, length) in extensions.items():
        found[end] = _Setback(levels[deck], length)
    owners = owners_of_nodes(streets, levels)
    for node, members in ends.items():
        if any(end in extensions for end in members):
            continue
        owner = owners[node]
        for k, at_start in members:
            if levels[k] != owner:
                others = [end for end in members if end != (k, at_start)]
                reach = _reach(streets, (k, at_start), others, reaches.get((k, at_start), 0.0))
                reach = max(reach, mouths.get((k, at_start), 0.0))
                found[(k, at_start)] = _Setback(owner, reach)
    return [(found.get((k, True)), found.get((k, False))) for k in range(len(streets))]


def _reach(
    streets: Sequence[Street],
    end: tuple[int, bool],
    others: Sequence[tuple[int, bool]],
    turns: float,
) -> float:
    """Extent [m] of a junction into a street, at least its `turns` [m]."""
    if len(others) == 1 and abs(_turn(streets, end, others[0])) < _STRAIGHT_ON:
        return 0.0
    return max(max(streets[k].profile.width / 2.0 for k, _ in others) + _KERB_RADIUS, turns)


def _turn(streets: Sequence[Street], end: tuple[int, bool], other: tuple[int, bool]) -> float:
    """Angle [rad] of the turn from one street end into another."""
    u, v = _outward(streets, end), _outward(streets, other)
    return float(portable.arctan2(-u[0] * v[1] + u[1] * v[0], -u[0] * v[0] - u[1] * v[1]))


def _outward(streets: Sequence[Street], end: tuple[int, bool]) -> Floats:
    points = streets[end[0]].points if end[1] else streets[end[0]].points[::-1]
    ahead = points[1] - points[0]
    return np.asarray(ahead / portable.length(ahead))


def _cut_up(
    index: int,
    street: Street,
    level: int,
    setbacks: tuple[_Setback | None, _Setback | None],
    profile: Profile,
) -> tuple[tuple[LevelPiece, ...], list[LevelTransition]]:
    """The pieces of a street and the transitions between them."""
    length = float(arc_lengths(street.points)[-1])
    first, last = setbacks
    most = _LARGEST_SHARE if first and last else _LARGEST_TOTAL
    start, end = _inner(length, first, last, 1.0 if level == GROUND else most)
    pieces = [LevelPiece(index, level, start, end, cut(street.points, start, end))]
    transitions: list[LevelTransition] = []
    if first:
        transitions.append(_transition(index, street, level, first.owner, (start, 1.0), profile))
        if start > _NO_LENGTH:
            pieces.insert(
                0, LevelPiece(index, first.owner, 0.0, start, cut(street.points, 0.0, start))
            )
    if last:
        transitions.append(_transition(index, street, level, last.owner, (end, -1.0), profile))
        if end < length - _NO_LENGTH:
            pieces.append(
                LevelPiece(index, last.owner, end, length, cut(street.points, end, length))
            )
    return tuple(pieces), transitions


def _inner(
    length: float, first: _Setback | None, last: _Setback | None, share: float
) -> tuple[float, float]:
    """Arc lengths [m] at which the part of a street on its own level begins and ends."""
    before = min(first.length, share * length) if first else 0.0
    behind = min(last.length, share * length) if last else 0.0
    scale = min(1.0, _LARGEST_TOTAL * length / max(before + behind, 1e-9))
    return scale * before, length - scale * behind


def _transition(
    index: int,
    street: Street,
    level: int,
    owner: int,
    where: tuple[float, float],
    profile: Profile,
) -> LevelTransition:
    s, sense = where
    length = float(profile.s[-1])
    inner = cut(street.points, max(s - 1.0, 0.0), min(s + 1.0, length))
    ahead = inner[-1] - inner[0]
    place = cut(street.points, 0.0, s)[-1] if s > _NO_LENGTH else street.points[0]
    if level == GROUND:
        # The ground owns every transition that it has: here it lies beyond an extended deck.
        owner, level, sense = level, owner, -sense
    return LevelTransition(
        owner=owner,
        level=level,
        street=index,
        place=place,
        ahead=sense * ahead / portable.length(ahead),
        half=street.profile.width / 2.0,
        z=float(profile.at(s)),
    )
