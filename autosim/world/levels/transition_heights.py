"""Two levels are alike where a street goes over from one to the other.

Each level takes its heights from its own streets alone, so at their common border both are
centimetres beside the street's profile, each in its own way: a step. Near a transition both take
the profile itself.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.spatial import cKDTree

from autosim import portable
from autosim.arrays import Floats, Integers
from autosim.world.geometry.curves import arc_lengths, smooth_step
from autosim.world.geometry.height_function import HeightFunction
from autosim.world.levels.adjacent_streets import SideClearance
from autosim.world.levels.levels import LevelTransition
from autosim.world.profiles.chains import End
from autosim.world.profiles.profiles import Profile
from autosim.world.streets.streets import Street

_NEIGHBOURS = 4
_ALIKE, _FADE = 2.0, 8.0
_BESIDE, _BESIDE_FADE = 0.2, 0.9
_CLOSE, _OTHER = 0.3, 0.8
_PAST, _PAST_FADE, _LEAST_ROOM = 1.5, 4.0, 0.5
_STEP = 0.5
_OFFSETS = np.arange(-_FADE, _FADE + 0.5 * _STEP, _STEP)


def alike_at_transitions(
    height: HeightFunction,
    level: int,
    transitions: Sequence[LevelTransition],
    *,
    streets: Sequence[Street],
    profiles: Sequence[Profile],
    rooms: Mapping[int, SideClearance],
    following: Mapping[End, End],
) -> HeightFunction:
    """The height function of a level with the streets' own heights near its transitions.

    Args:
        height: that of the level.
        level: its number.
        transitions: of all levels.
        streets: all streets.
        profiles: of all streets.
        rooms: of the streets that have less than their width.
        following: the street end that continues each one.
    """
    chosen = [
        transition for transition in transitions if level in (transition.owner, transition.level)
    ]
    if not chosen:
        return height
    ends = _Ends(chosen, level, streets, profiles, rooms, following)

    def alike(points: Floats) -> Floats:
        heights = height(points)
        shares, wanted = ends.heights(points)
        gaps = wanted - heights
        # What is far off is not the transition's street but another one beside it.
        shares *= 1.0 - smooth_step((np.abs(gaps) - _CLOSE) / (_OTHER - _CLOSE))
        return np.where(shares > 0.0, heights + shares * gaps, heights)

    return alike


class _Ends:
    """The transitions at which a level ends."""

    def __init__(
        self,
        transitions: Sequence[LevelTransition],
        level: int,
        streets: Sequence[Street],
        profiles: Sequence[Profile],
        rooms: Mapping[int, SideClearance],
        following: Mapping[End, End],
    ) -> None:
        self._places = np.array([transition.place for transition in transitions])
        self._ahead = np.array([transition.ahead for transition in transitions])
        self._sides = np.array([_sides(transition, streets, rooms) for transition in transitions])
        # Past the transition the level soon ends: `ahead` leads off the owner's, onto the other
        # one.
        self._outward = np.array(
            [1.0 if transition.owner == level else -1.0 for transition in transitions]
        )
        self._heights = np.array([_along(j, streets, profiles, following) for j in transitions])
        self._rooms = np.array([_rooms(j, streets[j.street], following) for j in transitions])
        self._tree = cKDTree(self._places)
        self._reach = float(portable.hypot(_FADE, self._sides.max() + _BESIDE_FADE))

    def heights(self, points: Floats) -> tuple[Floats, Floats]:
        """Of points (n, 2): the transitions' weight there (n,), and their height [m]."""
        total, sums, most = (np.zeros(len(points)) for _ in range(3))
        count = min(_NEIGHBOURS, len(self._places))
        found = self._tree.query(
            points, k=list(range(1, count + 1)), distance_upper_bound=self._reach
        )
        gaps, near = (np.asarray(each) for each in found)
        for k in range(count):
            rows = np.flatnonzero(np.isfinite(gaps[:, k]))
            transitions = near[rows, k]
            along, share = self._shares(points[rows], transitions)
            total[rows] += share
            sums[rows] += share * self._profile_heights(transitions, along)
            most[rows] = np.maximum(most[rows], share)
        return most, sums / np.maximum(total, 1e-12)

    def _shares(self, points: Floats, transitions: Integers) -> tuple[Floats, Floats]:
        """How far [m] points (n, 2) are ahead of transitions (n,), and the weight of those."""
        gap, ahead = points - self._places[transitions], self._ahead[transitions]
        along = np.einsum("ij,ij->i", gap, ahead)
        left = gap[:, 1] * ahead[:, 0] - gap[:, 0] * ahead[:, 1]
        beside = np.abs(left) - self._sides[transitions, (left <= 0.0).astype(np.int64)]
        share = 1.0 - smooth_step((np.abs(along) - _ALIKE) / (_FADE - _ALIKE))
        share *= 1.0 - smooth_step((beside - _BESIDE) / (_BESIDE_FADE - _BESIDE))
        rooms = np.where(along > 0.0, self._rooms[transitions, 1], self._rooms[transitions, 0])
        share *= 1.0 - smooth_step(2.0 * np.abs(along) / rooms - 1.0)
        # Past the transition the level soon ends, but for streets that pass there.
        past = along * self._outward[transitions] - _PAST
        return along, share * (1.0 - smooth_step(past / _PAST_FADE))

    def _profile_heights(self, transitions: Integers, along: Floats) -> Floats:
        """The height [m] (n,) of the street of each transition, `along` [m] ahead of it."""
        step = np.clip((along + _FADE) / _STEP, 0.0, len(_OFFSETS) - 1.001)
        k = step.astype(np.int64)
        low, high = self._heights[transitions, k], self._heights[transitions, k + 1]
        return np.asarray(low + (step - k) * (high - low))


def _sides(
    transition: LevelTransition, streets: Sequence[Street], rooms: Mapping[int, SideClearance]
) -> tuple[float, float]:
    """How far [m] a transition's street reaches to the left and to the right of `ahead`."""
    if transition.street not in rooms:
        return transition.half, transition.half
    place, sense = _on_street(transition, streets[transition.street].points)
    left, right = (float(side) for side in rooms[transition.street].at(np.asarray(place)))
    return (left, right) if sense > 0.0 else (right, left)


def _along(
    transition: LevelTransition,
    streets: Sequence[Street],
    profiles: Sequence[Profile],
    following: Mapping[End, End],
) -> Floats:
    """The heights [m] of a transition's street at `_OFFSETS` ahead of it.

    Past an end of the street they are those of the one that goes on there.
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


def _rooms(
    transition: LevelTransition, street: Street, following: Mapping[End, End]
) -> tuple[float, float]:
    """How far [m] behind and ahead of a transition its street, or one that goes on there, leads.

    Infinite beyond `_FADE`. Where nothing goes on, other streets turn off, each at its own grade.
    """
    place, sense = _on_street(transition, street.points)
    rooms = []
    for at_start, room in ((True, place), (False, float(arc_lengths(street.points)[-1]) - place)):
        ends = room < _FADE and (transition.street, at_start) not in following
        rooms.append(max(room, _LEAST_ROOM) if ends else np.inf)
    behind, ahead = rooms if sense > 0.0 else rooms[::-1]
    return behind, ahead


def _on_street(transition: LevelTransition, points: Floats) -> tuple[float, float]:
    """Arc length [m] of a transition on its street, and 1 where `ahead` leads on along it."""
    stations = arc_lengths(points)
    steps = np.diff(points, axis=0)
    spans = np.maximum(np.linalg.norm(steps, axis=1), 1e-9)
    shares = np.einsum("ij,ij->i", transition.place - points[:-1], steps) / spans**2
    shares = np.clip(shares, 0.0, 1.0)
    gaps = np.linalg.norm(points[:-1] + shares[:, None] * steps - transition.place, axis=1)
    k = int(np.argmin(gaps))
    sense = 1.0 if float(portable.dot(steps[k], transition.ahead)) > 0.0 else -1.0
    return float(stations[k] + shares[k] * spans[k]), sense
