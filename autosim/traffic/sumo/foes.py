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
from lxml import etree

from autosim.arrays import Booleans, Integers

_TURNS = {"s": 0, "l": 1, "r": 1, "L": 1, "R": 1, "t": 2, "T": 2}
"""Rank of each direction of a connection among ways that meet without a rule: those straight on go
before turns, and turns before vehicles that turn round."""


_CLEARANCE = 1.8
"""Distance [m] between the end of a lane and a way past it: the width of a car."""


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


def edges_in_the_way(root: etree._Element) -> set[str]:
    """The edges of a `<net>` that end where vehicles of other edges pass within the junction."""
    found: set[str] = set()
    for ways in _ways_of_junctions(root):
        ends = shapely.get_point(ways.lines, 0)
        near = shapely.distance(ends[:, None], ways.lines[None, :]) < _CLEARANCE
        near &= ways.starts[:, None] != ways.starts[None, :]
        found.update(ways.starts[near.any(axis=1)].tolist())
    return found


def _ways_of_junctions(root: etree._Element) -> Iterator[_Ways]:
    shapes = _inner_shapes(root)
    starting: dict[str, list[etree._Element]] = defaultdict(list)
    for each in root.iter("connection"):
        starting[f"{each.get('from')}_{each.get('fromLane')}"].append(each)
    for junction in root.iter("junction"):
        requests = [*junction.iter("request")]
        # Requests are in the order of the lanes into a junction, and of connections on each.
        links = [each for lane in junction.get("incLanes", "").split() for each in starting[lane]]
        if len(requests) == len(links) > 1:
            yield _Ways(requests, links, np.array([shapes[each.get("via", "")] for each in links]))


def _inner_shapes(root: etree._Element) -> dict[str, shapely.LineString]:
    """The whole way (line) through a junction from each lane at which one begins, by its name."""
    lines = {
        lane.get("id", ""): [
            [float(number) for number in point.split(",")[:2]]
            for point in lane.get("shape", "").split()
        ]
        for edge in root.iter("edge")
        if edge.get("function") == "internal"
        for lane in edge.iter("lane")
    }
    further = {
        f"{each.get('from')}_{each.get('fromLane')}": each.get("via", "")
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
