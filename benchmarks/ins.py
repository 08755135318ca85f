"""What the inertial navigation systems of many robots take in a step.

    python benchmarks/ins.py [--robots 100] [--steps 400]

Each robot has what a car on the road may have: an inertial unit, a receiver that is 0.1 s late, a
compass, a barometer, two wheel encoders, and wheels that do not slide. The limit is measured in the
same run: the arithmetic that no filter goes without, two products of 15 x 15 matrices (F P F') for
each robot, by NumPy's library for linear algebra. All times are of the processor, the least of
several rounds.
"""

import argparse
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from autosim.config.descriptions import PlacedRobot
from autosim.engine.step.simulation import Simulation
from autosim.estimation.inertial import ERRORS
from autosim.kinds.owners.ins import INSBank
from autosim.loading.loader import load_robot, load_world
from autosim.model.bodies import BodyStates
from autosim.model.state import State

ROOT = Path(__file__).resolve().parents[1]
SPACING = 8.0
ROUNDS = 5


def world_of(count: int) -> Simulation:
    """Cars that stand in rows."""
    car = load_robot(ROOT / "robots" / "ins_car.xml")
    side = int(np.ceil(np.sqrt(count)))
    robots = tuple(
        PlacedRobot(
            f"car{number}",
            car,
            position=(SPACING * (number % side), SPACING * (number // side), None),
            yaw=0.0,
        )
        for number in range(count)
    )
    world = load_world(ROOT / "worlds" / "circle_town.xml")
    return Simulation(replace(world, robots=robots), report=lambda notice: None)


class Stopwatch:
    """A bank that notes how long its work takes."""

    def __init__(self, bank: INSBank) -> None:
        self._bank, self.seconds = bank, 0.0

    def estimate(self, bodies: BodyStates, state: State) -> None:
        """As the bank does."""
        begin = time.process_time()
        self._bank.estimate(bodies, state)
        self.seconds += time.process_time() - begin


def filters(count: int, steps: int) -> tuple[float, float]:
    """Seconds of a step's filters, and of the whole step."""
    with world_of(count) as simulation:
        banks = simulation._devices._estimating
        (place,) = (k for k, bank in enumerate(banks) if isinstance(bank, INSBank))
        watch = Stopwatch(banks[place])
        banks[place] = watch
        for _ in range(20):
            simulation.step()
        found = []
        for _ in range(ROUNDS):
            begin, watch.seconds = time.process_time(), 0.0
            for _ in range(steps):
                simulation.step()
            whole = time.process_time() - begin
            found.append((watch.seconds / steps, whole / steps))
    return min(found)


def products(count: int, steps: int) -> float:
    """Seconds of two products of matrices for each of `count` robots."""
    F, P = np.random.default_rng(1).normal(size=(2, count, ERRORS, ERRORS))
    found = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        for _ in range(steps):
            F @ P @ F.transpose(0, 2, 1)
        found.append((time.process_time() - begin) / steps)
    return min(found)


def main() -> None:
    """Prints what a step takes, in ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robots", type=int, default=100)
    parser.add_argument("--steps", type=int, default=400)
    options = parser.parse_args()
    inertial, whole = filters(options.robots, options.steps)
    limit = products(options.robots, options.steps)
    print(
        f"{options.robots} robots: filters {inertial * 1e3:.3f} ms, {inertial / whole:.0%} of the "
        f"step; two products of matrices each {limit * 1e3:.3f} ms: ratio {inertial / limit:.2f}"
    )


if __name__ == "__main__":
    main()
