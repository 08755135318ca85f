"""Lays lanes on streets and connects them through junctions.

Lanes stop short of a junction; curves called connectors lead from each lane's end to the starts of
the lanes that may follow, wide enough for a car to steer. A vehicle thus follows one smooth curve
after another. Lanes and connectors are also what the carriageway must cover.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from autosim.config.descriptions import DrivingSide
from autosim.world.curves import (
    Floats,
    cut,
    heading_between,
    joint,
    length_of,
    loop_stem,
    offset,
    turn_between,
    turning_loop,
    unit,
)
from autosim.world.streets import Street, StreetProfile

_NARROW = 5.0
_CONTRACTED = 3.0
_TURN_RADIUS, _SHIFT_RADIUS = 7.5, 12.0
_MIN_TRIM, _MAX_TRIM, _TRIM_SHARE = 5.0, 22.0, 0.85
_SHARPEST_TURN = math.radians(150.0)
_STRAIGHT = math.radians(35.0)
_LOOP_RADIUS, _LOOP_ENTRY, _LOOP_MARGIN = 7.0, 14.0, 2.6
_MAX_LOOP_RANK = 6


@dataclass(slots=True)
class LaneDraft:
    """A lane or connector while the network is being made. `points` (n, 2) [m] in W.

    A connector leads from street `origin` into `street`; for a lane the two are the same.
    """

    street: int
    origin: int
    points: Floats
    width: float
    profile: StreetProfile
    is_connector: bool
    successors: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TurningHead:
    """A round end of a street on which vehicles turn: `centre` (2,) and `radius` [m]."""

    street: int
    centre: Floats
    radius: float


@dataclass(frozen=True, slots=True)
class _End:
    """One end of a street: `heading` [rad] of the street's axis away from the node.

    `arriving` and `leaving` are lane indices, the lane nearest to the kerb first.
    """

    street: int
    heading: float
    arriving: tuple[int, ...]
    leaving: tuple[int, ...]
    profile: StreetProfile
    is_start: bool


@dataclass(slots=True)
class LanePlan:
    """All lanes and connectors of a map, and the turning heads they need."""

    drafts: list[LaneDraft] = field(default_factory=list)
    turning_heads: list[TurningHead] = field(default_factory=list)


def plan_lanes(
    streets: Sequence[Street],
    *,
    side: DrivingSide,
    has_room: Callable[[int, TurningHead], bool],
) -> LanePlan:
    """Lanes on all streets with their successors.

    Args:
        streets: the streets of all levels.
        side: where traffic keeps.
        has_room: tells for a street and a turning head at its end whether it can be built.
    """
    plan = LanePlan()
    nodes = _contracted_nodes(streets)
    ends = _ends_by_node(streets, nodes)
    trims = _trims(streets, ends)
    heads = _find_heads(streets, ends, trims, has_room)
    sign = 1.0 if side == "left" else -1.0
    by_node: dict[int, list[_End]] = defaultdict(list)
    for index, street in enumerate(streets):
        if nodes[street.start] == nodes[street.end] and length_of(street.points) < _CONTRACTED:
            continue
        start, end = _lay(plan, index, street, trims[index], sign)
        by_node[nodes[street.start]].append(start)
        by_node[nodes[street.end]].append(end)
    for node in sorted(by_node):
        _connect(plan, by_node[node])
    for (index, at_start), head in sorted(heads.items()):
        node = nodes[streets[index].start if at_start else streets[index].end]
        _turn_round(plan, by_node[node][0], head, sign)
    return plan


def _contracted_nodes(streets: Sequence[Street]) -> dict[int, int]:
    """Each node's stand-in once streets too short for a lane are shrunk to a point."""
    parents: dict[int, int] = {}

    def root(node: int) -> int:
        while parents.setdefault(node, node) != node:
            node = parents[node]
        return node

    for street in streets:
        first, second = root(street.start), root(street.end)
        if first != second and length_of(street.points) < _CONTRACTED:
            parents[max(first, second)] = min(first, second)
    return {node: root(node) for node in list(parents)}


def _ends_by_node(
    streets: Sequence[Street], nodes: dict[int, int]
) -> dict[int, list[tuple[int, bool]]]:
    ends: dict[int, list[tuple[int, bool]]] = defaultdict(list)
    for index, street in enumerate(streets):
        first, second = nodes[street.start], nodes[street.end]
        if first == second and length_of(street.points) < _CONTRACTED:
            continue
        ends[first].append((index, True))
        ends[second].append((index, False))
    return ends


def _outward_heading(street: Street, at_start: bool, distance: float = 6.0) -> float:
    """Heading of a street away from one of its ends, over its first metres."""
    points = street.points if at_start else street.points[::-1]
    reach = min(distance, length_of(points))
    return heading_between(points[0], cut(points, 0.0, reach)[-1])


def _trims(streets: Sequence[Street], ends: dict[int, list[tuple[int, bool]]]) -> list[list[float]]:
    """How much [m] is left free for connectors at the start and the end of each street."""
    trims = [[0.0, 0.0] for _ in streets]
    for members in ends.values():
        if len(members) < 2:
            continue
        headings = [_outward_heading(streets[index], at_start) for index, at_start in members]
        for k, (index, at_start) in enumerate(members):
            wanted = max(
                _wanted_trim(streets[index], streets[other], headings[k], headings[j])
                for j, (other, _) in enumerate(members)
                if j != k
            )
            trims[index][0 if at_start else 1] = wanted
    return [_shared_out(trim, street) for trim, street in zip(trims, streets, strict=True)]


def _shared_out(trims: list[float], street: Street) -> list[float]:
    """Trims shortened in proportion where the street is too short for both."""
    share = min(1.0, _TRIM_SHARE * length_of(street.points) / max(sum(trims), 1e-9))
    return [share * trim for trim in trims]


def _wanted_trim(street: Street, other: Street, heading: float, other_heading: float) -> float:
    """Room [m] for an arc of 7.5 m between the kerb lanes of two streets that meet."""
    turn = abs(turn_between(heading + math.pi, other_heading))
    if turn > _SHARPEST_TURN:
        return _MIN_TRIM
    tangent = _TURN_RADIUS * math.tan(turn / 2.0)
    widths = street.profile.width, other.profile.width
    beside = 0.25 * sum(widths) * math.tan(turn / 2.0)
    # An S-curve of length L that shifts by d has a least radius of about L²/6d.
    shift = 0.5 * math.sqrt(6.0 * _SHIFT_RADIUS * 0.5 * abs(widths[0] - widths[1]))
    return min(max(tangent + beside, shift, _MIN_TRIM), _MAX_TRIM)


def _find_heads(
    streets: Sequence[Street],
    ends: dict[int, list[tuple[int, bool]]],
    trims: list[list[float]],
    has_room: Callable[[int, TurningHead], bool],
) -> dict[tuple[int, bool], TurningHead]:
    """Turning heads at dead ends, where there is room; makes the trims for them."""
    heads: dict[tuple[int, bool], TurningHead] = {}
    for members in ends.values():
        if len(members) != 1:
            continue
        index, at_start = members[0]
        head = _head_at(index, streets[index], at_start)
        if head is not None and has_room(index, head):
            heads[(index, at_start)] = head
            trims[index][0 if at_start else 1] = _head_length(streets[index].profile)
    return heads


def _head_length(profile: StreetProfile) -> float:
    stem = loop_stem(shift=_shift(profile), radius=_LOOP_RADIUS, entry=_LOOP_ENTRY)
    return stem + _LOOP_RADIUS


def _shift(profile: StreetProfile) -> float:
    """Distance [m] of the kerb lane from the axis of a two-way street."""
    return abs(_lateral_positions(profile, 1.0)[0][0])


def _head_at(index: int, street: Street, at_start: bool) -> TurningHead | None:
    profile = street.profile
    if profile.is_one_way or profile.rank > _MAX_LOOP_RANK or profile.width > 12.0:
        return None
    if length_of(street.points) < 1.6 * _head_length(profile):
        return None
    points = street.points[::-1] if at_start else street.points
    length = length_of(points)
    outward = _pose_at(points, length - _head_length(profile))
    stem = _head_length(profile) - _LOOP_RADIUS
    return TurningHead(index, outward[0] + stem * unit(outward[1]), _LOOP_RADIUS + _LOOP_MARGIN)


def _pose_at(points: Floats, s: float) -> tuple[Floats, float]:
    piece = cut(points, max(s - 0.5, 0.0), s)
    return piece[-1], heading_between(piece[0], piece[-1])


def _lateral_positions(profile: StreetProfile, sign: float) -> tuple[list[float], list[float]]:
    """Lanes' distances [m] left of the axis, forward and backward, kerb lanes first."""
    forward, backward = profile.forward_lanes, profile.backward_lanes
    lanes = forward + backward
    each = profile.width / lanes
    if backward and profile.width < _NARROW:
        return [0.0] * forward, [0.0] * backward
    edge = profile.width / 2.0
    ahead = [sign * (edge - (k + 0.5) * each) for k in range(forward)]
    back = [-sign * (edge - (k + 0.5) * each) for k in range(backward)]
    return ahead, back


def _lay(
    plan: LanePlan, index: int, street: Street, trims: Sequence[float], sign: float
) -> tuple[_End, _End]:
    """Adds a street's lanes to the plan; gives the street's two ends."""
    profile = street.profile
    length = length_of(street.points)
    axis = cut(street.points, trims[0], length - trims[1])
    ahead, back = _lateral_positions(profile, sign)
    shared = profile.backward_lanes > 0 and profile.width < _NARROW
    width = profile.width if shared else profile.width / (len(ahead) + len(back))
    first = len(plan.drafts)
    for lateral in ahead:
        plan.drafts.append(LaneDraft(index, index, offset(axis, lateral), width, profile, False))
    for lateral in back:
        points = offset(axis, lateral)[::-1]
        plan.drafts.append(LaneDraft(index, index, points, width, profile, False))
    forward = tuple(range(first, first + len(ahead)))
    backward = tuple(range(first + len(ahead), len(plan.drafts)))
    start = _outward_heading(street, True)
    end = _outward_heading(street, False)
    return (
        _End(index, start, backward, forward, profile, True),
        _End(index, end, forward, backward, profile, False),
    )


def _connect(plan: LanePlan, ends: Sequence[_End]) -> None:
    """Connects the lanes that arrive at a node with those that leave it."""
    for end in ends:
        exits = [other for other in ends if other is not end and other.leaving]
        turns = [turn_between(end.heading + math.pi, other.heading) for other in exits]
        pairs: set[tuple[int, int]] = set()
        for other, turn in zip(exits, turns, strict=True):
            if abs(turn) <= _SHARPEST_TURN:
                pairs.update(_lane_pairs(plan, end, other, turn))
        served = {arriving for arriving, _ in pairs}
        for arriving in end.arriving:
            if arriving not in served and exits:
                best = min(range(len(exits)), key=lambda k: abs(turns[k]))
                if abs(turns[best]) <= _SHARPEST_TURN:
                    pairs.add((arriving, _nearest(plan, arriving, exits[best].leaving)))
        for arriving, leaving in sorted(pairs):
            _add_connector(plan, arriving, leaving)


def _lane_pairs(plan: LanePlan, end: _End, other: _End, turn: float) -> list[tuple[int, int]]:
    """Which lanes of one street lead into which of another.

    Straight on, each lane to the one ahead of it. In a turn, the outermost lane on that side into
    the outermost lane of the other street.
    """
    if not end.arriving:
        return []
    if abs(turn) <= _STRAIGHT:
        pairs = [(lane, _nearest(plan, lane, other.leaving)) for lane in end.arriving]
        reached = {leaving for _, leaving in pairs}
        missed = [lane for lane in other.leaving if lane not in reached]
        return pairs + [(_nearest_arriving(plan, lane, end.arriving), lane) for lane in missed]
    is_left = turn > 0.0
    return [
        (_outermost(plan, end.arriving, is_left, -1), _outermost(plan, other.leaving, is_left, 0))
    ]


def _outermost(plan: LanePlan, lanes: Sequence[int], is_left: bool, at: int) -> int:
    """The leftmost or rightmost of parallel lanes, looking along them."""
    points = plan.drafts[lanes[0]].points
    ahead = points[at] - points[at - 1] if at else points[1] - points[0]
    left = np.array([-ahead[1], ahead[0]]) * (1.0 if is_left else -1.0)
    return max(lanes, key=lambda lane: float(plan.drafts[lane].points[at] @ left))


def _nearest(plan: LanePlan, lane: int, candidates: Sequence[int]) -> int:
    """The candidate whose start lies nearest to the line ahead of a lane's end."""
    points = plan.drafts[lane].points
    return min(candidates, key=lambda k: _aside(points, plan.drafts[k].points[0]))


def _nearest_arriving(plan: LanePlan, lane: int, candidates: Sequence[int]) -> int:
    start = plan.drafts[lane].points[0]
    return min(candidates, key=lambda k: _aside(plan.drafts[k].points, start))


def _aside(points: Floats, target: Floats) -> float:
    """Distance [m] of a target from the straight line on which a polyline ends."""
    ahead = unit(heading_between(points[-2], points[-1]))
    gap = target - points[-1]
    return abs(float(ahead[0] * gap[1] - ahead[1] * gap[0]))


def _add_connector(plan: LanePlan, arriving: int, leaving: int) -> None:
    first, second = plan.drafts[arriving], plan.drafts[leaving]
    start, end = first.points[-1], second.points[0]
    if float(np.linalg.norm(end - start)) < 0.05:
        first.successors.append(leaving)
        return
    curve = joint(
        start,
        heading_between(first.points[-2], start),
        end,
        heading_between(end, second.points[1]),
    )
    _append_connector(plan, arriving, leaving, curve)


def _append_connector(plan: LanePlan, arriving: int, leaving: int, curve: Floats) -> None:
    first, second = plan.drafts[arriving], plan.drafts[leaving]
    slower = min(first.profile, second.profile, key=lambda profile: profile.speed_limit)
    width = min(first.width, second.width)
    draft = LaneDraft(second.street, first.street, curve, width, slower, True, [leaving])
    first.successors.append(len(plan.drafts))
    plan.drafts.append(draft)


def _turn_round(plan: LanePlan, end: _End, head: TurningHead, sign: float) -> None:
    """Connects a dead end's arriving lane with its leaving lane by a loop on the turning head."""
    arriving, leaving = end.arriving[-1], end.leaving[-1]
    shift = _shift(end.profile)
    loop = turning_loop(shift=shift, radius=_LOOP_RADIUS, entry=_LOOP_ENTRY, side=sign)
    points = plan.drafts[arriving].points
    heading = heading_between(points[-2], points[-1])
    ahead, left = unit(heading), unit(heading + math.pi / 2.0)
    curve = head.centre + loop[:, :1] * ahead + loop[:, 1:] * left
    _append_connector(plan, arriving, leaving, curve)
    plan.turning_heads.append(head)
