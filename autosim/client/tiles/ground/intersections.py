"""The carriageway where streets meet, with a picture that no seam divides.

A fan of triangles around the middle has the picture from (0, 0) and (0, 1) on the rim to (1, 1) in
the middle; every second one is its mirror image, so that neighbours agree along their edge
(appendix C.5 of the AutoSim thesis). The fan is cut out of the carriageway, and lies on it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.materials.surface_meshes import face_normals, normalised
from autosim.client.tiles.ground.road_sides import leads_forward
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.lanes.roads import RoadNetwork

_ARMS = 3
"""Least number of ends of streets that make an intersection: at two, a street continues."""

_STOREY = 3.0
"""Distance [m] in height beyond which a carriageway is that of another level."""

_STRAIGHT = 0.1
"""Twice the area [m^2] of three corners that are on one line: the ends of lanes side by side."""

_CORNERS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
"""Places in the picture of a triangle's corner on the rim, the middle of its edge there, and the
middle of the intersection."""


@dataclass(frozen=True, slots=True)
class Intersection:
    """An intersection: its convex `rim` (k, 2), counter-clockwise, and its height `z` [m]."""

    rim: Floats
    z: float


def find_intersections(roads: RoadNetwork) -> list[Intersection]:
    """The places where three or more ends of streets meet."""
    connectors = np.flatnonzero(roads.connectors)
    if not len(connectors):
        return []
    before, after = _neighbours(roads)
    is_forward = leads_forward(roads)
    labels = _labels(roads, connectors, before, after)
    found = []
    for label in np.unique(labels):
        own = connectors[labels == label]
        arriving, leaving = before[own], after[own]
        arms = {(int(roads.roads[k]), bool(is_forward[k])) for k in arriving}
        arms |= {(int(roads.roads[k]), not is_forward[k]) for k in leaving}
        if len(arms) >= _ARMS:
            ends = np.concatenate([_ends(roads, lane) for lane in own.tolist()])
            found.append(Intersection(_hull(ends[:, :2]), float(ends[:, 2].mean())))
    return found


def _neighbours(roads: RoadNetwork) -> tuple[Integers, Integers]:
    """A lane before and a lane after each lane (n,); itself where there is none."""
    count = len(roads.roads)
    before, after = np.arange(count), np.arange(count)
    sources = np.repeat(np.arange(count), np.diff(roads.successor_starts))
    before[roads.successors] = sources
    after[sources] = roads.successors
    return before, after


def _labels(
    roads: RoadNetwork, connectors: Integers, before: Integers, after: Integers
) -> Integers:
    """A number (k,) for each connector, the same for those of one intersection.

    Connectors that share a lane before or after them, or are in each other's way, are of one.
    """
    labels = np.arange(len(roads.roads))
    pairs = roads.traffic.conflict_lanes.astype(np.int64)
    while True:
        known = labels.copy()
        for shared in (before, after):
            least = np.full(len(labels), len(labels))
            np.minimum.at(least, shared[connectors], labels[connectors])
            labels[connectors] = np.minimum(labels[connectors], least[shared[connectors]])
        np.minimum.at(labels, pairs[:, 0], labels[pairs[:, 1]])
        np.minimum.at(labels, pairs[:, 1], labels[pairs[:, 0]])
        if (labels == known).all():
            return labels[connectors]


def _ends(roads: RoadNetwork, lane: int) -> Floats:
    """The four corners (4, 3) [m] of a lane."""
    first, last = int(roads.starts[lane]), int(roads.starts[lane + 1]) - 1
    corners = []
    for row in (first, last):
        angle = roads.tangents[row]
        left = 0.5 * roads.widths[lane] * np.array([-np.sin(angle), np.cos(angle), 0.0])
        corners += [roads.points[row] + left, roads.points[row] - left]
    return np.array(corners)


def _hull(points: Floats) -> Floats:
    """The corners of the convex hull, counter-clockwise (Andrew's monotone chain, 1979)."""
    ordered = points[np.lexsort(points.T[::-1])]
    halves = []
    for line in (ordered, ordered[::-1]):
        half: list[Floats] = []
        for point in line:
            while len(half) > 1 and _turn(half[-2], half[-1], point) <= _STRAIGHT:
                half.pop()
            half.append(point)
        halves += half[:-1]
    return np.array(halves)


def _turn(a: Floats, b: Floats, c: Floats) -> float:
    """Twice the area of a triangle [m^2], positive where it turns to the left."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def intersection_mesh(mesh: Mesh, intersections: list[Intersection]) -> DrawMesh | None:
    """The part of a level's carriageway that lies in intersections; None where there is none."""
    triangles = mesh.triangles[mesh.surfaces == Surface.CARRIAGEWAY]
    corners = mesh.vertices[triangles]
    lows, highs = corners.min(axis=1), corners.max(axis=1)
    parts = [
        part
        for each in intersections
        for part in _fans(corners[_near(each, lows, highs)], each)
        if len(part[0])
    ]
    if not parts:
        return None
    vertices = np.concatenate([places for places, _ in parts]).reshape(-1, 3)
    uvs = np.concatenate([uvs for _, uvs in parts]).reshape(-1, 2)
    drawn = np.arange(len(vertices), dtype=np.int32).reshape(-1, 3)
    normals = np.repeat(normalised(face_normals(vertices, drawn)), 3, axis=0)
    return DrawMesh(
        vertices=vertices.astype(np.float32),
        normals=normals.astype(np.float32),
        colours=np.full((len(vertices), 4), 255, dtype=np.uint8),
        uvs=uvs.astype(np.float32),
        triangles=drawn,
    )


def _near(each: Intersection, lows: Floats, highs: Floats) -> Integers:
    low, high = each.rim.min(axis=0), each.rim.max(axis=0)
    touches = (lows[:, :2] <= high).all(axis=1) & (highs[:, :2] >= low).all(axis=1)
    level = np.abs(lows[:, 2] - each.z) < _STOREY
    return np.flatnonzero(touches & level)


def _fans(corners: Floats, each: Intersection) -> Iterator[tuple[Floats, Floats]]:
    """Triangles (n, 3, 3) [m] of the carriageway in each triangle of the fan, and their uvs."""
    centre = each.rim.mean(axis=0)
    for a, b in zip(each.rim, np.roll(each.rim, -1, axis=0), strict=True):
        middle = 0.5 * (a + b)
        for first, outer in ((a, (a, middle)), (b, (middle, b))):
            inside = corners
            for start, end in (outer, (outer[1], centre), (centre, outer[0])):
                inside = _left_of(inside, start, end)
            yield inside, _uvs(inside[..., :2], first, middle, centre)


def _uvs(points: Floats, first: Floats, middle: Floats, centre: Floats) -> Floats:
    """Places in the picture of points (..., 2), from those of three corners."""
    sides = np.column_stack([first - centre, middle - centre])
    shares = (points - centre) @ np.linalg.pinv(sides).T
    return np.asarray(_CORNERS[2] + shares @ (_CORNERS[:2] - _CORNERS[2]))


def _left_of(corners: Floats, start: Floats, end: Floats) -> Floats:
    """The parts of triangles (n, 3, 3) that lie left of a line, seen from above."""
    ahead = end - start
    gaps = ahead[0] * (corners[..., 1] - start[1]) - ahead[1] * (corners[..., 0] - start[0])
    count = (gaps > 0.0).sum(axis=1)
    one, two = (np.flatnonzero(count == number) for number in (1, 2))
    # The corner that is alone on its side of the line comes first.
    alone = np.where(count == 1, np.argmax(gaps, axis=1), np.argmin(gaps, axis=1))
    order = (alone[:, None] + np.arange(3)) % 3
    corners = np.take_along_axis(corners, order[..., None], axis=1)
    gaps = np.take_along_axis(gaps, order, axis=1)
    span = np.where(gaps[:, :1] == gaps[:, 1:], 1.0, gaps[:, :1] - gaps[:, 1:])
    shares = (gaps[:, :1] / span)[..., None]
    cuts = corners[:, :1] + shares * (corners[:, 1:] - corners[:, :1])
    p, q, r = (corners[:, k] for k in range(3))
    to_q, to_r = cuts[:, 0], cuts[:, 1]
    return np.concatenate(
        [
            corners[count == 3],
            np.stack([p, to_q, to_r], axis=1)[one],
            np.stack([to_q, q, r], axis=1)[two],
            np.stack([to_q, r, to_r], axis=1)[two],
        ]
    )
