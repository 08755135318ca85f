"""Steps per second of environments, and how long an episode takes to begin.

    python benchmarks/environments.py [--seconds 5] [--cars 1000] [--threads 2]

`share` is what the physics of the same simulation takes of a step without any environment around
it: the limit of one process. A fleet's limit is what its rays alone take. Where MetaDrive is
installed, it is measured in the same run.
"""

import argparse
import time
from collections.abc import Callable

import gymnasium
import numpy as np

import autosim.environments  # noqa: F401 (it registers the names)
from autosim.environments.driving import DrivingEnvironment
from autosim.environments.fleet import FleetEnvironment
from autosim.environments.runs import LocalRun
from autosim.tracks import lane_view

RESETS = 20
"""Episodes whose beginnings are timed."""


def rate(work: Callable[[], object], seconds: float) -> float:
    """How often in a second of the processor `work` is done."""
    count, begin = 0, time.process_time()
    while time.process_time() - begin < seconds:
        work()
        count += 1
    return count / (time.process_time() - begin)


def follow(seen: np.ndarray) -> np.ndarray:
    """Actions along the lane at 6 m/s."""
    actions = np.zeros((*seen.shape[:-1], 2), dtype=np.float32)
    actions[..., 0] = np.clip(2.0 * seen[..., lane_view.BEARINGS + 1], -1.0, 1.0)
    actions[..., 1] = np.where(seen[..., lane_view.SPEED] < 6.0 / lane_view.SPEED_UNIT, 0.5, -0.1)
    return actions


def measure_one(name: str, seconds: float, **options: object) -> None:
    """Prints the steps per second of an environment with one car."""
    made = gymnasium.make(name, **options)
    environment = made.unwrapped
    assert isinstance(environment, DrivingEnvironment)
    seen, _ = environment.reset(seed=0)

    def step() -> None:
        nonlocal seen
        seen, _, ended, _, _ = environment.step(follow(seen))
        if ended:
            seen, _ = environment.reset()

    rate(step, 1.0)
    steps = rate(step, seconds)
    run = environment.run
    assert isinstance(run, LocalRun)
    assert run.simulation is not None
    physics = rate(run.simulation.step, seconds) / run.physics_steps
    begin = time.process_time()
    for _ in range(RESETS):
        environment.reset()
    reset = (time.process_time() - begin) / RESETS
    rays = len(seen) - lane_view.WIDTH
    print(f"{name:24} {rays:4} {steps:8.0f} {steps / physics:6.2f} {1e3 * reset:8.1f}", flush=True)
    made.close()


def measure_fleet(cars: int, rays: int, threads: int, seconds: float) -> None:
    """Prints the steps per second of a fleet, by the clock."""
    fleet = FleetEnvironment(cars=cars, rays=rays, threads=threads)
    seen, _ = fleet.reset(seed=0)

    def once(count: int) -> float:
        nonlocal seen
        begin = time.perf_counter()
        for _ in range(count):
            seen, *_ = fleet.step(follow(seen))
        return count * cars / (time.perf_counter() - begin)

    once(20)
    steps = once(max(20, int(seconds / (20 / once(20) * cars) * 20)))
    begin = time.perf_counter()
    fleet.look()
    alone = cars / (time.perf_counter() - begin)
    print(f"{cars:6} {rays:4} {threads:7} {steps:12.0f} {steps / alone:6.2f}", flush=True)
    fleet.close()


def measure_metadrive(seconds: float) -> None:
    """Prints the steps per second of MetaDrive without traffic, where it is installed."""
    try:
        from metadrive.envs import MetaDriveEnv
    except ImportError:
        print("MetaDrive is not installed: pip install metadrive-simulator")
        return
    for rays in (0, 240):
        sensors = {"lidar": {"num_lasers": rays}}
        options = {"traffic_density": 0.0, "log_level": 50, "vehicle_config": sensors}
        environment = MetaDriveEnv(options)
        environment.reset(seed=0)

        def step(environment: object = environment) -> None:
            if environment.step([0.0, 0.2])[2]:
                environment.reset()

        print(f"{'MetaDrive':24} {rays:4} {rate(step, seconds):8.0f}", flush=True)
        environment.close()


def main() -> None:
    """Measures all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--cars", type=int, nargs="+", default=[1000])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    given = parser.parse_args()
    print(f"{'environment':24} {'rays':>4} {'steps/s':>8} {'share':>6} {'reset ms':>8}")
    measure_one("autosim/LaneKeeping-v0", given.seconds)
    measure_one("autosim/Town-v0", given.seconds, rays=240)
    measure_one("autosim/Parking-v0", given.seconds)
    measure_metadrive(given.seconds)
    print(f"\n{'cars':>6} {'rays':>4} {'threads':>7} {'steps/s':>12} {'share':>6}")
    for cars in given.cars:
        for threads in given.threads:
            for rays in (0, 32):
                measure_fleet(cars, rays, threads, given.seconds)


if __name__ == "__main__":
    main()
