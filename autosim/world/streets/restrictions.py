"""Turn restrictions: relations that forbid or prescribe a way through a junction.

This module translates relations into rules for streets: pairs of street ends between which no lane
may lead, and, for a relation via other ways, sequences of streets that no route may take. It gives
a reason for each relation that it cannot apply.

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
"""Number of street ends on the longest way through the `via` of a restriction. Chosen: mappers name
two or three ways, each of which junctions divide into a few streets."""

_LEAST_TURN_DEG, _LARGEST_TURN_DEG = 25.0, 170.0
"""Angles [deg] between which a turn to a side lies, as the names of restrictions have it."""

_STRAIGHT_ON_DEG = 50.0
"""Largest angle [deg] of a way straight on. It overlaps with a turn: mappers judge by the
others."""

_LEAST_U_TURN_DEG = 135.0
"""Least angle [deg] of a U-turn, as by way of the other carriageway of a divided road."""

Turn = tuple[StreetEnd, StreetEnd]
"""The end at which a vehicle arrives, and the end at which it leaves."""


@dataclass(slots=True)
class Restrictions:
    """The turns and paths that a map's restrictions forbid.

    `barred`: turns from one end of a street to another at the same node; `barred_paths`: sequences
    of streets, by number; `reasons`: by relation, "" or why it could not be applied.
    """

    barred: set[Turn] = field(default_factory=set)
    barred_paths: list[tuple[int, ...]] = field(default_factory=list)
    reasons: dict[int, str] = field(default_factory=dict)


def find_restrictions(data: OsmData, nodes: StreetNodes) -> Restrictions:
    """Applies all restrictions of a map that bind cars to its streets.

    Args:
        data: the map.
        nodes: the nodes at which its streets meet.
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
    """Applies restrictions, one at a time."""

    def __init__(self, data: OsmData, nodes: StreetNodes) -> None:
        self._data = data
        self._nodes = nodes
        self._ways = {way.id for way in data.ways}
        self._streets: dict[int, list[int]] = {}
        for number, street in enumerate(nodes.streets):
            for way in dict.fromkeys(part.way for part in street.parts):
                self._streets.setdefault(way, []).append(number)

    def apply(self, relation: OsmRelation, found: Restrictions) -> None:
        """Adds the turns and paths that a relation forbids.

        Raises:
            BrokenRestrictionError: the relation cannot be applied.
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
                raise BrokenRestrictionError("refers to ways that are not streets of this world")

    def _apply_via_nodes(self, kind: str, members: RestrictionMembers, found: Restrictions) -> None:
        rows = self._data.rows(members.via_nodes).tolist()
        around = [end for row in rows for end in self._nodes.around(row)]
        origins = [end for end in self._of(members.origins, around) if self._nodes.arrives(end)]
        targets = [end for end in self._of(members.targets, around) if self._nodes.leaves(end)]
        turns = [(a, b) for a in origins for b in targets if a != b]
        if not turns and kind.endswith("u_turn") and set(members.origins) == set(members.targets):
            return  # lanes never turn round on a street
        if not turns:
            raise BrokenRestrictionError("its ways do not meet at its via")
        meant = self._meant(kind, turns)
        found.barred.update(meant if kind.startswith("no_") else self._others(meant, around))

    def _of(self, ways: Iterable[int], ends: Iterable[StreetEnd]) -> list[StreetEnd]:
        """The ends that belong to some OSM ways."""
        chosen = set(ways)
        return [
            end
            for end in dict.fromkeys(ends)
            if self._nodes.streets[end.street].part_at(end.is_start).way in chosen
        ]

    def _meant(self, kind: str, turns: Sequence[Turn]) -> Sequence[Turn]:
        """The turns that the kind names; several if a way continues beyond the node."""
        if len(turns) == 1:
            return turns
        fitting = [turn for turn in turns if _fits(kind, self._angle(turn))]
        return fitting or turns

    def _angle(self, turn: Turn) -> float:
        return turn_between(self._nodes.heading(turn[0]) + math.pi, self._nodes.heading(turn[1]))

    def _others(self, turns: Sequence[Turn], around: Iterable[StreetEnd]) -> Iterable[Turn]:
        """All other turns from the ends of these."""
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
        """Whether one of the streets is long enough for lanes."""
        ends = self._nodes.ends
        return any(
            StreetEnd(k, True) in ends.get(self._nodes.at(StreetEnd(k, True)), ()) for k in streets
        )


def _fits(kind: str, angle: float) -> bool:
    """Whether a turn by `angle` [rad], positive to the left, is one that a restriction names."""
    turn = math.degrees(angle)
    ranges: Mapping[str, bool] = {
        "left_turn": _LEAST_TURN_DEG < turn < _LARGEST_TURN_DEG,
        "right_turn": -_LARGEST_TURN_DEG < turn < -_LEAST_TURN_DEG,
        "straight_on": abs(turn) < _STRAIGHT_ON_DEG,
        "u_turn": abs(turn) > _LEAST_U_TURN_DEG,
    }
    return ranges.get(kind.split("_", 1)[1], True)
