"""Green waves: who passes one signal at green and drives straight on finds the next one green, too.

For controllers with fixed times and one cycle. Of both directions of a street one has the wave: the
offsets of a fixed plan cannot suit two. Source: RiLSA 2015, chapter 4.6 (progressive signals).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from autosim.traffic.signals.signal_plan import SignalPlan
from autosim.world.lanes.roads import RoadNetwork

_FARTHEST = 600.0
"""Distance [m] between two signals up to which vehicles arrive as a platoon: beyond 500 m to 800 m
it has come apart (RiLSA 2015, 4.6; FHWA Signal Timing Manual, 6.2: half a mile)."""

_STRAIGHT = 0.5
"""Angle [rad] up to which a way leads straight on: some 30°."""


class CoordinationLink(NamedTuple):
    """A way straight on from one controller's signals to another's.

    `first`, `second`: the groups; `seconds` from stop line to stop line at the speed limit;
    `speed` [m/s] of the street.
    """

    first: int
    second: int
    seconds: float
    speed: float


def find_links(plan: SignalPlan, roads: RoadNetwork) -> list[CoordinationLink]:
    """The links on which controllers can be coordinated, at most one to each controller.

    Fast streets are served first, and the links form no circle. A leading controller comes before
    those that it leads.
    """
    links = sorted(_all_links(plan, roads), key=lambda link: (-link.speed, link.first, link.second))
    above = list(range(len(plan.group_starts) - 1))

    def root(number: int) -> int:
        while above[number] != number:
            number = above[number]
        return number

    found = []
    led: set[int] = set()
    for link in links:
        first, second = (int(plan.controllers[group]) for group in (link.first, link.second))
        if second not in led and root(first) != root(second):
            above[root(second)] = root(first)
            led.add(second)
            found.append(link)
    return _in_order(found, plan)


def _all_links(plan: SignalPlan, roads: RoadNetwork) -> Iterator[CoordinationLink]:
    for number, group in enumerate(plan.groups):
        for lane, last in zip(group.lanes, group.lasts, strict=True):
            link = _follow(plan, roads, number, lane, last)
            if link is not None:
                yield link


def _follow(
    plan: SignalPlan, roads: RoadNetwork, number: int, lane: int, last: int
) -> CoordinationLink | None:
    """The way from a lane's stop line straight on to the next signals, if it leads there."""
    metres = roads.lanes[lane].length - float(roads.traffic.stop_lines[lane])
    metres += roads.lanes[last].length if last != lane else 0.0
    seconds, at = metres / roads.lanes[lane].speed_limit, last
    while metres < _FARTHEST:
        after = min(
            roads.lanes[at].successors,
            key=lambda each: (abs(roads.lanes[each].turn), each),
            default=None,
        )
        if after is None or abs(roads.lanes[after].turn) > _STRAIGHT:
            return None
        group, view = int(plan.lane_groups[after]), roads.lanes[after]
        length = float(roads.traffic.stop_lines[after]) if group >= 0 else view.length
        metres, seconds = metres + length, seconds + length / view.speed_limit
        if group >= 0 and plan.controllers[group] == plan.controllers[number]:
            return None
        if group >= 0:
            return CoordinationLink(number, group, seconds, float(roads.lanes[lane].speed_limit))
        at = after
    return None


def _in_order(links: list[CoordinationLink], plan: SignalPlan) -> list[CoordinationLink]:
    """The links in an order in which each leading controller precedes those that it leads."""
    second_of = {int(plan.controllers[link.second]): link for link in links}
    depths = [_depth(link, second_of, plan) for link in links]
    return [links[k] for k in np.argsort(depths, kind="stable").tolist()]


def _depth(link: CoordinationLink, second_of: dict[int, CoordinationLink], plan: SignalPlan) -> int:
    depth = 0
    while (above := second_of.get(int(plan.controllers[link.first]))) is not None:
        link, depth = above, depth + 1
    return depth
