"""Makes buildings as closed solids: walls and roofs over footprints, boxes for placed houses.

A footprint that reaches into a carriageway is cut back, and left out where too little of it
remains. A building whose parts are mapped (`building:part`) is made of its parts (`raised_parts`).
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
from autosim.world.buildings.footprint_solids import raised_solids
from autosim.world.buildings.roof_plans import plan_of
from autosim.world.buildings.roofs import FLAT_ROOF, Roof, roof_of
from autosim.world.compiled.compiled_world import Building
from autosim.world.geometry import overlays
from autosim.world.geometry.height_function import HeightFunction
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.geometry.overlays import polygons_of
from autosim.world.osm.areas import Area
from autosim.world.osm.osm_data import OsmNode
from autosim.world.osm.tags import Tags, parse_length, parse_number

_LEVEL_HEIGHT = 3.0
"""Height [m] of a storey whose height the map does not state: usual in flats."""

_MIN_HEIGHT, _MAX_HEIGHT = 2.0, 800.0
"""Least and greatest height [m] of a building: a door, and about the highest tower of the world; a
number beyond is a slip of the map."""

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
"""Height [m] of buildings without a stated one, by the value of `building`: the usual number of
storeys, chosen by experience."""

_USUAL_HEIGHT = 6.0
"""Height [m] of all other buildings without a stated height: two storeys."""

_CLEARANCE = 0.5
"""Distance [m] that buildings keep from carriageways, so that a wheel at the edge touches none."""

_SMALLEST_FOOTPRINT = 4.0
"""Area [m²] of the smallest footprint that is built: a shed."""

_KEPT_SHARE = 0.4
"""Share of a footprint that must remain clear of carriageways: with less, the map probably places
the building or the street wrongly, and the building is left out."""

_LEAST_EAVES = 2.0
"""Least height [m] of the eaves where the stated height includes the roof: that of a door."""

_THINNEST = 0.5
"""Least height [m] of a part from its underside to its eaves."""

_SIMPLIFY = 0.1
"""Tolerance [m] of simplifying footprints: finer than mappers draw."""

Colours = Bytes
Tint = tuple[int, int, int, int]
NO_TINT: Tint = (0, 0, 0, 0)
"""Colour values, of 0 to 255, that stand for no stated colour."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """The outline of a building or of a part of one, with its heights.

    Attributes:
        polygon: its outline [m] in W.
        height: height [m] of the eaves above the ground.
        roof: its roof.
        base: height [m] of its underside above the ground; 0 for one that stands on the ground.
        tints: colours that the map states for the walls and for the roof, each as (red, green,
            blue, 255); all 0 where it states none.
        ground_at: as in `Area`.
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
    """Height [m] of a building: from `height`, else `building:levels`, else its kind."""
    height = parse_length(tags.get("height"))
    if height is None:
        levels = parse_number(tags.get("building:levels"))
        usual = _DEFAULT_HEIGHTS.get(tags.get("building", ""), _USUAL_HEIGHT)
        height = usual if levels is None else levels * _LEVEL_HEIGHT
    return min(max(height, _MIN_HEIGHT), _MAX_HEIGHT)


@dataclass(frozen=True, slots=True)
class SolidMesh:
    """Closed solids as one mesh, solid after solid.

    Attributes:
        mesh: the triangles.
        tints: (m, 4) stated colours of the triangles.
        spans: (n, 2) heights [m] in W of the underside and the top of each solid.
        is_raised: (n,) whether each solid begins above the ground.
    """

    mesh: Mesh
    tints: Colours
    spans: Floats
    is_raised: Booleans


@dataclass(frozen=True, slots=True)
class BuiltBlock:
    """The buildings of a block.

    Attributes:
        solids: the buildings.
        polygons: their outlines in plan.
        houses: the houses that nodes place.
        left_out: how many objects were left out, by reason.
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
    """The footprints inside the window, with a clearance from carriageways."""
    inside = [area for area in areas if shapely.covers(window, area.shape)]
    left_out["buildings beyond the window"] += len(areas) - len(inside)
    blocked = building_clearance(carriageway)
    footprints: list[Footprint] = []
    for area in inside:
        shape = clip_to_clearance(area.shape, blocked)
        if shape is not area.shape:
            is_lost = shape.is_empty
            left_out["buildings on carriageways" if is_lost else "buildings cut back"] += 1
        footprints += [footprint_of_area(area, part) for part in tidy_parts(shape)]
    return footprints


def building_clearance(carriageway: BaseGeometry) -> BaseGeometry:
    """The area on and beside a carriageway where no building may be, prepared for many tests."""
    blocked = overlays.buffer(carriageway, _CLEARANCE, quad_segs=2)
    shapely.prepare(blocked)
    return blocked


def clip_to_clearance(shape: BaseGeometry, blocked: BaseGeometry) -> BaseGeometry:
    """The part of a shape outside `blocked`; empty if too little of it remains."""
    if not shapely.intersects(blocked, shape):
        return shape
    clear = polygons_of(overlays.difference(shape, blocked))
    return clear if clear.area >= _KEPT_SHARE * shape.area else shapely.MultiPolygon()


def footprint_of_area(area: Area, polygon: shapely.Polygon) -> Footprint:
    """The footprint of one polygon of an area, by the area's tags."""
    tags = area.tags
    roof = roof_of(tags, polygon, shapely.oriented_envelope(polygon), seed=area.id)
    height = building_height(tags)
    if parse_length(tags.get("height")) is not None:
        height = max(height - roof.rise, _LEAST_EAVES)
    base = min(stated_base(tags), height - _THINNEST)
    tints = (_tint(tags.get("building:colour")), _tint(tags.get("roof:colour")))
    return Footprint(polygon, height, roof, base, tints, area.ground_at)


def _tint(text: str | None) -> Tint:
    """The colour that a tag states in CSS notation; `NO_TINT` where it states none."""
    if text is None:
        return NO_TINT
    try:
        red, green, blue = ImageColor.getrgb(text.strip().replace("_", ""))[:3]
    except ValueError:
        return NO_TINT
    return (red, green, blue, 255)


def tidy_parts(shape: BaseGeometry) -> list[shapely.Polygon]:
    """The polygons of a shape that are large enough to build, simplified."""
    parts = shapely.get_parts(polygons_of(overlays.simplify(shape, _SIMPLIFY)))
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
        points: (n, 2) their places [m] in W.
        window: the area of the world.
        carriageway: houses that reach into it are left out.
        height: the height function of the ground.
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


def make_solid_mesh(footprints: Sequence[Footprint], height: HeightFunction) -> SolidMesh:
    """Makes the buildings over footprints; those on the ground reach `FOUNDATION` into it."""
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
    """Height (n,) [m] of the ground where footprints state a place for it; NaN for the others."""
    levels = np.full(len(footprints), np.nan)
    rows = [row for row, each in enumerate(footprints) if each.ground_at is not None]
    if rows:
        levels[rows] = height(np.array([footprints[row].ground_at for row in rows]))
    return levels
