"""Traffic beside the demo's car, in the shipped town: what 100 vehicles cost, and how fast it is.

    python benchmarks/traffic.py [EXTRACT]

All of it on one processor, by its time: other work on the machine does not count. Where the extra
`sumo` is installed, SUMO moves as many vehicles in the same run.
"""

import sys
import time
from dataclasses import replace
from importlib.util import find_spec
from itertools import product
from pathlib import Path

from autosim.applications.common.open_worlds import open_named_world
from autosim.config.world_settings import TrafficDescription
from autosim.engine.step.simulation import Simulation
from autosim.traffic.traffic_node import counters_of
from autosim.world.pipeline.cache import compile_world

SECONDS = 20.0
VEHICLES = (50, 100, 200)
GOAL = 2.0


def measured(world, compiled, vehicles, engine="autosim"):
    """Microseconds of a step and how many vehicles there were."""
    traffic = TrafficDescription(vehicles=vehicles, engine=engine) if vehicles else None
    quiet = lambda notice: None  # noqa: E731 -- a line is enough
    with Simulation(replace(world, traffic=traffic), compiled=compiled, report=quiet) as simulation:
        for _ in range(480):
            simulation.step()
        steps = round(SECONDS / simulation.step_seconds)
        begin = time.process_time()
        for _ in range(steps):
            simulation.step()
        each = (time.process_time() - begin) / steps
        return each * 1e6, counters_of(simulation.state).get("vehicles_now", 0)


def main(arguments):
    world = open_named_world(arguments[0] if arguments else Path("worlds/circle_town.xml"))
    compiled = compile_world(world.terrain)
    step = world.physics.step_seconds * 1e6
    alone, _ = measured(world, compiled, 0)
    print(f"{'engine':>8} {'vehicles':>8} {'µs a step':>10} {'× real time':>12} {'µs per 100':>11}")
    print(f"{'':8} {0:8} {alone:10.0f} {step / alone:12.1f}")
    engines = ("autosim", "sumo") if find_spec("libsumo") else ("autosim",)
    for engine, wanted in product(engines, VEHICLES):
        each, found = measured(world, compiled, wanted, engine)
        per_hundred = (each - alone) / max(found, 1) * 100.0
        print(f"{engine:>8} {found:8} {each:10.0f} {step / each:12.1f} {per_hundred:11.0f}", end="")
        print(f"  (goal: at least {GOAL:g} ×)" if engine == "autosim" else "")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
