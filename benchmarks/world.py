"""Times the compiling of worlds: cold and from the cache, with the memory of all processes.

    python benchmarks/world.py [NAME ...]

Every figure is of a process of its own, from its start to the world in its hands. `of reading` is
the cold time over that of a process that only reads the map file, `of start` the cached time over
that of one that imports NumPy: the limits of what Python can do here. `peak MB` is the largest sum
of the proportional set sizes of the process and all that it started; it is of a second run, since
to look there takes the processors a twentieth of the time that they have for compiling.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared" / "osm"
CASES = {
    "town": (ROOT / "worlds/circle_town/circle_town.osm", None),
    "helsinki 1 km²": (SHARED / "pbf/helsinki.osm.pbf", (60.1717, 24.9443, 1000.0)),
    "leeds": (SHARED / "city/leeds_cycleway.osm", None),
    "liechtenstein 100 km²": (SHARED / "pbf/liechtenstein.osm.pbf", (47.14, 9.53, 10_000.0)),
    "the same on hills": (SHARED / "pbf/liechtenstein.osm.pbf", (47.14, 9.53, 10_000.0)),
}
ON_HILLS = ("the same on hills",)
COLUMNS = ["world", "km²", "cold s", "cpu s", "of reading", "peak MB"]
COLUMNS += ["cached s", "of start", "peak MB", "ground", "lanes", "broken"]
REPEATS = 3
READ = "import sys; from pathlib import Path; from autosim.world.osm.osm_reader import read_osm; "
READ += "read_osm(Path(sys.argv[1]))"


def compiled(name: str) -> dict:
    """What is in the world of a case; run in a fresh process, which the caller times."""
    from autosim.process_setup import prepare_process

    prepare_process()
    from autosim.config.descriptions import MapSetup, TerrainDescription
    from autosim.config.diagnostics import Diagnostics
    from autosim.world.geometry.extent import Window
    from autosim.world.pipeline.cache import compile_world

    osm, window = CASES[name]
    height_map = hills() if name in ON_HILLS else None
    world = compile_world(
        TerrainDescription(osm, MapSetup(name="benchmark"), height_map=height_map),
        window=None if window is None else Window(*window),
        diagnostics=Diagnostics(),
    )
    x_min, y_min, x_max, y_max = world.bounds
    counts = ("open_edges", "non_manifold_edges", "road_slivers", "missed_rays")
    return {
        "square_kilometres": (x_max - x_min) * (y_max - y_min) / 1e6,
        "ground": len(world.ground.triangles),
        "lanes": len(world.roads.roads),
        "broken": sum(dict(world.invariants)[count] for count in counts),
    }


def hills() -> Path:
    """A made-up SRTM tile of Liechtenstein: a valley with rough ground, and mountains in the east.

    It lies beside the cache of the case.
    """
    import numpy as np

    path = Path(os.environ["XDG_CACHE_HOME"]) / "N47E009.hgt"
    east, south = np.meshgrid(np.linspace(0.0, 75_500.0, 1201), np.linspace(0.0, 111_000.0, 1201))
    heights = 450.0 + 40.0 * np.sin(east / 900.0) * np.cos(south / 1100.0)
    heights += 1200.0 / (1.0 + np.exp((42_000.0 - east) / 1500.0))
    heights += np.random.default_rng(0).normal(0.0, 1.0, heights.shape)
    path.write_bytes(np.round(heights).astype(">i2").tobytes())
    return path


def timed(*arguments: str, cache: str = "") -> dict:
    """Seconds, seconds of all processors and output of a Python process."""
    before, begin = os.times(), time.perf_counter()
    process = started(*arguments, cache=cache)
    output = process.communicate()[0]
    seconds, after = time.perf_counter() - begin, os.times()
    if process.returncode:
        raise SystemExit(f"{arguments[0]} ended with {process.returncode}")
    spent = after.children_user + after.children_system
    spent -= before.children_user + before.children_system
    return {"s": seconds, "cpu": spent, "output": output}


def peak(*arguments: str, cache: str) -> float:
    """The largest memory [MB] of a Python process and all that it has started."""
    process, most = started(*arguments, cache=cache), 0.0
    while process.poll() is None:
        most = max(most, sum(map(megabytes, family(process.pid))))
        time.sleep(0.02)
    process.communicate()
    return most


def started(*arguments: str, cache: str) -> subprocess.Popen:
    """A Python process with a cache of its own."""
    environment = (
        os.environ | {"PYTHONPATH": str(ROOT)} | ({"XDG_CACHE_HOME": cache} if cache else {})
    )
    return subprocess.Popen(
        [sys.executable, *arguments], env=environment, stdout=subprocess.PIPE, text=True
    )


def family(pid: int) -> list[int]:
    """A process and all that it has started."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return [pid]
    return [pid, *(each for child in children for each in family(int(child)))]


def megabytes(pid: int) -> float:
    """The proportional set size of a process: what is shared counts once in the sum of all."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024.0


def row(name: str) -> list[str]:
    with tempfile.TemporaryDirectory() as cache:
        cold = timed(__file__, "--one", name, cache=cache)
        cached = min(timed(__file__, "--one", name, cache=cache)["s"] for _ in range(REPEATS))
    with tempfile.TemporaryDirectory() as cache:
        peaks = [peak(__file__, "--one", name, cache=cache) for _ in ("cold", "cached")]
    reading = min(timed("-c", READ, str(CASES[name][0]))["s"] for _ in range(REPEATS))
    start = min(timed("-c", "import numpy")["s"] for _ in range(REPEATS))
    world = json.loads(cold["output"])
    return [
        name,
        f"{world['square_kilometres']:.2f}",
        f"{cold['s']:.2f}",
        f"{cold['cpu']:.2f}",
        f"{cold['s'] / reading:.1f}",
        f"{peaks[0]:.0f}",
        f"{cached:.2f}",
        f"{cached / start:.1f}",
        f"{peaks[1]:.0f}",
        str(world["ground"]),
        str(world["lanes"]),
        f"{world['broken']:.0f}",
    ]


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--one"]:
        print(json.dumps(compiled(arguments[1])))
        return
    names = arguments or [name for name, (osm, _) in CASES.items() if osm.exists()]
    rows = [COLUMNS, *(row(name) for name in names)]
    widths = [max(len(row[k]) for row in rows) for k in range(len(COLUMNS))]
    for each in rows:
        print("  ".join(cell.rjust(width) for cell, width in zip(each, widths, strict=True)))


if __name__ == "__main__":
    main(sys.argv[1:])
