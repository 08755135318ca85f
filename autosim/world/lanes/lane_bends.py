"""Widens the bends of lanes between junctions to a radius that a car can steer.

A street follows the nodes of its way. Where these lie close together, or where a lane lies on the
inner side of a bend, its line turns more sharply than any car can. Such a stretch is replaced by a
curve of those that connectors have.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import shapely

from autosim.arrays import Floats
from autosim.world.geometry.curves import arc_lengths, cut, length_of, transition, without_repeats
from autosim.world.geometry.dubins import dubins_curve
from autosim.world.geometry.polylines import Polylines
from autosim.world.geometry.turn_radii import TURN_WINDOW, turn_radii
from autosim.world.lanes.drivable_curves import (
    LAST_SWING,
    MARGIN,
    WALKING_PACE_RADIUS,
    Pose,
    needed_radius,
)
from autosim.world.lanes.lane_drafts import LaneDraft


@dataclass(frozen=True, slots=True)
class _Limits:
    """Limits of the curves that replace bends."""

    reaches: tuple[float, ...] = (1.5, 2.5, 3.5, 5.0, 6.5, 8.0, 10.0, 12.5, 15.0, 18.0, 22.0, 26.0)
    """Lengths [m] before and behind the tightest place of a bend, where the new curve begins."""

    uneven: int = 3
    """Greatest difference of the places of both lengths in `reaches`."""

    near: float = 1.0
    """Distance [m] of a new curve from the line within which the first that is wide enough is
    taken: what drivers swing out before a tight corner."""

    far: float = LAST_SWING
    """Greatest distance [m] of a new curve from the line: nothing else leads on."""

    end: float = 0.4
    """Length [m] at both ends of a lane that stays, so that connectors meet it as before."""

    least_end: float = 0.04
    """As `end` [m], where a bend begins nearer to an end: only the heading there stays."""

    gain: float = 1.05
    """Least factor by which a bend that stays tight is widened."""

    depth: int = 24
    """Greatest depth of recursion: each tight bend of a line takes one step."""


_LIMITS = _Limits()


def has_tight_bend(line: Floats, highway: str) -> bool:
    """Whether a line (n, 2) bends too tightly for a car on a street with this `highway` value."""
    return bool(turn_radii(Polylines.of([line]))[0][0] < needed_radius(highway))


def tight_lanes(drafts: Sequence[LaneDraft]) -> list[int]:
    """The numbers of the lanes with a bend that is too tight for their class of street."""
    lanes = [number for number, draft in enumerate(drafts) if not draft.is_connector]
    if not lanes:
        return []
    radii, _ = turn_radii(Polylines.of([drafts[k].points for k in lanes]))
    needed = np.array([needed_radius(drafts[k].profile.highway) for k in lanes])
    return [lanes[k] for k in np.flatnonzero(radii < needed).tolist()]


def widen_bends(drafts: Sequence[LaneDraft]) -> None:
    """Widens the bends of all lanes; their ends, and the headings there, stay as they are.

    A bend that has no room for the radius of its class of street gets that of walking pace, or else
    the largest that is found.
    """
    for number in tight_lanes(drafts):
        draft = drafts[number]
        # Lanes of both directions on one line stay on one line.
        line = draft.points if draft.is_forward else draft.points[::-1]
        wide = widened_to_its_ends(line, needed_radius(draft.profile.highway))
        draft.points = wide if draft.is_forward else wide[::-1]


def widened_line(line: Floats, radius: float) -> Floats:
    """A line (n, 2) [m] whose bends have a `radius` [m] as far as possible; its ends stay."""
    line = without_repeats(line)
    for wanted in dict.fromkeys((radius, min(radius, WALKING_PACE_RADIUS))):
        line = _widened(line, wanted, _LIMITS.end, _LIMITS.depth)
    return line


def widened_to_its_ends(line: Floats, radius: float) -> Floats:
    """As `widened_line`, also where a bend lies at an end; the headings there stay."""
    line = widened_line(line, radius)
    return _widened(line, min(radius, WALKING_PACE_RADIUS), _LIMITS.least_end, _LIMITS.depth)


def _widened(line: Floats, radius: float, end: float, depth: int) -> Floats:
    """As `widened_line`, with one radius, for lines of at most `depth` tight bends.

    `end` is the length [m] at both ends that stays.
    """
    radii, rows = turn_radii(Polylines.of([line]))
    row = int(rows[0])
    if radii[0] >= radius or depth == 0:
        return line
    found = _without_bend(line, row, radius, end)
    if found is not None:
        return _widened(found, radius, end, depth - 1)
    # The bend stays; those before and behind it are widened each on its own.
    before, behind = line[: row + 1], line[row:]
    before, behind = (_widened(part, radius, end, depth - 1) for part in (before, behind))
    return np.vstack([before[:-1], behind])


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A line (n, 2) with a new curve: its least radius [m] there and distance [m] from the old."""

    line: Floats
    radius: float
    away: float


def _without_bend(line: Floats, row: int, radius: float, end: float) -> Floats | None:
    """The line with a wider curve about the vertex `row`; None if there is none."""
    best: _Candidate | None = None
    for each in _candidates(line, row, MARGIN * radius, end):
        if each.radius < radius or each.away > _LIMITS.far:
            continue
        if each.away <= _LIMITS.near:
            return each.line
        if best is None or each.away < best.away:
            best = each
    return None if best is None else best.line


def _candidates(line: Floats, row: int, radius: float, end: float) -> Iterator[_Candidate]:
    """Lines with another curve about the vertex `row`, the shorter curves first."""
    stations = arc_lengths(line)
    at, length = float(stations[row]), float(stations[-1])
    count = len(_LIMITS.reaches)
    pairs = sorted(
        (_LIMITS.reaches[j] + _LIMITS.reaches[k], abs(j - k), j, k)
        for j in range(count)
        for k in range(count)
        if abs(j - k) <= _LIMITS.uneven
    )
    seen = set()
    for *_, j, k in pairs:
        first = max(at - _LIMITS.reaches[j], end)
        last = min(at + _LIMITS.reaches[k], length - end)
        if first < at < last and (first, last) not in seen:
            seen.add((first, last))
            yield from _replaced(line, first, last, radius)


def _replaced(line: Floats, first: float, last: float, radius: float) -> Iterator[_Candidate]:
    """The line with a smooth curve, or one of a radius, from one arc length to another [m]."""
    before, behind = cut(line, 0.0, first), cut(line, last, length_of(line))
    start, end = Pose.at_end(before), Pose.at_start(behind)
    poses = start.place, start.heading, end.place, end.heading
    old = shapely.LineString(cut(line, first, last))
    for curve in (transition(*poses), dubins_curve(*poses, radius)):
        if curve is None:
            continue
        whole = without_repeats(np.vstack([before[:-1], curve, behind[1:]]))
        near = cut(
            whole,
            max(first - TURN_WINDOW, 0.0),
            min(first + length_of(curve) + TURN_WINDOW, length_of(whole)),
        )
        radii, _ = turn_radii(Polylines.of([near]))
        away = shapely.hausdorff_distance(shapely.LineString(curve), old)
        yield _Candidate(whole, float(radii[0]), float(away))
