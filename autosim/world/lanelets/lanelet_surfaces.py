"""The ground of a map of lanelets as strips between borders, and its solids."""

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np
import shapely

from autosim import portable
from autosim.arrays import Floats
from autosim.world.geometry.meshes import Mesh, Surface, joined
from autosim.world.lanelets.lanelet_borders import cross_sections
from autosim.world.lanelets.lanelet_records import (
    Lanelet,
    LaneletArea,
    LaneletBarrier,
    LaneletMap,
    LaneletUse,
)
from autosim.world.opendrive.lane_shapes import (
    LaneStrips,
    StripPart,
    divided,
    strips_on_levels,
)
from autosim.world.opendrive.road_objects import extruded

_SURFACES: Mapping[LaneletUse, Surface] = {
    LaneletUse.TRAFFIC: Surface.CARRIAGEWAY,
    LaneletUse.CARRIAGEWAY: Surface.CARRIAGEWAY,
    LaneletUse.WALKWAY: Surface.PAVEMENT,
    LaneletUse.RAIL: Surface.GRAVEL,
}
"""Surfaces by use; crosswalks are painted on the surface that is there."""

_LEAST_AREA = 1e-4
"""Area [m²] of the smallest strip."""


def lanelet_strips(content: LaneletMap, connectors: frozenset[int]) -> LaneStrips:
    """The strips of all lanelets and areas with a surface, on their levels."""
    parts: list[StripPart] = []
    edges: list[Floats] = []
    through: list[bool] = []
    shared = _shared_borders(content)
    for lanelet in content.lanelets.values():
        surface = _SURFACES.get(lanelet.use)
        if surface is None:
            continue
        part = _strip(lanelet, surface, len(through))
        if part is not None:
            parts.append(part)
            through.append(lanelet.id in connectors)
            edges += [
                divided(line)
                for line in (lanelet.left, lanelet.right)
                if shared[_border_key(line)] < 2
            ]
    for area in content.areas:
        part = None if area.height > 0.0 else _area_strip(area, len(through))
        if part is not None:
            parts.append(part)
            through.append(False)
            edges.append(divided(np.vstack([area.ring, area.ring[:1]])))
    return strips_on_levels(parts, edges, np.array(through, dtype=np.bool_))


def _border_key(line: Floats) -> bytes:
    """The identity of a border: its ends, in one order, and its number of points."""
    ends = sorted([line[0].tobytes(), line[-1].tobytes()])
    return b"".join(ends) + str(len(line)).encode()


def _shared_borders(content: LaneletMap) -> Counter[bytes]:
    return Counter(
        _border_key(line)
        for lanelet in content.lanelets.values()
        if lanelet.use in _SURFACES
        for line in (lanelet.left, lanelet.right)
    )


def _strip(lanelet: Lanelet, surface: Surface, number: int) -> StripPart | None:
    left, right = cross_sections(lanelet.left, lanelet.right)
    quads = np.stack([right[:-1], right[1:], left[1:], left[:-1]], axis=1)
    widths = portable.hypot(*(left - right)[:, :2].T)
    none = np.zeros(len(widths))
    sides = [np.stack([none, widths], axis=1), np.stack([widths, none], axis=1)]
    gaps = np.stack([sides[0][:-1], sides[0][1:], sides[1][1:], sides[1][:-1]], axis=1)
    kept = np.abs(_areas(quads)) > _LEAST_AREA
    if not kept.any():
        return None
    quads, gaps = quads[kept], gaps[kept]
    count = len(quads)
    return quads, np.full(count, int(surface)), np.full(count, number), gaps


def _areas(quads: Floats) -> Floats:
    """Signed areas (n,) [m²] of quadrilaterals (n, 4, 3) in plan."""
    first, second = quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1]
    return np.asarray((first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]) / 2.0)


def _area_strip(area: LaneletArea, number: int) -> StripPart | None:
    """The triangles of an area, as quadrilaterals of which two corners are one."""
    ring = shapely.Polygon(area.ring)
    if not ring.is_valid or ring.area < _LEAST_AREA:
        return None
    triangles = shapely.get_parts(shapely.constrained_delaunay_triangles(ring))
    corners = shapely.get_coordinates(triangles, include_z=True).reshape(-1, 4, 3)[:, :3]
    turned = corners[:, 1:, :2] - corners[:, :1, :2]
    clockwise = turned[:, 0, 0] * turned[:, 1, 1] < turned[:, 0, 1] * turned[:, 1, 0]
    corners[clockwise] = corners[clockwise][:, ::-1]
    quads = np.concatenate([corners, corners[:, 2:]], axis=1)
    count = len(quads)
    gaps = np.ones((count, 4, 2))
    return quads, np.full(count, int(area.surface)), np.full(count, number), gaps


def crosswalks_of(content: LaneletMap) -> list[shapely.Polygon]:
    """The crosswalks in plan, with heights."""
    found = []
    for lanelet in content.lanelets.values():
        if lanelet.use == LaneletUse.CROSSWALK:
            area = shapely.Polygon(np.vstack([lanelet.left, lanelet.right[::-1]]))
            if area.is_valid and area.area > 0.5:
                found.append(area)
    return found


def buildings_of(content: LaneletMap) -> Mesh:
    """The walls and roofs of buildings."""
    return joined(
        [
            solid
            for area in content.areas
            if area.height > 0.0
            for solid in extruded(
                area.ring, np.full(len(area.ring), area.height), Surface.WALL, Surface.ROOF
            )
        ]
    )


def barriers_of(content: LaneletMap) -> Mesh:
    """Walls, fences and rails as closed solids, one for each straight piece."""
    return joined([solid for each in content.barriers for solid in _barrier(each)])


def _barrier(barrier: LaneletBarrier) -> Iterator[Mesh]:
    step = np.diff(barrier.points[:, :2], axis=0)
    lengths = portable.hypot(*step.T)
    for k in np.flatnonzero(lengths > 0.05).tolist():
        aside = np.array([-step[k, 1], step[k, 0], 0.0]) / lengths[k] * barrier.width / 2.0
        a, b = barrier.points[k], barrier.points[k + 1]
        corners = np.stack([a - aside, b - aside, b + aside, a + aside])
        heights = np.full(4, barrier.height)
        yield from extruded(corners, heights, barrier.surface, barrier.surface)
