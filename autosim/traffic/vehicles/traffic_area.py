"""The part of a world in which vehicles drive."""

from dataclasses import dataclass

from autosim.arrays import Integers
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.lanes.roads import RoadNetwork


@dataclass(frozen=True, slots=True)
class TrafficArea:
    """Lanes, where they end, their signals, and the side of traffic."""

    roads: RoadNetwork
    """The lanes."""
    bounds: tuple[float, float, float, float]
    """(x_min, y_min, x_max, y_max) [m] of the map."""
    signals: Integers | None = None
    """(lanes,) state of each lane's signal, which its owner updates; -1: the lane has none. None:
    no lane has one."""
    keeps_right: bool = True
    """Whether vehicles drive on the right."""

    @classmethod
    def of(cls, world: CompiledWorld, signals: Integers) -> "TrafficArea":
        """The whole of a world."""
        return cls(world.roads, world.bounds, signals, world.driving_side == "right")
