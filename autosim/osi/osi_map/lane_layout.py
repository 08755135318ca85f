"""The arrangement of a network for OSI: driving lanes, and junctions as one lane each.

OSI describes a junction as one lane of the type intersection, which pairs the lanes that lead into
it with those that lead out. So each driving lane has at most one lane before and after it.
"""

from collections import defaultdict
from dataclasses import dataclass

from autosim.osi.osi_values import IdKind, identifier
from autosim.world.export.carriageway_graph import CarriagewayLink, build_carriageway_graph
from autosim.world.lanes.roads import RoadNetwork


@dataclass(frozen=True, slots=True)
class LaneLayout:
    """Lanes and junctions of a network.

    `carriageways`: parallel lanes by index, from left to right, without the connectors that belong
    to junctions. `junctions`: the links through each, by its number. `joints`: links between lanes
    that touch, without a junction. `lane_ids` (n,): identifiers of the lanes of OSI in which the
    lanes of the network lie.
    """

    carriageways: tuple[tuple[int, ...], ...]
    junctions: dict[int, tuple[CarriagewayLink, ...]]
    joints: tuple[CarriagewayLink, ...]
    lane_ids: tuple[int, ...]

    @classmethod
    def of(cls, roads: RoadNetwork) -> "LaneLayout":
        """The layout of a network."""
        graph = build_carriageway_graph(roads)
        by_number: dict[int, list[CarriagewayLink]] = defaultdict(list)
        for link in graph.connections:
            by_number[link.junction].append(link)
        junctions, joints = {}, []
        lane_ids = [identifier(IdKind.LANE, lane) for lane in range(len(roads.lanes))]
        for number, links in by_number.items():
            if all(link.connector is None for link in links):
                joints += links
                continue
            junctions[number] = tuple(links)
            for link in links:
                if link.connector is not None:
                    lane_ids[link.connector] = identifier(IdKind.JUNCTION, number)
        carriageways = tuple(each.lanes for each in graph.carriageways)
        return cls(carriageways, junctions, tuple(joints), tuple(lane_ids))
