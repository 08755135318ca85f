"""Divides streets into levels: surfaces on which each place has one height.

The ground is level 0. Streets on bridges and in tunnels lie on further levels, so that on no level
a street passes over another. Where a street leaves the ground, a transition: up to there it belongs
to the ground, from there to its deck.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
import shapely
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from autosim import portable
from autosim.arrays import Floats
from autosim.world.geometry.curves import arc_lengths, cut
from autosim.world.levels.extensions import End, find_extensions
from autosim.world.levels.junction_reaches import clear_of_crossings, owners_of_nodes
from autosim.world.profiles.clearances import GradeSeparations
from autosim.world.profiles.profiles import Profile
from autosim.world.streets.streets import Street

GROUND = 0
_SHALLOW = {1: 1.0, -1: 2.0}
_SIMILAR, _FORKED = 1.5, 3.0
_FORK_ROOM, _DECK_ROOM = 2.0, 12.0
_KERB_ROOM = 3.0
_LARGEST_SHARE, _LARGEST_TOTAL = 0.45, 0.92
_TURNED = np.radians(20.0)


@dataclass(frozen=True, slots=True)
class LevelTransition:
    """Where a street goes over from one level to another.

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
    crossings: GradeSeparations,
) -> list[Street]:
    """The streets, with bridges and tunnels that are none in these heights put on the ground.

    Those that cross no street and nowhere rise 1 m over the terrain or lie 2 m under it: where
    there is no relief a bridge over a ditch needs no deck.

    Args:
        streets: all streets.
        profiles: of each street.
        grounds: the terrain at each sample of each profile.
        crossings: where streets of different levels cross.
    """
    crossed = set(crossings.upper.tolist()) | set(crossings.lower.tolist())
    kept = list(streets)
    for members in _connected(streets, [k for k, s in enumerate(streets) if s.layer != 0]):
        sign = 1 if streets[members[0]].layer > 0 else -1
        rise = max(float(np.max(sign * (profiles[k].z - grounds[k]))) for k in members)
        if rise < _SHALLOW[sign] and not crossed & set(members):
            for k in members:
                kept[k] = replace(streets[k], layer=0)
    return kept


def _connected(streets: Sequence[Street], chosen: Iterable[int]) -> list[list[int]]:
    """Groups of streets of one level that hang together at nodes."""
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


def divide(
    streets: Sequence[Street],
    profiles: Sequence[Profile],
    merged: GradeSeparations | None = None,
    *,
    crossings: GradeSeparations | None = None,
    reaches: Mapping[End, float] = MappingProxyType({}),
) -> Levels:
    """Divides the streets into levels.

    Args:
        streets: of all levels.
        profiles: of each street.
        merged: where two of them have one height.
        crossings: where one of them is over the other, even if they have one height elsewhere.
        reaches: `junction_reaches`, as far as crossings do not cut them short.
    """
    levels, signs = _levels(streets, profiles, _pairs(merged) - _pairs(crossings))
    if crossings is not None:
        reaches = clear_of_crossings(reaches, streets, crossings, levels)
    setbacks = _setbacks(streets, levels, find_extensions(streets, profiles), reaches)
    pieces: list[tuple[LevelPiece, ...]] = []
    transitions: list[LevelTransition] = []
    for k, street in enumerate(streets):
        own, found = _cut_up(k, street, levels[k], setbacks[k], profiles[k])
        pieces.append(own)
        transitions += found
    return Levels(signs, tuple(pieces), tuple(transitions))


def _pairs(crossings: GradeSeparations | None) -> set[tuple[int, int]]:
    """The streets of each crossing, the one with the lower number first."""
    if crossings is None:
        return set()
    pairs = np.column_stack([crossings.upper, crossings.lower])
    return set(zip(pairs.min(axis=1).tolist(), pairs.max(axis=1).tolist(), strict=True))


def _levels(
    streets: Sequence[Street], profiles: Sequence[Profile], merged: Set[tuple[int, int]]
) -> tuple[list[int], tuple[int, ...]]:
    """The level of each street, and the sign of each level."""
    levels = [GROUND] * len(streets)
    signs = [0]
    for sign in (1, -1):
        chosen = [k for k, street in enumerate(streets) if street.layer * sign > 0]
        colours = _coloured(len(chosen), *_overlaps(streets, profiles, chosen, merged))
        for row, k in enumerate(chosen):
            levels[k] = len(signs) + colours[row]
        signs += [sign] * (max(colours, default=-1) + 1)
    return levels, tuple(signs)


_Neighbours = Mapping[int, set[int]]


def _overlaps(
    streets: Sequence[Street],
    profiles: Sequence[Profile],
    chosen: Sequence[int],
    merged: Set[tuple[int, int]],
) -> tuple[_Neighbours, _Neighbours]:
    """For each row of `chosen` those that overlap it in plan: far apart in height, and close."""
    apart: dict[int, set[int]] = defaultdict(set)
    close: dict[int, set[int]] = defaultdict(set)
    lines = np.array([shapely.LineString(streets[k].points) for k in chosen], dtype=object)
    halves = np.array([streets[k].profile.width / 2.0 for k in chosen])
    if not len(lines):
        return apart, close
    found = shapely.STRtree(lines).query(
        lines, predicate="dwithin", distance=halves + halves.max() + _DECK_ROOM
    )
    for a, b in found.T.tolist():
        first, second = chosen[a], chosen[b]
        is_fork = bool(_nodes(streets[first]) & _nodes(streets[second]))
        # Decks that do not hang together must also be clear of one another's rounded corners.
        reach = halves[a] + halves[b] + (_FORK_ROOM if is_fork else _DECK_ROOM)
        if a < b and shapely.distance(lines[a], lines[b]) < reach:
            gap = _largest_gap(lines[a], lines[b], profiles[first], profiles[second], reach)
            is_close = gap < (_FORKED if is_fork else _SIMILAR) or (first, second) in merged
            kind = close if is_close else apart
            kind[a].add(b)
            kind[b].add(a)
    return apart, close


def _nodes(street: Street) -> set[int]:
    return {street.start, street.end}


def _largest_gap(
    first: shapely.LineString,
    second: shapely.LineString,
    first_profile: Profile,
    second_profile: Profile,
    reach: float,
) -> float:
    """The largest difference [m] in height of two streets where they lie within `reach` [m]."""
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


def _coloured(count: int, apart: _Neighbours, close: _Neighbours) -> list[int]:
    """A colour for each street: another one than those apart have, best that of a close one."""
    colours: dict[int, int] = {}
    for row in _in_order_of_contact(count, close):
        taken = {colours[other] for other in apart.get(row, ()) if other in colours}
        offered = Counter(colours[other] for other in close.get(row, ()) if other in colours)
        free = [colour for colour, _ in offered.most_common() if colour not in taken]
        colours[row] = free[0] if free else next(c for c in range(count) if c not in taken)
    return [colours[row] for row in range(count)]


def _in_order_of_contact(count: int, close: _Neighbours) -> list[int]:
    """All rows, each as soon as one that is close to it has come."""
    order: dict[int, None] = {}
    for first in range(count):
        waiting = [first]
        while waiting:
            row = waiting.pop()
            if row not in order:
                order[row] = None
                waiting += sorted(close.get(row, set()) - order.keys(), reverse=True)
    return list(order)


@dataclass(frozen=True, slots=True)
class _Setback:
    """How far [m] from an end of a street the level `owner` reaches into it."""

    owner: int
    length: float


def _setbacks(
    streets: Sequence[Street],
    levels: Sequence[int],
    extensions: Mapping[End, tuple[int, float]],
    reaches: Mapping[End, float],
) -> list[tuple[_Setback | None, _Setback | None]]:
    """For both ends of each street, what another level has of it.

    A node belongs to the lowest-numbered level of its streets. If a street only goes on there, the
    transition is at the node, or where an extended deck ends; else beyond the junction, which must
    not be cut in two.
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
                found[(k, at_start)] = _Setback(owner, reach)
    return [(found.get((k, True)), found.get((k, False))) for k in range(len(streets))]


def _reach(
    streets: Sequence[Street],
    end: tuple[int, bool],
    others: Sequence[tuple[int, bool]],
    turns: float,
) -> float:
    """How far [m] into a street its junction reaches, and so do its `turns`."""
    if len(others) == 1 and abs(_turn(streets, end, others[0])) < _TURNED:
        return 0.0
    return max(max(streets[k].profile.width / 2.0 for k, _ in others) + _KERB_ROOM, turns)


def _turn(streets: Sequence[Street], end: tuple[int, bool], other: tuple[int, bool]) -> float:
    """Angle [rad] by which one turns from one street end into another."""
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
        if start > 0.01:
            pieces.insert(
                0, LevelPiece(index, first.owner, 0.0, start, cut(street.points, 0.0, start))
            )
    if last:
        transitions.append(_transition(index, street, level, last.owner, (end, -1.0), profile))
        if end < length - 0.01:
            pieces.append(
                LevelPiece(index, last.owner, end, length, cut(street.points, end, length))
            )
    return tuple(pieces), transitions


def _inner(
    length: float, first: _Setback | None, last: _Setback | None, share: float
) -> tuple[float, float]:
    """Where on a street what is left to its own level begins and ends [m]."""
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
    place = cut(street.points, 0.0, s)[-1] if s > 0.01 else street.points[0]
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
