"""The nodes at which streets meet; a street too short for a lane shrinks to one node."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from autosim.world.geometry.curves import heading_between, length_of, point_along
from autosim.world.streets.street_finding import Street

_SHORTEST_STREET = 3.0
"""Length [m] of the shortest street with lanes: a shorter one joins two nodes of one junction."""

_FIRST_METRES = 6.0
"""Length [m] of a street's beginning that gives its heading: one bend of a mapper does not
count."""


class StreetEnd(NamedTuple):
    """One end of a street, by the street's number."""

    street: int
    is_start: bool
    """False: its end."""

    @property
    def opposite(self) -> "StreetEnd":
        """The other end of the street."""
        return StreetEnd(self.street, not self.is_start)


@dataclass(frozen=True, slots=True)
class StreetNodes:
    """The nodes of some streets.

    `stand_ins`: by node, the node that stands for it when short streets have shrunk; `ends`: by
    stand-in, the ends of the streets there that are long enough for lanes.
    """

    streets: Sequence[Street]
    stand_ins: Mapping[int, int]
    ends: Mapping[int, tuple[StreetEnd, ...]]

    @classmethod
    def of(cls, streets: Sequence[Street]) -> "StreetNodes":
        """The nodes at which streets begin and end."""
        stand_ins = _stand_ins(streets)
        ends: dict[int, list[StreetEnd]] = defaultdict(list)
        for number, street in enumerate(streets):
            first, second = stand_ins[street.start], stand_ins[street.end]
            if first != second or length_of(street.points) >= _SHORTEST_STREET:
                ends[first].append(StreetEnd(number, True))
                ends[second].append(StreetEnd(number, False))
        return cls(streets, stand_ins, {node: tuple(each) for node, each in ends.items()})

    def at(self, end: StreetEnd) -> int:
        """The stand-in of the node at an end."""
        street = self.streets[end.street]
        return self.stand_ins[street.start if end.is_start else street.end]

    def around(self, node: int) -> tuple[StreetEnd, ...]:
        """The ends of streets that meet at a node of the map; none if no street ends there."""
        stand_in = self.stand_ins.get(node)
        return () if stand_in is None else self.ends.get(stand_in, ())

    def arrives(self, end: StreetEnd) -> bool:
        """Whether lanes lead to an end."""
        profile = self.streets[end.street].profile
        return (profile.backward_lanes if end.is_start else profile.forward_lanes) > 0

    def leaves(self, end: StreetEnd) -> bool:
        """Whether lanes lead away from an end."""
        return self.arrives(end.opposite)

    def heading(self, end: StreetEnd) -> float:
        """Heading [rad] of a street away from one of its ends."""
        return outward_heading(self.streets[end.street], end.is_start)


def outward_heading(street: Street, is_start: bool, distance: float = _FIRST_METRES) -> float:
    """Heading [rad] of a street away from one of its ends, over its first metres."""
    points = street.points if is_start else street.points[::-1]
    return heading_between(points[0], point_along(points, distance))


def _stand_ins(streets: Sequence[Street]) -> dict[int, int]:
    parents: dict[int, int] = {}

    def root(node: int) -> int:
        while parents.setdefault(node, node) != node:
            node = parents[node]
        return node

    for street in streets:
        first, second = root(street.start), root(street.end)
        if first != second and length_of(street.points) < _SHORTEST_STREET:
            parents[max(first, second)] = min(first, second)
    return {node: root(node) for node in list(parents)}
