"""The links from lane to lane, across lane sections, roads and junctions.

Links are stated twice in a file, from both sides; one of them is enough here.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from autosim.world.opendrive.virtual_junctions import section_after
from autosim.world.opendrive.xodr_records import (
    XodrConnection,
    XodrFile,
    XodrJunction,
    XodrLane,
    XodrLink,
    XodrRoad,
)

DRIVEN = frozenset(
    {
        "driving",
        "entry",
        "exit",
        "onRamp",
        "offRamp",
        "connectingRamp",
        "slipLane",
        "HOV",
        "bus",
        "taxi",
        "bidirectional",
        "mwyEntry",
        "mwyExit",
    }
)
"""Types of lanes on which traffic drives. `mwyEntry` and `mwyExit` are names of version 1.4."""


class LaneKey(NamedTuple):
    """A lane of a lane section: its road, the number of the section, and its id."""

    road: str
    section: int
    lane: int


class LaneEnd(NamedTuple):
    """The start (along the road) or the end of a lane."""

    key: LaneKey
    """The lane."""
    at_start: bool
    """Whether it is the end at the lower stations."""


def is_along(road: XodrRoad, lane: XodrLane) -> bool:
    """Whether traffic on a lane drives along its road's reference line."""
    return ((lane.id < 0) is not road.is_left_hand) is not (lane.direction == "reversed")


def driven_lanes(content: XodrFile) -> list[LaneKey]:
    """All lanes on which traffic drives, in the order of the file."""
    return [
        LaneKey(road.id, number, id_)
        for road in content.roads.values()
        for number, section in enumerate(road.sections)
        for id_ in sorted(section.lanes)
        if id_ and section.lanes[id_].type in DRIVEN and not _is_closed(section.lanes[id_])
    ]


def _is_closed(lane: XodrLane) -> bool:
    return bool(lane.denied & {"all", "none", "passengerCar", "autonomousTraffic"})


def following(content: XodrFile, keys: list[LaneKey]) -> Mapping[LaneKey, list[LaneKey]]:
    """The lanes that follow each lane in the direction of its traffic."""
    known = set(keys)
    found: dict[LaneKey, list[LaneKey]] = defaultdict(list)
    for first, second in _joints(content, keys):
        if first.key not in known or second.key not in known:
            continue
        for exit_, entry in ((first, second), (second, first)):
            is_way = _is_exit(content, exit_) and not _is_exit(content, entry)
            if is_way and entry.key not in found[exit_.key]:
                found[exit_.key].append(entry.key)
    return found


def lane_of(content: XodrFile, key: LaneKey) -> XodrLane:
    """The record of a lane."""
    return content.roads[key.road].sections[key.section].lanes[key.lane]


def _is_exit(content: XodrFile, end: LaneEnd) -> bool:
    """Whether traffic leaves a lane at that end."""
    return is_along(content.roads[end.key.road], lane_of(content, end.key)) is not end.at_start


def _joints(content: XodrFile, keys: list[LaneKey]) -> Iterator[tuple[LaneEnd, LaneEnd]]:
    """All pairs of ends of lanes that the file joins."""
    linked = defaultdict(list)
    stated: dict[tuple[str, str], set[tuple[int, int]]] = defaultdict(set)
    for junction in content.junctions.values():
        for each in junction.connections:
            linked[junction.id, each.incoming].append((junction, each))
            if junction.kind == "virtual":
                stated[each.road, each.incoming].update((to, from_) for from_, to in each.links)
    for key in keys:
        for at_start in (True, False):
            end = LaneEnd(key, at_start)
            road = content.roads[key.road]
            link = road.predecessor if at_start else road.successor
            if (inner := _inner(content, end)) is not None:
                yield from ((end, other) for other in inner)
            elif link is not None and link.is_junction:
                for junction, each in linked[link.element, road.id]:
                    yield from _into(content, junction, each, end)
            elif link is not None and link.element in content.roads:
                yield from _onto(content, link, end, stated.get((road.id, link.element), ()))


def _links_at(content: XodrFile, end: LaneEnd) -> tuple[int, ...]:
    """The ids that a lane links to at one of its ends."""
    lane = lane_of(content, end.key)
    return lane.predecessors if end.at_start else lane.successors


def _inner(content: XodrFile, end: LaneEnd) -> list[LaneEnd] | None:
    """The lanes of the next lane section that an end meets; None at an end of the road."""
    section = end.key.section + (-1 if end.at_start else 1)
    if not 0 <= section < len(content.roads[end.key.road].sections):
        return None
    return [
        LaneEnd(LaneKey(end.key.road, section, id_), not end.at_start)
        for id_ in _links_at(content, end)
    ]


def _onto(
    content: XodrFile, link: XodrLink, end: LaneEnd, stated: Iterable[tuple[int, int]]
) -> Iterator[tuple[LaneEnd, LaneEnd]]:
    """The lanes of the next road that an end meets.

    Args:
        content: the file.
        link: of the road.
        end: of one of its lanes.
        stated: pairs of a lane of the road and one of the next road, of a virtual junction.
    """
    own = tuple(to for from_, to in sorted(stated) if from_ == end.key.lane)
    ids = _links_at(content, end) or own
    for id_ in ids:
        for other in _ends_of(content, link, id_):
            yield end, other


def _ends_of(content: XodrFile, link: XodrLink, lane: int) -> list[LaneEnd]:
    """The ends of a lane that a link to a road names: of one between its ends, both of the place.

    Traffic comes from one of them and goes to the other; which one is open to a lane follows from
    the direction of its own traffic.
    """
    road = content.roads[link.element]
    if link.at_start is not None:
        number = 0 if link.at_start else len(road.sections) - 1
        return [LaneEnd(LaneKey(link.element, number, lane), link.at_start)]
    number = section_after(road, link.station) if link.station is not None else 0
    if not number:
        return []
    return [
        LaneEnd(LaneKey(link.element, number - 1, lane), False),
        LaneEnd(LaneKey(link.element, number, lane), True),
    ]


def _into(
    content: XodrFile, junction: XodrJunction, connection: XodrConnection, end: LaneEnd
) -> Iterator[tuple[LaneEnd, LaneEnd]]:
    """The lanes of a connection that an end of a lane of its incoming road meets."""
    road = content.roads.get(connection.road)
    if road is None:
        return
    back = road.predecessor if connection.at_start else road.successor
    if junction.kind != "direct":
        # A road whose both ends meet one junction: only the end that the connecting road names.
        is_own = back is not None and back.element == end.key.road and not back.is_junction
        if is_own and back is not None and back.at_start not in (None, end.at_start):
            return
    number = 0 if connection.at_start else len(road.sections) - 1
    links = connection.links
    if not links and road.sections:
        lanes = road.sections[number].lanes.values()
        links = tuple(
            (id_, lane.id)
            for lane in lanes
            for id_ in (lane.predecessors if connection.at_start else lane.successors)
        )
    for from_, to in links:
        if from_ == end.key.lane:
            yield end, LaneEnd(LaneKey(road.id, number, to), connection.at_start)
