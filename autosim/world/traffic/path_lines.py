"""The middle lines of paths, who may use them, and the rings of squares."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import shapely

from autosim.arrays import Booleans, Floats, Integers
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.compiled.paths import PathKind, Paths, Users, no_paths
from autosim.world.geometry import overlays
from autosim.world.geometry.extent import Box
from autosim.world.geometry.polylines import Polylines
from autosim.world.osm.areas import find_areas
from autosim.world.osm.osm_data import OsmData, OsmWay
from autosim.world.osm.tags import Tags
from autosim.world.streets.pavings import is_path, is_square, path_width

_SPACING = 4.0
"""Distance [m] between points of a path, at most: their heights follow the ground."""

_SHORTEST = 0.05
"""Length [m] below which a path is a slip of the map."""

_KINDS: Mapping[str, PathKind] = {
    "pedestrian": PathKind.PEDESTRIAN,
    "footway": PathKind.FOOTWAY,
    "steps": PathKind.STEPS,
    "cycleway": PathKind.CYCLEWAY,
    "path": PathKind.PATH,
    "bridleway": PathKind.PATH,
}
"""By `highway`."""

_ALLOWED = frozenset({"yes", "designated", "permissive", "official", "destination", "customers"})
"""Values of `foot` and `bicycle` that permit general use."""

_BARRED = frozenset({"no", "private", "dismount", "use_sidepath", "permit", "military"})

_USUAL: Mapping[str, Users] = {
    "cycleway": Users.BICYCLE,
    "path": Users.FOOT | Users.BICYCLE,
}
"""Users of a path by its `highway` by default; pedestrians use all others."""


def find_path_lines(data: OsmData, points: Floats, box: Box, ground: GroundIndex) -> Paths:
    """All paths and squares on the ground.

    Args:
        data: the map.
        points: (n, 2) places of its nodes in W [m].
        box: that of the ground; what lies beyond is left out.
        ground: tells the heights; a path ends where there is none.
    """
    chosen = [
        (way, users)
        for way in data.ways
        if len(way.refs) > 1 and is_path(way.tags) and (users := users_of(way.tags))
    ]
    rows = [_in_direction(data.rows(way.refs), way, users) for way, users in chosen]
    of, nodes = _parts(rows, points, box)
    squares = _squares(data, points, box)
    if not len(nodes):
        return squares
    lines = Polylines.of([points[each] for each in nodes]).without_repeats().resampled(_SPACING)
    flat, counts = lines.points, lines.counts
    heights = ground.heights_at(flat)
    ends = np.array([(each[0], each[-1]) for each in nodes], dtype=np.int64)
    is_whole = np.logical_and.reduceat(np.isfinite(heights), np.cumsum(counts) - counts)
    is_whole &= lines.lengths() > _SHORTEST
    is_kept = np.repeat(is_whole, counts)
    ways = [chosen[k] for k in of[is_whole].tolist()]
    return replace(
        squares,
        points=np.column_stack([flat, heights])[is_kept],
        starts=np.cumsum([0, *counts[is_whole].tolist()]).astype(np.int32),
        widths=np.array([path_width(way.tags) for way, _ in ways]),
        kinds=np.array([_kind(way.tags) for way, _ in ways], dtype=np.uint8),
        users=np.array([users for _, users in ways], dtype=np.uint8),
        ends=np.unique(ends[is_whole], return_inverse=True)[1].reshape(-1, 2).astype(np.int32),
    )


def users_of(tags: Tags) -> Users:
    """Permitted users of a path."""
    highway = tags["highway"]
    users = Users(0)
    for bit, key in ((Users.FOOT, "foot"), (Users.BICYCLE, "bicycle")):
        stated = tags.get(key)
        is_usual = bit in _USUAL.get(highway, Users.FOOT)
        if stated is None and tags.get("access", "yes") in _BARRED:
            continue
        if stated in _ALLOWED or (is_usual and stated not in _BARRED):
            users |= bit
    if highway == "steps":
        users &= ~Users.BICYCLE
    if Users.BICYCLE in users and _one_way(tags) != "no":
        users |= Users.ONE_WAY
    return users


def _one_way(tags: Tags) -> str:
    """Direction of bicycles on a path: "yes" along its nodes, "-1" against them, "no" both."""
    usual = tags.get("oneway", "no") if tags["highway"] == "cycleway" else "no"
    stated = tags.get("oneway:bicycle", usual)
    return stated if stated in ("yes", "-1") else "no"


def _kind(tags: Tags) -> PathKind:
    part = tags.get(tags["highway"])
    if part == "crossing":
        return PathKind.CROSSING
    if part == "sidewalk":
        return PathKind.SIDEWALK
    return _KINDS[tags["highway"]]


def _in_direction(rows: Integers, way: OsmWay, users: Users) -> Integers:
    """The nodes of a way, in the direction of bicycles where they have but one."""
    return rows[::-1] if Users.ONE_WAY in users and _one_way(way.tags) == "-1" else rows


def _parts(rows: Sequence[Integers], points: Floats, box: Box) -> tuple[Integers, list[Integers]]:
    """The ways divided at the nodes that they share, and cut at the box: way and nodes of each."""
    if not rows:
        return np.zeros(0, np.int64), []
    uses = np.zeros(len(points), dtype=np.int64)
    np.add.at(uses, np.concatenate(rows), 1)
    inside: Booleans = np.asarray(((points >= box[:2]) & (points <= box[2:])).all(axis=1))
    of: list[int] = []
    parts: list[Integers] = []
    for number, own in enumerate(rows):
        is_cut = (uses[own] > 1) | ~inside[own]
        is_cut[1:] |= ~inside[own][:-1]
        is_cut[:-1] |= ~inside[own][1:]
        is_cut[[0, -1]] = True
        cuts = np.flatnonzero(is_cut).tolist()
        for first, last in pairwise(cuts):
            part = own[first : last + 1]
            if inside[part].all():
                of.append(number)
                parts.append(part)
    return np.array(of, dtype=np.int64), parts


def _squares(data: OsmData, points: Floats, box: Box) -> Paths:
    """The rings of the squares within the box, and no path."""
    shapes = np.array([each.shape for each in find_areas(data, points, is_square)], dtype=object)
    cut = overlays.intersection(shapes, shapely.box(*box)) if len(shapes) else shapes
    polygons, of = shapely.get_parts(cut, return_index=True)
    is_area = shapely.area(polygons) > 0.0
    rings, of_polygon = shapely.get_rings(polygons[is_area], return_index=True)
    corners = [shapely.get_coordinates(ring)[:-1] for ring in rings]
    owners = of[is_area][of_polygon]
    return replace(
        no_paths(),
        ring_points=np.concatenate([np.zeros((0, 2)), *corners]),
        ring_starts=np.cumsum([0, *map(len, corners)]).astype(np.int32),
        ring_squares=np.unique(owners, return_inverse=True)[1].astype(np.int32),
    )
