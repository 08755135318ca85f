"""Choice of the engine that moves the vehicles: this package, or SUMO."""

from autosim.arrays import Floats
from autosim.config.world_settings import TrafficDescription
from autosim.traffic.demand.attractions import attractions_of
from autosim.traffic.demand.departures import Departures
from autosim.traffic.demand.edges import Edges
from autosim.traffic.signals.running_signals import RunningSignals
from autosim.traffic.vehicles.lanes.lane_table import LaneTable
from autosim.traffic.vehicles.native_vehicles import NativeVehicles
from autosim.traffic.vehicles.traffic_area import TrafficArea
from autosim.world.compiled.compiled_world import CompiledWorld


def make_vehicles(
    world: CompiledWorld,
    traffic: TrafficDescription,
    signals: RunningSignals,
    *,
    step_seconds: float,
    seed: int,
    robots: int,
    walkers: int,
) -> NativeVehicles:
    """The vehicles of a world.

    Args:
        world: the place.
        traffic: what the world file says.
        signals: which vehicles obey.
        step_seconds: length of a step [s].
        seed: of the run.
        robots: how many robots, objects and actors of a scenario there are.
        walkers: how many people on foot, and cyclists who are not on lanes.

    Raises:
        SumoError: SUMO is wanted, and cannot be had.
        DemandError: the routes do not fit the map.
    """

    def departures(lanes: LaneTable) -> Departures:
        assert traffic.demand is not None
        return Departures(traffic.demand, Edges(world.roads, lanes, world.driving_side))

    def attractions() -> Floats:
        return attractions_of(world)

    if traffic.engine == "sumo":
        # Only now: it is large, and an extra.
        from autosim.traffic.sumo.sumo_vehicles import SumoVehicles

        return SumoVehicles(
            world,
            traffic,
            step_seconds=step_seconds,
            seed=seed,
            robots=robots,
            signals=signals,
            departures=departures if traffic.demand else None,
            attractions=attractions,
        )
    return NativeVehicles(
        TrafficArea.of(world, signals.lane_signals),
        traffic,
        step_seconds=step_seconds,
        seed=seed,
        robots=robots,
        people=walkers,
        departures=departures if traffic.demand else None,
        attractions=attractions,
    )
