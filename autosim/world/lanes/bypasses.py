"""Leads connectors past streets that are too short to turn into and out of again.

Two junctions may lie a car's length apart. Between them remains a lane of a metre or two, and a
vehicle that turns at both would have to be square to the short street there, which no car can
steer. Such a vehicle follows one curve through both junctions instead, from the lane before the
first to the lane behind the second. The short lane stays for vehicles that go straight on.

A turn that stays too tight is left out, but for those where just two streets meet.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import shapely

from autosim import portable
from autosim.arrays import Floats
from autosim.world.geometry.curves import length_of, turn_between
from autosim.world.lanes.connections import add_connector, slower_of
from autosim.world.lanes.drivable_curves import (
    LAST_SWING,
    Pose,
    connector_curve,
    needed_radius,
    radii_of,
)
from autosim.world.lanes.junction_trims import SHARPEST_TURN
from autosim.world.lanes.lane_drafts import LaneDraft, LanePlan
from autosim.world.lanes.room_for_turns import lacking, tight_links
from autosim.world.streets.street_ends import StreetEnd, StreetNodes

Link = tuple[int, int]
"""A lane and one that follows it, by number."""

Chain = tuple[int, ...]
"""Lanes that follow one another; a new connector leads from the first to the last."""

StreetPath = tuple[int, ...]
"""Streets that follow one another, by number."""

LEFT_OUT_TIGHT = "connectors that are too tight for a car"
"""Reason of `LanePlan.left_out`."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """A connector (n, 2) [m] that leads from the first to the last lane of a chain."""

    chain: Chain
    curve: Floats
    """In W, in driving direction."""


@dataclass(frozen=True, slots=True)
class _Limits:
    """Limits of connectors that lead past short lanes."""

    short_lane: float = 8.0
    """Length [m] of the longest lane that is passed: vehicles hardly stop on it."""

    reach: float = 60.0
    """Greatest distance [m] between the ends of a new connector."""

    lanes: int = 8
    """Largest number of lanes of a chain, both ends included."""

    chains: int = 100
    """Largest number of chains tried for one turn: a grid of short lanes has very many."""

    off_path: float = 5.0
    """Greatest distance [m] of a new connector from the lanes that it replaces."""

    wide_swing: float = 4.0
    """Greatest distance [m] by which a vehicle swings out between two long lanes."""

    sharpest: float = float(np.radians(135.0))
    """Largest turn [rad] for which vehicles swing out widely: a sharper one is a U-turn."""


_LIMITS = _Limits()


def with_bypasses(
    plan: LanePlan, nodes: StreetNodes, barred_paths: Sequence[StreetPath]
) -> LanePlan:
    """The plan with connectors that a car can drive.

    Args:
        plan: the lanes, with all connectors.
        nodes: where the streets meet.
        barred_paths: sequences of streets that no route may take.
    """
    tight = tight_links(plan.drafts)
    if not tight:
        return plan
    search = _Search(plan.drafts, nodes, barred_paths)
    kept = _Links.of(plan.drafts)
    for link in tight:
        kept.remove(link)
    barred: dict[StreetPath, None] = {}
    lost = []
    for link in tight:
        replacements = search.allowed_replacements(link)
        for ends, found in replacements.items():
            if not kept.has(ends):
                kept.add(ends, found.curve, found.chain)
                passed = [plan.drafts[k].street for k in found.chain]
                barred.update(dict.fromkeys(_shortened(barred_paths, passed)))
        if not replacements:
            lost.append(link)
    _mend(kept, search)
    plan.left_out[LEFT_OUT_TIGHT] += sum(not kept.has(link) for link in lost)
    return replace(_rebuilt(plan, kept), barred_paths=[*plan.barred_paths, *barred])


def _contains(streets: Sequence[int], path: StreetPath) -> bool:
    """Whether streets that follow one another contain a path."""
    count = len(path)
    return any(tuple(streets[k : k + count]) == path for k in range(len(streets) - count + 1))


def _shortened(paths: Sequence[StreetPath], passed: Sequence[int]) -> list[StreetPath]:
    """The barred paths that a new connector is part of, without the streets that it leads past.

    Args:
        paths: the barred paths.
        passed: the streets from the one before the connector to the one behind it.
    """
    found = []
    ends = passed[0], passed[-1]
    for path in paths:
        # The path begins `shift` streets behind the first one of the connector, or before it.
        for shift in range(1 - len(path), len(passed) - 1):
            first, last = max(shift, 0), min(shift + len(path), len(passed))
            shared = path[first - shift : last - shift]
            if last > 1 and tuple(passed[first:last]) == shared:
                found.append((*path[: max(-shift, 0)], *ends, *path[len(passed) - shift :]))
    return found


class _Links:
    """Successors of lanes.

    `curves` has the curve of each new link, and `passed` the lanes past which it leads;
    `connectors` the number of the connector of each link of the plan, -1 where two lanes touch.
    """

    def __init__(self) -> None:
        self.following: dict[int, dict[int, None]] = defaultdict(dict)
        self.leading: dict[int, dict[int, None]] = defaultdict(dict)
        self.connectors: dict[Link, int] = {}
        self.curves: dict[Link, Floats] = {}
        self.passed: dict[Link, Chain] = {}

    @classmethod
    def of(cls, drafts: Sequence[LaneDraft]) -> "_Links":
        links = cls()
        for number, draft in enumerate(drafts):
            if draft.is_connector:
                continue
            for k in draft.successors:
                is_joined = drafts[k].is_connector
                link = number, drafts[k].successors[0] if is_joined else k
                links.connectors[link] = k if is_joined else -1
                links.add(link)
        return links

    def add(self, link: Link, curve: Floats | None = None, chain: Chain = ()) -> None:
        """Adds a link; with a curve if it is a new one, past the inner lanes of a chain."""
        self.following[link[0]][link[1]] = None
        self.leading[link[1]][link[0]] = None
        if curve is not None:
            self.curves[link] = curve
            self.passed[link] = chain[1:-1]

    def remove(self, link: Link) -> None:
        del self.following[link[0]][link[1]]
        del self.leading[link[1]][link[0]]

    def has(self, link: Link) -> bool:
        return link[1] in self.following[link[0]]

    def isolate(self, lane: int) -> None:
        """Removes all links of a lane."""
        for following in list(self.following[lane]):
            self.remove((lane, following))
        for leading in list(self.leading[lane]):
            self.remove((leading, lane))


class _Search:
    """Searches for connectors in place of those that are too tight."""

    def __init__(
        self, drafts: Sequence[LaneDraft], nodes: StreetNodes, barred: Sequence[StreetPath]
    ) -> None:
        self.drafts, self._nodes, self._barred = drafts, nodes, barred
        # Also streets that have shrunk to a node may be bridges.
        layers: dict[int, set[int]] = defaultdict(set)
        for street in nodes.streets:
            for node in (street.start, street.end):
                layers[nodes.stand_ins[node]].add(street.layer)
        self._between_layers = {node for node, found in layers.items() if len(found) > 1}
        self._tries = 0
        self._links = _Links.of(drafts)
        self._neighbours = {
            (drafts[first].street, drafts[second].street)
            for first, second in self._links.connectors
        }

    def is_short(self, lane: int) -> bool:
        """Whether connectors may lead past a lane."""
        return length_of(self.drafts[lane].points) <= _LIMITS.short_lane

    def allowed_replacements(self, link: Link) -> dict[Link, Replacement]:
        """The `replacements` that keep every turn that the map allows.

        To bar a connector in a longer path, `_shortened` bars the streets at its ends one after the
        other. Where these streets also meet each other, that would bar their direct turn as well.
        """
        return {
            ends: found
            for ends, found in self.replacements(link).items()
            if not self._bars_direct_turn(found.chain)
        }

    def _bars_direct_turn(self, chain: Chain) -> bool:
        """Whether barred paths cannot tell a connector past a chain from a direct turn."""
        passed = [self.drafts[k].street for k in chain]
        is_direct = (passed[0], passed[-1]) in self._neighbours
        return len(chain) > 2 and is_direct and bool(_shortened(self._barred, passed))

    def replacements(self, link: Link) -> dict[Link, Replacement]:
        """Curves that take the place of a link's connector, by the lanes that they join."""
        self._tries = _LIMITS.chains
        return self._solved(link)

    def _solved(self, chain: Chain) -> dict[Link, Replacement]:
        """A curve for a chain, or for the longer chains in its place; none if all are too tight."""
        self._tries -= 1
        ends = chain[0], chain[-1]
        curve = self._curve(chain)
        if curve is not None:
            return {ends: Replacement(chain, curve)}
        for longer in self._longer(chain):
            found: dict[Link, Replacement] = {}
            for each in longer:
                if self._tries > 0:
                    found = self._solved(each) | found
            if found:
                return found
        curve = self.wide_curve(ends, _LIMITS.wide_swing, _LIMITS.sharpest)
        if curve is None or not self.is_near(chain, curve, _LIMITS.wide_swing):
            return {}
        return {ends: Replacement(chain, curve)}

    def wide_curve(self, ends: Link, swing: float, sharpest: float = np.pi) -> Floats | None:
        """A curve from lane to lane on which a vehicle swings out; None if there is none."""
        poses = self.poses(ends)
        if abs(turn_between(poses[0].heading, poses[1].heading)) > sharpest:
            return None
        curve = connector_curve(*poses, self.needed(ends), swing=swing)
        return curve if self._is_wide(curve, ends) else None

    def needed(self, ends: Link) -> float:
        """The least radius [m] of a connector between two lanes."""
        slower = slower_of(*(self.drafts[k].profile for k in ends))
        return needed_radius(slower.highway)

    def smoothest(self, ends: Link) -> Floats:
        """The smoothest curve between two lanes."""
        return connector_curve(*self.poses(ends), 0.0)

    def _is_wide(self, curve: Floats, ends: Link) -> bool:
        return bool(radii_of([curve], [self.poses(ends)])[0] >= self.needed(ends))

    def poses(self, ends: Link) -> tuple[Pose, Pose]:
        first, last = (self.drafts[k].points for k in ends)
        return Pose.at_end(first), Pose.at_start(last)

    def _curve(self, chain: Chain) -> Floats | None:
        ends = chain[0], chain[-1]
        curve = connector_curve(*self.poses(ends), self.needed(ends))
        if not self._is_wide(curve, ends):
            return None
        return curve if self.is_near(chain, curve) else None

    def is_near(self, chain: Chain, curve: Floats, spare: float = 0.0) -> bool:
        """Whether a curve keeps close to the lanes and connectors of a chain."""
        if len(chain) == 2:
            return True
        lines = [self.drafts[k].points for k in chain[1:-1]]
        lines += [
            self.drafts[number].points
            for link in pairwise(chain)
            if (number := self._links.connectors[link]) >= 0
        ]
        path = shapely.MultiLineString([shapely.LineString(line) for line in lines])
        distances = shapely.distance(shapely.points(curve), path)
        return bool(distances.max() <= _LIMITS.off_path + spare)

    def _longer(self, chain: Chain) -> list[list[Chain]]:
        """The chains with one more lane; first those at the end that lacks more room."""
        if len(chain) >= _LIMITS.lanes:
            return []
        ends = chain[0], chain[-1]
        before, behind = lacking(*self.poses(ends), self.needed(ends))
        grown = [self.grown_ahead(chain), self.grown_back(chain)]
        return grown[::-1] if before > behind else grown

    def grown_ahead(self, chain: Chain) -> list[Chain]:
        """The chains with one more lane at the end; none past a long lane."""
        if len(chain) > 1 and not self.is_short(chain[-1]):
            return []
        return self._allowed([(*chain, k) for k in self._links.following[chain[-1]]])

    def grown_back(self, chain: Chain) -> list[Chain]:
        """The chains with one more lane at the start; none past a long lane."""
        if len(chain) > 1 and not self.is_short(chain[0]):
            return []
        return self._allowed([(k, *chain) for k in self._links.leading[chain[0]]])

    def _allowed(self, chains: Sequence[Chain]) -> list[Chain]:
        """The chains that stay on one layer, use no street twice, and are not barred or long."""
        allowed = []
        for chain in chains:
            streets = [self.drafts[k].street for k in chain]
            passed = {self._node_behind(k) for k in chain[:-1]} if len(chain) > 2 else set()
            gap = self.drafts[chain[-1]].points[0] - self.drafts[chain[0]].points[-1]
            if (
                len(set(streets)) == len(streets)
                and not passed & self._between_layers
                and portable.length(gap) <= _LIMITS.reach
                and not any(_contains(streets, path) for path in self._barred)
            ):
                allowed.append(chain)
        return allowed

    def is_bend(self, link: Chain) -> bool:
        """Whether a link leads on through a node at which no more than two streets meet."""
        if link not in self._links.connectors:
            return False
        start, end = self.poses((link[0], link[-1]))
        leads_back = abs(turn_between(start.heading, end.heading)) > SHARPEST_TURN
        return not leads_back and len(self._nodes.ends[self._node_behind(link[0])]) < 3

    def _node_behind(self, lane: int) -> int:
        """The node at the end of a lane."""
        draft = self.drafts[lane]
        return self._nodes.at(StreetEnd(draft.street, not draft.is_forward))


def _mend(kept: _Links, search: _Search) -> None:
    """Makes each lane that led somewhere lead somewhere, and be reached if it was reached.

    Short lanes that vehicles no longer reach or leave lose their links. A longer one is joined to
    the next lanes beyond them, where vehicles swing out as far as they must.
    """
    original = _Links.of(search.drafts)
    lanes = [number for number, draft in enumerate(search.drafts) if not draft.is_connector]
    isolated = _isolated(kept, original, lanes, search)
    for lane in lanes:
        if lane in isolated:
            continue
        if original.following[lane] and not kept.following[lane]:
            _join(kept, _beyond((lane,), isolated, search, search.grown_ahead), search)
        if original.leading[lane] and not kept.leading[lane]:
            _join(kept, _beyond((lane,), isolated, search, search.grown_back), search)


def _isolated(
    kept: _Links, original: _Links, lanes: Sequence[int], search: _Search
) -> frozenset[int]:
    """The short lanes that vehicles no longer reach or leave; they lose their links."""
    isolated: set[int] = set()
    waiting = [lane for lane in lanes if search.is_short(lane)]
    while waiting:
        lane = waiting.pop()
        is_closed = original.leading[lane] and not kept.leading[lane]
        is_lost = original.following[lane] and not kept.following[lane]
        if lane not in isolated and (is_closed or is_lost):
            isolated.add(lane)
            around = [*kept.following[lane], *kept.leading[lane]]
            kept.isolate(lane)
            waiting += [each for each in around if search.is_short(each)]
    return frozenset(isolated)


def _beyond(
    lane: Chain, isolated: frozenset[int], search: _Search, grown: Callable[[Chain], list[Chain]]
) -> list[Chain]:
    """The chains from a lane to the next ones that still have links, past short ones without."""
    found: list[Chain] = []
    waiting = deque(grown(lane))
    while waiting and len(found) < _LIMITS.chains:
        chain = waiting.popleft()
        if {chain[0], chain[-1]} & isolated:
            if len(chain) < _LIMITS.lanes:
                waiting.extend(grown(chain))
        else:
            found.append(chain)
    return found


def _join(kept: _Links, chains: Sequence[Chain], search: _Search) -> None:
    """Adds a connector for the first of some chains whose turn is wide enough.

    Without one, a turn stays as it is where just two streets meet; elsewhere the street ends there.
    """
    for chain in chains:
        ends = chain[0], chain[-1]
        curve = search.wide_curve(ends, LAST_SWING)
        if curve is not None and search.is_near(chain, curve, LAST_SWING):
            kept.add(ends, curve, chain)
            return
    for chain in chains:
        if len(chain) == 2 and search.is_bend(chain):
            kept.add(chain, search.smoothest(chain))
            return


def _rebuilt(plan: LanePlan, kept: _Links) -> LanePlan:
    """The plan with the kept links alone, and without lanes that have lost all of theirs."""
    original = _Links.of(plan.drafts)
    gone = {
        lane
        for link in original.connectors
        for lane in link
        if not kept.following[lane] and not kept.leading[lane]
    }
    links = {
        lane: {k: kept.curves.get((lane, k)) for k in kept.following[lane]}
        for lane, draft in enumerate(plan.drafts)
        if not draft.is_connector and lane not in gone
    }
    drafts = [replace(plan.drafts[lane], successors=[]) for lane in links]
    numbers = {lane: number for number, lane in enumerate(links)}
    rebuilt = replace(plan, drafts=drafts)
    connectors = sorted(
        (original.connectors.get((lane, k), len(plan.drafts)), lane, k)
        for lane, targets in links.items()
        for k in targets
    )
    for number, lane, k in connectors:
        curve = links[lane][k]
        if curve is None and number < 0:
            drafts[numbers[lane]].successors.append(numbers[k])
            continue
        points = plan.drafts[number].points if curve is None else curve
        add_connector(rebuilt, numbers[lane], numbers[k], points)
        drafts[-1].passed = tuple(
            (plan.drafts[each].street, plan.drafts[each].is_forward)
            for each in kept.passed.get((lane, k), ())
        )
    return rebuilt
