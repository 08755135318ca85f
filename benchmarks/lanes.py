"""How long it takes to find the nearest lane: by the index, and by looking at all lanes.

    python benchmarks/lanes.py [WORLD.xml]

Microseconds of the processor a point; those on lanes are up to some metres beside one, the others
anywhere on the map. The goal is 5 µs for one point.
"""

import sys
import time
from collections.abc import Callable

import numpy as np

from autosim.applications.common.open_worlds import open_named_world
from autosim.engine.step.kernel_cache import fill_kernel_cache
from autosim.world.pipeline.cache import compile_world

COUNT, REPEATS = 500, 20


def microseconds(work: Callable[[], object]) -> float:
    best = np.inf
    for _ in range(REPEATS):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return 1e6 * best / COUNT


def main() -> None:
    world = open_named_world(sys.argv[1] if len(sys.argv) > 1 else "worlds/circle_town.xml")
    fill_kernel_cache()
    compiled = compile_world(world.terrain)
    roads, random = compiled.roads, np.random.default_rng(0)
    search_all = roads.nearest_of_all_lanes
    near = roads.points[random.integers(0, len(roads.points), COUNT)]
    near = near + random.normal(0.0, 3.0, near.shape)
    anywhere = random.uniform(compiled.bounds[:2], compiled.bounds[2:], (COUNT, 2))
    print(f"{world.name}: {len(roads.lanes)} lanes of {len(roads.points)} points")
    print(f"{'points':>10}{'one':>9}{'many':>9}{'heading':>9}{'all':>9}")
    for name, points in (("on lanes", near), ("anywhere", anywhere)):
        roads.nearest_lanes(points)
        each = list(points)
        row = (
            microseconds(lambda: [roads.nearest_lane(p) for p in each]),  # noqa: B023
            microseconds(lambda: roads.nearest_lanes(points)),  # noqa: B023
            microseconds(lambda: [roads.nearest_lane(p, 1.0) for p in each]),  # noqa: B023
            microseconds(lambda: [search_all(p, None) for p in each[:20]]) * COUNT / 20,  # noqa: B023
        )
        print(f"{name:>10}" + "".join(f"{value:9.2f}" for value in row))


if __name__ == "__main__":
    main()
