"""The map's rules for driving through junctions: turn restrictions and turn lanes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from autosim.world.osm.osm_data import OsmData
from autosim.world.streets.restrictions import Restrictions, find_restrictions
from autosim.world.streets.street_ends import StreetEnd, StreetNodes
from autosim.world.streets.street_finding import Street
from autosim.world.streets.turn_lanes import LaneTurns, lane_turns


@dataclass(frozen=True, slots=True)
class JunctionRules:
    """Turn restrictions, and the turns of the lanes that arrive at each end of a street."""

    restrictions: Restrictions = field(default_factory=Restrictions)
    turns: Mapping[StreetEnd, LaneTurns] = field(default_factory=dict)


def find_junction_rules(data: OsmData, streets: Sequence[Street]) -> JunctionRules:
    """The rules of all junctions between streets."""
    tags = {way.id: way.tags for way in data.ways if any("turn:lanes" in key for key in way.tags)}
    turns = {}
    for number, street in enumerate(streets):
        for end in (StreetEnd(number, True), StreetEnd(number, False)):
            part = street.part_at(end.is_start)
            if part.way in tags:
                found = lane_turns(tags[part.way], is_forward=part.is_forward != end.is_start)
                if found:
                    turns[end] = found
    return JunctionRules(find_restrictions(data, StreetNodes.of(streets)), turns)
