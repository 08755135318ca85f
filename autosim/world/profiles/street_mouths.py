"""Mouths: the places where a street enters the carriageway of another one that it joins or crosses.

A carriageway is level across. So a street that leads into it at an angle is at its height at its
edge already, not only on its axis; otherwise the street has a kink at the edge.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.world.geometry.curves import length_of
from autosim.world.profiles.chains import End, ends_at_nodes, turn_at
from autosim.world.profiles.grade_separations import GradeSeparations
from autosim.world.profiles.rise_limits import RiseLimits
from autosim.world.profiles.street_contacts import (
    ALONGSIDE,
    ahead_on,
    axes_across,
    crossings_of,
)
from autosim.world.streets.street_finding import Street

_STEP = 0.03
"""Greatest difference in height [m] at an edge: a ball at 15 m/s does not leave such a kink."""

_BEYOND = 0.5
"""Distance [m] from a carriageway at which its height is still kept: as far as its kerbs."""

_ENDS_BESIDE = 1.0
"""Distance [m] from a carriageway up to which a dead end, which is wider, still lies on it."""

_ALONGSIDE = portable.cos(np.radians(20.0))
"""Least cosine (without unit) of the angle between two streets that have no edge to cross."""

_MAX_BEND = 40.0
"""Distance [m] from a node within which a street that leads along others leaves them in a bend."""

_SAME_PLACE = 1.0
"""Distance [m] along a street from a place with one height to the crossing that it belongs to."""

_STRIDE = 0.5
"""Distance [m] between the places at which it may leave them."""

_MAIN_TURN = np.radians(75.0)
"""Largest turn [rad] between two ends of streets that are one to those that join them. Chosen: the
nodes of small rings turn by 60 degrees and more."""


@dataclass(frozen=True, slots=True)
class _Mouth:
    """A place at `s` [m] of street `street`, and the foot at `main_s` [m] of street `main`."""

    street: int
    s: float
    main: int
    main_s: float


def find_street_mouths(streets: Sequence[Street]) -> RiseLimits:
    """The mouths of all streets, as pairs of places that differ in height by little.

    Where two streets cross, the less important one gives way to the other; where they are equal
    and share no node, each to the other.

    Args:
        streets: of all levels.
    """
    return _limits([*_at_nodes(streets), *_without_nodes(streets)] if streets else [])


def find_merged_mouths(streets: Sequence[Street], merged: GradeSeparations) -> RiseLimits:
    """The mouths where streets of different levels cross that got one height.

    Args:
        streets: of all levels.
        merged: the places with one height.
    """
    pairs = np.unique(np.column_stack([merged.upper, merged.lower]), axis=0)
    if not len(pairs):
        return RiseLimits.none()
    lines = np.array([shapely.LineString(street.points) for street in streets], dtype=object)
    first, s, second, other_s = crossings_of(lines, *pairs.T)
    # Two streets may cross with clearance at one place, and at one height at another.
    gaps = np.abs(merged.upper_s - s[:, None])
    gaps[(merged.upper != first[:, None]) | (merged.lower != second[:, None])] = np.inf
    is_merged = gaps.min(axis=1, initial=np.inf) < _SAME_PLACE
    chosen = (each[is_merged] for each in (first, s, second, other_s))
    return _limits(list(_at_crossings(streets, lines, *chosen)))


def _limits(mouths: Sequence[_Mouth]) -> RiseLimits:
    if not mouths:
        return RiseLimits.none()
    return RiseLimits(
        np.array([mouth.street for mouth in mouths], dtype=np.int64),
        np.array([mouth.s for mouth in mouths]),
        np.array([mouth.main for mouth in mouths], dtype=np.int64),
        np.array([mouth.main_s for mouth in mouths]),
        np.full(len(mouths), _STEP),
    )


def _at_nodes(streets: Sequence[Street]) -> Iterator[_Mouth]:
    """The mouths of streets at the nodes that they share with two others, one after the other."""
    for members in ends_at_nodes(streets):
        if len(members) < 3 or len({streets[street].layer for street, _ in members}) > 1:
            continue
        pairs = _pairs(streets, members)
        for end, main in itertools.product(members, pairs):
            own = [pair for pair in pairs if end in pair]
            if end not in main and all(_goes_before(streets, main, pair) for pair in own):
                yield from _mouth_at(streets, end, main)


def _pairs(streets: Sequence[Street], members: Sequence[End]) -> list[tuple[End, End]]:
    """The pairs of ends at a node that lead into one another, the straightest first."""
    turns = sorted(
        (abs(turn_at(streets, first, second)), first, second)
        for first, second in itertools.combinations(members, 2)
    )
    pairs: list[tuple[End, End]] = []
    for turn, first, second in turns:
        if turn < _MAIN_TURN and not any(first in pair or second in pair for pair in pairs):
            pairs.append((first, second))
    return pairs


def _goes_before(streets: Sequence[Street], first: Sequence[End], second: Sequence[End]) -> bool:
    """Whether the streets of one pair of ends are more important than those of another."""
    return (*_order(streets, first), min(first)) < (*_order(streets, second), min(second))


def _order(streets: Sequence[Street], ends: Sequence[End]) -> tuple[int, float]:
    """The order of importance of some streets, those of the most important first."""
    profiles = [streets[number].profile for number, _ in ends]
    return max(each.rank for each in profiles), -max(each.width for each in profiles)


def _mouth_at(streets: Sequence[Street], end: End, main: tuple[End, End]) -> Iterator[_Mouth]:
    """The mouth of one end of a street into two that continue each other."""
    turns = [portable.cos(np.pi - abs(turn_at(streets, end, each))) for each in main]
    # The cosine of the angle between the street and each of both, which all lead away.
    beside = int(np.argmax(turns))
    cosine = float(turns[beside])
    if abs(cosine) >= ALONGSIDE:
        yield from _mouths_of_bends(streets, end, main)
        return
    number = main[beside][0]
    half = max(streets[k].profile.width for k, _ in main) / 2.0 + _BEYOND
    away = half / np.sqrt(1.0 - cosine * cosine)
    lengths = length_of(streets[end[0]].points), length_of(streets[number].points)
    if away < lengths[0]:
        along = min(away * max(cosine, 0.0), lengths[1])
        yield _Mouth(
            end[0],
            away if end[1] else lengths[0] - away,
            number,
            along if main[beside][1] else lengths[1] - along,
        )


def _mouths_of_bends(
    streets: Sequence[Street], end: End, main: tuple[End, End]
) -> Iterator[_Mouth]:
    """The mouth of an end that leads along others at their node, and leaves them in a bend."""
    line = shapely.LineString(streets[end[0]].points)
    s = np.arange(0.0, min(line.length, _MAX_BEND), _STRIDE)
    points = shapely.line_interpolate_point(line, s if end[1] else line.length - s)
    others = np.array([shapely.LineString(streets[k].points) for k, _ in main], dtype=object)
    halves = np.array([streets[k].profile.width / 2.0 for k, _ in main])
    gaps = np.asarray(shapely.distance(points[:, None], others)) - halves
    is_off = (gaps > _BEYOND).all(axis=1)
    if not is_off.any() or is_off[0]:
        return
    k = int(np.argmax(is_off))
    place = float(s[k] if end[1] else line.length - s[k])
    beside = int(np.argmin(gaps[k]))
    foot = float(shapely.line_locate_point(others[beside], points[k]))
    ahead = (
        ahead_on(np.array([each]), np.array([at]))[0]
        for each, at in ((line, place), (others[beside], foot))
    )
    if abs(float(portable.dot(*ahead))) < _ALONGSIDE:
        yield _Mouth(end[0], place, main[beside][0], foot)


def _without_nodes(streets: Sequence[Street]) -> Iterator[_Mouth]:
    """The mouths where streets of one level cross without a node, or end on a carriageway."""
    lines = np.array([shapely.LineString(street.points) for street in streets], dtype=object)
    yield from _at_crossings(streets, lines, *axes_across(streets, lines))
    yield from _dead_ends(streets, lines)


def _at_crossings(
    streets: Sequence[Street],
    lines: npt.NDArray[np.object_],
    first: Integers,
    s: Floats,
    second: Integers,
    other_s: Floats,
) -> Iterator[_Mouth]:
    """The mouths of streets `first` (n,) that cross streets `second` (n,), at `s` and `other_s`."""
    cosines = (ahead_on(lines[first], s) * ahead_on(lines[second], other_s)).sum(axis=1)
    for k, cosine in enumerate(cosines.tolist()):
        one, other = (int(first[k]), float(s[k])), (int(second[k]), float(other_s[k]))
        orders = [_order(streets, [(number, True)]) for number, _ in (one, other)]
        if orders[0] >= orders[1]:
            yield from _mouths_across(streets, one, other, cosine)
        if orders[1] >= orders[0]:
            yield from _mouths_across(streets, other, one, cosine)


def _dead_ends(streets: Sequence[Street], lines: npt.NDArray[np.object_]) -> Iterator[_Mouth]:
    """The dead ends that lie on the carriageway of another street, and their mouths there."""
    ends = [members[0] for members in ends_at_nodes(streets) if len(members) == 1]
    halves = np.array([street.profile.width / 2.0 for street in streets])
    numbers = np.array([street for street, _ in ends], dtype=np.int64)
    places = np.array([streets[k].points[0 if at_start else -1] for k, at_start in ends])
    points = np.asarray(shapely.points(places.reshape(-1, 2)), dtype=object)
    reach = 2.0 * halves.max(initial=0.0) + _ENDS_BESIDE
    rows, mains = shapely.STRtree(lines).query(points, predicate="dwithin", distance=reach)
    layers = np.array([street.layer for street in streets])
    counts = (layers[numbers[rows]] == layers[mains]) & (numbers[rows] != mains)
    rows, mains = rows[counts], mains[counts]
    lengths = shapely.length(lines[numbers[rows]])
    s = np.where([ends[row][1] for row in rows], 0.0, lengths)
    main_s = shapely.line_locate_point(lines[mains], points[rows])
    cosines = (ahead_on(lines[numbers[rows]], s) * ahead_on(lines[mains], main_s)).sum(axis=1)
    # At an angle one corner of the end is nearer than its middle.
    gaps = shapely.distance(points[rows], lines[mains]) - halves[mains]
    gaps -= halves[numbers[rows]] * np.abs(cosines)
    meets = (np.abs(cosines) < _ALONGSIDE) & (gaps < _ENDS_BESIDE)
    for k in np.flatnonzero(meets).tolist():
        street, main = int(numbers[rows[k]]), int(mains[k])
        yield _Mouth(street, float(s[k]), main, float(main_s[k]))
        sine = np.sqrt(1.0 - cosines[k] * cosines[k])
        inwards = (1.0 if s[k] == 0.0 else -1.0) * max(_BEYOND - gaps[k], 0.0) / sine
        at = float(np.clip(s[k] + inwards, 0.0, lengths[k]))
        along = float(main_s[k] + (at - s[k]) * cosines[k])
        yield _Mouth(street, at, main, float(np.clip(along, 0.0, lines[main].length)))
        if _order(streets, [(street, True)]) < _order(streets, [(main, True)]):
            yield from _mouths_across(
                streets, (main, float(main_s[k])), (street, float(s[k])), float(cosines[k])
            )


def _mouths_across(
    streets: Sequence[Street], own: tuple[int, float], main: tuple[int, float], cosine: float
) -> Iterator[_Mouth]:
    """Both mouths of a street (number, place [m]) that crosses another one."""
    if abs(cosine) >= _ALONGSIDE:
        return
    away = (streets[main[0]].profile.width / 2.0 + _BEYOND) / np.sqrt(1.0 - cosine * cosine)
    lengths = length_of(streets[own[0]].points), length_of(streets[main[0]].points)
    for sign in (-1.0, 1.0):
        s = float(np.clip(own[1] + sign * away, 0.0, lengths[0]))
        along = main[1] + (s - own[1]) * cosine
        yield _Mouth(own[0], s, main[0], float(np.clip(along, 0.0, lengths[1])))
