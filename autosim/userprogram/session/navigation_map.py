"""The map for a user program that navigates: its roads, and where it lies on the Earth.

Kept apart, and loaded only by programs that navigate: map projections and road networks take
their time to import.
"""

from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats
from autosim.world.compiled.compiled import CompiledWorld
from autosim.world.geometry.projection import Projection
from autosim.world.lanes.roads import RoadNetwork


@dataclass(frozen=True, slots=True)
class NavigationMap:
    """A world for navigation."""

    roads: RoadNetwork
    projection: Projection

    @classmethod
    def of(cls, world: CompiledWorld) -> "NavigationMap":
        """The navigation map of a compiled world."""
        return cls(world.roads, Projection(world.origin))

    @property
    def origin(self) -> tuple[float, float]:
        """Latitude and longitude [deg, WGS 84] of W's origin."""
        return self.projection.origin

    def to_local(self, latitude: float, longitude: float) -> Floats:
        """The point (2,) in W [m], x east, y north, of a latitude and longitude [deg]."""
        point: Floats = self.projection.to_local(np.array([[latitude, longitude]]))[0]
        return point
