"""The reader of plain files, by libosmium (pyosmium). Its peculiarities end here.

Some damaged files crash libosmium, so it is imported, and reads, in a separate process.
"""

from collections.abc import Collection, Iterable
from functools import partial
from pathlib import Path
from sys import intern
from typing import Protocol, cast

from autosim.config.diagnostics import Diagnostic
from autosim.isolated_reader import run_isolated
from autosim.world.osm.osm_data import (
    MAX_NODES,
    OsmContent,
    OsmData,
    OsmNode,
    OsmRelation,
    OsmWay,
    are_members_kept,
)

_MEMBER_TYPES = {"n": "node", "w": "way", "r": "relation"}


class _Location(Protocol):
    """The used part of `osmium.osm.Location`."""

    lat: float
    lon: float

    def valid(self) -> bool: ...

    def lat_without_check(self) -> float: ...

    def lon_without_check(self) -> float: ...


class _Box(Protocol):
    """The used part of `osmium.osm.Box`."""

    bottom_left: _Location
    top_right: _Location

    def valid(self) -> bool: ...


class _Reference(Protocol):
    """A node of a way or a member of a relation; ways have no types and roles."""

    ref: int
    type: str
    role: str


class _Item(Protocol):
    """The used part of libosmium's nodes, ways and relations; each has the fields of its kind."""

    deleted: bool
    id: int
    tags: Collection[tuple[str, str]]
    location: _Location
    nodes: Iterable[_Reference]
    members: Iterable[_Reference]

    def is_node(self) -> bool: ...

    def is_way(self) -> bool: ...

    def is_relation(self) -> bool: ...


class LibosmiumError(Exception):
    """libosmium cannot read this file; the message is its own."""


def read_by_libosmium(path: Path) -> OsmData:
    """Reads any format libosmium knows.

    Raises:
        LibosmiumError: libosmium refuses the file.
        IsolatedReaderError: libosmium died of it.
    """
    return run_isolated(partial(_read, path))


def _read(path: Path) -> OsmData:
    """The content of a file.

    Node places are gathered here and not by `with_locations`, which knows no negative ids and no
    nodes that come after their ways.
    """
    import osmium

    content = OsmContent()
    try:
        processor = osmium.FileProcessor(str(path))
        content.bounds = _bounds(processor.header.box())
        for item in cast(Iterable[_Item], processor):
            _add(content, item, path)
            if len(content.ids) > MAX_NODES:
                raise LibosmiumError(f"more than {MAX_NODES} nodes")
    except (RuntimeError, ValueError, OSError, osmium.InvalidLocationError) as fault:
        raise LibosmiumError(str(fault)) from fault
    return content.finish()


def _bounds(box: _Box) -> tuple[float, float, float, float] | None:
    if not box.valid():
        return None
    low, high = box.bottom_left, box.top_right
    return (low.lat, low.lon, high.lat, high.lon)


def _add(content: OsmContent, item: _Item, path: Path) -> None:
    if item.deleted:
        return
    if item.is_node():
        _add_node(content, item, path)
    elif item.is_way():
        refs = tuple([node.ref for node in item.nodes])
        content.ways.append(OsmWay(item.id, refs, _tags(item)))
    elif item.is_relation():
        tags = _tags(item)
        content.relations.append(OsmRelation(item.id, _members(item, tags), tags))


def _add_node(content: OsmContent, item: _Item, path: Path) -> None:
    place = item.location
    if place.valid():
        number, latitude, longitude = item.id, place.lat_without_check(), place.lon_without_check()
        content.add_place(number, latitude, longitude)
        if len(item.tags):
            content.tagged_nodes.append(OsmNode(number, latitude, longitude, _tags(item)))
        return
    message = f"node {item.id} has no valid latitude and longitude; left out"
    content.findings.append(Diagnostic(path, 0, "warning", message))


def _tags(item: _Item) -> dict[str, str]:
    # Tags are few words, many times: as one string each they pickle faster.
    return {intern(key): intern(value) for key, value in item.tags}


def _members(item: _Item, tags: dict[str, str]) -> tuple[tuple[str, int, str], ...]:
    if not are_members_kept(tags):
        return ()
    return tuple([(_MEMBER_TYPES[m.type], m.ref, intern(m.role)) for m in item.members])
