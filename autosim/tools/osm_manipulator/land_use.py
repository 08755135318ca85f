"""Finds the land use around places."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely

from autosim.arrays import Floats, Integers
from autosim.tools.osm_manipulator.rules import DEFAULT_LAND_USE, land_use, section_for
from autosim.world.osm.areas import Area


@dataclass(frozen=True, slots=True)
class LandUse:
    """Areas of land use, the smallest first.

    `shapes` (n,) are polygons in W [m], `values` their land uses. Where one area contains another,
    the smallest counts, such as a playground in a town quarter.
    """

    shapes: npt.NDArray[np.object_]
    values: tuple[str, ...]

    @classmethod
    def of(cls, areas: Sequence[Area]) -> "LandUse":
        """The land use that areas make."""
        ordered = sorted(areas, key=lambda area: (area.shape.area, area.id))
        shapes = np.empty(len(ordered), dtype=object)
        shapes[:] = [area.shape for area in ordered]
        return cls(shapes, tuple(land_use(area.tags) or DEFAULT_LAND_USE for area in ordered))

    def at(self, points: Floats, sections: Sequence[str]) -> Integers:
        """The section of a house list that each place belongs to.

        Args:
            points: (n, 2) [m] in W.
            sections: names of a list's sections.

        Returns:
            (n,) indices into `sections`; -1 where the list has no section for the land use.
        """
        known = frozenset(sections)
        numbers = {name: k for k, name in enumerate(sections)}
        of_areas = [numbers.get(section_for(value, known), -1) for value in self.values]
        by_rank = np.array([*of_areas, numbers.get(DEFAULT_LAND_USE, -1)], dtype=np.int64)
        return np.asarray(by_rank[self._ranks(points)], dtype=np.int64)

    def names_at(self, points: Floats) -> list[str]:
        """The land use of each place (n, 2), by its name."""
        names = (*self.values, DEFAULT_LAND_USE)
        return [names[rank] for rank in self._ranks(points).tolist()]

    def _ranks(self, points: Floats) -> Integers:
        """Index (n,) of the smallest area around each place, `len(values)` where there is none."""
        ranks = np.full(len(points), len(self.values), dtype=np.int64)
        # The tree holds the points, because a query prepares its argument: it then searches an area
        # of thousands of corners instead of walking it for each point.
        tree = shapely.STRtree(np.asarray(shapely.points(points), dtype=object))
        areas, places = tree.query(self.shapes, predicate="intersects")
        np.minimum.at(ranks, places, areas)
        return ranks
