"""Steps per second of 1 to 1000 kinematic cars, by phase.

    python benchmarks/kinematic_vehicles.py [--seconds 2] [--hertz 240] [--cars 1 10 100 300 1000]

`models` moves them, `ground` finds the ground under their wheels and puts them onto it,
`collisions` finds what they run into, and `rest` is what the physics and the state take. A row with
devices also has each car's reports and three of its sensors. All times are of the processor.
"""

import argparse
import gc
import time
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np

from autosim.applications.vehicle.physical import level_ground
from autosim.arrays import Floats
from autosim.config.descriptions import (
    MapSetup,
    PlacedRobot,
    RobotDescription,
    TerrainDescription,
    WorldDescription,
)
from autosim.config.world_settings import GraphicsDescription, PhysicsDescription
from autosim.engine.physics.kinematic_vehicles import KinematicVehicles
from autosim.engine.step.simulation import Simulation
from autosim.kinds.kinematic.kinematic_vehicle import KinematicVehicle
from autosim.loading.loader import load_robot, load_world
from autosim.model.tree import WORD
from autosim.vehicle.kinematic.kinematic_fleet import KinematicFleet, VehicleModel
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.pipeline.cache import compile_world

SPACING = 12.0
"""Distance [m] between two cars at the start."""


class Timed:
    """Adds up the processor's time in methods of an object."""

    def __init__(self, owner: object, *names: str) -> None:
        self.seconds = 0.0
        for name in names:
            setattr(owner, name, self._timed(getattr(owner, name)))

    def _timed(self, method):
        def run(*arguments):
            begin = time.process_time()
            result = method(*arguments)
            self.seconds += time.process_time() - begin
            return result

        return run


def places_on(ground: str, world: CompiledWorld, count: int) -> Floats:
    """Places (count, 2) [m] and headings [rad]: in a square, or on lanes of the town."""
    if ground == "flat":
        side = int(np.ceil(np.sqrt(count)))
        plan = np.stack(np.divmod(np.arange(count), side), axis=1) * SPACING - side * SPACING / 2
        return np.column_stack([plan, np.zeros(count)])
    points = [
        (*lane.position(s)[:2], lane.heading(s))
        for lane in world.roads.lanes
        for s in np.arange(0.0, lane.length, 1.0)
    ]
    chosen = np.linspace(0, len(points) - 1, count).astype(int)
    return np.array(points)[chosen]


def described(robot: RobotDescription, places: Floats, hertz: float) -> WorldDescription:
    """A world with a robot at each place."""
    robots = tuple(
        PlacedRobot(f"car{number}", robot, position=(x, y, None), yaw=yaw)
        for number, (x, y, yaw) in enumerate(places.tolist())
    )
    return WorldDescription(
        name="benchmark",
        source=Path("benchmark.xml"),
        graphics=GraphicsDescription(),
        physics=PhysicsDescription(step_seconds=1.0 / hertz),
        terrain=TerrainDescription(Path("benchmark.osm"), MapSetup("benchmark")),
        robots=robots,
    )


def measure_models(count: int, hertz: float, steps: int) -> tuple[float, float]:
    """Milliseconds of a step of the models alone, and kB of memory for each car."""
    device = next(d for d in kinematic_car().devices if isinstance(d, KinematicVehicle))
    model = VehicleModel(device.law, device.model_values)
    KinematicFleet(
        [model], step_seconds=1.0 / hertz
    ).advance()  # Compiled, it takes no memory of cars.
    tracemalloc.start()
    fleet = KinematicFleet([model] * count, step_seconds=1.0 / hertz)
    memory = tracemalloc.get_traced_memory()[0] / count / 1e3
    tracemalloc.stop()
    fleet.commands[:, :2] = np.random.default_rng(0).uniform([0.2, -0.3], [1.0, 0.3], (count, 2))
    fleet.advance()
    begin = time.process_time()
    for _ in range(steps):
        fleet.advance()
    return 1e3 * (time.process_time() - begin) / steps, memory


def kinematic_car() -> RobotDescription:
    """The shipped car."""
    return load_robot("robots/kinematic_car.xml")


def bare(robot: RobotDescription) -> RobotDescription:
    """A robot whose sensors and reports are off."""
    own = tuple(each for each in robot.devices if isinstance(each, KinematicVehicle))
    return replace(robot, devices=own)


def measure_cars(
    robot: RobotDescription, ground: str, count: int, hertz: float, steps: int
) -> dict[str, float]:
    """Milliseconds of a step of whole simulations of so many cars, by phase."""
    if ground == "flat":
        compiled = level_ground(2000.0)
    else:
        compiled = compile_world(load_world("worlds/circle_town.xml").terrain)
    world = described(robot, places_on(ground, compiled, count), hertz)
    with Simulation(world, compiled=compiled, report=lambda notice: None) as simulation:
        vehicles: KinematicVehicles = simulation._kinematic
        random = np.random.default_rng(0)
        nodes = [simulation.tree.find(f"car{n}.chassis.vehicle") for n in range(count)]
        words = np.array([node.start // WORD for node in nodes])
        simulation.state.floats[words] = random.uniform(0.2, 1.0, count)
        simulation.state.floats[words + 2] = random.uniform(-0.3, 0.3, count)
        for _ in range(steps // 4 + 2):
            simulation.step()
        phases = {
            "models": Timed(vehicles.fleet, "advance"),
            "ground": Timed(vehicles, "_find", "_settle"),
            "collisions": Timed(vehicles, "contacts"),
            "all": Timed(simulation, "step"),
        }
        for _ in range(steps):
            simulation.step()
    spent = {name: 1e3 * phase.seconds / steps for name, phase in phases.items()}
    spent["rest"] = 2.0 * spent["all"] - sum(spent.values())
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=2.0, help="simulated, for each row")
    parser.add_argument("--hertz", type=float, default=240.0)
    parser.add_argument("--cars", type=int, nargs="+", default=[1, 10, 100, 300, 1000])
    options = parser.parse_args()
    gc.freeze()
    gc.disable()
    print_tables(options.cars, hertz=options.hertz, seconds=options.seconds)


def print_tables(cars: list[int], *, hertz: float, seconds: float) -> None:
    """Measures so many cars, and prints what they take."""
    steps = round(seconds * hertz)
    print(f"the models of kinematic cars alone, ms a step at {hertz:g} Hz")
    print(f"{'cars':>6}{'ms':>10}{'kB a car':>10}")
    for count in cars:
        spent, memory = measure_models(count, hertz, steps)
        print(f"{count:>6}{spent:10.4f}{memory:10.2f}")
    heads = ("models", "ground", "collisions", "rest", "all")
    print("whole simulations of kinematic cars, ms a step")
    print(f"{'ground':>6} {'devices':>8}{'cars':>6}" + "".join(f"{head:>12}" for head in heads))
    for ground in ("flat", "town"):
        for devices in ("off", "on"):
            for count in cars:
                robot = kinematic_car() if devices == "on" else bare(kinematic_car())
                phases = measure_cars(robot, ground, count, hertz, steps)
                line = "".join(f"{phases[head]:12.4f}" for head in heads)
                print(f"{ground:>6} {devices:>8}{count:>6}{line}", flush=True)


if __name__ == "__main__":
    main()
