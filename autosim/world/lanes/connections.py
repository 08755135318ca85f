"""Connects the lanes that arrive at a junction with those that leave it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.world.geometry.curves import heading_between, transition, turn_between, unit
from autosim.world.lanes.junction_trims import SHARPEST_TURN
from autosim.world.lanes.lane_assignment import STRAIGHT, Approach, Exit, assign_lanes, pair_lanes
from autosim.world.lanes.lane_drafts import LaneDraft, LanePlan
from autosim.world.streets.restrictions import Turn
from autosim.world.streets.street_ends import StreetEnd
from autosim.world.streets.street_profiles import StreetProfile
from autosim.world.streets.turn_lanes import LaneTurns

_TOUCHING = 0.05
"""Largest gap [m] between two lanes that need no connector: no vehicle feels such a shift."""

MOST_STREAMS = 240
"""Largest number of streams at a junction: those of 16 streets that all lead into one another.
Each stream can cross each other one, so n streets of which each led into each would have up to n⁴
conflicts; no junction that is driven on has 16 streets."""

LEFT_OUT_TURNS = "turns at junctions of too many streets"
"""Reason of `LanePlan.left_out` for streams beyond `MOST_STREAMS`."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One end of a street: `heading` [rad] of the street's axis away from the node.

    `arriving` and `leaving` are lanes of the plan, from left to right as their drivers see them;
    `turns` are those of the arriving lanes, () without a tag; `layer` is the street's.
    """

    end: StreetEnd
    heading: float
    arriving: tuple[int, ...]
    leaving: tuple[int, ...]
    profile: StreetProfile
    """Cross-section of the street."""
    turns: LaneTurns
    layer: int


@dataclass(frozen=True, slots=True)
class _Stream:
    """The traffic from one arm to another: from `lanes`, by number; ahead or in a turn."""

    origin: Arm
    target: Arm
    turn: float
    lanes: tuple[int, ...]
    is_ahead: bool


def connect(plan: LanePlan, arms: Sequence[Arm], barred: frozenset[Turn]) -> None:
    """Adds the connectors of one junction.

    Args:
        plan: receives them.
        arms: the ends of streets that meet there.
        barred: turns that are forbidden, of all junctions.
    """
    exits = [_exits_of(arm, arms, barred) for arm in arms]
    kept = _bounded(exits)
    plan.left_out[LEFT_OUT_TURNS] += sum(map(len, exits)) - sum(map(len, kept))
    streams = [
        stream
        for arm, turned in zip(arms, kept, strict=True)
        if turned
        for stream in _streams(arm, turned)
    ]
    pairs: dict[tuple[int, int], None] = {}
    for arm in arms:
        into = [stream for stream in streams if stream.target is arm]
        if into:
            pairs.update(dict.fromkeys(_pairs_into(plan, arm, into)))
    for arriving, leaving in sorted(pairs):
        add_connector(plan, arriving, leaving)


_Exits = list[tuple[float, Arm]]
"""Arms into which traffic from an arm may turn, from left to right, with the angles [rad]."""


def _bounded(exits: Sequence[_Exits]) -> list[_Exits]:
    """The exits of each arm, with at most about `MOST_STREAMS` in all.

    Of more, each arm keeps some that are evenly spread, and other arms keep others. Each exit stays
    one of some arm, so that no street is cut off.
    """
    if sum(map(len, exits)) <= MOST_STREAMS:
        return list(exits)
    most = max(1, MOST_STREAMS // len(exits))
    kept: list[set[int]] = []
    for number, turned in enumerate(exits):
        ordered = sorted(range(len(turned)), key=lambda k: turned[k][1].heading)
        count = len(ordered)
        chosen = {(number + k * count // most) % max(count, 1) for k in range(min(most, count))}
        kept.append({ordered[k] for k in chosen})
    reached = {turned[k][1].end for turned, own in zip(exits, kept, strict=True) for k in own}
    straightest: dict[StreetEnd, tuple[float, int, int]] = {}
    for number, turned in enumerate(exits):
        for k, (turn, arm) in enumerate(turned):
            if arm.end not in reached:
                found = (abs(turn), number, k)
                straightest[arm.end] = min(straightest.get(arm.end, found), found)
    for _, number, k in straightest.values():
        kept[number].add(k)
    return [[turned[k] for k in sorted(own)] for turned, own in zip(exits, kept, strict=True)]


def _exits_of(arm: Arm, arms: Sequence[Arm], barred: frozenset[Turn]) -> _Exits:
    """The exits of traffic from an arm: where nothing else leads on, also one that leads back.

    From a bridge or tunnel no turn leads back to the ground: it would leave the street far before
    their node, where the ground is metres lower or higher.
    """
    if not arm.arriving:
        return []
    others = [o for o in arms if o is not arm and o.leaving and (arm.end, o.end) not in barred]
    turned = [(turn_between(arm.heading + math.pi, other.heading), other) for other in others]
    ahead = [each for each in turned if abs(each[0]) <= SHARPEST_TURN]
    back = [each for each in turned if each[1].layer == arm.layer]
    turned = ahead or sorted(back, key=lambda each: abs(each[0]))[:1]
    turned.sort(key=lambda each: -each[0])
    return turned


def _streams(arm: Arm, turned: _Exits) -> list[_Stream]:
    """The streams from an arm into others."""
    exits = [Exit(turn, len(other.leaving), other.profile.rank) for turn, other in turned]
    approach = Approach(len(arm.arriving), arm.profile.rank, arm.turns)
    return [
        _Stream(arm, other, turn, tuple(lanes), abs(turn) <= STRAIGHT or len(exits) == 1)
        for (turn, other), lanes in zip(turned, assign_lanes(approach, exits), strict=True)
    ]


def _pairs_into(plan: LanePlan, arm: Arm, streams: Sequence[_Stream]) -> list[tuple[int, int]]:
    """Pairs of an arriving lane and a lane of an arm; each of the arm's lanes is in one."""
    # From left to right: what comes from the left turns left to join.
    ahead = sorted((s for s in streams if s.is_ahead), key=lambda stream: -stream.turn)
    if len(ahead) > 1 and sum(len(s.lanes) for s in ahead) == len(arm.leaving):
        ordered = [(stream, lane) for stream in ahead for lane in stream.lanes]
        found = [(stream, lane, k) for k, (stream, lane) in enumerate(ordered)]
        rest = [stream for stream in streams if not stream.is_ahead]
    else:
        found, rest = [], list(streams)
    found += [
        (stream, lane, target)
        for stream in rest
        for lane, target in pair_lanes(
            stream.lanes,
            len(arm.leaving),
            turn=0.0 if stream.is_ahead else stream.turn,
            gaps=_gaps(plan, stream),
        )
    ]
    reached = {target for _, _, target in found}
    for missed in sorted(set(range(len(arm.leaving))) - reached):
        stream, lane, _ = min(found, key=lambda each: (not each[0].is_ahead, abs(each[2] - missed)))
        found.append((stream, lane, missed))
    return [(stream.origin.arriving[lane], arm.leaving[target]) for stream, lane, target in found]


def _gaps(plan: LanePlan, stream: _Stream) -> Floats:
    """Distances [m] to the side (lanes of the origin, lanes of the target) of each target."""
    starts = np.array([plan.drafts[k].points[0] for k in stream.target.leaving])
    lines = [plan.drafts[k].points for k in stream.origin.arriving]
    ends = np.array([line[-1] for line in lines])
    ahead = np.array([unit(heading_between(line[-2], line[-1])) for line in lines])
    gaps = starts[None] - ends[:, None]
    aside: Floats = ahead[:, None, 0] * gaps[..., 1] - ahead[:, None, 1] * gaps[..., 0]
    return np.abs(aside)


def add_connector(plan: LanePlan, arriving: int, leaving: int, curve: Floats | None = None) -> None:
    """Makes a lane follow another one, by a connector if they do not touch.

    Args:
        plan: receives the connector.
        arriving: the lane from which it leads.
        leaving: the lane into which it leads.
        curve: (n, 2) its points [m]; None for the smoothest.
    """
    first, second = plan.drafts[arriving], plan.drafts[leaving]
    start, end = first.points[-1], second.points[0]
    if curve is None and portable.length(end - start) < _TOUCHING:
        first.successors.append(leaving)
        return
    if curve is None:
        headings = heading_between(first.points[-2], start), heading_between(end, second.points[1])
        curve = transition(start, headings[0], end, headings[1])
    slower = slower_of(first.profile, second.profile)
    width = min(first.width, second.width)
    draft = LaneDraft(second.street, first.street, curve, width, slower, True, [leaving])
    first.successors.append(len(plan.drafts))
    plan.drafts.append(draft)


def slower_of(first: StreetProfile, second: StreetProfile) -> StreetProfile:
    """The profile of two that a connector between their streets has: that of the slower street.

    Of two with one speed limit it is that of the less important street.
    """
    return min(first, second, key=lambda profile: (profile.speed_limit, -profile.rank))
