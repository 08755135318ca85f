"""Times the compiling of worlds: build, read from the cache, size, invariants, peak memory.

    python benchmarks/world.py [FILE.osm ...]

Each world is built in a process of its own, so that the memory is that of one build.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared" / "osm"
EXTRACTS = (
    ROOT / "worlds/circle_town/circle_town.osm",
    SHARED / "city/tiny_roundabout.osm",
    SHARED / "city/perth_peanut_roundabout.osm",
    SHARED / "city/neukolln.osm",
    SHARED / "pbf/helsinki.osm.pbf",
)
COLUMNS = ["world", "build s", "cached s", "ratio", "ground", "buildings", "lanes", "km"]
COLUMNS += ["broken", "peak MB"]
REPEATS = 5


def measure(osm: Path) -> list[str]:
    """One row of the table; run in a fresh process."""
    from autosim.config.descriptions import MapSetup, TerrainDescription
    from autosim.config.diagnostics import Diagnostics
    from autosim.world.cache import compile_world
    from autosim.world.soundness import measures

    terrain = TerrainDescription(osm, MapSetup(name="benchmark"))
    with tempfile.TemporaryDirectory() as folder:

        def compiled():
            started = time.perf_counter()
            world = compile_world(terrain, directory=Path(folder), diagnostics=Diagnostics())
            return world, time.perf_counter() - started

        world, build = compiled()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
        cached = min(compiled()[1] for _ in range(REPEATS))
    broken = sum(each.is_broken for each in measures(world))
    kilometres = world.roads.lengths()[~world.roads.connectors].sum() / 1000.0
    return [
        world.name,
        f"{build:.2f}",
        f"{cached:.4f}",
        f"{build / cached:.0f}",
        str(len(world.ground.triangles)),
        str(len(world.buildings.triangles)),
        str(len(world.roads.lanes)),
        f"{kilometres:.1f}",
        f"{broken:.0f}",
        f"{peak:.0f}",
    ]


def measured_apart(osm: Path) -> list[str]:
    command = [sys.executable, __file__, "--one", str(osm)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--one"]:
        print(json.dumps(measure(Path(arguments[1]))))
        return
    paths = [Path(each) for each in arguments] or [path for path in EXTRACTS if path.exists()]
    rows = [COLUMNS, *(measured_apart(path) for path in paths)]
    widths = [max(len(row[k]) for row in rows) for k in range(len(COLUMNS))]
    for row in rows:
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))


if __name__ == "__main__":
    main(sys.argv[1:])
