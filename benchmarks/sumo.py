"""The same vehicles on the same routes, moved by AutoSim and by SUMO: travel times and capacity.

    python benchmarks/sumo.py [EXTRACT]

Needs the extra `sumo`. Both engines have the same lanes, signals and signs, and the same driver
model: SUMO's Intelligent Driver Model with the values of the fleet, without imperfection.
"""

import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from autosim.applications.common.open_worlds import open_named_world
from autosim.config.demand import Demand, Departure, StatedRoute, VehicleType
from autosim.config.world_settings import TrafficDescription
from autosim.engine.step.simulation import Simulation
from autosim.traffic.demand.edges import Edges
from autosim.traffic.traffic_node import V, counters_of, traffic_arrays_of
from autosim.traffic.vehicle_kinds import FLEET
from autosim.traffic.vehicles.lanes.lane_table import lane_table_of
from autosim.world.pipeline.cache import compile_world

SECONDS, LAST = 600, 300
VEHICLES = (20, 60, 120)
LEAST_WAY = 250.0
KIND = 0


@dataclass
class Run:
    """Mean travel time [s] of the vehicles that `arrived` (0 if none did), and collisions."""

    seconds: float
    arrived: int
    collisions: int


def vehicle_type():
    driving = FLEET[KIND].driving
    return VehicleType(
        "car",
        FLEET[KIND].name,
        (("speed_factor", 1.0),),
        (
            *(("carFollowModel", "IDM"), ("speedFactor", "1"), ("sigma", "0")),
            *(("tau", f"{driving.time_gap}"), ("minGap", f"{driving.least_gap}")),
            *(("accel", f"{driving.acceleration}"), ("decel", f"{driving.deceleration}")),
            ("emergencyDecel", "8"),
        ),
    )


def routes_in(edges, count, seed=1):
    """Fastest ways between two edges by chance, each long enough."""
    random, found = np.random.default_rng(seed), []
    total = len(edges.names)
    while len(found) < count:
        first, last = random.integers(total, size=2).tolist()
        ways = edges.way_between({first: 0.0}, [last], KIND)
        if last in ways and first != last:
            way = ways[last][1]
            length = sum(edges.length_of(edges.lanes_of(each)[0]) for each in way)
            if length > LEAST_WAY and edges.length_of(edges.lanes_of(way[0])[0]) > 20.0:
                found.append(StatedRoute(tuple(edges.names[each] for each in way), ""))
    return tuple(found)


def run(world, compiled, demand, engine):
    traffic = TrafficDescription(
        vehicles=len(demand.departures),
        shares=demand.shares(),
        imperfection=0.0,
        engine=engine,
        demand=demand,
    )
    description = replace(world, traffic=traffic, robots=())
    with Simulation(description, compiled=compiled, report=lambda notice: None) as simulation:
        rows, each = (
            traffic_arrays_of(simulation.state).vehicles,
            round(1.0 / simulation.step_seconds),
        )
        times, begun = [], {}
        for second in range(SECONDS):
            for _ in range(each):
                simulation.step()
            here = set(np.flatnonzero(rows[:, V.kind] >= 0.0).tolist())
            times += [second - begun.pop(place) for place in begun.keys() - here]
            begun |= dict.fromkeys(here - begun.keys(), second)
            if second > LAST and not here:
                break
        counts = counters_of(simulation.state)
    mean = float(np.mean(times)) if times else 0.0
    return Run(mean, len(times), counts["collisions"])


def main(arguments):
    world = open_named_world(Path(arguments[0] if arguments else "worlds/circle_town.xml"))
    compiled = compile_world(world.terrain)
    edges = Edges(compiled.roads, lane_table_of(compiled.roads, [KIND]), compiled.driving_side)
    print(f"{'vehicles':>8} {'engine':>8} {'arrived':>8} {'mean time':>10} {'collisions':>11}")
    for count in VEHICLES:
        routes = routes_in(edges, count)
        departures = tuple(
            Departure(f"v{k}", k * LAST / count, 0, k, None, 0.0) for k in range(count)
        )
        demand = Demand((vehicle_type(),), routes, departures)
        for engine in ("autosim", "sumo"):
            found = run(world, compiled, demand, engine)
            print(f"{count:8} {engine:>8} {found.arrived:8} {found.seconds:8.1f} s", end="")
            print(f" {found.collisions:11}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
