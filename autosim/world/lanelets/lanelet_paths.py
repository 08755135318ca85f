"""The paths of traffic on lanelets: their middle lines, and which of them are in junctions.

A lanelet is a part of a junction where it overlaps another one on its level, as ways through a
junction do from where they part to where they meet.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from scipy.spatial import cKDTree

from autosim import portable
from autosim.arrays import Floats
from autosim.world.geometry import overlays
from autosim.world.lanelets.lanelet_borders import cross_sections, length_of_line
from autosim.world.lanelets.lanelet_records import Lanelet, LaneletMap, LaneletUse, PathKey

_SAME_PLACE = 1e-3
"""Distance [m] within which two points of a path coincide."""

_LEAST_LENGTH = 0.02
"""Length [m] of the shortest path."""

_INSIDE = 0.3
"""Distance [m] from the borders of lanelets within which an overlap is one of rough drawing."""

_LEAST_OVERLAP = 0.25
"""Area [m²] of the smallest overlap of two lanelets, without their margins."""

_OTHER_LEVEL = 2.5
"""Difference in height [m] from which on one lanelet leads over another."""

_BETWEEN = 8.0
"""Length [m] up to which a piece between two parts of a junction is one, too."""

_TAPER = 10.0
"""Length [m] over which the paths of a two-way lanelet move to the middle before its end, where a
one-way lanelet follows."""


@dataclass(frozen=True, slots=True)
class LaneletPath:
    """The middle line (n, 3) [m] of a path in the direction of traffic, and widths (n,) [m]."""

    line: Floats
    widths: Floats
    """At the points."""


def make_paths(content: LaneletMap, *, keeps_left: bool) -> dict[PathKey, LaneletPath]:
    """The paths of all lanelets of traffic; those without a length are left out."""
    before: dict[PathKey, list[PathKey]] = defaultdict(list)
    for key, others in content.successors.items():
        for other in others:
            before[other].append(key)
    found = {}
    for lanelet in content.lanelets.values():
        if lanelet.use != LaneletUse.TRAFFIC:
            continue
        for is_along in (True, False) if lanelet.is_two_way else (True,):
            key = PathKey(lanelet.id, is_along)
            ends = (before.get(key, ()), content.successors.get(key, ()))
            narrow = tuple(
                any(not content.lanelets[each.lanelet].is_two_way for each in end) for end in ends
            )
            path = _path(lanelet, key, narrow, keeps_left=keeps_left)
            if path is not None:
                found[key] = path
    return found


def _path(
    lanelet: Lanelet, key: PathKey, tapers: Sequence[bool], *, keeps_left: bool
) -> LaneletPath | None:
    left, right = cross_sections(lanelet.left, lanelet.right)
    if not key.is_along:
        left, right = right[::-1], left[::-1]
    widths = portable.hypot(*(left - right)[:, :2].T)
    line = (left + right) / 2.0
    if lanelet.is_two_way:
        share = _offset_shares(line, tapers)[:, None]
        outer = left if keeps_left else right
        line, widths = line + share * (outer - line), widths / 2.0
    kept = _distinct(line)
    if len(kept) < 2 or length_of_line(line[kept]) < _LEAST_LENGTH:
        return None
    return LaneletPath(line[kept], widths[kept])


def _offset_shares(line: Floats, tapers: Sequence[bool]) -> Floats:
    """Offsets (n,) of a path from the middle of a two-way lanelet, shares of half its width."""
    steps = portable.hypot(*np.diff(line[:, :2], axis=0).T)
    stations = np.concatenate([[0.0], np.cumsum(steps)])
    shares = np.full(len(line), 0.5)
    length = min(_TAPER, max(float(stations[-1]) / 2.0, 1e-6))
    for is_tapered, gaps in zip(tapers, (stations, stations[-1] - stations), strict=True):
        if is_tapered:
            shares = np.minimum(shares, 0.5 * np.clip(gaps / length, 0.0, 1.0))
    return shares


def _distinct(line: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Rows of points that do not coincide with the one before; the last one is among them."""
    steps = portable.hypot(*np.diff(line[:, :2], axis=0).T)
    kept = [0]
    gap = 0.0
    for row, step in enumerate(steps.tolist(), start=1):
        gap += step
        if gap > _SAME_PLACE:
            kept.append(row)
            gap = 0.0
    kept[-1] = len(line) - 1
    return np.array(sorted(set(kept)), dtype=np.int64)


def junction_paths(content: LaneletMap, paths: Mapping[PathKey, LaneletPath]) -> set[PathKey]:
    """The paths that lead through junctions."""
    ids = list(dict.fromkeys(key.lanelet for key in paths))
    found = {key for key in paths if key.lanelet in content.junctions}
    overlapping = _overlapping([content.lanelets[id_] for id_ in ids])
    found |= {key for key in paths if key.lanelet in overlapping}
    return found | _between(content, paths, found)


def _overlapping(lanelets: Sequence[Lanelet]) -> set[int]:
    """The ids of the lanelets that overlap another one on their level."""
    shapes = np.array([_outline(each) for each in lanelets], dtype=object)
    inner = np.array([overlays.buffer(each, -_INSIDE) for each in shapes], dtype=object)
    first, second = shapely.STRtree(inner).query(inner, predicate="intersects")
    ahead = first < second
    first, second = first[ahead], second[ahead]
    common = overlays.intersection(inner[first], inner[second])
    large = shapely.area(common) > _LEAST_OVERLAP
    found = set()
    for a, b, shape in zip(first[large], second[large], common[large], strict=True):
        place = shapely.get_coordinates(shapely.centroid(shape))[0]
        if abs(_height(lanelets[a], place) - _height(lanelets[b], place)) < _OTHER_LEVEL:
            found |= {lanelets[a].id, lanelets[b].id}
    return found


def _outline(lanelet: Lanelet) -> shapely.Geometry:
    ring = shapely.Polygon(np.vstack([lanelet.left[:, :2], lanelet.right[::-1, :2]]))
    return overlays.made_valid(ring)


def _height(lanelet: Lanelet, place: Floats) -> float:
    points = np.vstack([lanelet.left, lanelet.right])
    return float(points[cKDTree(points[:, :2]).query(place)[1], 2])


def _between(
    content: LaneletMap, paths: Mapping[PathKey, LaneletPath], inside: Iterable[PathKey]
) -> set[PathKey]:
    """Short paths that only lead from one part of a junction to another."""
    known = set(inside)
    entered = {other for key in known for other in content.successors.get(key, ())}
    return {
        key
        for key, path in paths.items()
        if key not in known
        and key in entered
        and length_of_line(path.line) < _BETWEEN
        and (after := content.successors.get(key, ()))
        and all(other in known for other in after)
    }
