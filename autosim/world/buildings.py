"""Buildings as closed solids: walls and flat roofs over footprints, boxes for placed houses.

A footprint that reaches into a carriageway is cut back; what is left of it too small is left out.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import mapbox_earcut
import numpy as np
import numpy.typing as npt
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.world.areas import Area, polygons_of
from autosim.world.compiled import Building, Mesh, Surface
from autosim.world.curves import Floats
from autosim.world.heights import HeightFunction
from autosim.world.osm_data import OsmNode
from autosim.world.tags import Tags, parse_length, parse_number

_LEVEL_HEIGHT = 3.0
_MAX_HEIGHT = 800.0
_DEFAULT_HEIGHTS = {
    "apartments": 12.0,
    "cathedral": 20.0,
    "church": 12.0,
    "commercial": 9.0,
    "garage": 2.8,
    "garages": 2.8,
    "hotel": 15.0,
    "office": 12.0,
    "shed": 2.5,
    "train_station": 9.0,
}
_USUAL_HEIGHT = 6.0
_FOUNDATION = 0.5
_CLEARANCE = 0.5
_SMALLEST_FOOTPRINT = 4.0
_KEPT_SHARE = 0.4
_SIMPLIFY = 0.1


@dataclass(frozen=True, slots=True)
class Footprint:
    """A building's polygon in W and its height above the ground [m]."""

    polygon: shapely.Polygon
    height: float


def building_height(tags: Tags) -> float:
    """Height [m] of a building: `height`, else `building:levels`, else that of its kind."""
    height = parse_length(tags.get("height"))
    if height is None:
        levels = parse_number(tags.get("building:levels"))
        usual = _DEFAULT_HEIGHTS.get(tags.get("building", ""), _USUAL_HEIGHT)
        height = usual if levels is None else levels * _LEVEL_HEIGHT
    return min(max(height, 2.0), _MAX_HEIGHT)


def footprints_of(
    areas: Sequence[Area],
    *,
    window: BaseGeometry,
    carriageway: BaseGeometry,
    left_out: Counter[str],
) -> list[Footprint]:
    """The footprints inside the window, clear of carriageways by 0.5 m."""
    inside = [area for area in areas if shapely.covers(window, area.shape)]
    left_out["buildings beyond the window"] += len(areas) - len(inside)
    blocked = carriageway.buffer(_CLEARANCE, quad_segs=2)
    shapely.prepare(blocked)
    footprints: list[Footprint] = []
    for area in inside:
        shape = area.shape
        if shapely.intersects(blocked, shape):
            shape = polygons_of(shapely.difference(shape, blocked))
            is_lost = shape.area < _KEPT_SHARE * area.shape.area
            left_out["buildings on carriageways" if is_lost else "buildings cut back"] += 1
            if is_lost:
                continue
        height = building_height(area.tags)
        footprints += [Footprint(part, height) for part in _tidy_parts(shape)]
    return footprints


def _tidy_parts(shape: BaseGeometry) -> list[shapely.Polygon]:
    parts = shapely.get_parts(polygons_of(shapely.simplify(shape, _SIMPLIFY)))
    return [part for part in parts if part.area > _SMALLEST_FOOTPRINT]


def placed_houses(
    nodes: Sequence[OsmNode],
    points: Floats,
    *,
    window: BaseGeometry,
    carriageway: BaseGeometry,
    height: HeightFunction,
    left_out: Counter[str],
) -> list[Building]:
    """Houses that nodes place by `filePath`, `rotY` [rad] and `sizeX`, `sizeY`, `sizeZ` [m].

    Args:
        nodes: nodes with a `filePath`.
        points: (n, 2) their places in W.
        window: where the world is.
        carriageway: houses that reach into it are left out.
        height: the ground.
        left_out: counts the houses left out.
    """
    shapely.prepare(carriageway)
    houses: list[Building] = []
    ground = height(points) if len(points) else np.zeros(0)
    for node, point, z in zip(nodes, points, ground, strict=True):
        house = _house(node, (float(point[0]), float(point[1]), float(z)))
        if house is None:
            left_out["houses without a size"] += 1
            continue
        outline = shapely.Polygon(house_corners(house))
        if not shapely.covers(window, outline):
            left_out["houses beyond the window"] += 1
        elif shapely.intersects(carriageway, outline):
            left_out["houses on carriageways"] += 1
        else:
            houses.append(house)
    return houses


def _house(node: OsmNode, position: tuple[float, float, float]) -> Building | None:
    sizes = [parse_length(node.tags.get(name)) for name in ("sizeZ", "sizeX", "sizeY")]
    if any(size is None or not 0.0 < size <= _MAX_HEIGHT for size in sizes):
        return None
    length, width, height = (float(size or 0.0) for size in sizes)
    # rotY turns clockwise from north (z of the files), yaw counter-clockwise from east.
    yaw = math.remainder(math.pi / 2.0 - (parse_number(node.tags.get("rotY")) or 0.0), math.tau)
    return Building(position, yaw, (length, width, height), node.tags["filePath"])


def house_corners(house: Building) -> Floats:
    """The corners (4, 2) [m] of a house's box in W, counter-clockwise."""
    half = 0.5 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(house.size[:2])
    c, s = math.cos(house.yaw), math.sin(house.yaw)
    corners: Floats = half @ np.array([[c, s], [-s, c]]) + np.array(house.position[:2])
    return corners


def footprint_of(house: Building) -> Footprint:
    """A placed house's box as a footprint."""
    return Footprint(shapely.Polygon(house_corners(house)), house.size[2])


def solid_mesh(footprints: Sequence[Footprint], height: HeightFunction) -> Mesh:
    """All buildings as one mesh of closed solids, each standing 0.5 m deep in the ground."""
    vertices: list[Floats] = []
    triangles: list[npt.NDArray[np.int32]] = []
    surfaces: list[npt.NDArray[np.uint8]] = []
    base = 0
    for footprint in footprints:
        solid = _solid(footprint, height)
        vertices.append(solid.vertices)
        triangles.append(solid.triangles + np.int32(base))
        surfaces.append(solid.surfaces)
        base += len(solid.vertices)
    if not vertices:
        return Mesh(np.zeros((0, 3)), np.zeros((0, 3), np.int32), np.zeros(0, np.uint8))
    return Mesh(np.vstack(vertices), np.vstack(triangles), np.concatenate(surfaces))


def _solid(footprint: Footprint, height: HeightFunction) -> Mesh:
    polygon = shapely.orient_polygons(footprint.polygon)
    rings = [np.asarray(ring.coords)[:-1] for ring in (polygon.exterior, *polygon.interiors)]
    outline = np.vstack(rings)
    count = len(outline)
    ends = np.cumsum([len(ring) for ring in rings]).astype(np.uint32)
    roof = mapbox_earcut.triangulate_float64(outline, ends).reshape(-1, 3).astype(np.int32)
    roof = _counter_clockwise(outline, roof)
    ground = height(outline)
    floor_z, roof_z = float(ground.min()) - _FOUNDATION, float(ground.mean()) + footprint.height
    vertices = np.column_stack([np.vstack([outline, outline]), np.repeat([floor_z, roof_z], count)])
    walls = _walls(ends.tolist(), count)
    triangles = np.vstack([roof + count, roof[:, ::-1], walls]).astype(np.int32)
    kinds = [Surface.ROOF] * len(roof) + [Surface.WALL] * (len(roof) + len(walls))
    return Mesh(vertices, triangles, np.array(kinds, dtype=np.uint8))


def _counter_clockwise(points: Floats, triangles: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    a, b, c = (points[triangles[:, k]] for k in range(3))
    area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    return np.where((area < 0.0)[:, None], triangles[:, ::-1], triangles)


def _walls(ends: Sequence[int], count: int) -> npt.NDArray[np.int32]:
    """Two triangles for each side of each ring; the rings have the inside on their left."""
    walls: list[npt.NDArray[np.int32]] = []
    start = 0
    for end in ends:
        a = np.arange(start, end, dtype=np.int32)
        b = np.roll(a, -1)
        walls += [np.column_stack([a, b, b + count]), np.column_stack([a, b + count, a + count])]
        start = end
    return np.vstack(walls)
