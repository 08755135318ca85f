"""Lays lanes on streets and connects them through junctions.

Lanes stop short of a junction. Curves called connectors lead from the end of each lane to the
starts of the lanes that may follow, with radii that a car can steer. So a vehicle follows one
smooth curve after another. The carriageway must cover all lanes and connectors.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from autosim.config.descriptions import DrivingSide
from autosim.world.geometry.curves import (
    cut,
    heading_between,
    length_of,
    offset,
    turning_loop,
    unit,
)
from autosim.world.lanes.bypasses import with_bypasses
from autosim.world.lanes.connections import Arm, add_connector, connect
from autosim.world.lanes.junction_trims import (
    LOOP_ENTRY,
    LOOP_RADIUS,
    Trims,
    find_turning_heads,
    junction_trims,
)
from autosim.world.lanes.lane_bends import has_tight_bend, widen_bends
from autosim.world.lanes.lane_drafts import LaneDraft, LanePlan, TurningHead
from autosim.world.lanes.lane_positions import lane_width, lateral_positions
from autosim.world.lanes.room_for_turns import widened
from autosim.world.streets.junction_rules import JunctionRules
from autosim.world.streets.street_ends import StreetEnd, StreetNodes
from autosim.world.streets.street_finding import Street

_STRAIGHT_PIECE = 4.0
"""Length [m] of the longest piece of a street between its trims that is straight where it would
bend too tightly for a car: the turns before and behind it take the bend."""

_SHORT_PIECE = 10.0
"""As `_STRAIGHT_PIECE` [m], where no curve that a car can steer joins its ends. Chosen: on
anything longer such a curve has room, also on the inner side of a bend of 90 degrees."""

_MIN_CHORD = 0.1
"""Distance [m] between the ends of a piece of a street above which it can be straight: a street
that leads back on itself ends where it begins."""

_ROUNDS = 3
"""Number of times that trims grow for turns that are too tight: bends hide some at first."""


def plan_lanes(
    streets: Sequence[Street],
    *,
    side: DrivingSide,
    has_room: Callable[[int, TurningHead], bool],
    rules: JunctionRules | None = None,
) -> LanePlan:
    """Lanes on all streets with their successors.

    Args:
        streets: the streets of all levels.
        side: where traffic keeps.
        has_room: tells whether a street's turning head can be built.
        rules: turn restrictions and turn lanes; None for none.
    """
    rules = rules or JunctionRules()
    nodes = StreetNodes.of(streets)
    trims = junction_trims(nodes)
    heads = find_turning_heads(nodes, trims, has_room)
    plan = _connected(nodes, trims, heads, side=side, rules=rules)
    for _ in range(_ROUNDS):
        wider = widened(plan.drafts, streets, trims)
        if wider is None:
            break
        trims = wider
        plan = _connected(nodes, trims, heads, side=side, rules=rules)
    widen_bends(plan.drafts)
    crooked = _crooked(plan.drafts)
    if crooked:
        plan = _connected(nodes, trims, heads, side=side, rules=rules, crooked=crooked)
        widen_bends(plan.drafts)
    return with_bypasses(plan, nodes, rules.restrictions.barred_paths)


def _crooked(drafts: Sequence[LaneDraft]) -> frozenset[int]:
    """The streets with a short lane that is too tight for a car between ends that stay."""
    return frozenset(
        draft.street
        for draft in drafts
        if not draft.is_connector
        and length_of(draft.points) < _SHORT_PIECE
        and has_tight_bend(draft.points, "service")
    )


def _connected(
    nodes: StreetNodes,
    trims: Trims,
    heads: Mapping[StreetEnd, TurningHead],
    *,
    side: DrivingSide,
    rules: JunctionRules,
    crooked: frozenset[int] = frozenset(),
) -> LanePlan:
    """The lanes of all streets between their trims, straight ones on `crooked` streets."""
    plan = LanePlan()
    arms: dict[int, list[Arm]] = defaultdict(list)
    laid = sorted({end.street for ends in nodes.ends.values() for end in ends})
    for index in laid:
        straight = _SHORT_PIECE if index in crooked else _STRAIGHT_PIECE
        for arm in _lay(
            plan, nodes, index, trims=trims[index], side=side, rules=rules, straight=straight
        ):
            arms[nodes.at(arm.end)].append(arm)
    barred = frozenset(rules.restrictions.barred)
    for node in sorted(arms):
        connect(plan, arms[node], barred)
    for end, head in sorted(heads.items()):
        _turn_round(plan, arms[nodes.at(end)][0], head, side)
    return plan


def _lay(
    plan: LanePlan,
    nodes: StreetNodes,
    index: int,
    *,
    trims: Sequence[float],
    side: DrivingSide,
    rules: JunctionRules,
    straight: float,
) -> list[Arm]:
    """Adds a street's lanes to the plan; gives the street's two ends.

    A piece shorter than `straight` [m] that bends too tightly is straight, unless it leads back to
    where it begins.
    """
    street = nodes.streets[index]
    profile = street.profile
    axis = cut(street.points, trims[0], length_of(street.points) - trims[1])
    ends = axis[[0, -1]]
    is_short = length_of(axis) < straight and length_of(ends) > _MIN_CHORD
    if is_short and has_tight_bend(axis, profile.highway):
        axis = ends
    ahead, back = lateral_positions(profile, 1.0 if side == "left" else -1.0)
    width = lane_width(profile)
    first = len(plan.drafts)
    for lateral in ahead:
        line = offset(axis, lateral)
        draft = LaneDraft(index, index, line, width, profile, False, parts=street.parts)
        plan.drafts.append(draft)
    for lateral in back:
        line = offset(axis, lateral)[::-1]
        draft = LaneDraft(index, index, line, width, profile, False, is_forward=False)
        draft.parts = tuple(part.reversed() for part in street.parts[::-1])
        plan.drafts.append(draft)
    # The kerb's lane comes first: where traffic keeps left it is the leftmost.
    from_left = 1 if side == "left" else -1
    forward = tuple(range(first, first + len(ahead)))[::from_left]
    backward = tuple(range(first + len(ahead), len(plan.drafts)))[::from_left]
    arms = []
    for is_start, arriving, leaving in ((True, backward, forward), (False, forward, backward)):
        end = StreetEnd(index, is_start)
        turns = rules.turns.get(end, ())
        arms.append(Arm(end, nodes.heading(end), arriving, leaving, profile, turns, street.layer))
    return arms


def _turn_round(plan: LanePlan, arm: Arm, head: TurningHead, side: DrivingSide) -> None:
    """Connects a dead end's arriving lane with its leaving lane by a loop on the turning head."""
    inner = -1 if side == "left" else 0
    arriving, leaving = arm.arriving[inner], arm.leaving[inner]
    before, behind = plan.drafts[arriving].points, plan.drafts[leaving].points
    heading = heading_between(before[-2], before[-1])
    ahead, left = unit(heading), unit(heading + math.pi / 2.0)
    gaps = np.stack([before[-1], behind[0]]) - head.centre
    along = gaps[:, :1] * ahead[0] + gaps[:, 1:] * ahead[1]
    aside = gaps[:, :1] * left[0] + gaps[:, 1:] * left[1]
    loop = turning_loop(
        *np.hstack([along, aside]),
        radius=LOOP_RADIUS,
        entry=LOOP_ENTRY,
        side=1.0 if side == "left" else -1.0,
    )
    curve = head.centre + loop[:, :1] * ahead + loop[:, 1:] * left
    curve[0], curve[-1] = before[-1], behind[0]
    add_connector(plan, arriving, leaving, curve)
    plan.turning_heads.append(head)
