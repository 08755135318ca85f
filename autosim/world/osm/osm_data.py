"""The content of an OpenStreetMap file, the same for every format.

Nodes are arrays, because there are many, and most have only a place. Ways and relations are small
records. Nothing here is projected or judged.
"""

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.config.diagnostics import Diagnostic

MAX_NODES = 20_000_000
"""Largest number of nodes of a map: more are a country, and fill the memory."""


@dataclass(frozen=True, slots=True)
class OsmNode:
    """A node that carries tags; `latitude`, `longitude` [deg], WGS 84."""

    id: int
    """Id in the map."""
    latitude: float
    longitude: float
    tags: dict[str, str]


@dataclass(frozen=True, slots=True)
class OsmWay:
    """A way; `refs` are the ids of its nodes, in order."""

    id: int
    """Id in the map."""
    refs: tuple[int, ...]
    tags: dict[str, str]
    """Tags by key."""


@dataclass(frozen=True, slots=True)
class OsmRelation:
    """A relation; `members` are (type, id, role) with type "node", "way" or "relation".

    Only relations with `are_members_kept` have members: a bus route may have thousands.
    """

    id: int
    members: tuple[tuple[str, int, str], ...]
    tags: dict[str, str]
    """Tags by key."""


def are_members_kept(tags: dict[str, str]) -> bool:
    """Whether a relation with these tags is an area or a turn restriction."""
    return tags.get("type", "").split(":")[0] in ("multipolygon", "restriction")


@dataclass(slots=True)
class OsmContent:
    """Content that a reader is still gathering; `finish` makes the lasting `OsmData`."""

    ids: "array[int]" = field(default_factory=lambda: array("q"))
    """Of the nodes."""
    latitudes: "array[float]" = field(default_factory=lambda: array("d"))
    """Latitudes of the nodes [deg]."""
    longitudes: "array[float]" = field(default_factory=lambda: array("d"))
    """Longitudes of the nodes [deg]."""
    tagged_nodes: list[OsmNode] = field(default_factory=list)
    """Nodes with tags."""
    ways: list[OsmWay] = field(default_factory=list)
    """Ways."""
    relations: list[OsmRelation] = field(default_factory=list)
    """Relations."""
    bounds: tuple[float, float, float, float] | None = None
    """Bounds of the file: south, west, north, east [deg]."""
    findings: list[Diagnostic] = field(default_factory=list)
    """Faults of the file."""

    def add_node(self, node: OsmNode) -> None:
        """Keeps a node's place, and its tags if it has any."""
        self.add_place(node.id, node.latitude, node.longitude)
        if node.tags:
            self.tagged_nodes.append(node)

    def add_place(self, number: int, latitude: float, longitude: float) -> None:
        """Keeps the place [deg] of the node with that number: most nodes say no more."""
        self.ids.append(number)
        self.latitudes.append(latitude)
        self.longitudes.append(longitude)

    def add_places(self, numbers: Integers, latitudes: Floats, longitudes: Floats) -> None:
        """Keeps the places [deg] of nodes, each (n,)."""
        self.ids.frombytes(numbers.tobytes())
        self.latitudes.frombytes(latitudes.tobytes())
        self.longitudes.frombytes(longitudes.tobytes())

    def finish(self) -> "OsmData":
        """The content with its nodes sorted by id; of two nodes with one id the later counts."""
        ids = np.array(self.ids, dtype=np.int64)
        places = np.column_stack(
            [
                np.array(self.latitudes, dtype=np.float64),
                np.array(self.longitudes, dtype=np.float64),
            ]
        ).reshape(-1, 2)
        unique, last = np.unique(ids[::-1], return_index=True)
        return OsmData(
            node_ids=unique,
            places=places[::-1][last],
            tagged_nodes=tuple(self.tagged_nodes),
            ways=tuple(self.ways),
            relations=tuple(self.relations),
            bounds=self.bounds,
            findings=tuple(self.findings),
        )


@dataclass(frozen=True, slots=True)
class OsmData:
    """A map as read.

    node_ids: (n,) int64, ascending; places: (n, 2) float64, latitude and longitude [deg].
    `bounds` is the file's own (south, west, north, east) [deg], if it has one. `findings` are the
    faults of the file; with an error among them the rest must not be used. `incomplete_ways` is the
    number of ways left out because the file lacks nodes of theirs.
    """

    node_ids: Integers
    places: Floats
    tagged_nodes: tuple[OsmNode, ...]
    """Nodes with tags."""
    ways: tuple[OsmWay, ...]
    relations: tuple[OsmRelation, ...]
    """Relations."""
    bounds: tuple[float, float, float, float] | None
    findings: tuple[Diagnostic, ...]
    incomplete_ways: int = 0

    def __reduce__(self) -> tuple[Callable[..., "OsmData"], tuple[object, ...]]:
        """Pickles by columns, which is faster than by records."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        for name, kind in _RECORDS.items():
            values[name] = [
                [getattr(record, each.name) for record in values[name]] for each in fields(kind)
            ]
        return _of_columns, (values,)

    def rows(self, refs: tuple[int, ...]) -> Integers:
        """Rows (len(refs),) of `places` for node ids; -1 where the file has no such node."""
        wanted = np.array(refs, dtype=np.int64)
        if not len(self.node_ids):
            return np.full(len(wanted), -1, dtype=np.int64)
        rows = np.minimum(np.searchsorted(self.node_ids, wanted), len(self.node_ids) - 1)
        return np.where(self.node_ids[rows] == wanted, rows, -1).astype(np.int64)


_RECORDS = MappingProxyType({"tagged_nodes": OsmNode, "ways": OsmWay, "relations": OsmRelation})


def _of_columns(values: dict[str, Any]) -> OsmData:
    """The data from the columns of its records."""
    records = {name: tuple(map(kind, *values[name])) for name, kind in _RECORDS.items()}
    return OsmData(**(values | records))
