"""The map for a user program that navigates: its roads, and where it lies on the Earth.

Kept apart, and loaded only by programs that navigate: map projections and road networks take
their time to import.
"""

from dataclasses import dataclass, replace

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.geometry.map_projection import MapProjection
from autosim.world.lanes.roads import LaneSignals, RoadNetwork


@dataclass(frozen=True, slots=True)
class NavigationMap:
    """A world for navigation."""

    world: CompiledWorld
    roads: RoadNetwork
    """The lanes and their connections."""
    projection: MapProjection
    """Projection between W and latitude and longitude."""

    @classmethod
    def of(cls, world: CompiledWorld) -> "NavigationMap":
        """The navigation map of a compiled world."""
        return cls(world, world.roads, MapProjection(world.origin))

    def with_signals(self, shown: Integers) -> "NavigationMap":
        """The same map, whose lanes know what their signals show: `shown`, the live state."""
        # Imported here: only programs of worlds with traffic need it, and it takes its time.
        from autosim.traffic.signals.signal_plan import make_plan

        plan = make_plan(self.world, most=len(shown))
        signals = LaneSignals(plan.lane_groups, shown[: len(plan)])
        return replace(self, roads=replace(self.roads, signals=signals))

    @property
    def origin(self) -> tuple[float, float]:
        """Latitude and longitude [deg, WGS 84] of W's origin."""
        return self.projection.origin

    def to_local(self, latitude: float, longitude: float) -> Floats:
        """The point (2,) in W [m], x east, y north, of a latitude and longitude [deg]."""
        point: Floats = self.projection.to_local(np.array([[latitude, longitude]]))[0]
        return point
