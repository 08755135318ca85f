"""Signal groups: lanes, or the two ends of a crossing, that always show the same light."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from autosim.arrays import Booleans
from autosim.config.descriptions import DrivingSide
from autosim.traffic.signals.approaches import NO_JUNCTION, Approaches
from autosim.traffic.signals.signalled_crossings import SignalledCrossing
from autosim.world.lanes.roads import RoadNetwork

_ACROSS = np.radians(35.0)
"""Turn [rad] across oncoming traffic from which a lane that only turns so has lights of its own."""

_STRAIGHT = np.radians(45.0)
"""Turn [rad] below which a way leads straight on: people on its exit wait for it. Vehicles that
turn let people go first (German RiLSA 2015, 2.3.1; Vienna Convention, article 21)."""


@dataclass(frozen=True, slots=True)
class SignalGroup:
    """One signal group.

    Attributes:
        intersection: number of the intersection.
        lanes: the lanes that wait for it; none of a group for people.
        lasts: the last lanes before the junction, of each of `lanes`.
        through: the inner lanes without signals of their own behind those, see `Approaches.inner`.
        turns: whether it is only for lanes that turn across oncoming traffic, which then waits.
        walkway: the number of the crossing, of a group for people; -1 of others.
    """

    intersection: int
    lanes: tuple[int, ...] = ()
    lasts: tuple[int, ...] = ()
    turns: bool = False
    walkway: int = -1
    through: tuple[int, ...] = ()


def vehicle_groups(
    roads: RoadNetwork, approaches: Approaches, side: DrivingSide
) -> list[SignalGroup]:
    """The groups for vehicles: one for each arm, and one more for lanes that only turn across."""
    arms: dict[tuple[int, int], list[int]] = {}
    for row, junction in enumerate(approaches.junctions.tolist()):
        # Away from junctions both directions wait for the same people.
        arm = -1 if junction == NO_JUNCTION else int(approaches.arms[row])
        arms.setdefault((int(approaches.intersections[row]), arm), []).append(row)
    found: list[SignalGroup] = []
    for (intersection, _), rows in arms.items():
        for part, turns in _parts_of_arm(roads, approaches, rows, side):
            for own in _by_controller(roads, approaches, part):
                lanes = tuple(int(approaches.lanes[row]) for row in own)
                lasts = tuple(int(approaches.lasts[row]) for row in own)
                through = tuple(_inner_behind(roads, lasts, approaches.inner))
                found.append(SignalGroup(intersection, lanes, lasts, turns, through=through))
    return found


def _by_controller(
    roads: RoadNetwork, approaches: Approaches, rows: Sequence[int]
) -> Iterable[list[int]]:
    """The approaches of a part of an arm, apart where the map states different controllers."""
    stated: dict[int, list[int]] = {}
    for row in rows:
        stated.setdefault(int(roads.traffic.signal_groups[approaches.lanes[row]]), []).append(row)
    return stated.values()


def join_stated(
    roads: RoadNetwork, groups: Sequence[SignalGroup], strict: Booleans
) -> tuple[list[SignalGroup], Booleans]:
    """The groups with those joined that the map states to show the same, and their conflicts.

    Args:
        roads: all lanes.
        groups: the groups (g,).
        strict: (g, g) as of `find_group_conflicts`; groups in conflict are not joined.
    """
    members: dict[int, list[int]] = {}
    for row, group in enumerate(groups):
        stated = {int(roads.traffic.signal_groups[lane]) for lane in group.lanes}
        key = stated.pop() if len(stated) == 1 else -1
        rows = members.setdefault(key, []) if key >= 0 else []
        # A group that is in conflict with one of its controller keeps lights of its own.
        if key >= 0 and not strict[row, rows].any():
            rows.append(row)
    joined = list(groups)
    own = np.arange(len(groups))
    for rows in members.values():
        parts = [groups[row] for row in rows]
        joined[rows[0]] = replace(
            parts[0],
            lanes=tuple(lane for each in parts for lane in each.lanes),
            lasts=tuple(lane for each in parts for lane in each.lasts),
            through=tuple(lane for each in parts for lane in each.through),
            turns=all(each.turns for each in parts),
        )
        own[rows] = rows[0]
        numbers = {each.intersection for each in parts}
        joined = [
            replace(each, intersection=min(numbers)) if each.intersection in numbers else each
            for each in joined
        ]
    conflicts = np.zeros_like(strict)
    first, second = np.nonzero(strict)
    conflicts[own[first], own[second]] = True
    kept = np.flatnonzero(own == np.arange(len(groups)))
    return [joined[row] for row in kept], conflicts[np.ix_(kept, kept)]


def _inner_behind(roads: RoadNetwork, lasts: Sequence[int], inner: Booleans) -> list[int]:
    """The inner lanes to which vehicles come without another signal.

    Not those into which they turn across oncoming traffic: there they let that go first, as in any
    such turn.
    """
    found: list[int] = []
    front = list(lasts)
    while front:
        for way in roads.lanes[front.pop()].successors:
            if not roads.connectors[way] or abs(roads.lanes[way].turn) >= _STRAIGHT:
                continue
            for lane in roads.lanes[way].successors:
                if inner[lane] and lane not in found:
                    found.append(lane)
                    front.append(lane)
    return found


def _parts_of_arm(
    roads: RoadNetwork, approaches: Approaches, rows: Sequence[int], side: DrivingSide
) -> Iterable[tuple[list[int], bool]]:
    """The approaches of an arm, and apart from them those that only turn across."""
    apart = [row for row in rows if _only_turns_across(roads, int(approaches.lasts[row]), side)]
    others = [row for row in rows if row not in apart]
    if not others:
        return [(list(rows), False)]
    return [(others, False), *([(apart, True)] if apart else [])]


def _only_turns_across(roads: RoadNetwork, lane: int, side: DrivingSide) -> bool:
    """Whether all ways from a lane turn across oncoming traffic, and some of it may come."""
    ways = [each for each in roads.lanes[lane].successors if roads.connectors[each]]
    sign = -1.0 if side == "left" else 1.0
    if not ways or any(sign * roads.lanes[each].turn < _ACROSS for each in ways):
        return False
    rules = roads.traffic
    for column in (0, 1):
        is_own = np.isin(rules.conflict_lanes[:, column], ways)
        if (rules.conflict_yields[is_own] == column).any():
            return True
    return False


def find_group_conflicts(
    roads: RoadNetwork, groups: Sequence[SignalGroup], walkways: Sequence[SignalledCrossing]
) -> Booleans:
    """Pairs of groups (g, g) whose ways cross or meet without a rule who waits."""
    ways = _ways(roads, groups)
    strict = np.zeros((len(groups), len(groups)), dtype=np.bool_)
    _add_conflicts(strict, roads, groups, ways)
    for row, group in enumerate(groups):
        if group.walkway >= 0:
            _add_walkway(strict, row, groups, ways, walkways[group.walkway], roads)
    return strict


def share_controllers(groups: Sequence[SignalGroup], strict: Booleans) -> list[SignalGroup]:
    """The groups with intersections that are one where groups of both are in conflict."""
    own = np.array([group.intersection for group in groups], dtype=np.int64)
    for first, second in np.argwhere(strict):
        low, high = sorted((int(own[first]), int(own[second])))
        own[own == high] = low
    _, numbers = np.unique(own, return_inverse=True)
    return [
        replace(group, intersection=int(number))
        for group, number in zip(groups, numbers, strict=True)
    ]


def _ways(roads: RoadNetwork, groups: Sequence[SignalGroup]) -> dict[int, list[int]]:
    """The groups that let vehicles on each connector, by its number."""
    found: dict[int, list[int]] = {}
    for row, group in enumerate(groups):
        for lane in (*group.lasts, *group.through):
            for way in roads.lanes[lane].successors:
                if roads.connectors[way]:
                    found.setdefault(way, []).append(row)
    return found


def _add_conflicts(
    strict: Booleans,
    roads: RoadNetwork,
    groups: Sequence[SignalGroup],
    ways: Mapping[int, list[int]],
) -> None:
    rules = roads.traffic
    pairs = zip(rules.conflict_lanes.tolist(), rules.conflict_yields.tolist(), strict=True)
    for (one, other), waits in pairs:
        for first, second in product(ways.get(one, ()), ways.get(other, ())):
            # A protected turn signal implies that no conflicting traffic comes.
            is_strict = waits < 0 or groups[first].turns or groups[second].turns
            if is_strict and first != second:
                strict[first, second] = strict[second, first] = True


def _add_walkway(
    strict: Booleans,
    row: int,
    groups: Sequence[SignalGroup],
    ways: Mapping[int, list[int]],
    walkway: SignalledCrossing,
    roads: RoadNetwork,
) -> None:
    waiting = {lane: k for k, group in enumerate(groups) for lane in (*group.lanes, *group.lasts)}
    into: dict[int, list[int]] = {}
    for way in ways:
        for lane in roads.lanes[way].successors:
            into.setdefault(lane, []).append(way)
    for lane, station in zip(walkway.lanes, walkway.stations, strict=True):
        met: set[int] = set()
        if lane in waiting and not station < roads.traffic.stop_lines[lane]:
            # Traffic that comes here has passed this light: earlier ones do not matter.
            strict[row, waiting[lane]] = strict[waiting[lane], row] = True
            continue
        places = [(lane, station), *((way, roads.lanes[way].length) for way in into.get(lane, ()))]
        for way, at in places:
            for group in ways.get(way, ()):
                if _goes_first(roads, way, at, groups[group]):
                    met.add(group)
        for other in met:
            strict[row, other] = strict[other, row] = True


def _goes_first(roads: RoadNetwork, way: int, station: float, group: SignalGroup) -> bool:
    """Whether vehicles on a connector would not let people go first at a station of it."""
    lane = roads.lanes[way]
    return station < lane.length / 2.0 or group.turns or abs(lane.turn) < _STRAIGHT


def find_soft_conflicts(
    roads: RoadNetwork, groups: Sequence[SignalGroup], strict: Booleans
) -> Booleans:
    """Pairs (g, g) that are in conflict, or whose vehicles would meet a red light at once.

    Where the vehicles of a group come straight on to another light of the same intersection, the
    group goes with nothing that this other one does not go with.
    """
    behind = np.zeros_like(strict)
    waiting = {lane: row for row, group in enumerate(groups) for lane in group.lanes}
    for row, group in enumerate(groups):
        for lane in (*group.lasts, *group.through):
            ways = [each for each in roads.lanes[lane].successors if roads.connectors[each]]
            straight = [each for each in ways if abs(roads.lanes[each].turn) < _STRAIGHT]
            for way in straight:
                for after in roads.lanes[way].successors:
                    follower = waiting.get(after, row)
                    same = groups[follower].intersection == group.intersection
                    behind[row, follower] |= same and follower != row
    wanted = strict.copy()
    for _ in range(2):
        more = (behind.astype(np.int64) @ wanted.astype(np.int64)) > 0
        wanted |= (more | more.T) & ~(behind | behind.T)
    np.fill_diagonal(wanted, False)
    return np.asarray(wanted)
