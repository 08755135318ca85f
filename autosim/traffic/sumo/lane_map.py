"""Maps positions on the lanes of SUMO to the lanes of the world, and vice versa."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from lxml import etree

from autosim.traffic.sumo.plain_files import ends_of
from autosim.traffic.sumo.sumo_network import SumoNetwork


class LaneStretch(NamedTuple):
    """A lane of SUMO on a lane of the world.

    The station [m] on `lane` is the position in SUMO times `scale` plus `shift` [m]. `name` and
    `length` [m] are those of SUMO's lane.
    """

    lane: int
    scale: float
    shift: float
    name: str
    length: float


class LaneMap:
    """The lanes of SUMO and those of the world.

    Args:
        network: the network.
        root: the `<net>` that netconvert has built of it.
    """

    def __init__(self, network: SumoNetwork, root: etree._Element) -> None:
        self._lengths = {
            each.get("id", ""): float(each.get("length", "")) for each in root.iter("lane")
        }
        self._of_sumo: dict[str, LaneStretch] = {}
        self._of_world: dict[int, list[LaneStretch]] = defaultdict(list)
        inside = _lanes_inside(root)
        for each in (
            *self._on_edges(network),
            *self._in_junctions(network, inside),
            *self._within_loops(network, inside),
        ):
            self._of_sumo.setdefault(each.name, each)
            self._of_world[each.lane].append(each)

    def stretch(self, name: str) -> LaneStretch | None:
        """The lane of the world under a lane of SUMO; None where there is none."""
        return self._of_sumo.get(name)

    def place(self, lane: int, station: float) -> tuple[str, float]:
        """The lane of SUMO, and the position [m] on it, of a station [m] on a lane of the world."""
        stretches = [each for each in self._of_world[lane] if each.scale > 0.0]
        chosen = next(
            (each for each in stretches if station <= each.shift + each.scale * each.length),
            stretches[-1],
        )
        position = (station - chosen.shift) / chosen.scale
        return chosen.name, min(max(position, 0.0), chosen.length)

    def _on_edges(self, network: SumoNetwork) -> Iterator[LaneStretch]:
        for edge, names in enumerate(network.edges):
            for place, lane in enumerate(network.lanes_of(edge)):
                part = network.roads.lanes[lane].length / len(names)
                for number, name in enumerate(names):
                    yield self._stretch(f"{name}_{place}", lane, part, number * part)

    def _within_loops(
        self, network: SumoNetwork, inside: Mapping[tuple[str, ...], Sequence[str]]
    ) -> Iterator[LaneStretch]:
        """The lanes between the two edges of a street that leads back to its own junction."""
        for edge, names in enumerate(network.edges):
            for place, lane in enumerate(network.lanes_of(edge)):
                part = network.roads.lanes[lane].length / len(names)
                for number, ends in enumerate(pairwise(names), start=1):
                    for name in inside.get((*ends, str(place), str(place)), ()):
                        yield LaneStretch(lane, 0.0, number * part, name, self._lengths[name])

    def _in_junctions(
        self, network: SumoNetwork, inside: Mapping[tuple[str, ...], Sequence[str]]
    ) -> Iterator[LaneStretch]:
        for links in network.junctions.values():
            for link in links:
                names = inside.get(tuple(ends_of(network, link).values()), ())
                connector = link.connection.connector
                if connector is None:
                    # A way between two lanes that touch is the beginning of the second.
                    for name in names:
                        yield LaneStretch(link.connection.end, 0.0, 0.0, name, self._lengths[name])
                    continue
                # A way within a junction is divided where vehicles wait.
                total = sum(self._lengths[name] for name in names)
                length, before = network.roads.lanes[connector].length, 0.0
                for name in names:
                    share = self._lengths[name] / total * length
                    yield self._stretch(name, connector, share, before)
                    before += share

    def _stretch(self, name: str, lane: int, metres: float, shift: float) -> LaneStretch:
        length = self._lengths[name]
        return LaneStretch(lane, metres / length, shift, name, length)


def _lanes_inside(root: etree._Element) -> Mapping[tuple[str, ...], Sequence[str]]:
    """The lanes within the junction of each connection, by what it connects as in `ends_of`."""
    found: dict[tuple[str, ...], list[str]] = {}
    further: dict[str, str] = {}
    for each in root.iter("connection"):
        start, via = each.get("from", ""), each.get("via")
        if via and start.startswith(":"):
            further[f"{start}_{each.get('fromLane')}"] = via
        elif via:
            key = (start, each.get("to", ""), each.get("fromLane", ""), each.get("toLane", ""))
            found[key] = [via]
    for names in found.values():
        while names[-1] in further:
            names.append(further[names[-1]])
    return found
