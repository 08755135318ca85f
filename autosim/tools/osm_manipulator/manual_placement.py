"""Helps users to set houses: turns a house to its street, and names faults of its place."""

from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.portable import arctan2
from autosim.tools.osm_manipulator.house_placement import PlacedHouse
from autosim.tools.osm_manipulator.survey import Shapes, Survey
from autosim.world.geometry import overlays

_TOUCH = 0.05
"""Overlap [m] up to which two shapes only touch."""


@dataclass(frozen=True, slots=True)
class PlacementIndex:
    """Index of the streets and obstacles of a map: built once, queried often."""

    streets: shapely.STRtree
    obstacles: tuple[tuple[str, shapely.STRtree], ...]
    window: BaseGeometry
    """Area of the map in which things may be placed."""

    @classmethod
    def of(cls, survey: Survey) -> "PlacementIndex":
        """Indexes a map."""
        lines = [shapely.LineString(street.points[:, :2]) for street in survey.streets]
        named: tuple[tuple[str, Shapes], ...] = (
            ("on a street", survey.street_surfaces),
            ("in the water", survey.water),
            ("in a building", survey.buildings),
            ("on a path, a railway or something else", survey.others),
        )
        trees = tuple((words, shapely.STRtree(shapes)) for words, shapes in named)
        return cls(shapely.STRtree(lines), trees, survey.window)

    def facing(self, centre: tuple[float, float]) -> float:
        """The yaw [rad] of a house at `centre` that faces the nearest street; 0 without streets."""
        point = shapely.Point(centre)
        nearest = self.streets.nearest(point)
        if nearest is None:
            return 0.0
        line = self.streets.geometries[int(nearest)]
        ahead = line.interpolate(line.project(point))
        return arctan2(float(ahead.y - centre[1]), float(ahead.x - centre[0]))

    def fault(self, house: PlacedHouse, others: "Shapes | None" = None) -> str:
        """Names the fault of a house's place, such as "on a street"; "" for a good place.

        Args:
            house: the house.
            others: the boxes of the other houses.
        """
        box = overlays.buffer(shapely.Polygon(house.corners), -_TOUCH, quad_segs=16)
        if not self.window.covers(box):
            return "beyond the map"
        for words, tree in self.obstacles:
            if len(tree.query(box, predicate="intersects")):
                return words
        if others is not None and len(others) and bool(np.any(shapely.intersects(others, box))):
            return "in another house"
        return ""
