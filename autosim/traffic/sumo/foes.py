"""Completes the right of way of junctions where netconvert does not see that two ways cross.

netconvert finds crossing ways (foes) by the order of streets around a junction. In a wide or oddly
shaped junction, ways may cross whose streets are not in the order of a plain crossing. SUMO then
lets vehicles on both drive at once. Here the shapes of the ways count as well.

Source: SUMO's documentation, Networks/SUMO Road Networks, "Requests".
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
import shapely.ops
from lxml import etree

from autosim.arrays import Booleans, Integers
from autosim.traffic.sumo.plain_xml import points_of

_TURNS = {"s": 0, "l": 1, "r": 1, "L": 1, "R": 1, "t": 2, "T": 2}
"""Rank of each direction of a connection among ways that meet without a rule: those straight on go
before turns, and turns before vehicles that turn round."""


_CLEARANCE = 1.8
"""Distance [m] between the end of a lane and a way past it: the width of a car."""

_LENGTH = 5.0
"""Length [m] of a vehicle that waits at the end of a lane: that of SUMO's cars."""

_MAX_WAY_BACK = 15.0
"""Distance [m] by which a lane is shortened at most."""


@dataclass(frozen=True)
class _Ways:
    """The ways through a junction: its requests, their connections and their lines."""

    requests: Sequence[etree._Element]
    links: Sequence[etree._Element]
    lines: "np.ndarray[tuple[int], np.dtype[np.object_]]"

    @property
    def starts(self) -> "np.ndarray[tuple[int], np.dtype[np.str_]]":
        """The names of the edges from which they lead."""
        return np.array([each.get("from", "") for each in self.links])


def complete_foes(root: etree._Element) -> int:
    """Adds the missing foes of all junctions of a `<net>`; returns the number of pairs."""
    return sum(_complete(ways) for ways in _ways_of_junctions(root))


def edges_in_the_way(root: etree._Element) -> dict[str, float]:
    """The edges of a `<net>` that end where vehicles of other edges pass within the junction.

    The values are the lengths [m] to cut off their ends.
    """
    found: dict[str, float] = defaultdict(float)
    lanes = {
        lane.get("id", ""): shapely.LineString(points_of(lane))
        for edge in root.iter("edge")
        if edge.get("function") is None
        for lane in edge.iter("lane")
    }
    for ways in _ways_of_junctions(root):
        for start in set(ways.starts.tolist()):
            own = {_start_of(each) for each in ways.links if each.get("from") == start}
            distance = max(
                _way_back(lanes[name], ways.lines[ways.starts != start]) for name in sorted(own)
            )
            if distance > 0.0:
                found[start] = distance
    return found


def _way_back(
    lane: shapely.LineString, ways: "np.ndarray[tuple[int], np.dtype[np.object_]]"
) -> float:
    """Length [m] to cut off a lane, so that vehicles at its end are not in the way."""
    # On a narrow street, vehicles of both directions drive on the same place anyway.
    is_aside = shapely.distance(shapely.get_point(ways, -1), lane) > _CLEARANCE
    others = shapely.GeometryCollection(list(ways[is_aside]))
    if others.is_empty:
        return 0.0
    steps: list[float] = np.arange(0.0, min(_MAX_WAY_BACK, lane.length / 2.0), 1.0).tolist()
    for distance in steps:
        end = lane.length - distance
        place = shapely.ops.substring(lane, end - _LENGTH, end)
        if (
            shapely.distance(lane.interpolate(end), others) >= _CLEARANCE
            and shapely.distance(place, others) >= _CLEARANCE / 2.0
        ):
            return distance
    return 0.0


def _ways_of_junctions(root: etree._Element) -> Iterator[_Ways]:
    shapes = _inner_shapes(root)
    for requests, links in requests_of_junctions(root):
        # Crosswalks come last: of those, netconvert knows all foes.
        links = [each for each in links if not each.get("from", "").startswith(":")]
        if len(requests) >= len(links) > 1:
            yield _Ways(requests, links, np.array([shapes[each.get("via", "")] for each in links]))


def requests_of_junctions(
    root: etree._Element,
) -> Iterator[tuple[Sequence[etree._Element], Sequence[etree._Element]]]:
    """The requests of each junction of a `<net>`, and their connections in the same order.

    Those of vehicles come first. That of a crosswalk is from a walking area to it.
    """
    starting: dict[str, list[etree._Element]] = defaultdict(list)
    entering: dict[str, etree._Element] = {}
    for each in root.iter("connection"):
        start = each.get("from", "")
        starting[_start_of(each)].append(each)
        if start.startswith(":"):
            entering[each.get("to", "")] = each
    crosswalks = {
        lane.get("id", ""): edge.get("id", "")
        for edge in root.iter("edge")
        if edge.get("function") == "crossing"
        for lane in edge.iter("lane")
    }
    for junction in root.iter("junction"):
        # Requests are in the order of the lanes into a junction, and of connections on each.
        lanes = [each for each in junction.get("incLanes", "").split() if each[0] != ":"]
        links = [each for lane in lanes for each in starting[lane] if _is_for_vehicles(each)]
        inner = [each for each in junction.get("intLanes", "").split() if each in crosswalks]
        links += [entering[crosswalks[each]] for each in inner]
        yield [*junction.iter("request")], links


def _is_for_vehicles(connection: etree._Element) -> bool:
    """Whether a connection does not lead to a walking area."""
    return not connection.get("to", "").startswith(":")


def _start_of(connection: etree._Element) -> str:
    """The name of the lane from which a connection leads."""
    return f"{connection.get('from')}_{connection.get('fromLane')}"


def _inner_shapes(root: etree._Element) -> dict[str, shapely.LineString]:
    """The whole way (line) through a junction from each lane at which one begins, by its name."""
    lines = {
        lane.get("id", ""): points_of(lane).tolist()
        for edge in root.iter("edge")
        if edge.get("function") == "internal"
        for lane in edge.iter("lane")
    }
    further = {
        _start_of(each): each.get("via", "")
        for each in root.iter("connection")
        if each.get("from", "").startswith(":") and each.get("via")
    }
    shapes = {"": shapely.LineString()}
    for name, line in lines.items():
        points, after = list(line), further.get(name)
        while after:
            points += lines[after]
            after = further.get(after)
        shapes[name] = shapely.LineString(points)
    return shapes


def _complete(ways: _Ways) -> int:
    requests, links = ways.requests, ways.links
    foes, responses = (_bits(requests, name) for name in ("foes", "response"))
    first, second = _crossing(ways.lines)
    is_missing = ~foes[first, second] & (ways.starts[first] != ways.starts[second])
    changed = set()
    for one, other in zip(first[is_missing].tolist(), second[is_missing].tolist(), strict=True):
        foes[one, other] = foes[other, one] = True
        if not responses[one, other] and not responses[other, one]:
            waiting, going = _ordered(one, other, links)
            responses[waiting, going] = True
            changed.add(waiting)
    for row, request in enumerate(requests):
        request.set("foes", _text(foes[row]))
        request.set("response", _text(responses[row]))
    for row in changed:
        if links[row].get("state") == "M":
            links[row].set("state", "m")
    return int(is_missing.sum())


def _crossing(shapes: "np.ndarray[tuple[int], np.dtype[np.object_]]") -> tuple[Integers, Integers]:
    """The pairs of ways that cross or touch, each once."""
    first, second = shapely.STRtree(shapes).query(shapes, predicate="intersects")
    is_ordered = first < second
    return first[is_ordered], second[is_ordered]


def _ordered(one: int, other: int, links: Sequence[etree._Element]) -> tuple[int, int]:
    """The link of two that waits, and the one that goes first."""
    return max(
        ((one, other), (other, one)),
        key=lambda pair: (
            links[pair[0]].get("state") != "M",
            _TURNS.get(links[pair[0]].get("dir", ""), 0),
            links[pair[1]].get("state") == "M",
            pair[0],
        ),
    )


def _bits(requests: Sequence[etree._Element], name: str) -> Booleans:
    """A matrix (links, links) of requests, whose texts count from right to left."""
    return np.array([[each == "1" for each in row.get(name, "")[::-1]] for row in requests])


def _text(row: Booleans) -> str:
    return "".join("1" if each else "0" for each in row[::-1].tolist())
