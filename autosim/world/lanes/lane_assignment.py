"""Assigns the lanes of an approach to the exits of a junction, by turn lanes or by custom.

Lanes are numbered from left to right, as their drivers see them. Turns are angles [rad], positive
to the left. This module does not know where lanes lie.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats
from autosim.world.streets.turn_lanes import TURN_ANGLES, LaneTurns

Pair = tuple[int, int]
"""A lane of the approach, and a lane of the exit."""

STRAIGHT = math.radians(35.0)
"""Largest angle [rad] of a way straight on; from there on it is a turn to `left` or `right`."""

_SHARED = math.radians(60.0)
"""Cost [rad] of matching two arrows to one exit. Chosen: less than the error of matching a left
turn's arrow to the street ahead, more than that of a slight turn's."""

_FARTHEST = math.radians(115.0)
"""Largest angle [rad] between an arrow and its exit: an arrow farther off means another
junction."""

_PER_RANK = math.radians(8.0)
"""Angle [rad] that one rank of importance outweighs when the exit straight ahead is chosen."""


@dataclass(frozen=True, slots=True)
class Exit:
    """A street that can be taken: `rank` as in `HighwayClass`."""

    turn: float
    """Angle of the turn into it [rad], positive to the left."""
    lanes: int
    """Number of lanes that lead away."""
    rank: int


@dataclass(frozen=True, slots=True)
class Approach:
    """The lanes on which vehicles come; `turns` are those of each lane, () without a tag."""

    lanes: int
    rank: int
    """As in `HighwayClass`."""
    turns: LaneTurns = ()


def assign_lanes(approach: Approach, exits: Sequence[Exit]) -> list[list[int]]:
    """For each exit, in the given order, the lanes that lead into it, ascending; none is empty.

    Args:
        approach: where vehicles come from.
        exits: where they may go, from left to right (turns descending).
    """
    if not approach.lanes or not exits:
        return [[] for _ in exits]
    if len(approach.turns) == approach.lanes and any(approach.turns):
        chosen = _by_turn_lanes(approach, exits)
    else:
        chosen = _by_custom(approach, exits)
    return _completed(chosen, approach, exits)


def _main(approach: Approach, exits: Sequence[Exit]) -> int:
    """The exit that continues the street: straightest, and most important if equally straight."""
    return min(
        range(len(exits)),
        key=lambda k: abs(exits[k].turn) + _PER_RANK * max(exits[k].rank - approach.rank, 0),
    )


def _by_turn_lanes(approach: Approach, exits: Sequence[Exit]) -> list[set[int]]:
    angles = sorted({TURN_ANGLES[name] for lane in approach.turns for name in lane}, reverse=True)
    exit_of = _matched([math.radians(angle) for angle in angles], [each.turn for each in exits])
    main = _main(approach, exits)
    chosen: list[set[int]] = [set() for _ in exits]
    for lane, names in enumerate(approach.turns):
        targets = {exit_of[angles.index(TURN_ANGLES[name])] for name in names}
        for target in targets - {None} if names else {main}:
            if target is not None:
                chosen[target].add(lane)
    return chosen


def _matched(angles: Sequence[float], turns: Sequence[float]) -> list[int | None]:
    """The exit that each angle means, both from left to right; None if no exit is near.

    The assignment keeps the order and has the least sum of differences. Two angles share an exit
    only if that is much better.
    """
    costs = np.abs(np.subtract.outer(np.array(angles), np.array(turns)))
    totals, choices = costs[0], []
    for row in costs[1:]:
        before = np.minimum.accumulate(np.concatenate([[np.inf], totals[:-1]]))
        shared = totals + _SHARED
        # The best exit farther left, remembered for the way back.
        best = np.array([int(np.argmin(totals[:k])) if k else 0 for k in range(len(turns))])
        choices.append(np.where(shared <= before, np.arange(len(turns)), best))
        totals = row + np.minimum(shared, before)
    at = int(np.argmin(totals))
    found = [at]
    for choice in reversed(choices):
        at = int(choice[at])
        found.append(at)
    found.reverse()
    return [k if costs[n, k] <= _FARTHEST else None for n, k in enumerate(found)]


def _by_custom(approach: Approach, exits: Sequence[Exit]) -> list[set[int]]:
    """Outer lanes turn, all lanes go straight on; at a fork each branch has lanes of its own."""
    forks = [k for k, each in enumerate(exits) if abs(each.turn) <= STRAIGHT]
    if len(forks) > 1 and sum(exits[k].lanes for k in forks) <= approach.lanes:
        return _forked(approach, exits, forks)
    main = _main(approach, exits)
    chosen: list[set[int]] = [set() for _ in exits]
    for k in range(len(exits)):
        chosen[k].add(0 if k < main else approach.lanes - 1)
    if abs(exits[main].turn) <= STRAIGHT or len(exits) == 1:
        chosen[main] = set(range(approach.lanes))
    elif len(exits) > 1:
        is_left = exits[main].turn > 0.0
        chosen[main] = {0 if is_left else approach.lanes - 1}
    return chosen


def _forked(approach: Approach, exits: Sequence[Exit], forks: Sequence[int]) -> list[set[int]]:
    main = _main(approach, exits)
    spare = approach.lanes - sum(exits[k].lanes for k in forks)
    chosen: list[set[int]] = [set() for _ in exits]
    first = 0
    for k in forks:
        count = exits[k].lanes + (spare if k == main else 0)
        chosen[k] = set(range(first, first + count))
        first += count
    for k in range(len(exits)):
        if k not in forks:
            chosen[k] = {0 if k < main else approach.lanes - 1}
    return chosen


def _completed(
    chosen: Sequence[set[int]], approach: Approach, exits: Sequence[Exit]
) -> list[list[int]]:
    """Gives an exit without lanes the outer lane, and a lane without exits its neighbour's."""
    main = _main(approach, exits)
    last = approach.lanes - 1
    full = [set(each) or {0 if k < main else last} for k, each in enumerate(chosen)]
    served = {lane for each in full for lane in each}
    for lane in range(approach.lanes):
        if lane not in served:
            nearest = min(sorted(served), key=lambda other: abs(other - lane))
            options = [k for k, each in enumerate(full) if nearest in each]
            full[min(options, key=lambda k: abs(exits[k].turn))].add(lane)
    return [sorted(each) for each in full]


def pair_lanes(lanes: Sequence[int], count: int, *, turn: float, gaps: Floats) -> list[Pair]:
    """Pairs of a lane and the lane of an exit into which it leads, (lane, target).

    In a turn lanes keep to its inner side; straight on they shift aside as little as possible.
    Surplus lanes merge into the last target.

    Args:
        lanes: ascending numbers of the lanes of the approach.
        count: lanes of the exit.
        turn: angle of the exit.
        gaps: (lanes of the approach, count) distance [m] to the side from each lane to each target.
    """
    spare = count - len(lanes)
    low, high = min(spare, 0), max(spare, 0)
    if turn > STRAIGHT:
        shift = 0
    elif turn < -STRAIGHT:
        shift = spare
    else:
        shift = min(range(low, high + 1), key=lambda k: _misfit(lanes, count, k, gaps))
    return [(lane, min(max(n + shift, 0), count - 1)) for n, lane in enumerate(lanes)]


def _misfit(lanes: Sequence[int], count: int, shift: int, gaps: Floats) -> float:
    targets = [min(max(n + shift, 0), count - 1) for n in range(len(lanes))]
    return round(float(gaps[list(lanes), targets].sum()), 3)
