"""Accounts for every object of a map: it is in the world, or there is a reason why it is not.

This module repeats by tags what the steps of the pipeline look for. So it can name a reason for
every object, not only for the objects that a step rejects.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Booleans, Floats
from autosim.world.geometry.extent import Box
from autosim.world.osm.areas import is_building, is_green, is_water
from autosim.world.osm.osm_data import OsmData, OsmRelation, OsmWay
from autosim.world.osm.restriction_relations import is_restriction
from autosim.world.osm.tags import Tags
from autosim.world.scenery.scenery_tags import is_line_scenery, is_point_scenery
from autosim.world.streets.pavings import is_path, is_paved_area
from autosim.world.streets.sea import is_coast

Counts = tuple[tuple[str, int], ...]

AREAS: tuple[Callable[[Tags], bool], ...] = (is_building, is_water, is_green, is_paved_area)
"""The kinds of areas that the pipeline builds."""

RESTRICTIONS = "turn restrictions"
"""Name of the restrictions in an account that the lanes respect."""

_SAY_NOTHING = frozenset({"source", "created_by", "note", "fixme", "FIXME", "attribution", "type"})
_MAIN_KEYS = (
    "highway",
    "railway",
    "aeroway",
    "waterway",
    "building",
    "building:part",
    "barrier",
    "power",
    "natural",
    "landuse",
    "leisure",
    "amenity",
    "shop",
    "tourism",
    "man_made",
    "place",
    "boundary",
)


@dataclass(frozen=True, slots=True)
class Account:
    """Numbers of objects of a map in the world, and of the others.

    Attributes:
        used: numbers of "nodes", "ways" and "relations" in the world. `RESTRICTIONS` is the number
            of these relations that are turn restrictions.
        ignored: numbers of the others by kind and reason ("ways: highway=footway"), most frequent
            first.
    """

    used: Counts
    ignored: Counts


def account_for(
    data: OsmData,
    points: Floats,
    *,
    box: Box,
    highways: frozenset[str],
    restrictions: Mapping[int, str],
) -> Account:
    """Accounts for every object of a map.

    Args:
        data: the map.
        points: (n, 2) places of its nodes in W [m].
        box: the ground's box in W [m].
        highways: the values of `highway` that are built.
        restrictions: for each turn restriction "", or the reason why the lanes do not respect it.
    """
    touched = _touched(data, points, box)
    near = {way.id: is_near for way, is_near in zip(data.ways, touched, strict=True)}
    relations = [
        restrictions.get(each.id, "") if is_restriction(each.tags) else _relation_reason(each, near)
        for each in data.relations
    ]
    members = _members(data.relations, relations)
    ways = [
        "" if way.id in members else _way_reason(way, is_near, highways)
        for way, is_near in zip(data.ways, touched, strict=True)
    ]
    nodes = _node_reasons(data, points, box, ways)
    ignored = Counter({"ways: nodes are missing in the file": data.incomplete_ways})
    ignored.update(f"ways: {reason}" for reason in ways if reason)
    ignored.update(f"relations: {reason}" for reason in relations if reason)
    ignored.update({f"nodes: {reason}": count for reason, count in nodes.items() if reason})
    used = [
        ("nodes", nodes[""]),
        ("ways", ways.count("")),
        ("relations", relations.count("")),
    ]
    respected = sum(not reason for reason in restrictions.values())
    if respected:
        used.append((RESTRICTIONS, respected))
    return Account(tuple(used), tuple((name, n) for name, n in ignored.most_common() if n))


def _touched(data: OsmData, points: Floats, box: Box) -> list[bool]:
    """Whether the box around each way meets the world's box."""
    counts = np.array([len(way.refs) for way in data.ways], dtype=np.int64)
    touched = np.zeros(len(counts), dtype=np.bool_)
    if counts.sum():
        places = points[data.rows(tuple(ref for way in data.ways for ref in way.refs))]
        filled = counts > 0
        starts = (np.cumsum(counts) - counts)[filled]
        low = np.minimum.reduceat(places, starts)
        high = np.maximum.reduceat(places, starts)
        touched[filled] = ((high >= box[:2]) & (low <= box[2:])).all(axis=1)
    result: list[bool] = touched.tolist()
    return result


def _way_reason(way: OsmWay, is_near: bool, highways: frozenset[str]) -> str:
    """The reason why a way is not in the world, "" if it is."""
    tags = way.tags
    is_street = tags.get("highway") in highways and tags.get("area") != "yes"
    is_area = any(is_kind(tags) for is_kind in AREAS)
    is_line = is_line_scenery(tags) or is_coast(tags) or is_path(tags)
    if not (is_street or is_area or is_line):
        return main_tag(tags)
    if len(way.refs) < 2:
        return "fewer than two nodes"
    if not is_near:
        return "beyond the window"
    if is_street:
        return ""
    if is_line:
        return ""
    is_ring = len(way.refs) > 3 and way.refs[0] == way.refs[-1]
    return "" if is_ring else "areas whose ring is not closed"


def _relation_reason(relation: OsmRelation, near: Mapping[int, bool]) -> str:
    """The reason why a relation is not in the world, "" if it is; `near` tells which ways are."""
    relation_type = relation.tags.get("type", "")
    if relation_type != "multipolygon":
        return f"type={relation_type}" if relation_type else "no type"
    if not any(is_kind(relation.tags) for is_kind in AREAS):
        return f"multipolygon, {main_tag(relation.tags)}"
    members = [near[ref] for kind, ref, _ in relation.members if kind == "way" and ref in near]
    if not members:
        return "multipolygon without a member in the file"
    return "" if any(members) else "beyond the window"


def _members(relations: Sequence[OsmRelation], reasons: Sequence[str]) -> frozenset[int]:
    """The ids of the ways that belong to areas in the world."""
    return frozenset(
        ref
        for relation, reason in zip(relations, reasons, strict=True)
        if not reason and not is_restriction(relation.tags)
        for kind, ref, _ in relation.members
        if kind == "way"
    )


def _node_reasons(data: OsmData, points: Floats, box: Box, ways: Sequence[str]) -> Counter[str]:
    """The number of nodes for each reason, "" for nodes in the world."""
    used = _flagged(data, [w for w, reason in zip(data.ways, ways, strict=True) if not reason])
    of_ways = _flagged(data, [w for w, reason in zip(data.ways, ways, strict=True) if reason])
    inside = np.asarray(((points >= box[:2]) & (points <= box[2:])).all(axis=1))
    reasons: Counter[str] = Counter()
    single: Booleans = np.asarray(~(used | of_ways))
    rows = data.rows(tuple(node.id for node in data.tagged_nodes)).tolist()
    for node, row in zip(data.tagged_nodes, rows, strict=True):
        if not single[row]:
            continue
        single[row] = False
        reasons[_single_reason(node.tags, bool(inside[row]))] += 1
    reasons["of ways that are not used"] = int((of_ways & ~used).sum())
    reasons["no tags and in no way"] = int(single.sum())
    reasons[""] += int(used.sum())
    return reasons


def _single_reason(tags: Tags, is_inside: bool) -> str:
    if "filePath" not in tags and not is_point_scenery(tags):
        return main_tag(tags)
    return "" if is_inside else "beyond the window"


def _flagged(data: OsmData, ways: Sequence[OsmWay]) -> Booleans:
    """Whether each node (n,) belongs to one of some ways."""
    flags = np.zeros(len(data.node_ids), dtype=np.bool_)
    flags[data.rows(tuple(ref for way in ways for ref in way.refs))] = True
    return flags


def main_tag(tags: Tags) -> str:
    """The tag that says best what an object is: `highway` with its value, else a key alone."""
    for key in _MAIN_KEYS:
        if key in tags:
            return f"{key}={tags[key]}" if key == "highway" else key
    keys = sorted(key for key in tags if key not in _SAY_NOTHING)
    return "other tags" if keys else "no tags"
