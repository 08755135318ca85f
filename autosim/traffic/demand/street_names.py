"""The streets of a world by their names: one for each direction.

Names are those that netconvert gives edges: the id of the OSM way, `-` against it, and `#` its
part, as ways are split at junctions. A street of several ways has the name of the first, and one
that the map does not name is called after its number.
"""

import re
from collections import defaultdict

from autosim.config.diagnostics import printable
from autosim.config.reading.attribute_values import suggestion
from autosim.world.export.carriageway_graph import CarriagewayGraph, build_carriageway_graph
from autosim.world.lanes.roads import RoadNetwork

_WAY = re.compile(r"(-?)([0-9]{1,19})(#-?[0-9]+)?")
"""A name that states an OSM way, with the part that another program has split off."""


LOOP_ENDING = ".loop"
"""Ending of the name that the second half of a street has in SUMO if the street leads back to the
junction at which it begins."""


class UnknownEdgeError(Exception):
    """An edge name is unknown; the message contains the closest known one."""


def edge_names(roads: RoadNetwork, layout: CarriagewayGraph) -> tuple[str, ...]:
    """The names (carriageways,) of the edges."""
    parts = _streets_of_ways(roads)
    names: list[str] = []
    taken: dict[str, int] = defaultdict(int)
    for each in layout.carriageways:
        lane = roads.lanes[each.lanes[0]]
        name = f"street{lane.road}"
        if lane.ways:
            way, along = lane.ways[0]
            streets = parts[way]
            name = f"{'' if along else '-'}{way}"
            if len(streets) > 1:
                name += f"#{streets.index(lane.road)}"
        taken[name] += 1
        names.append(name if taken[name] == 1 else f"{name}.{taken[name]}")
    return tuple(names)


def _streets_of_ways(roads: RoadNetwork) -> dict[int, list[int]]:
    """The streets of each OSM way, in the way's own direction.

    Streets are numbered along their ways or against them, and the first lane of each tells which.
    """
    found: dict[int, dict[int, bool]] = defaultdict(dict)
    for lane in roads.lanes:
        for way, along in lane.ways:
            found[way].setdefault(lane.road, along)
    return {
        way: sorted(streets, key=lambda street: street if streets[street] else -street)
        for way, streets in found.items()
    }


class StreetNames:
    """The streets of a network, numbered as edges.

    `layout`: their lanes; `names` of the edges.
    """

    def __init__(self, roads: RoadNetwork) -> None:
        self._roads, self.layout = roads, build_carriageway_graph(roads)
        self.names = edge_names(roads, self.layout)
        self._numbers = {name: edge for edge, name in enumerate(self.names)}
        self._of_ways = self._edges_of_ways(roads)

    def _edges_of_ways(self, roads: RoadNetwork) -> dict[tuple[int, bool], list[int]]:
        found: dict[tuple[int, bool], list[int]] = defaultdict(list)
        for edge, each in enumerate(self.layout.carriageways):
            for part in roads.lanes[each.lanes[0]].ways:
                found[part].append(edge)
        # Streets are numbered along their ways or against them: their names tell.
        order = {
            street: place
            for each in _streets_of_ways(roads).values()
            for place, street in enumerate(each)
        }
        for edges in found.values():
            edges.sort(key=lambda edge: order[self.street_of(edge)])
        return found

    def knows(self, name: str) -> bool:
        """Whether an edge has that very name."""
        return name in self._numbers

    def named(self, name: str) -> list[int]:
        """The edge of a name; of an OSM way all, in its own direction.

        Raises:
            UnknownEdgeError: there is none.
        """
        return [self._numbers[name]] if name in self._numbers else self.on_way_of(name)

    def on_way_of(self, name: str) -> list[int]:
        """The edges on the OSM way that a name states, whatever part of it, in its own direction.

        Raises:
            UnknownEdgeError: there is none.
        """
        stated = _WAY.fullmatch(name)
        if stated:
            way, is_along = int(stated[2]), not stated[1]
            if (way, is_along) in self._of_ways:
                return self._of_ways[way, is_along]
            if (way, not is_along) in self._of_ways:
                raise UnknownEdgeError(f"way {way} has no lane in the direction of '{name}'")
        elif name in self._numbers:
            return [self._numbers[name]]
        shown = printable(name)
        raise UnknownEdgeError(f"there is no street '{shown}'{suggestion(name, self._near(name))}")

    def part_of(self, name: str) -> int:
        """The edge that is most likely the part of an OSM way that another program means.

        Raises:
            UnknownEdgeError: there is none.
        """
        edges, stated = self.on_way_of(name), _WAY.fullmatch(name)
        part = int(stated[3][1:]) if stated and stated[3] else 0
        return edges[min(max(part, 0), len(edges) - 1)]

    def _near(self, name: str) -> list[str]:
        """The names that begin alike, as all of them are too many to compare."""
        for length in range(len(name) - 1, 0, -1):
            found = [each for each in self.names if each.startswith(name[:length])]
            if found:
                return found
        return list(self.names)

    def street_of(self, edge: int) -> int:
        """The number of the street of an edge."""
        return int(self._roads.roads[self.first_lane_of(edge)])

    def first_lane_of(self, edge: int) -> int:
        """The first lane of an edge."""
        return int(self.layout.carriageways[edge].lanes[0])
