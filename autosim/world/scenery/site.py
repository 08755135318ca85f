"""The world in which scenery is set up: ground, lanes, and the places where nothing may stand."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from scipy.spatial import cKDTree
from shapely.geometry.base import BaseGeometry

from autosim import portable
from autosim.arrays import Booleans, Floats
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.extent import Box
from autosim.world.geometry.meshes import Surface
from autosim.world.lanes.roads import RoadNetwork
from autosim.world.osm.osm_data import OsmData, OsmNode
from autosim.world.surfaces.parking_strips import BayRows

_MARGIN = 1.0
"""Distance [m] that scenery keeps from the border of the world, where the ground ends."""

_AROUND = np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
"""A place and four points around it, as factors of a clearance: they are tested for surfaces."""

ROAD = (Surface.CARRIAGEWAY, Surface.KERB)
STREET = (*ROAD, Surface.PAVEMENT)


@dataclass(frozen=True, slots=True)
class Site:
    """A world with its ground, lanes and buildings, before it has scenery.

    `points` (n, 2) are the places [m] of the map's nodes, `buildings` all outlines, `bays` those
    along streets.

    Attributes:
        data: content of the map.
        box: box of the ground [m] in W.
        network: lanes with their rules.
    """

    data: OsmData
    points: Floats
    box: Box
    ground: GroundIndex
    network: RoadNetwork
    buildings: Sequence[BaseGeometry]
    bays: BayRows

    @property
    def window(self) -> shapely.Polygon:
        """The box of the world without its margin."""
        x_min, y_min, x_max, y_max = self.box
        return shapely.box(x_min + _MARGIN, y_min + _MARGIN, x_max - _MARGIN, y_max - _MARGIN)

    def nodes(self, key: str, value: str) -> tuple[list[OsmNode], Floats]:
        """The nodes with a tag, inside the world, and their places (n, 2) [m]."""
        nodes = [node for node in self.data.tagged_nodes if node.tags.get(key) == value]
        places = self.points[self.data.rows(tuple(node.id for node in nodes))].reshape(-1, 2)
        inside = self.is_inside(places)
        return [n for n, here in zip(nodes, inside, strict=True) if here], places[inside]

    def is_inside(self, places: Floats) -> Booleans:
        """Whether places (n, 2) lie inside the world and its margin."""
        low, high = np.array(self.box[:2]) + _MARGIN, np.array(self.box[2:]) - _MARGIN
        return np.asarray(((places > low) & (places < high)).all(axis=1))

    def is_free(
        self, places: Floats, *, avoided: Sequence[Surface], clearance: float, walls: float
    ) -> Booleans:
        """Whether places (n, 2) keep clear of surfaces by `clearance` and buildings by `walls`."""
        if not len(places):
            return np.zeros(0, dtype=np.bool_)
        around = (places[:, None] + clearance * _AROUND).reshape(-1, 2)
        surfaces = self.ground.surfaces_at(around).reshape(-1, len(_AROUND))
        is_bad = np.isin(surfaces, avoided) | (surfaces < 0)
        free: Booleans = np.asarray(~is_bad.any(axis=1))
        tree = shapely.STRtree(self.buildings)
        blocked, _ = tree.query(shapely.points(places), predicate="dwithin", distance=walls)
        free[blocked] = False
        return free

    def on_ground(self, places: Floats) -> Floats:
        """Places (n, 3) on the ground at (n, 2)."""
        heights = self.ground.heights_at(places) if len(places) else np.zeros(0)
        return np.column_stack([places, heights])

    def towards_lanes(self, places: Floats) -> Floats:
        """Direction [rad] (n,) from places (n, 2) to the nearest lane."""
        if not len(self.network.points) or not len(places):
            return np.zeros(len(places))
        _, rows = cKDTree(self.network.points[:, :2]).query(places)
        gap = self.network.points[rows, :2] - places
        return np.asarray(portable.arctan2(gap[:, 1], gap[:, 0]))
