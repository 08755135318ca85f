"""Failing maps are made small by leaving out ways (delta debugging; Zeller, Hildebrandt 2002)."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
import osmium

from autosim.world.osm.osm_reader import read_osm
from tests.maps.trial import try_window
from tests.maps.windows import MapWindow

_T = TypeVar("_T")


def fewest(items: Sequence[_T], fails: Callable[[Sequence[_T]], bool], tries: int) -> list[_T]:
    """Few of the items, in order, with which `fails` still holds; it holds with all of them.

    After `tries` calls, what was found so far is returned; with enough of them, no single item can
    be left out.
    """
    kept, size, tried = list(items), len(items) // 2, 0
    while size:
        at, has_shrunk = 0, False
        while at < len(kept) and tried < tries:
            rest = kept[:at] + kept[at + size :]
            tried += 1
            if fails(rest):
                kept, has_shrunk = rest, True
            else:
                at += size
        if tried >= tries:
            break
        size = min(size, len(kept)) if has_shrunk and size == 1 else size // 2
    return kept


def shrunk(place: MapWindow, kind: str, target: Path, *, tries: int) -> int:
    """Writes a map with few ways of the window whose trial has the same finding; their number."""
    is_driven = kind not in _seen_without_drive(place)

    def fails(ways: Sequence[int]) -> bool:
        write_ways(place.path, target, frozenset(ways))
        trial = try_window(MapWindow(target, place.window, place.heights), is_driven=is_driven)
        return any(each.kind == kind for each in trial.findings)

    kept = fewest(_ways_near(place), fails, tries)
    write_ways(place.path, target, frozenset(kept))
    return len(kept)


def _seen_without_drive(place: MapWindow) -> frozenset[str]:
    return frozenset(each.kind for each in try_window(place, is_driven=False).findings)


def _ways_near(place: MapWindow) -> list[int]:
    """Ids of all ways with a node within a side of the middle of a window."""
    data = read_osm(place.path)
    reach = place.window.size / 60_000.0
    near = np.max(np.abs(data.places - place.window.centre), axis=1) < reach
    return [way.id for way in data.ways if near[data.rows(way.refs)].any()]


def write_ways(source: Path, target: Path, ways: frozenset[int]) -> None:
    """Copies these ways of a map, their nodes, and relations of which they are members."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    nodes: set[int] = set()
    for each in osmium.FileProcessor(str(source), osmium.osm.WAY):
        if each.id in ways:
            nodes.update(node.ref for node in each.nodes)
    with osmium.SimpleWriter(str(target)) as writer:
        for each in osmium.FileProcessor(str(source)):
            if each.is_node():
                if each.id in nodes:
                    writer.add_node(each)
            elif each.is_way():
                if each.id in ways:
                    writer.add_way(each)
            elif any(member.type == "w" and member.ref in ways for member in each.members):
                writer.add_relation(each)
