"""Steps per second of environments, and how long an episode takes to begin.

    python benchmarks/environments.py [--seconds 5] [--cars 1000] [--threads 2]

`share` is what the physics of the same simulation takes of a step without any environment around
it: the limit of one process. A fleet's limit is what its rays alone take. MetaDrive is measured in
the same run where $METADRIVE_PYTHON names an interpreter that has it: see `metadrive_steps.py`.
"""

import argparse
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import gymnasium
import numpy as np
from gymnasium.vector import AsyncVectorEnv

import autosim.environments  # noqa: F401 (it registers the names)
from autosim.environments.driving import DrivingEnv
from autosim.environments.episodes.episode_runs import LocalRun
from autosim.environments.fleet import FleetVectorEnv
from autosim.environments.fleet.shared_town import SharedTown
from autosim.environments.observations import CameraPicture
from autosim.environments.parallel import parallel_env
from autosim.environments.shipped import TOWN
from autosim.loading.loader import load_world
from autosim.loading.world_writer import with_traffic
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


def measure_one(name: str, seconds: float, title: str = "", **options: object) -> None:
    """Prints the steps per second of an environment with one car, while episodes last."""
    made = gymnasium.make(name, **options)
    environment = made.unwrapped
    assert isinstance(environment, DrivingEnv)
    seen, _ = environment.reset(seed=0)

    begun = 0.0

    def step() -> None:
        nonlocal seen, begun
        seen, _, ended, _, _ = environment.step(follow(seen))
        if ended:
            begin = time.process_time()
            seen, _ = environment.reset()
            begun += time.process_time() - begin

    rate(step, 1.0)
    begun = 0.0
    steps = rate(step, seconds) * seconds / (seconds - begun)
    run = environment.run
    assert isinstance(run, LocalRun)
    assert run.simulation is not None
    physics = rate(run.simulation.step, seconds) / run.physics_steps
    begin = time.process_time()
    for _ in range(RESETS):
        environment.reset()
    reset = (time.process_time() - begin) / RESETS
    rays = len(seen) - lane_view.WIDTH
    figures = f"{rays:4} {steps:8.0f} {steps / physics:6.2f} {1e3 * reset:8.1f}"
    print(f"{title or name:32} {figures}", flush=True)
    made.close()


def measure_fleet(cars: int, rays: int, threads: int, seconds: float) -> None:
    """Prints the steps per second of a fleet, by the clock."""
    fleet = FleetVectorEnv(cars=cars, rays=rays, threads=threads)
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


def measure_shared(cars: int, seconds: float) -> None:
    """Prints the steps of cars per second of processor time, of towns that are shared.

    `share` is that of the same cars alone, the limit of the row.
    """
    alone = 0.0
    for title, shared in (
        ("alone", None),
        ("with other cars", SharedTown(cars=12, traffic=0)),
        ("and vehicles", SharedTown(cars=12, traffic=12)),
        ("and people, signals", SharedTown(cars=12, traffic=12, people=8, has_signals=True)),
    ):
        fleet = FleetVectorEnv(cars=cars, rays=0, threads=1, shared=shared)
        seen, _ = fleet.reset(seed=0)

        def step() -> None:
            nonlocal seen
            seen, *_ = fleet.step(follow(seen))  # noqa: B023 (called before the next fleet)

        step()  # its kernels are compiled
        steps = cars * rate(step, seconds)
        alone = alone or steps
        print(f"{cars:6} {title:24} {steps:12.0f} {steps / alone:6.2f}", flush=True)
        fleet.close()


def measure_short_episodes(seconds: float) -> None:
    """Prints the steps per second of episodes that constant actions end soon, with their resets."""
    environment = gymnasium.make("autosim/LaneKeeping-v0").unwrapped
    assert isinstance(environment, DrivingEnv)
    environment.reset(seed=0)
    action = np.array([0.5, 0.5], dtype=np.float32)

    def step() -> None:
        _, _, ended, _, _ = environment.step(action)
        if ended:
            environment.reset()

    rate(step, 0.2)
    count = rate(step, seconds)
    print(f"{'short episodes':32} {lane_view.WIDTH:4} {count:8.0f}", flush=True)
    environment.close()


def measure_pictures(seconds: float) -> None:
    """Prints the steps per second of a car that sees by a camera of 84 x 84 pixels."""
    picture = CameraPicture("chassis.front_view")
    environment = gymnasium.make("autosim/LaneKeeping-v0", observations=(picture,)).unwrapped
    environment.reset(seed=0)
    ahead = np.array([0.0, 0.2], dtype=np.float32)
    steps = rate(lambda: environment.step(ahead), seconds)
    print(f"{'with a camera':32} {'':4} {steps:8.0f}", flush=True)
    environment.close()


def make_one() -> gymnasium.Env:
    """What each process of a vector environment makes."""
    return gymnasium.make("autosim/LaneKeeping-v0")


def measure_vector(processes: int, seconds: float) -> None:
    """Prints the steps per second of environments in processes of their own, by the clock."""
    vector = AsyncVectorEnv([make_one] * processes, shared_memory=True)
    seen, _ = vector.reset(seed=0)
    count, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        seen, *_ = vector.step(follow(seen))
        count += processes
    steps = count / (time.perf_counter() - begin)
    print(f"{f'{processes} processes, by the clock':32} {'':4} {steps:8.0f}", flush=True)
    vector.close()


def measure_several(agents: int, seconds: float) -> None:
    """Prints how many steps of cars in one world are done in a second."""
    environment = parallel_env("autosim/LaneKeeping-v0", agents=agents)
    seen, _ = environment.reset(seed=0)

    def step() -> None:
        nonlocal seen
        seen, *_ = environment.step({name: follow(seen[name]) for name in environment.agents})
        if not environment.agents:
            seen, _ = environment.reset()

    rate(step, 1.0)
    steps = agents * rate(step, seconds)
    print(f"{f'{agents} cars in one world':32} {'':4} {steps:8.0f}", flush=True)
    environment.close()


def measure_metadrive(seconds: float) -> None:
    """Prints the steps per second of MetaDrive, by the interpreter that has it."""
    interpreter = os.environ.get("METADRIVE_PYTHON")
    if interpreter is None:
        print("MetaDrive: not measured, METADRIVE_PYTHON names no interpreter that has it")
        return
    script = Path(__file__).with_name("metadrive_steps.py")
    command = [interpreter, str(script), f"{seconds:g}"]
    done = subprocess.run(command, capture_output=True, text=True, cwd="/")
    for line in done.stdout.splitlines():
        name, rays, vehicles, steps = line.split()
        title = f"MetaDrive, {vehicles} vehicles" if name == "traffic" else "MetaDrive"
        print(f"{title:32} {rays:>4} {steps:>8}", flush=True)
    if done.returncode:
        print(f"MetaDrive ended: {done.stderr.strip().splitlines()[-1]}")


def main() -> None:
    """Measures all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--cars", type=int, nargs="+", default=[1000])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument(
        "--vehicles", type=int, default=12, help="of traffic; MetaDrive has as many"
    )
    given = parser.parse_args()
    print(f"{'environment':32} {'rays':>4} {'steps/s':>8} {'share':>6} {'reset ms':>8}")
    measure_one("autosim/LaneKeeping-v0", given.seconds)
    measure_one("autosim/Town-v0", given.seconds, rays=240)
    town = with_traffic(load_world(TOWN), vehicles=given.vehicles, people=0)
    title = f"Town-v0, {given.vehicles} vehicles"
    measure_one("autosim/Town-v0", given.seconds, title=title, world=town, rays=240)
    measure_one("autosim/Parking-v0", given.seconds)
    measure_short_episodes(given.seconds)
    measure_several(4, given.seconds)
    measure_vector(2, given.seconds)
    measure_pictures(given.seconds)
    measure_metadrive(given.seconds)
    print(f"\n{'cars':>6} {'rays':>4} {'threads':>7} {'steps/s':>12} {'share':>6}")
    for cars in given.cars:
        for threads in given.threads:
            for rays in (0, 32):
                measure_fleet(cars, rays, threads, given.seconds)
    print(f"\n{'cars':>6} {'in a town':24} {'steps/s':>12} {'share':>6}")
    for cars in given.cars:
        measure_shared(cars, given.seconds)


if __name__ == "__main__":
    main()
