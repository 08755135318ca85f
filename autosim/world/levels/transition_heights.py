"""Makes two levels agree where a street changes from one to the other.

Each level takes its heights from its own streets alone. At their common border both would miss the
street's profile by centimetres, each in its own way, and leave a step. So near a transition both
levels take the profile itself.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.spatial import cKDTree

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.world.geometry.curves import arc_lengths, smooth_step
from autosim.world.geometry.height_function import HeightFunction
from autosim.world.levels.adjacent_streets import SideClearance
from autosim.world.levels.level_division import LevelTransition
from autosim.world.profiles.chains import End
from autosim.world.profiles.profile import Profile
from autosim.world.streets.street_finding import Street

_NEIGHBOURS = 4
"""Number of transitions that are weighed at a place: one for each arm of a crossroads."""

_ALIKE = 2.0
"""Distance [m] along a street from its transition up to which both levels have its profile: the
smallest triangles of the ground are as long."""

_FADE = 8.0
"""Distance [m] along a street at which its transition no longer counts. Chosen: a step of 0.1 m is
spread over 6 m."""

_BESIDE = 0.2
"""Distance [m] beside a carriageway up to which its transition counts in full: that of the kerb."""

_BESIDE_FADE = 0.9
"""Distance [m] beside a carriageway at which its transition no longer counts, so that it leaves
alone the streets that pass."""

_BESIDE_BLEND = 0.4
"""Distance [m] on which the heights of two streets side by side blend at their transitions: the
width of a wall between them."""

_CLOSE = 0.3
"""Difference [m] between profile and level up to which the level belongs to the same street."""

_OTHER = 0.8
"""Difference [m] between profile and level from which the level belongs to another street."""

_PAST = 1.5
"""Distance [m] past its transition at which a level begins to leave the profile: it ends soon
after."""

_PAST_FADE = 4.0
"""Distance [m] on which a level leaves the profile, for streets of its own that pass there."""

_SHORTEST = 0.5
"""Least length [m] of a street behind or ahead of its transition: none is shorter than a sample."""

_STEP = 0.5
"""Distance [m] between the samples of a profile about its transition: it is straight over less."""

_OFFSETS = np.arange(-_FADE, _FADE + 0.5 * _STEP, _STEP)
"""Places (n,) [m] along a street about its transition at which its profile is sampled."""


def agreeing_at_transitions(
    height: HeightFunction,
    level: int,
    transitions: Sequence[LevelTransition],
    *,
    streets: Sequence[Street],
    profiles: Sequence[Profile],
    side_clearances: Mapping[int, SideClearance],
    following: Mapping[End, End],
) -> HeightFunction:
    """The height function of a level with the streets' own heights near its transitions.

    Args:
        height: that of the level.
        level: its number.
        transitions: of all levels.
        streets: all streets.
        profiles: of all streets.
        side_clearances: of the streets that have less than their width.
        following: for each street end, the end that continues it.
    """
    chosen = [
        transition for transition in transitions if level in (transition.owner, transition.level)
    ]
    if not chosen:
        return height
    ends = _Ends(chosen, level, streets, profiles, side_clearances, following)

    def agreeing(points: Floats) -> Floats:
        heights = height(points)
        shares, wanted = ends.heights(points)
        gaps = wanted - heights
        # A level far off belongs to another street, not to that of the transition.
        shares *= 1.0 - smooth_step((np.abs(gaps) - _CLOSE) / (_OTHER - _CLOSE))
        return np.where(shares > 0.0, heights + shares * gaps, heights)

    return agreeing


class _Ends:
    """The transitions at which a level ends."""

    def __init__(
        self,
        transitions: Sequence[LevelTransition],
        level: int,
        streets: Sequence[Street],
        profiles: Sequence[Profile],
        side_clearances: Mapping[int, SideClearance],
        following: Mapping[End, End],
    ) -> None:
        self._places = np.array([transition.place for transition in transitions])
        self._ahead = np.array([transition.ahead for transition in transitions])
        self._sides = np.array(
            [_sides(transition, streets, side_clearances) for transition in transitions]
        )
        # `ahead` leads off the level of the owner, onto the other one.
        self._outward = np.array(
            [1.0 if transition.owner == level else -1.0 for transition in transitions]
        )
        self._heights = np.array([_along(j, streets, profiles, following) for j in transitions])
        self._lengths = np.array([_lengths(j, streets[j.street], following) for j in transitions])
        self._tree = cKDTree(self._places)
        self._reach = float(portable.hypot(_FADE, self._sides.max() + _BESIDE_FADE))

    def heights(self, points: Floats) -> tuple[Floats, Floats]:
        """Weights (n,) of transitions at points (n, 2), and heights (n,) [m] of their streets."""
        most, heights = np.zeros(len(points)), np.zeros(len(points))
        count = min(_NEIGHBOURS, len(self._places))
        found = self._tree.query(
            points, k=list(range(1, count + 1)), distance_upper_bound=self._reach
        )
        gaps, near = (np.asarray(each) for each in found)
        close = np.flatnonzero(np.isfinite(gaps[:, 0]))
        shares, wanted = np.zeros((2, len(close), count))
        beside = np.full((len(close), count), np.inf)
        for k in range(count):
            rows = np.flatnonzero(np.isfinite(gaps[close, k]))
            transitions = near[close[rows], k]
            along, shares[rows, k], own = self._shares(points[close[rows]], transitions)
            wanted[rows, k] = self._profile_heights(transitions, along)
            beside[rows, k] = np.where(shares[rows, k] > 0.0, np.maximum(own, 0.0), np.inf)
        # On a street's own carriageway those beside it do not count.
        least = beside.min(axis=1, keepdims=True)
        farther = np.where(shares > 0.0, beside, 0.0) - np.where(np.isfinite(least), least, 0.0)
        weights = shares * (1.0 - smooth_step(farther / _BESIDE_BLEND))
        most[close] = shares.max(axis=1)
        sums = (weights * wanted).sum(axis=1)
        heights[close] = sums / np.maximum(weights.sum(axis=1), 1e-12)
        return most, heights

    def _shares(self, points: Floats, transitions: Integers) -> tuple[Floats, Floats, Floats]:
        """Distances [m] of points ahead of transitions, weights there, and distances [m] beside.

        All are (n,). The last are those from the carriageway's edge, negative on the carriageway.
        """
        gap, ahead = points - self._places[transitions], self._ahead[transitions]
        along = np.einsum("ij,ij->i", gap, ahead)
        left = gap[:, 1] * ahead[:, 0] - gap[:, 0] * ahead[:, 1]
        beside = np.abs(left) - self._sides[transitions, (left <= 0.0).astype(np.int64)]
        share = 1.0 - smooth_step((np.abs(along) - _ALIKE) / (_FADE - _ALIKE))
        share *= 1.0 - smooth_step((beside - _BESIDE) / (_BESIDE_FADE - _BESIDE))
        lengths = np.where(
            along > 0.0, self._lengths[transitions, 1], self._lengths[transitions, 0]
        )
        share *= 1.0 - smooth_step(2.0 * np.abs(along) / lengths - 1.0)
        # Past the transition the level soon ends, but for streets that pass there.
        past = along * self._outward[transitions] - _PAST
        return along, share * (1.0 - smooth_step(past / _PAST_FADE)), beside

    def _profile_heights(self, transitions: Integers, along: Floats) -> Floats:
        """The height [m] (n,) of the street of each transition, `along` [m] ahead of it."""
        step = np.clip((along + _FADE) / _STEP, 0.0, len(_OFFSETS) - 1.001)
        k = step.astype(np.int64)
        low, high = self._heights[transitions, k], self._heights[transitions, k + 1]
        return np.asarray(low + (step - k) * (high - low))


def _sides(
    transition: LevelTransition,
    streets: Sequence[Street],
    side_clearances: Mapping[int, SideClearance],
) -> tuple[float, float]:
    """Reach [m] of a transition's street to the left and to the right of `ahead`."""
    if transition.street not in side_clearances:
        return transition.half, transition.half
    place, sense = _on_street(transition, streets[transition.street].points)
    left, right = (float(side) for side in side_clearances[transition.street].at(np.asarray(place)))
    return (left, right) if sense > 0.0 else (right, left)


def _along(
    transition: LevelTransition,
    streets: Sequence[Street],
    profiles: Sequence[Profile],
    following: Mapping[End, End],
) -> Floats:
    """The heights [m] of a transition's street at `_OFFSETS` ahead of it.

    Past an end of the street the heights are those of the street that continues it.
    """
    profile = profiles[transition.street]
    place, sense = _on_street(transition, streets[transition.street].points)
    s = place + sense * _OFFSETS
    heights = profile.at(s)
    for at_start, past in ((True, -s), (False, s - profile.s[-1])):
        beyond = past > 0.0
        end = following.get((transition.street, at_start))
        if end is not None:
            other = profiles[end[0]]
            heights[beyond] = other.at(past[beyond] if end[1] else other.s[-1] - past[beyond])
        else:
            grade = profile.grades[0 if at_start else -1]
            heights[beyond] += (-grade if at_start else grade) * past[beyond]
    return heights


def _lengths(
    transition: LevelTransition, street: Street, following: Mapping[End, End]
) -> tuple[float, float]:
    """Length [m] behind and ahead of a transition up to where its street ends at others.

    Infinite if it is more than `_FADE`, or if another street continues it. Where none does, others
    turn off, each at its own grade.
    """
    place, sense = _on_street(transition, street.points)
    lengths = []
    for at_start, length in ((True, place), (False, float(arc_lengths(street.points)[-1]) - place)):
        ends = length < _FADE and (transition.street, at_start) not in following
        lengths.append(max(length, _SHORTEST) if ends else np.inf)
    behind, ahead = lengths if sense > 0.0 else lengths[::-1]
    return behind, ahead


def _on_street(transition: LevelTransition, points: Floats) -> tuple[float, float]:
    """Arc length [m] of a transition on its street, and 1 if `ahead` leads along it, else -1."""
    stations = arc_lengths(points)
    steps = np.diff(points, axis=0)
    spans = np.maximum(np.linalg.norm(steps, axis=1), 1e-9)
    shares = np.einsum("ij,ij->i", transition.place - points[:-1], steps) / spans**2
    shares = np.clip(shares, 0.0, 1.0)
    gaps = np.linalg.norm(points[:-1] + shares[:, None] * steps - transition.place, axis=1)
    k = int(np.argmin(gaps))
    sense = 1.0 if float(portable.dot(steps[k], transition.ahead)) > 0.0 else -1.0
    return float(stations[k] + shares[k] * spans[k]), sense
