"""What people on foot cost per step, by how many there are, beside so many vehicles.

    python benchmarks/people.py [WORLD] [--seconds 10] [--hertz 240] [--people 50 200 500 1000]

WORLD is a world file or an OpenStreetMap extract. All times are of the processor: `network` is what
it takes once to find where people walk, `step` the mean of all steps, of which every 20th of a
second has decisions. Vehicles stand still in the streets: people look at all of them.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from autosim.loading.loader import load_world, world_for_osm
from autosim.traffic.pedestrians.pedestrian_traffic import Pedestrians
from autosim.traffic.road_users import BOX, WALKER, B, RoadUsers
from autosim.traffic.traffic_node import PERSON, P
from autosim.traffic.ways.network_builder import WalkableWorld
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.pipeline.cache import compile_world

ROOT = Path(__file__).resolve().parents[1]


def standing_vehicles(compiled: CompiledWorld, count: int) -> np.ndarray:
    """Boxes of vehicles on lanes drawn at random."""
    generator = np.random.default_rng(1)
    boxes = np.zeros((count, BOX))
    for box in boxes:
        lane = compiled.roads.lanes[int(generator.integers(len(compiled.roads.roads)))]
        station = generator.uniform(0.0, lane.length)
        box[: B.z + 1], box[B.yaw] = lane.position(station), lane.heading(station)
        box[B.half_length], box[B.half_width] = 2.3, 0.9
    return boxes


def measure(compiled: CompiledWorld, people: int, vehicles: int, *, seconds: float, hertz: float):
    """Prints a row."""
    begin = time.process_time()
    crowd = Pedestrians.of(WalkableWorld(compiled), count=people, seed=1, step_seconds=1.0 / hertz)
    network = time.process_time() - begin
    state, walkers = np.zeros((people, PERSON)), np.zeros((people, WALKER))
    crowd.begin(state, walkers)
    signals = np.full(len(compiled.roads.roads), -1, dtype=np.int64)
    boxes = standing_vehicles(compiled, vehicles)
    around = RoadUsers(boxes, np.zeros((1, BOX)), walkers, signals)
    crowd.advance(0, state, around)
    steps = round(seconds * hertz)
    begin = time.process_time()
    for step in range(1, steps + 1):
        crowd.advance(step, state, around)
    spent = (time.process_time() - begin) / steps
    about = state[:, P.kind] >= 0.0
    print(
        f"{int(about.sum()):6d} people, {vehicles:4d} vehicles: network {network:6.2f} s, "
        f"step {1e6 * spent:7.1f} us, {1.0 / hertz / spent:8.0f} x real time, "
        f"mean speed {state[about, P.speed].mean():.2f} m/s"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("world", nargs="?", default=str(ROOT / "worlds" / "circle_town.xml"))
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--hertz", type=float, default=240.0)
    parser.add_argument("--people", type=int, nargs="+", default=[50, 200, 500, 1000])
    parser.add_argument("--vehicles", type=int, default=200)
    asked = parser.parse_args(arguments)
    is_world = asked.world.endswith(".xml")
    world = load_world(asked.world) if is_world else world_for_osm(asked.world)
    compiled = compile_world(world.terrain)
    for people in (asked.people[0], *asked.people):
        measure(compiled, people, asked.vehicles, seconds=asked.seconds, hertz=asked.hertz)


if __name__ == "__main__":
    main()
