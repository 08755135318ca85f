"""Finds traffic signals, stop signs and give-way signs at junctions and on streets.

A sign on the node of a junction is for all streets that arrive there. A sign on a street is for one
direction: the tagged one, else the one towards a close junction. Without either it is for both.

Source: https://wiki.openstreetmap.org/wiki/Key:direction, Tag:highway=stop, Tag:highway=give_way
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import shapely

from autosim.arrays import Floats
from autosim.world.geometry.curves import length_of
from autosim.world.lanes.lane_rules import Control
from autosim.world.osm.osm_data import OsmData, OsmNode
from autosim.world.osm.tags import Tags
from autosim.world.streets.street_ends import StreetEnd, StreetNodes

_KINDS: Mapping[str, Control] = MappingProxyType(
    {
        "traffic_signals": Control.SIGNALS,
        "stop": Control.STOP,
        "give_way": Control.GIVE_WAY,
    }
)
_REACH = 40.0
"""Distance [m] before a junction within which a sign is for that junction."""

_ON_STREET = 6.0
"""Distance [m] from a street's axis within which a sign of its way is on it: mapped lines are cut
and rounded."""

_TOWARDS_JUNCTION = 30.0
"""Distance [m] from a junction within which an untagged sign is for the direction towards it."""


@dataclass(frozen=True, slots=True)
class Sign:
    """A sign for the lanes that lead along a street, or against it.

    `place` is (2,) [m] in W. `approach` is the street and the direction by which its lanes reach
    the next junction, None where there is none within `_REACH`.
    """

    control: Control
    """Rule that the sign states."""
    street: int
    is_forward: bool
    """Whether it is for the lanes along the street's points."""
    place: Floats
    approach: tuple[int, bool] | None


@dataclass(frozen=True, slots=True)
class Signs:
    """The signs on streets, and by node the control that is for all arms of a junction."""

    on_streets: Sequence[Sign]
    """Signs on the axes of streets."""
    at_nodes: Mapping[int, Control]
    """Control by the row of the node."""


def find_signs(data: OsmData, points: Floats, nodes: StreetNodes) -> Signs:
    """Finds all signals and signs of a map.

    Args:
        data: the map.
        points: (n, 2) places of its nodes in W [m].
        nodes: where streets meet.
    """
    tagged = [node for node in data.tagged_nodes if node.tags.get("highway") in _KINDS]
    ways = _ways_of(data, {node.id for node in tagged})
    finder = _Finder(nodes)
    on_streets: list[Sign] = []
    at_nodes: dict[int, Control] = {}
    for node in tagged:
        row = int(data.rows((node.id,))[0])
        control = _control(node.tags)
        if len(nodes.around(row)) > 2:
            at_nodes[nodes.stand_ins[row]] = control
        else:
            on_streets += finder.on_streets(node, row, points[row], ways.get(node.id, ()))
    return Signs(on_streets, at_nodes)


def _control(tags: Tags) -> Control:
    if tags.get("stop") == "all":
        return Control.ALL_WAY_STOP
    return _KINDS[tags["highway"]]


def _ways_of(data: OsmData, ids: set[int]) -> dict[int, list[int]]:
    """The highways to which some nodes belong."""
    found: dict[int, list[int]] = {}
    for way in data.ways:
        if "highway" in way.tags:
            for node in ids & set(way.refs):
                found.setdefault(node, []).append(way.id)
    return found


class _Finder:
    def __init__(self, nodes: StreetNodes) -> None:
        self._nodes = nodes
        self._streets: dict[int, list[int]] = {}
        for number, street in enumerate(nodes.streets):
            for way in dict.fromkeys(part.way for part in street.parts):
                self._streets.setdefault(way, []).append(number)

    def on_streets(self, node: OsmNode, row: int, place: Floats, ways: Iterable[int]) -> list[Sign]:
        """A sign that is not at a junction: one for each street and direction it is for."""
        ends = self._nodes.around(row)
        if ends:
            candidates = [(end.street, not end.is_start) for end in ends]
        else:
            candidates = self._inside(place, ways)
        stated = node.tags.get("traffic_signals:direction") or node.tags.get("direction")
        chosen = [each for each in candidates if self._is_driven(*each)]
        if stated in ("forward", "backward"):
            chosen = [
                each
                for each in chosen
                if self._is_along_way(*each, ways=set(ways)) == (stated == "forward")
            ]
        elif stated != "both":
            chosen = self._towards_junction(chosen, place)
        control = _control(node.tags)
        return [Sign(control, *each, place, self._approach(*each, place)) for each in chosen]

    def _inside(self, place: Floats, ways: Iterable[int]) -> list[tuple[int, bool]]:
        """Both directions of the street on which a place lies."""
        streets = sorted({street for way in ways for street in self._streets.get(way, ())})
        if not streets:
            return []
        lines = [shapely.LineString(self._nodes.streets[k].points) for k in streets]
        gaps = shapely.distance(lines, shapely.Point(place))
        nearest = int(gaps.argmin())
        return (
            [(streets[nearest], way) for way in (True, False)] if gaps[nearest] < _ON_STREET else []
        )

    def _is_driven(self, street: int, is_forward: bool) -> bool:
        return self._nodes.arrives(StreetEnd(street, not is_forward))

    def _is_along_way(self, street: int, is_forward: bool, *, ways: set[int]) -> bool:
        """Whether a direction of a street is that of the way's nodes."""
        parts = self._nodes.streets[street].parts
        part = next((part for part in parts if part.way in ways), parts[0])
        return part.is_forward == is_forward

    def _to_end(self, street: int, is_forward: bool, place: Floats) -> float:
        """Distance [m] along a street from a place on it to its end in a direction."""
        points = self._nodes.streets[street].points
        station = float(shapely.line_locate_point(shapely.LineString(points), shapely.Point(place)))
        return length_of(points) - station if is_forward else station

    def _is_junction(self, end: StreetEnd) -> bool:
        return len(self._nodes.ends.get(self._nodes.at(end), ())) > 2

    def _towards_junction(
        self, directions: Sequence[tuple[int, bool]], place: Floats
    ) -> list[tuple[int, bool]]:
        """The direction with the closest junction; all directions if there is none close by."""
        metres = {
            (street, way): self._to_end(street, way, place)
            for street, way in directions
            if self._approach(street, way, place) is not None
        }
        near = {each: distance for each, distance in metres.items() if distance < _TOWARDS_JUNCTION}
        return [min(near, key=lambda each: near[each])] if near else list(directions)

    def _approach(self, street: int, is_forward: bool, place: Floats) -> tuple[int, bool] | None:
        metres = self._to_end(street, is_forward, place)
        while metres < _REACH:
            end = StreetEnd(street, not is_forward)
            if self._is_junction(end):
                return street, is_forward
            others = [each for each in self._nodes.ends.get(self._nodes.at(end), ()) if each != end]
            if len(others) != 1:
                return None
            street, is_forward = others[0].street, others[0].is_start
            metres += length_of(self._nodes.streets[street].points)
        return None
