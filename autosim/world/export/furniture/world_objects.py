"""The objects of a world for map formats: buildings, barriers, posts, and props."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import shapely

from autosim.world.compiled.compiled_world import CAR, HEDGE, VAN, CompiledWorld, PropKind
from autosim.world.export.furniture.crosswalk_areas import crosswalk_objects
from autosim.world.export.furniture.mesh_outlines import SolidOutline, ring_of, solid_outlines
from autosim.world.export.furniture.object_records import MapObject
from autosim.world.geometry.meshes import Mesh, Surface


@dataclass(frozen=True, slots=True)
class _Kind:
    """Type, subtype and name of objects."""

    type: str
    subtype: str
    name: str


_BARRIERS = {
    Surface.MASONRY: _Kind("barrier", "wall", "wall"),
    Surface.TIMBER: _Kind("barrier", "fence", "fence"),
    Surface.HEDGE: _Kind("vegetation", "hedge", "hedge"),
    Surface.CONCRETE: _Kind("obstacle", "", "obstacle"),
}
"""Types of solids by their surface; others are parts of buildings or of props."""

_LOW_POST = 1.5
"""Height [m] up to which a post of steel is a bollard; others carry signs."""

_POST_SIDE = 0.5
"""Longest side [m] of a post of steel in plan; longer ones are railings."""

_PROPS = {
    PropKind.BROADLEAF: _Kind("tree", "leaf", "tree"),
    PropKind.CONIFER: _Kind("tree", "needle", "tree"),
    PropKind.LAMP: _Kind("pole", "streetLamp", "streetLamp"),
    PropKind.BENCH: _Kind("obstacle", "", "bench"),
    PropKind.PARKED_CAR: _Kind("obstacle", "", "parkedCar"),
    PropKind.PARKED_VAN: _Kind("obstacle", "", "parkedVan"),
    PropKind.HEDGE: _Kind("vegetation", "hedge", "hedge"),
}

_CROWN, _LAMP_RADIUS = 0.25, 0.08
"""Radius of a tree's crown as a share of its height, and that of a lamp's post [m]."""

_BENCH = (0.5, 1.7, 0.9)
"""Length, width and height [m] of a bench."""


def world_objects(world: CompiledWorld) -> list[MapObject]:
    """All objects of a world; doors, shop fronts and plates of signs are parts of others."""
    return [
        *crosswalk_objects(world.roads),
        *_houses(world),
        *(_building(each) for each in solid_outlines(world.buildings)),
        *_obstacles(world.obstacles),
        *_props(world),
    ]


def _houses(world: CompiledWorld) -> Iterator[MapObject]:
    for house in world.houses:
        yield MapObject("building", "", "building", house.position, house.yaw, house.size)


def _building(solid: SolidOutline) -> MapObject:
    return _outlined(_Kind("building", "", "building"), solid)


def _outlined(kind: _Kind, solid: SolidOutline) -> MapObject:
    shape = shapely.MultiPolygon(solid.polygons)
    x, y = shape.centroid.coords[0]
    west, south, east, north = shape.bounds
    return MapObject(
        kind.type,
        kind.subtype,
        kind.name,
        (x, y, solid.low),
        0.0,
        (east - west, north - south, solid.high - solid.low),
        outlines=tuple(ring_of(each) for each in solid.polygons),
    )


def _obstacles(mesh: Mesh) -> Iterator[MapObject]:
    standing = np.isin(mesh.surfaces, [*_BARRIERS, Surface.STEEL])
    for solid in solid_outlines(mesh.select(standing)):
        if solid.surface in _BARRIERS:
            yield _outlined(_BARRIERS[solid.surface], solid)
            continue
        west, south, east, north = shapely.MultiPolygon(solid.polygons).bounds
        side, height = max(east - west, north - south), solid.high - solid.low
        if side > _POST_SIDE:
            yield _outlined(_Kind("barrier", "railing", "railing"), solid)
            continue
        name = "bollard" if height < _LOW_POST else "trafficSign"
        foot = (west + east) / 2.0, (south + north) / 2.0, solid.low
        yield MapObject("pole", name, name, foot, 0.0, (side, side, height), side / 2.0)


def _props(world: CompiledWorld) -> Iterator[MapObject]:
    props = world.props
    rows = zip(
        props.kinds.tolist(),
        props.positions.tolist(),
        props.yaws.tolist(),
        props.heights.tolist(),
        strict=True,
    )
    for number, (x, y, z), yaw, height in rows:
        prop = PropKind(number)
        kind, radius = _PROPS[prop], 0.0
        if kind.type == "tree":
            radius = _CROWN * height
        elif prop is PropKind.LAMP:
            radius = _LAMP_RADIUS
        length, width = 2.0 * radius, 2.0 * radius
        if prop is PropKind.BENCH:
            length, width, height = _BENCH
        elif prop in (PropKind.PARKED_CAR, PropKind.PARKED_VAN):
            length, width, height = CAR if prop is PropKind.PARKED_CAR else VAN
        elif prop is PropKind.HEDGE:
            length, width, height = HEDGE
        size = (length, width, height)
        yield MapObject(kind.type, kind.subtype, kind.name, (x, y, z), yaw, size, radius)
