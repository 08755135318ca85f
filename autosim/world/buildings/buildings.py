"""Buildings as closed solids: walls and roofs over footprints, boxes for placed houses.

A footprint that reaches into a carriageway is cut back; what is left of it too small is left out.
A building whose parts are mapped (`building:part`) is made of its parts (`raised_parts`).
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from PIL import ImageColor
from shapely.geometry.base import BaseGeometry

from autosim import portable
from autosim.arrays import Booleans, Bytes, Floats, Integers
from autosim.world.buildings.roof_plans import plan_of
from autosim.world.buildings.roofs import FLAT_ROOF, Roof, roof_of
from autosim.world.buildings.solids import raised_solids
from autosim.world.compiled.compiled import Building
from autosim.world.geometry.height_function import HeightFunction
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.osm.areas import Area, polygons_of
from autosim.world.osm.osm_data import OsmNode
from autosim.world.osm.tags import Tags, parse_length, parse_number

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
_CLEARANCE = 0.5
_SMALLEST_FOOTPRINT = 4.0
_KEPT_SHARE = 0.4
_LEAST_EAVES = 2.0
_THINNEST = 0.5
"""Height [m] of the lowest part from its underside to its eaves."""
_SIMPLIFY = 0.1


Colours = Bytes
Tint = tuple[int, int, int, int]
NO_TINT: Tint = (0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Footprint:
    """A building's polygon in W and its height to the eaves above the ground [m].

    `base` [m]: where its underside is above the ground; 0 stands on it. `tints`: stated colours of
    the walls and of the roof as (red, green, blue, 255), all 0 where nothing is stated.
    `ground_at`: as in `Area`.
    """

    polygon: shapely.Polygon
    height: float
    roof: Roof = FLAT_ROOF
    base: float = 0.0
    tints: tuple[Tint, Tint] = (NO_TINT, NO_TINT)
    ground_at: tuple[float, float] | None = None


def states_height(tags: Tags) -> bool:
    """Whether tags say how high a building is."""
    stated = parse_length(tags.get("height")), parse_number(tags.get("building:levels"))
    return any(each is not None for each in stated)


def stated_base(tags: Tags) -> float:
    """Height [m] above the ground at which a building or a part of one begins."""
    base = parse_length(tags.get("min_height"))
    if base is None:
        base = (parse_number(tags.get("building:min_level")) or 0.0) * _LEVEL_HEIGHT
    return max(base, 0.0)


def building_height(tags: Tags) -> float:
    """Height [m] of a building: `height`, else `building:levels`, else that of its kind."""
    height = parse_length(tags.get("height"))
    if height is None:
        levels = parse_number(tags.get("building:levels"))
        usual = _DEFAULT_HEIGHTS.get(tags.get("building", ""), _USUAL_HEIGHT)
        height = usual if levels is None else levels * _LEVEL_HEIGHT
    return min(max(height, 2.0), _MAX_HEIGHT)


@dataclass(frozen=True, slots=True)
class SolidMesh:
    """Closed solids as one mesh, solid after solid.

    `tints` (m, 4): stated colours of its triangles. Of each solid: `spans` (n, 2), the heights [m]
    in W of its underside and of its top, and `is_raised` (n,), whether it begins above the ground.
    """

    mesh: Mesh
    tints: Colours
    spans: Floats
    is_raised: Booleans


@dataclass(frozen=True, slots=True)
class BuiltBlock:
    """The buildings of a block, and what was left out of it.

    `solids`, and `polygons` of them in plan; `houses` are those that nodes place.
    """

    solids: SolidMesh
    polygons: list[BaseGeometry]
    houses: list[Building]
    left_out: Counter[str]


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
    blocked = clearing(carriageway)
    footprints: list[Footprint] = []
    for area in inside:
        shape = cleared(area.shape, blocked)
        if shape is not area.shape:
            is_lost = shape.is_empty
            left_out["buildings on carriageways" if is_lost else "buildings cut back"] += 1
        footprints += [footprint_of_area(area, part) for part in tidy_parts(shape)]
    return footprints


def clearing(carriageway: BaseGeometry) -> BaseGeometry:
    """Where no building may be beside a carriageway, prepared for many tests."""
    blocked = carriageway.buffer(_CLEARANCE, quad_segs=2)
    shapely.prepare(blocked)
    return blocked


def cleared(shape: BaseGeometry, blocked: BaseGeometry) -> BaseGeometry:
    """The shape where it is not in `blocked`: empty, if too little of it is left."""
    if not shapely.intersects(blocked, shape):
        return shape
    clear = polygons_of(shapely.difference(shape, blocked))
    return clear if clear.area >= _KEPT_SHARE * shape.area else shapely.MultiPolygon()


def footprint_of_area(area: Area, polygon: shapely.Polygon) -> Footprint:
    """The footprint that a polygon of an area makes by the area's tags."""
    tags = area.tags
    roof = roof_of(tags, polygon, shapely.oriented_envelope(polygon), seed=area.id)
    height = building_height(tags)
    if parse_length(tags.get("height")) is not None:
        height = max(height - roof.rise, _LEAST_EAVES)
    base = min(stated_base(tags), height - _THINNEST)
    tints = (_tint(tags.get("building:colour")), _tint(tags.get("roof:colour")))
    return Footprint(polygon, height, roof, base, tints, area.ground_at)


def _tint(text: str | None) -> Tint:
    """The colour that a tag states in the manner of CSS; none if it states none."""
    if text is None:
        return NO_TINT
    try:
        red, green, blue = ImageColor.getrgb(text.strip().replace("_", ""))[:3]
    except ValueError:
        return NO_TINT
    return (red, green, blue, 255)


def tidy_parts(shape: BaseGeometry) -> list[shapely.Polygon]:
    """The polygons of a shape that are large enough to be built, without needless corners."""
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
    c, s = portable.cos(house.yaw), portable.sin(house.yaw)
    turned = np.column_stack([c * half[:, 0] - s * half[:, 1], s * half[:, 0] + c * half[:, 1]])
    corners: Floats = turned + np.array(house.position[:2])
    return corners


def footprint_of(house: Building) -> Footprint:
    """A placed house's box as a footprint."""
    return Footprint(shapely.Polygon(house_corners(house)), house.size[2])


def solid_mesh(footprints: Sequence[Footprint], height: HeightFunction) -> SolidMesh:
    """The buildings of footprints, those that stand on the ground 0.5 m deep in it."""
    polygons = [shapely.orient_polygons(footprint.polygon) for footprint in footprints]
    rectangles = shapely.oriented_envelope(polygons)
    plans = [
        plan_of(polygon, footprint.roof, rectangle)
        for polygon, footprint, rectangle in zip(polygons, footprints, rectangles, strict=True)
    ]
    mesh, owners, is_raised = raised_solids(
        plans,
        eaves=np.array([footprint.height for footprint in footprints]),
        bases=np.array([footprint.base for footprint in footprints]),
        levels=_levels(footprints, height),
        height=height,
    )
    tints = np.array([footprint.tints for footprint in footprints], dtype=np.uint8)
    is_roof = (mesh.surfaces == Surface.ROOF).astype(np.int64)
    tints = tints.reshape(-1, 2, 4)[owners, is_roof]
    return SolidMesh(mesh, tints, _spans(mesh, owners, len(footprints)), is_raised)


def _spans(mesh: Mesh, owners: Integers, count: int) -> Floats:
    """The lowest and the highest z [m] of each solid (count, 2)."""
    spans = np.zeros((count, 2))
    if count:
        z = mesh.vertices[:, 2][mesh.triangles]
        starts = np.searchsorted(owners, np.arange(count))
        spans[:, 0] = np.minimum.reduceat(z.min(axis=1), starts)
        spans[:, 1] = np.maximum.reduceat(z.max(axis=1), starts)
    return spans


def _levels(footprints: Sequence[Footprint], height: HeightFunction) -> Floats:
    """The ground (n,) [m] from which footprints are measured that say where; NaN of the others."""
    levels = np.full(len(footprints), np.nan)
    rows = [row for row, each in enumerate(footprints) if each.ground_at is not None]
    if rows:
        levels[rows] = height(np.array([footprints[row].ground_at for row in rows]))
    return levels
