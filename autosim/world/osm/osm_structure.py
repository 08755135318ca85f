"""Faults in the structure of a map: missing parts, rings that do not close."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from autosim.config.diagnostics import Diagnostic
from autosim.world.osm.highways import BUILT_IN
from autosim.world.osm.osm_data import OsmData, OsmRelation, OsmWay

MOST_LISTED = 50
"""Largest number of findings of one kind that are listed: a reader sees the pattern in fewer."""

_STREETS = (*BUILT_IN, "raceway")
"""Values of `highway` of streets; race tracks only where the map's set-up file includes them."""

_PATHS = ("footway", "path", "cycleway", "pedestrian", "steps", "bridleway")
"""The values of `highway` of which a world can be made that has no street."""


def structure_findings(data: OsmData, path: Path) -> list[Diagnostic]:
    """Warnings about the structure of a map: at most 50 of each kind, and the number of others.

    Args:
        data: the map.
        path: its file, for the messages.
    """
    checks: tuple[Callable[[OsmData], Iterator[str]], ...] = (_short_ways, _broken_areas)
    messages = []
    for check in checks:
        found = list(check(data))
        messages += found[:MOST_LISTED]
        if len(found) > MOST_LISTED:
            messages.append(f"{len(found) - MOST_LISTED} more like this: {found[-1]}")
    if not any(way.tags.get("highway") in _STREETS for way in data.ways):
        has_paths = any(way.tags.get("highway") in _PATHS for way in data.ways)
        messages.append(
            "there is no street in this map, only paths: its world has no lanes and no traffic"
            if has_paths
            else "there is no street in this map, and no world can be made of it"
        )
    return [Diagnostic(path, 0, "warning", message) for message in messages]


def _short_ways(data: OsmData) -> Iterator[str]:
    for way in data.ways:
        if len(way.refs) < 2:
            yield f"way {way.id}: {len(way.refs)} nodes; a way has two or more; ignored"


def _broken_areas(data: OsmData) -> Iterator[str]:
    ways = {way.id: way for way in data.ways}
    for relation in data.relations:
        if relation.tags.get("type") == "multipolygon":
            yield from _area_faults(relation, ways)


def _area_faults(relation: OsmRelation, ways: Mapping[int, OsmWay]) -> Iterator[str]:
    wanted = [ref for kind, ref, _ in relation.members if kind == "way"]
    missing = [ref for ref in wanted if ref not in ways]
    if missing:
        yield (
            f"relation {relation.id}: {len(missing)} of its {len(wanted)} ways are not in the "
            f"file (way {missing[0]} …); the area is made of the rest"
        )
        return
    ends = Counter(
        node
        for ref in wanted
        if len(ways[ref].refs) > 1
        for node in (ways[ref].refs[0], ways[ref].refs[-1])
    )
    loose = [node for node, count in ends.items() if count % 2]
    if loose or not ends:
        where = f" (open at node {loose[0]})" if loose else ""
        yield f"relation {relation.id}: its rings do not close{where}; ignored where they do not"
