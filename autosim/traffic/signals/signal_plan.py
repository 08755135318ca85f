"""The plan of all signals of a world: groups, phases and times, as arrays for the kernel."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Booleans, Floats, Integers
from autosim.traffic.signals.approaches import find_approaches
from autosim.traffic.signals.phases import find_phases
from autosim.traffic.signals.signal_groups import (
    SignalGroup,
    find_group_conflicts,
    find_soft_conflicts,
    join_stated,
    share_controllers,
    vehicle_groups,
)
from autosim.traffic.signals.signalled_crossings import SignalledCrossing, find_signalled_crossings
from autosim.traffic.signals.timing import (
    PRACTICE,
    GroupTimes,
    amber_times,
    clearance_times,
    green_times,
    red_amber_at,
)
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.lanes.roads import RoadNetwork

_PEOPLE_WEIGHT = 1.0
"""Weight of a crossing among the groups: below any lane, whose weight is its speed limit [m/s]."""

_TURN_SHARE = 0.5
"""Weight of a lane that turns across, in that of one that leads straight on: fewer vehicles."""


@dataclass(frozen=True, slots=True)
class SignalPlan:
    """All signals of a world. Groups of one controller are neighbours in all arrays.

    Attributes:
        groups: the groups (s,).
        walkways: the crossings that have signals, which groups for people name.
        controllers: (s,) the controller of each group.
        is_people: (s,) whether it is for people.
        lane_groups: (lanes,) the group of each lane that waits at signals; -1 of others.
        crossing_groups: (c,) the group for people at each row of `LaneRules.crossing_lanes`; -1.
        apart: (k, 2) pairs of groups that are never green together.
        group_starts, phase_starts: (c + 1,) first group and first phase of each controller.
        greens: (p, w) bool, whether the w-th group of the controller is green in each phase.
        least_greens, fixed_greens, most_greens: (p,) [s].
        ambers, clearances: (s,) [s].
        red_amber: [s] before green.
    """

    groups: tuple[SignalGroup, ...]
    walkways: tuple[SignalledCrossing, ...]
    controllers: Integers
    is_people: Booleans
    lane_groups: Integers
    crossing_groups: Integers
    apart: Integers
    group_starts: Integers
    phase_starts: Integers
    greens: Booleans
    least_greens: Floats
    fixed_greens: Floats
    most_greens: Floats
    ambers: Floats
    clearances: Floats
    red_amber: float

    @classmethod
    def none(cls) -> "SignalPlan":
        """The empty plan of a world without lanes."""
        numbers, times = np.zeros(0, dtype=np.int64), np.zeros(0)
        flags = np.zeros(0, dtype=np.bool_)
        first = np.zeros(1, dtype=np.int64)
        return cls(
            groups=(),
            walkways=(),
            controllers=numbers,
            is_people=flags,
            lane_groups=numbers,
            crossing_groups=numbers,
            apart=np.zeros((0, 2), dtype=np.int64),
            group_starts=first,
            phase_starts=first,
            greens=np.zeros((0, 0), dtype=np.bool_),
            least_greens=times,
            fixed_greens=times,
            most_greens=times,
            ambers=times,
            clearances=times,
            red_amber=0.0,
        )

    def __len__(self) -> int:
        return len(self.groups)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the groups: `signal0` and so on."""
        return tuple(f"signal{row}" for row in range(len(self.groups)))

    def phases_of(self, controller: int) -> Iterator[tuple[int, ...]]:
        """The groups that are green in each phase of a controller."""
        first = int(self.group_starts[controller])
        for row in range(*self.phase_starts[controller : controller + 2].tolist()):
            yield tuple((first + np.flatnonzero(self.greens[row])).tolist())


def make_plan(world: CompiledWorld, *, most: int) -> SignalPlan:
    """The plan for a compiled world; without groups where its map has no signals.

    Of a map that has more than `most` groups, the intersections that come last have no signals.
    """
    roads = world.roads
    groups, walkways, strict = _find_groups(world)
    if len(groups) > most:
        groups = [each for each in groups if each.intersection < groups[most].intersection]
        strict = strict[: len(groups), : len(groups)]
    apart = find_soft_conflicts(roads, groups, strict)
    is_people = np.array([group.walkway >= 0 for group in groups], dtype=np.bool_)
    amber, clearance = amber_times(roads, groups), clearance_times(roads, groups, walkways)
    weights = np.array([_weight(roads, group) for group in groups], dtype=np.float64)
    red_amber = red_amber_at(*world.origin)
    controllers = np.array([group.intersection for group in groups], dtype=np.int64)
    count = int(controllers.max(initial=-1)) + 1
    starts = np.searchsorted(controllers, np.arange(count + 1))
    phases: list[list[tuple[int, ...]]] = []
    times: list[tuple[list[float], list[float]]] = []
    for number in range(count):
        own = slice(int(starts[number]), int(starts[number + 1]))
        found = find_phases(apart[own, own], weights[own])
        if len(found) == 1 and not is_people[own].any():
            found.append(())
        phases.append(found)
        own_times = GroupTimes(
            amber[own], clearance[own], is_people[own].tolist(), weights[own], red_amber
        )
        times.append(green_times(found, own_times))
    least = np.array([each for low, _ in times for each in low], dtype=np.float64)
    fixed = np.array([each for _, usual in times for each in usual], dtype=np.float64)
    rows = [phase for each in phases for phase in each]
    _set_pauses(rows, fixed)
    return SignalPlan(
        groups=tuple(groups),
        walkways=tuple(walkways),
        controllers=controllers,
        is_people=is_people,
        lane_groups=_lane_groups(roads, groups),
        crossing_groups=_crossing_groups(roads, groups, walkways),
        apart=np.argwhere(np.triu(strict)),
        group_starts=starts.astype(np.int64),
        phase_starts=np.cumsum([0, *(len(each) for each in phases)]).astype(np.int64),
        greens=_table(rows, int(np.diff(starts).max(initial=0))),
        least_greens=least,
        fixed_greens=fixed,
        most_greens=PRACTICE.longest_green * fixed,
        ambers=amber,
        clearances=clearance,
        red_amber=red_amber,
    )


def _find_groups(
    world: CompiledWorld,
) -> tuple[list[SignalGroup], list[SignalledCrossing], Booleans]:
    """The groups, those of one controller together; the crossings; and who is in conflict."""
    roads = world.roads
    approaches = find_approaches(roads)
    walkways = find_signalled_crossings(roads, approaches)
    groups = vehicle_groups(roads, approaches, world.driving_side)
    groups += [SignalGroup(each.intersection, walkway=k) for k, each in enumerate(walkways)]
    strict = find_group_conflicts(roads, groups, walkways)
    groups, strict = join_stated(roads, groups, strict)
    groups = share_controllers(groups, strict)
    order = sorted(
        range(len(groups)), key=lambda row: (groups[row].intersection, groups[row].walkway, row)
    )
    return [groups[row] for row in order], walkways, strict[np.ix_(order, order)]


def _weight(roads: RoadNetwork, group: SignalGroup) -> float:
    if group.walkway >= 0:
        return _PEOPLE_WEIGHT
    total = float(sum(roads.speed_limits[lane] for lane in group.lanes))
    return _TURN_SHARE * total if group.turns else total


def _set_pauses(phases: Sequence[tuple[int, ...]], fixed: Floats) -> None:
    """Makes phases without a group as long as people take whom the map does not know."""
    for row, phase in enumerate(phases):
        if not phase:
            fixed[row] = PRACTICE.pause


def _table(phases: Sequence[tuple[int, ...]], width: int) -> Booleans:
    table = np.zeros((len(phases), width), dtype=np.bool_)
    for row, phase in enumerate(phases):
        table[row, list(phase)] = True
    return table


def _lane_groups(roads: RoadNetwork, groups: Sequence[SignalGroup]) -> Integers:
    found = np.full(len(roads.roads), -1, dtype=np.int64)
    for row, group in enumerate(groups):
        found[list(group.lanes)] = row
    return found


def _crossing_groups(
    roads: RoadNetwork, groups: Sequence[SignalGroup], walkways: Sequence[SignalledCrossing]
) -> Integers:
    found = np.full(len(roads.traffic.crossing_lanes), -1, dtype=np.int64)
    for row, group in enumerate(groups):
        if group.walkway >= 0:
            found[list(walkways[group.walkway].rows)] = row
    return found
