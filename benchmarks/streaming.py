"""How late steps begin while tiles stream: cars driven fast along the streets of a large world.

    python benchmarks/streaming.py [FILE.osm] [--window LAT,LON,METRES] [--cars N] [--speed M/S]
        [--hertz HZ] [--seconds S] [--cache FOLDER]

Without a file it is 10 km x 10 km of Liechtenstein. The cars' velocities are set in each step; all
else is the real step, paced. `late` is how late steps began; `CPU` the processor time of a step;
`alone` how late steps of that time begin where no other work disturbs them. The row `standing` is
the same world with the same cars at rest: what of the lateness is not the tiles'. `first drive` is
from the start of a process, with the world and the kernels in their caches, to the end of the first
step.
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


def compiled_world(options: Options):
    from autosim.config.descriptions import MapSetup, TerrainDescription
    from autosim.config.diagnostics import Diagnostics
    from autosim.world.geometry.extent import Window
    from autosim.world.pipeline.cache import compile_world

    terrain = TerrainDescription(options.osm, MapSetup("benchmark"))
    window = Window(*map(float, options.window.split(","))) if options.window else None
    return compile_world(terrain, window=window, directory=options.cache, diagnostics=Diagnostics())


def make_simulation(options: Options, compiled, courses=None):
    """The world with its cars, at the beginning of their courses or where there is room."""
    from autosim.engine.step.simulation import Simulation
    from autosim.loading.loader import load_world

    world = load_world(ROOT / "worlds/circle_town.xml")
    places = [None] * options.cars if courses is None else courses[:, 0].tolist()
    robots = [
        replace(world.robots[0], name=f"car{k}", program=None, position=place)
        for k, place in enumerate(places)
    ]
    physics = replace(world.physics, step_seconds=1.0 / options.hertz)
    world = replace(world, physics=physics, robots=tuple(robots))
    return Simulation(world, compiled=compiled, report=lambda notice: None)


def make_courses(options: Options, roads):
    """Points [m] every metre of a drive for each car, one shape for all: (cars, n, 3)."""
    from autosim.world.lanes.routing import route

    length = options.seconds * options.speed + 2.0
    ticks = np.arange(0.0, length)
    random = np.random.default_rng(0)
    longest = np.argsort(roads.lengths())[-200:]
    found = []
    for start in random.permutation(longest).tolist():
        lanes = route(roads, start, length=length, seed=start)
        line = np.vstack([roads.points[roads.starts[k] : roads.starts[k + 1]] for k in lanes])
        steps = np.linalg.norm(np.diff(line, axis=0), axis=1)
        stations = np.append(0.0, np.cumsum(steps))
        if stations[-1] >= length:
            found.append(np.stack([np.interp(ticks, stations, line[:, k]) for k in range(3)], 1))
        if len(found) == options.cars:
            return np.array(found) + np.array([0.0, 0.0, RIDE_HEIGHT])
    raise SystemExit("the streets are too short for so long a drive")


def drive(simulation, options: Options, points) -> dict[str, float]:
    """Steps for a while; cars follow `points`, or stand where it is None."""
    from autosim.server.process.pace import Pace

    late, cpu = [], []
    period = simulation.step_seconds
    pace = Pace(period, 1.0, now=time.monotonic())
    before = resident()
    for step in range(round(options.seconds / period)):
        time.sleep(pace.wait_seconds(time.monotonic()))
        late.append(pace.begin_step(time.monotonic()))
        if points is not None:
            steer(simulation, points[:, int(step * period * options.speed) + 1], options.speed)
        begin = time.process_time()
        simulation.step()
        cpu.append(time.process_time() - begin)
    found = figures("late", late) | figures("alone", lateness_of(cpu, period))
    return found | figures("CPU", cpu) | {"MB": resident() - before}


def lateness_of(cpu: list[float], period: float) -> list[float]:
    """How late steps that take `cpu` [s] begin on a machine that does nothing else."""
    late, free = [], 0.0
    for step, seconds in enumerate(cpu):
        begin = max(free, step * period)
        late.append(begin - step * period)
        free = begin + seconds
    return late


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
    compiled = compiled_world(options)
    courses = make_courses(options, compiled.roads)
    ready = resident()
    with make_simulation(options, compiled, courses) as simulation:
        triangles = len(simulation.compiled.ground.triangles)
        print(f"{triangles} triangles of ground; {options.cars} cars, {options.hertz:g} Hz")
        print(f"the simulation takes {resident() - ready:.0f} MB at its start")
        simulation.step()
        gc.collect()
        gc.freeze()
        gc.disable()
        rows = [("standing", drive(simulation, options, None))]
        rows.append((f"{options.speed:g} m/s", drive(simulation, options, courses)))
        rows.append(("back again", drive(simulation, options, courses[:, ::-1])))
        print(f"{'ms':12}" + "".join(f"{name:>11}" for name in rows[0][1]))
        for name, values in rows:
            print(f"{name:12}" + "".join(f"{value:11.3f}" for value in values.values()))
        pieces = simulation._streaming._pieces
        print(f"{len(pieces._shapes)} shapes were made, {len(pieces._bodies)} bodies are in")


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
        with make_simulation(options, compiled_world(options)) as simulation:
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
