"""Turns the segments of OSM 0.4 into the ways of later versions.

Until 2007 a way listed segments, each from one node to another, in any order. Each run of segments
that follow each other is a way as we know it; nothing is turned around or sorted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autosim.world.osm.osm_data import OsmWay
from autosim.world.osm.osm_structure import MOST_LISTED


@dataclass(frozen=True, slots=True)
class SegmentedWay:
    """A way of version 0.4; `segments` are the ids of its segments.

    Attributes:
        id: id of the way.
        tags: tags of the way.
        line: line in the file, from 1 on.
    """

    id: int
    segments: tuple[int, ...]
    tags: dict[str, str]
    line: int


class Segments:
    """The segments and the ways of a file, gathered in any order.

    `nodes` are the two nodes of each segment, by its id; `ways` are as the file has them.
    """

    def __init__(self) -> None:
        self.nodes: dict[int, tuple[int, int]] = {}
        self.ways: list[SegmentedWay] = []

    def findings(self) -> list[tuple[int, str]]:
        """Line and message of the ways that are left out or divided, and of loose segments."""
        found = list(self._faults())
        rest = len(found) - MOST_LISTED
        found = found[:MOST_LISTED]
        if rest > 0:
            found.append((0, f"{rest} more ways have faults in their segments"))
        used = {each for way in self.ways for each in way.segments}
        loose = sum(each not in used for each in self.nodes)
        if loose:
            found.append((0, f"{loose} segments belong to no way; left out"))
        return found

    def _faults(self) -> Iterator[tuple[int, str]]:
        for way in self.ways:
            missing = sum(each not in self.nodes for each in way.segments)
            parts = 0 if missing else len(_runs(way, self.nodes))
            if missing:
                count = len(way.segments)
                text = f"{missing} of its {count} segments are not in the file; left out"
                yield way.line, f"way {way.id}: {text}"
            elif parts > 1:
                text = f"its segments do not follow each other; read as {parts} ways"
                yield way.line, f"way {way.id}: {text}"

    def as_ways(self) -> list[OsmWay]:
        """The ways by nodes. Of a divided way the first part has its id, the others new ones."""
        found: list[OsmWay] = []
        lowest = min([0, *(way.id for way in self.ways)])
        for way in self.ways:
            if any(each not in self.nodes for each in way.segments):
                continue
            for part, refs in enumerate(_runs(way, self.nodes)):
                lowest -= part > 0
                found.append(OsmWay(lowest if part else way.id, refs, way.tags))
        return found


def _runs(way: SegmentedWay, nodes: dict[int, tuple[int, int]]) -> Sequence[tuple[int, ...]]:
    """The nodes of each run of segments that begin where the one before ends."""
    runs: list[list[int]] = []
    for start, end in (nodes[each] for each in way.segments):
        if runs and runs[-1][-1] == start:
            runs[-1].append(end)
        else:
            runs.append([start, end])
    return [tuple(run) for run in runs]
