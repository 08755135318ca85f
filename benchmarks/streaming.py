"""How late steps begin while tiles stream: cars driven fast along the streets of a large world.

    python benchmarks/streaming.py [FILE.osm] [--window LAT,LON,METRES] [--cars N] [--speed M/S]
        [--hertz HZ] [--seconds S] [--cache FOLDER]

Without a file it is 10 km x 10 km of Liechtenstein. The cars' velocities are set in each step; all
else is the real step, paced. `CPU` is the processor time of a step, which other work on the machine
does not disturb. The rows `standing` are the same world with the same cars at rest: what of the
lateness is not the tiles'. `first drive` is from the start of a process, with the world and the
kernels in their caches, to the end of the first step.
"""

import argparse
import gc
import json
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
LIECHTENSTEIN = ROOT.parent / "shared/osm/pbf/liechtenstein.osm.pbf"
WINDOW = "47.16,9.53,10000"
RIDE_HEIGHT = 0.75


@dataclass(frozen=True)
class Options:
    osm: Path
    window: str
    cars: int
    speed: float
    hertz: float
    seconds: float
    cache: Path | None


def make_simulation(options: Options):
    from autosim.applications.worlds import open_world
    from autosim.config.descriptions import MapSetup, TerrainDescription
    from autosim.config.diagnostics import Diagnostics
    from autosim.server.simulation import Simulation
    from autosim.world.cache import compile_world
    from autosim.world.window import Window

    world = open_world(ROOT / "worlds/circle_town.xml")
    terrain = TerrainDescription(options.osm, MapSetup("benchmark"))
    window = Window(*map(float, options.window.split(","))) if options.window else None
    compiled = compile_world(
        terrain, window=window, directory=options.cache, diagnostics=Diagnostics()
    )
    robots = [
        replace(world.robots[0], name=f"car{k}", program=None, position=None)
        for k in range(options.cars)
    ]
    physics = replace(world.physics, step_seconds=1.0 / options.hertz)
    world = replace(world, terrain=terrain, physics=physics, robots=tuple(robots))
    return Simulation(world, compiled=compiled, report=lambda notice: None)


def courses(simulation, length: float):
    """Points [m] every metre of a drive for each car, one shape for all: (cars, n, 3)."""
    from autosim.world.routing import route

    roads = simulation.compiled.roads
    random = np.random.default_rng(0)
    longest = np.argsort(roads.lengths())[-200:]
    found = []
    for start in random.choice(longest, 4 * len(simulation._robots), replace=False):
        lanes = route(roads, int(start), length=length, seed=int(start))
        line = np.vstack([roads.points[roads.starts[k] : roads.starts[k + 1]] for k in lanes])
        steps = np.linalg.norm(np.diff(line, axis=0), axis=1)
        stations = np.append(0.0, np.cumsum(steps))
        if stations[-1] >= length:
            ticks = np.arange(0.0, length)
            found.append(np.stack([np.interp(ticks, stations, line[:, k]) for k in range(3)], 1))
    if len(found) < len(simulation._robots):
        raise SystemExit("the streets are too short for so long a drive")
    return np.array(found[: len(simulation._robots)]) + np.array([0.0, 0.0, RIDE_HEIGHT])


def drive(simulation, options: Options, points) -> dict[str, float]:
    """Steps for a while; cars follow `points`, or stand where it is None."""
    from autosim.server.pace import Pace

    late, cpu = [], []
    period = simulation.step_seconds
    steps = round(options.seconds / period)
    pace = Pace(period, 1.0, now=time.monotonic())
    before = resident()
    for step in range(steps):
        time.sleep(pace.wait_seconds(time.monotonic()))
        late.append(pace.begin_step(time.monotonic()))
        begin = time.process_time()
        if points is not None:
            aim = points[:, min(int(step * period * options.speed) + 1, points.shape[1] - 1)]
            steer(simulation, aim, options.speed)
        simulation.step()
        cpu.append(time.process_time() - begin)
    return figures("late", late) | figures("CPU", cpu) | {"MB": resident() - before}


def steer(simulation, aims, speed: float) -> None:
    positions = simulation._bodies.states.positions
    ways = aims - positions[: len(aims)]
    lengths = np.maximum(np.linalg.norm(ways, axis=1, keepdims=True), 1e-3)
    limit = 20.0 * speed
    velocities = ways / lengths * np.minimum(lengths / simulation.step_seconds, limit)
    for body, velocity in enumerate(velocities.tolist()):
        simulation._physics.set_velocity(body, velocity, (0.0, 0.0, 0.0))


def figures(name: str, seconds: list[float]) -> dict[str, float]:
    p50, p99, most = np.percentile(seconds, [50, 99, 100]) * 1e3
    return {f"{name} p50": p50, f"{name} p99": p99, f"{name} max": most}


def resident() -> float:
    """Memory [MB] of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def run(options: Options) -> None:
    from autosim.server.simulation import Simulation  # noqa: F401

    ready = resident()
    with make_simulation(options) as simulation:
        triangles = len(simulation.compiled.ground.triangles)
        print(f"{triangles} triangles of ground; {options.cars} cars, {options.hertz:g} Hz")
        print(f"memory after the start: {resident() - ready:.0f} MB more than Python with PyBullet")
        gc.collect()
        gc.freeze()
        gc.disable()
        points = courses(simulation, options.seconds * options.speed + 2.0)
        rows = [("standing", drive(simulation, options, None))]
        rows.append((f"{options.speed:g} m/s", drive(simulation, options, points)))
        rows.append(("again", drive(simulation, options, points[:, ::-1])))
        print(f"{'ms':12}" + "".join(f"{name:>10}" for name in rows[0][1]))
        for name, values in rows:
            print(f"{name:12}" + "".join(f"{value:10.3f}" for value in values.values()))
        tiles = simulation._streaming._tiles.values()
        shapes = sum(len(tile._shapes) for tile in tiles)
        bodies = sum(len(tile._bodies) for tile in tiles)
        print(f"{shapes} shapes were made, {bodies} bodies are in")


def first_drive(options: Options) -> float:
    command = [sys.executable, __file__, "--first", str(time.monotonic())]
    command += ["--options", json.dumps(asdict(options), default=str)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("osm", nargs="?", type=Path, default=LIECHTENSTEIN)
    parser.add_argument("--window")
    parser.add_argument("--cars", type=int, default=4)
    parser.add_argument("--speed", type=float, default=50.0)
    parser.add_argument("--hertz", type=float, default=240.0)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--first", type=float, help=argparse.SUPPRESS)
    parser.add_argument("--options", type=json.loads, help=argparse.SUPPRESS)
    given = vars(parser.parse_args())
    begin, passed = given.pop("first"), given.pop("options")
    if begin is not None:
        cache = Path(passed["cache"]) if passed["cache"] else None
        options = Options(**{**passed, "osm": Path(passed["osm"]), "cache": cache})
        with make_simulation(options) as simulation:
            simulation.step()
            print(time.monotonic() - begin)
        return
    if given["window"] is None:
        given["window"] = WINDOW if given["osm"] == LIECHTENSTEIN else ""
    options = Options(**given)
    run(options)
    seconds = min(first_drive(options) for _ in range(3))
    print(f"first drive: {seconds:.2f} s after a cached start")


if __name__ == "__main__":
    main()
