"""Houses that people set: how one looks at its street, and what it stands in."""

from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from autosim.portable import arctan2
from autosim.tools.osm_manipulator.placing import PlacedHouse
from autosim.tools.osm_manipulator.survey import Shapes, Survey

_TOUCH = 0.05
"""Two that overlap by less [m] touch."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is around a place on a map; made once for a map and asked often."""

    streets: shapely.STRtree
    obstacles: tuple[tuple[str, shapely.STRtree], ...]
    window: BaseGeometry

    @classmethod
    def of(cls, survey: Survey) -> "Surroundings":
        """Those of a map."""
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
        """The yaw [rad] with which a house at `centre` looks at the nearest street; 0 without."""
        point = shapely.Point(centre)
        nearest = self.streets.nearest(point)
        if nearest is None:
            return 0.0
        line = self.streets.geometries[int(nearest)]
        ahead = line.interpolate(line.project(point))
        return arctan2(float(ahead.y - centre[1]), float(ahead.x - centre[0]))

    def fault(self, house: PlacedHouse, others: "Shapes | None" = None) -> str:
        """Where a house should not stand but does, such as "on a street"; "" where it may.

        Args:
            house: the one to look at.
            others: the boxes of the other houses.
        """
        box = shapely.Polygon(house.corners).buffer(-_TOUCH)
        if not self.window.covers(box):
            return "beyond the map"
        for words, tree in self.obstacles:
            if len(tree.query(box, predicate="intersects")):
                return words
        if others is not None and len(others) and bool(np.any(shapely.intersects(others, box))):
            return "in another house"
        return ""
