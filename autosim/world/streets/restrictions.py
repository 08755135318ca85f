"""Turn restrictions: relations that forbid or prescribe a way through a junction.

What a relation means for streets is found here: pairs of street ends between which no lane may
lead, and, where a relation goes via other ways, sequences of streets that no route may take. A
relation that cannot be applied gives its reason.

Source: https://wiki.openstreetmap.org/wiki/Relation:restriction
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from autosim.world.geometry.curves import turn_between
from autosim.world.osm.osm_data import OsmData, OsmRelation
from autosim.world.osm.restriction_relations import (
    BrokenRestrictionError,
    RestrictionMembers,
    is_restriction,
    kind_of,
)
from autosim.world.streets.street_ends import StreetEnd, StreetNodes

_LONGEST_PATH = 12

Turn = tuple[StreetEnd, StreetEnd]


@dataclass(slots=True)
class Restrictions:
    """What restrictions forbid.

    `barred`: turns from one end of a street to another at the same node; `barred_paths`: sequences
    of streets, by number; `reasons`: for each relation "" or why it is not respected.
    """

    barred: set[Turn] = field(default_factory=set)
    barred_paths: list[tuple[int, ...]] = field(default_factory=list)
    reasons: dict[int, str] = field(default_factory=dict)


def find_restrictions(data: OsmData, nodes: StreetNodes) -> Restrictions:
    """All restrictions of a map that bind cars, applied to streets.

    Args:
        data: the map.
        nodes: where its streets meet.
    """
    found = Restrictions()
    finder = _Finder(data, nodes)
    for relation in data.relations:
        if is_restriction(relation.tags):
            try:
                finder.apply(relation, found)
                found.reasons[relation.id] = ""
            except BrokenRestrictionError as fault:
                found.reasons[relation.id] = f"restriction: {fault}"
    return found


class _Finder:
    """Applies restrictions one by one."""

    def __init__(self, data: OsmData, nodes: StreetNodes) -> None:
        self._data = data
        self._nodes = nodes
        self._ways = {way.id for way in data.ways}
        self._streets: dict[int, list[int]] = {}
        for number, street in enumerate(nodes.streets):
            for way in dict.fromkeys(part.way for part in street.parts):
                self._streets.setdefault(way, []).append(number)

    def apply(self, relation: OsmRelation, found: Restrictions) -> None:
        """Adds what a relation forbids.

        Raises:
            BrokenRestrictionError: it cannot be applied.
        """
        kind = kind_of(relation.tags)
        members = RestrictionMembers.of(relation)
        self._require(members)
        if members.via_ways:
            self._apply_via_ways(kind, members, found)
        else:
            self._apply_via_nodes(kind, members, found)

    def _require(self, members: RestrictionMembers) -> None:
        for role, ways in (("from", members.origins), ("to", members.targets)):
            if not ways:
                raise BrokenRestrictionError(f"no {role}")
        if not members.via_nodes and not members.via_ways:
            raise BrokenRestrictionError("no via")
        for way in (*members.origins, *members.targets, *members.via_ways):
            if way not in self._ways:
                raise BrokenRestrictionError("a member is not in the file")
            if way not in self._streets:
                raise BrokenRestrictionError("of ways that are no streets here")

    def _apply_via_nodes(self, kind: str, members: RestrictionMembers, found: Restrictions) -> None:
        rows = self._data.rows(members.via_nodes).tolist()
        around = [end for row in rows for end in self._nodes.around(row)]
        origins = [end for end in self._of(members.origins, around) if self._nodes.arrives(end)]
        targets = [end for end in self._of(members.targets, around) if self._nodes.leaves(end)]
        turns = [(a, b) for a in origins for b in targets if a != b]
        if not turns and kind.endswith("u_turn") and set(members.origins) == set(members.targets):
            return  # nobody turns round on a street
        if not turns:
            raise BrokenRestrictionError("its ways do not meet at its via")
        meant = self._meant(kind, turns)
        found.barred.update(meant if kind.startswith("no_") else self._others(meant, around))

    def _of(self, ways: Iterable[int], ends: Iterable[StreetEnd]) -> list[StreetEnd]:
        """Those ends that belong to some OSM ways."""
        chosen = set(ways)
        return [
            end
            for end in dict.fromkeys(ends)
            if self._nodes.streets[end.street].part_at(end.is_start).way in chosen
        ]

    def _meant(self, kind: str, turns: Sequence[Turn]) -> Sequence[Turn]:
        """Of several turns, as where a way goes on beyond the node, those that the kind names."""
        if len(turns) == 1:
            return turns
        fitting = [turn for turn in turns if _fits(kind, self._angle(turn))]
        return fitting or turns

    def _angle(self, turn: Turn) -> float:
        return turn_between(self._nodes.heading(turn[0]) + math.pi, self._nodes.heading(turn[1]))

    def _others(self, turns: Sequence[Turn], around: Iterable[StreetEnd]) -> Iterable[Turn]:
        """All turns from the same ends but these."""
        allowed = set(turns)
        return [
            (origin, end)
            for origin in dict.fromkeys(origin for origin, _ in turns)
            for end in around
            if end != origin and (origin, end) not in allowed
        ]

    def _apply_via_ways(self, kind: str, members: RestrictionMembers, found: Restrictions) -> None:
        path = self._path(members)
        if path is None:
            raise BrokenRestrictionError("its ways do not meet at its via")
        origin, *between, target = path
        if not between:
            turns = [(origin, target)]
            around = self._nodes.ends[self._nodes.at(target)]
            found.barred.update(turns if kind.startswith("no_") else self._others(turns, around))
            return
        streets = (origin.street, *(end.street for end in between))
        if kind.startswith("no_"):
            found.barred_paths.append((*streets, target.street))
            return
        last = between[-1].opposite
        found.barred_paths += [
            (*streets, end.street)
            for end in self._nodes.ends[self._nodes.at(target)]
            if end not in (target, last) and self._nodes.leaves(end)
        ]

    def _path(self, members: RestrictionMembers) -> list[StreetEnd] | None:
        """The end at which `from` arrives, the starts of the streets between, the start of `to`."""
        via = {street for way in members.via_ways for street in self._streets[way]}
        ends = [end for each in self._nodes.ends.values() for end in each]
        ends = [end for end in ends if self._nodes.arrives(end)]
        open_paths = [[end] for end in self._of(members.origins, ends)]
        while open_paths:
            path = open_paths.pop(0)
            is_done = len(path) > 1 or not self._is_laid(via)
            at = path[-1].opposite if len(path) > 1 else path[0]
            around = self._nodes.ends[self._nodes.at(at)]
            leaving = [end for end in around if self._nodes.leaves(end) and end != at]
            targets = self._of(members.targets, leaving) if is_done else []
            if targets:
                return [*path, targets[0]]
            used = {end.street for end in path}
            if len(path) < _LONGEST_PATH:
                open_paths += [[*path, e] for e in leaving if e.street in via - used]
        return None

    def _is_laid(self, streets: Iterable[int]) -> bool:
        """Whether any of some streets is long enough for lanes."""
        ends = self._nodes.ends
        return any(
            StreetEnd(k, True) in ends.get(self._nodes.at(StreetEnd(k, True)), ()) for k in streets
        )


def _fits(kind: str, angle: float) -> bool:
    """Whether a turn by `angle` [rad], positive to the left, is what a restriction speaks of."""
    turn = math.degrees(angle)
    ranges: Mapping[str, bool] = {
        "left_turn": 25.0 < turn < 170.0,
        "right_turn": -170.0 < turn < -25.0,
        "straight_on": abs(turn) < 50.0,
        "u_turn": abs(turn) > 135.0,
    }
    return ranges.get(kind.split("_", 1)[1], True)
