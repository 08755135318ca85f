"""Joins what is one for SUMO: the two directions of a street at its ends, and close junctions.

Lanes of a world stop short of junctions, and where junctions are a car's length apart, connectors
lead past the short street between them. Such junctions become one, and the short street a part of
it. Where a street ends, both of its directions get one node, at which vehicles turn round.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from autosim import portable
from autosim.arrays import Floats
from autosim.traffic.sumo.sumo_network import SumoConnection, SumoNetwork
from autosim.world.export.carriageway_graph import CarriagewayLink
from autosim.world.lanes.roads import Lane

_MAX_END_DISTANCE = 30.0
"""Distance [m] at the end of a street up to which its two directions end at one place: that of the
longest trims of junctions."""

_MAX_INNER_LENGTH = 12.0
"""Length [m] of the longest street that is a part of the junction at which it begins and ends:
connectors lead past streets of 8 m and less."""

_MAX_PASSED = 6
"""Largest number of inner lanes on a way through a junction."""


def joined(network: SumoNetwork) -> SumoNetwork:
    """The network without streets within junctions, and with one node at each end of a street."""
    return _with_common_ends(_without_merges(_without_inner_edges(network)))


def _without_inner_edges(network: SumoNetwork) -> SumoNetwork:
    inner = {
        edge
        for edge, (first, last) in enumerate(network.ends)
        if first == last and network.length_of(edge) <= _MAX_INNER_LENGTH
    }
    if not inner:
        return network
    barred = [path for path in network.roads.traffic.barred_paths() if len(path) > 1]
    return replace(
        network,
        edges=tuple(() if edge in inner else names for edge, names in enumerate(network.edges)),
        junctions={
            name: _through(network, links, inner, barred)
            for name, links in network.junctions.items()
        },
    )


def _through(
    network: SumoNetwork,
    links: Sequence[SumoConnection],
    inner: set[int],
    barred: Sequence[Sequence[int]],
) -> tuple[SumoConnection, ...]:
    """The links of a junction, with those that lead through inner streets in one piece."""
    owners = network.layout.owners
    if not any(owners[link.connection.end] in inner for link in links):
        return tuple(links)
    leaving: dict[int, list[SumoConnection]] = defaultdict(list)
    for link in links:
        leaving[link.connection.start].append(link)
    found: dict[tuple[int, int], SumoConnection] = {}
    # The shortest way between two lanes counts.
    ways = sorted(
        (
            way
            for link in links
            if owners[link.connection.start] not in inner
            for way in _ways_from(network, link, leaving, inner)
        ),
        key=len,
    )
    for way in ways:
        ends = way[0].connection.start, way[-1].connection.end
        streets = [network.roads.lanes[each.connection.start].road for each in way]
        streets.append(network.roads.lanes[ends[1]].road)
        if ends not in found and not any(_has(streets, path) for path in barred):
            found[ends] = _one_link(way)
    places: dict[int, int] = defaultdict(int)
    numbered = []
    for _, link in sorted(found.items()):
        if link.controller >= 0:
            link = replace(link, place=places[link.controller])
            places[link.controller] += 1
        numbered.append(link)
    return tuple(numbered)


def _ways_from(
    network: SumoNetwork,
    first: SumoConnection,
    leaving: dict[int, list[SumoConnection]],
    inner: set[int],
) -> Iterator[tuple[SumoConnection, ...]]:
    """The sequences of links that begin with one and end outside the junction."""
    ways: list[tuple[SumoConnection, ...]] = [(first,)]
    while ways:
        way = ways.pop()
        end = way[-1].connection.end
        if network.layout.owners[end] not in inner:
            yield way
        elif len(way) <= _MAX_PASSED:
            passed = {each.connection.start for each in way}
            ways += [(*way, each) for each in leaving[end] if each.connection.start not in passed]


def _has(streets: Sequence[int], path: Sequence[int]) -> bool:
    count = len(path)
    return any(
        tuple(streets[k : k + count]) == tuple(path) for k in range(len(streets) - count + 1)
    )


def _one_link(way: Sequence[SumoConnection]) -> SumoConnection:
    """A sequence of links as one, which obeys the first signal on it."""
    if len(way) == 1:
        return way[0]
    signal = next((link for link in way if link.group >= 0), way[0])
    lanes = [lane for link in way for lane in link.lanes]
    lanes += [after.connection.start for _, after in pairwise(way)]
    first, last = way[0].connection, way[-1].connection
    connection = CarriagewayLink(first.start, last.end, first.connector, first.junction)
    return replace(signal, connection=connection, passed=tuple(lanes))


def _without_merges(network: SumoNetwork) -> SumoNetwork:
    """The network with one link into each lane from a carriageway, that from the lane before it.

    In SUMO, the vehicles of other lanes would give way within the junction, and wait there for as
    long as a queue leaves the lane that has priority. Without a link they change lanes before.
    """
    owners = network.layout.owners
    junctions = {}
    for name, links in network.junctions.items():
        kept: dict[tuple[int, int], SumoConnection] = {}
        for link in sorted(links, key=lambda each: _distance_aside(network, each)):
            kept.setdefault((owners[link.connection.start], link.connection.end), link)
        chosen = {link.connection for link in kept.values()}
        junctions[name] = tuple(link for link in links if link.connection in chosen)
    return replace(network, junctions=junctions)


def _distance_aside(network: SumoNetwork, link: SumoConnection) -> float:
    """The distance [m] by which the end of a link lies beside the lane at its start."""
    before, behind = (
        network.roads.lanes[each] for each in (link.connection.start, link.connection.end)
    )
    return abs(before.local_coordinates(behind.position(0.0))[1])


def _with_common_ends(network: SumoNetwork) -> SumoNetwork:
    streets: dict[int, list[int]] = defaultdict(list)
    for edge in range(len(network.edges)):
        streets[inmost_lane(network, edge).road].append(edge)
    ends = [list(each) for each in network.ends]
    for edge in range(len(network.edges)):
        lane = inmost_lane(network, edge)
        for side in (0, 1):
            if network.ends[edge][side] in network.junctions:
                continue
            near = {
                other: portable.length(_end(network, other, 1 - side) - _end(network, edge, side))
                for other in streets[lane.road]
                if _are_opposite(lane, inmost_lane(network, other))
            }
            if not near:
                continue
            other = min(near, key=lambda each: near[each])
            name = ends[other][1 - side]
            # No edge of SUMO leads back to the node at which it begins.
            if near[other] < _MAX_END_DISTANCE and name != ends[edge][1 - side]:
                ends[edge][side] = name
    return replace(network, ends=tuple((first, last) for first, last in ends))


def inmost_lane(network: SumoNetwork, edge: int) -> Lane:
    """The lane of a carriageway that is farthest from the kerb."""
    return network.roads.lanes[network.lanes_of(edge)[-1]]


def _end(network: SumoNetwork, edge: int, side: int) -> Floats:
    """The beginning (0) or the end (1) of a carriageway (2,) [m]."""
    lane = inmost_lane(network, edge)
    place: Floats = lane.position(lane.length if side else 0.0)[:2]
    return place


def _are_opposite(lane: Lane, other: Lane) -> bool:
    turn = lane.heading(lane.length / 2.0) - other.heading(other.length / 2.0)
    return bool(portable.cos(turn) < 0.0)
