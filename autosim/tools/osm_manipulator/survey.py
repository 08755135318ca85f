"""Surveys a map: streets, land use, and all obstacles that houses must keep clear of.

Carriageways, pavements and existing houses come from the compiled world. So the survey agrees with
what the simulator builds, instead of interpreting the same tags a second time.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.arrays import Floats
from autosim.config.descriptions import MapSetup
from autosim.config.diagnostics import Diagnostics
from autosim.tools.osm_manipulator.furnish_options import Progress
from autosim.tools.osm_manipulator.land_use import LandUse
from autosim.tools.osm_manipulator.rules import (
    half_width,
    is_building_area,
    is_built_over,
    land_use,
    node_radius,
)
from autosim.world.buildings.building_solids import house_corners
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.geometry import overlays
from autosim.world.geometry.map_projection import MapProjection
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.osm.areas import find_areas
from autosim.world.osm.highways import HighwayClass, highway_classes
from autosim.world.osm.osm_data import OsmData, OsmWay
from autosim.world.osm.osm_reader import read_osm
from autosim.world.osm.tags import layer_of
from autosim.world.pipeline.world_pipeline import build_world
from autosim.world.streets.street_finding import Street, find_streets
from autosim.world.streets.street_profiles import street_profile
from autosim.world.streets.window import GROUND_MARGIN, cut_streets

Shapes = npt.NDArray[np.object_]
_STREET_SURFACES = (Surface.CARRIAGEWAY, Surface.KERB, Surface.PAVEMENT)
_COMPILE_SHARE = 0.8
"""Share of a survey's work that compiling the world takes: measured on towns."""


@dataclass(frozen=True, slots=True)
class HouseNode:
    """A house that a node of the map places: the node's id, its centre [m] in W and its tags."""

    node: int
    centre: tuple[float, float]
    tags: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Survey:
    """A map for placing houses, with all shapes in W [m].

    Attributes:
        projection: the projection between W and latitude and longitude.
        window: the area of the world's ground.
        streets: the streets on the ground.
        street_surfaces: (n,) triangles of carriageways, kerbs and pavements.
        water: (n,) triangles of water.
        buildings: (n,) outlines of buildings.
        houses: (n,) boxes of houses that nodes place.
        house_nodes: these nodes.
        others: (n,) all other obstacles.
        land: the land use.
        attribution: the text that the licence of the map requires.
    """

    projection: MapProjection
    window: BaseGeometry
    streets: tuple[Street, ...]
    street_surfaces: Shapes
    water: Shapes
    buildings: Shapes
    houses: Shapes
    house_nodes: tuple[HouseNode, ...]
    others: Shapes
    land: LandUse
    attribution: str


def survey_map(
    osm: Path, setup: MapSetup | None, *, diagnostics: Diagnostics, progress: Progress
) -> Survey:
    """Reads and compiles a map, and surveys it.

    Args:
        osm: the map file.
        setup: widths, origin and size; None for the built-in ones.
        diagnostics: receives the warnings.
        progress: called from 0 to 1.

    Raises:
        ConfigError: the map cannot make a world; every fault is named.
    """
    world = build_world(
        osm,
        setup=setup,
        diagnostics=diagnostics,
        progress=lambda step, share: progress(step, _COMPILE_SHARE * share),
    )
    progress("look for what is in the way", _COMPILE_SHARE)
    data = read_osm(osm)
    projection = MapProjection(world.origin)
    return _Surveyor(data, projection, world, setup).survey()


class _Surveyor:
    """Surveys one map."""

    def __init__(
        self, data: OsmData, projection: MapProjection, world: CompiledWorld, setup: MapSetup | None
    ) -> None:
        self._data = data
        self._world = world
        self._setup = setup
        self._projection = projection
        self._points = projection.to_local(data.places)
        self._window = shapely.box(*world.bounds)

    def survey(self) -> Survey:
        return Survey(
            projection=self._projection,
            window=self._window,
            streets=self._streets(),
            street_surfaces=_triangles(self._world, _STREET_SURFACES),
            water=self._water(),
            buildings=self._buildings(),
            houses=self._houses(),
            house_nodes=self._house_nodes(),
            others=np.concatenate([self._areas(), self._lines(), self._things()]),
            land=LandUse.of(
                find_areas(self._data, self._points, lambda tags: land_use(tags) is not None)
            ),
            attribution=self._world.attribution,
        )

    def _streets(self) -> tuple[Street, ...]:
        """The parts of the streets on the ground that the simulator builds."""
        x_min, y_min, x_max, y_max = self._world.bounds
        m = GROUND_MARGIN
        window = (x_min + m, y_min + m, x_max - m, y_max - m)
        streets = find_streets(self._data, self._points, setup=self._setup)
        on_ground = [street for street in streets if street.layer == 0]
        return tuple(cut_streets(on_ground, window, Counter()))

    def _near(self, shapes: Shapes) -> Shapes:
        """The shapes that touch the window."""
        return np.asarray(shapes[shapely.intersects(shapes, self._window)], dtype=object)

    def _buildings(self) -> Shapes:
        areas = find_areas(self._data, self._points, is_building_area)
        return self._near(_array([area.shape for area in areas]))

    def _houses(self) -> Shapes:
        boxes = [house_corners(house) for house in self._world.houses]
        return self._near(_array([shapely.Polygon(corners) for corners in boxes]))

    def _house_nodes(self) -> tuple[HouseNode, ...]:
        nodes = [node for node in self._data.tagged_nodes if "filePath" in node.tags]
        places = self._points[self._data.rows(tuple(node.id for node in nodes))].tolist()
        return tuple(
            HouseNode(node.id, (x, y), node.tags)
            for node, (x, y) in zip(nodes, places, strict=True)
            if self._window.contains(shapely.Point(x, y))
        )

    def _areas(self) -> Shapes:
        areas = find_areas(self._data, self._points, is_built_over)
        return self._near(_array([area.shape for area in areas]))

    def _lines(self) -> Shapes:
        classes = highway_classes(self._setup)
        lines, widths = [], []
        for way in self._data.ways:
            width = _line_half_width(way, classes)
            if width is not None and len(way.refs) > 1:
                lines.append(self._line(way))
                widths.append(width)
        return self._near(overlays.buffer(_array(lines), np.array(widths), quad_segs=4))

    def _line(self, way: OsmWay) -> BaseGeometry:
        return shapely.LineString(self._points[self._data.rows(way.refs)])

    def _things(self) -> Shapes:
        """Objects that are nodes, such as trees, masts and hydrants."""
        found = [(node.id, node_radius(node.tags)) for node in self._data.tagged_nodes]
        ids = tuple(number for number, radius in found if radius is not None)
        radii = np.array([radius for _, radius in found if radius is not None], dtype=np.float64)
        places = np.asarray(shapely.points(self._points[self._data.rows(ids)]), dtype=object)
        return self._near(overlays.buffer(places, radii, quad_segs=3))

    def _water(self) -> Shapes:
        return _triangles(self._world, (Surface.WATER,))


def _line_half_width(way: OsmWay, classes: Mapping[str, HighwayClass]) -> float | None:
    """Half the width [m] of a line that is in the way, None for all other lines.

    The surfaces of streets on the ground are known already. A bridge is in the way as far as its
    street is wide.
    """
    kind = classes.get(way.tags.get("highway", ""))
    if kind is None:
        return half_width(way.tags)
    if layer_of(way.tags) <= 0:
        return None
    profile = street_profile(way.tags, kind)
    return profile.width / 2.0 + max(profile.pavement)


def _triangles(world: CompiledWorld, surfaces: tuple[Surface, ...]) -> Shapes:
    """The triangles of some surfaces, of ground, bridges and tunnels, from above."""
    found = [_flat_triangles(mesh, surfaces) for mesh in (world.ground, world.structures)]
    return np.concatenate(found)


def _flat_triangles(mesh: Mesh, surfaces: tuple[Surface, ...]) -> Shapes:
    chosen = np.isin(mesh.surfaces, surfaces)
    corners: Floats = mesh.vertices[:, :2][mesh.triangles[chosen]]
    shapes = np.asarray(shapely.polygons(corners), dtype=object).reshape(-1)
    return np.asarray(shapes[shapely.area(shapes) > 0.0], dtype=object)


def _array(shapes: list[BaseGeometry]) -> Shapes:
    """An array of shapes, also of none."""
    found = np.empty(len(shapes), dtype=object)
    found[:] = shapes
    return found
