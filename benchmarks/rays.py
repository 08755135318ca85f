"""Rays of our own against Embree's, on the same triangles in the same run, on one core.

    python benchmarks/rays.py [WORLD.xml ...] [--no-helsinki]

Embree works in single precision and with the widest instructions that the processor has; ours in
double precision, with the same bits everywhere. `wheels` are 400 rays of a metre down to the lanes,
`lidar` the 64 x 1024 of one revolution, 100 m long, above a lane in the middle of the map. `new` is
what the first cast takes on top, which puts in order what it comes near; `build` is what Embree
takes for all triangles. All times are of the processor.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from embreex.mesh_construction import TriangleMesh
from embreex.rtcore_scene import EmbreeScene

from autosim.applications.common.open_worlds import open_named_world
from autosim.config.descriptions import MapSetup, TerrainDescription
from autosim.config.diagnostics import Diagnostics
from autosim.engine.step.kernel_cache import fill_kernel_cache
from autosim.kinds.sensors.ranging.lidar_device import LidarSensor
from autosim.kinds.sensors.ranging.lidar_scan import ray_directions
from autosim.rays.ray_scene import RayScene, colliding
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.pipeline.cache import compile_world
from autosim.world.pipeline.world_inputs import Window

ROOT = Path(__file__).parents[1]
HELSINKI = ROOT.parent / "shared/osm/pbf/helsinki.osm.pbf"
CENTRE = Window(60.1717, 24.9443, 1000.0)
LIDAR = LidarSensor("lidar", "chassis", channels=64, columns=1024, range=100.0)
SECONDS = 1.0
Rays = tuple[np.ndarray, np.ndarray]


def worlds(names: list[str], *, has_helsinki: bool) -> Iterator[tuple[str, CompiledWorld]]:
    for name in names:
        world = open_named_world(name)
        yield world.name, compile_world(world.terrain)
    if has_helsinki and HELSINKI.exists():
        terrain = TerrainDescription(HELSINKI, MapSetup("benchmark"))
        yield "Helsinki", compile_world(terrain, window=CENTRE, diagnostics=Diagnostics())


def wheel_rays(world: CompiledWorld) -> Rays:
    random = np.random.default_rng(1)
    points = world.roads.points[random.integers(0, len(world.roads.points), 100)]
    origins = np.repeat(points, 4, axis=0)
    origins[:, 2] += 0.6
    origins[:, :2] += random.uniform(-1.0, 1.0, (400, 2))
    return origins, origins - [0.0, 0.0, 1.0]


def lidar_rays(world: CompiledWorld) -> Rays:
    points = world.roads.points
    from_middle = np.hypot(*points[:, :2].T)
    origin = points[np.argsort(from_middle)[len(points) // 10]] + [0.0, 0.0, 1.8]
    ways = LIDAR.range * ray_directions(LIDAR).reshape(-1, 3)
    return np.broadcast_to(origin, ways.shape).copy(), origin + ways


def fastest(work: Callable[[], object]) -> float:
    """Milliseconds of one call."""
    best, end = np.inf, time.process_time() + SECONDS
    while time.process_time() < end:
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return 1e3 * best


def timed(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return 1e3 * (time.process_time() - begin)


def embree_of(world: CompiledWorld) -> EmbreeScene:
    scene = EmbreeScene()
    for mesh in colliding(world):
        if len(mesh.triangles):
            TriangleMesh(scene, mesh.vertices.astype(np.float32), np.array(mesh.triangles))
    scene.run(np.zeros((1, 3), np.float32), np.ones((1, 3), np.float32))
    return scene


def rows(world: CompiledWorld) -> Iterator[str]:
    begin = time.process_time()
    embree = embree_of(world)
    build = 1e3 * (time.process_time() - begin)
    ours = RayScene.of(world)
    for name, (origins, ends) in (("wheels", wheel_rays(world)), ("lidar", lidar_rays(world))):
        first = timed(lambda: ours.cast(origins, ends))  # noqa: B023
        mine = fastest(lambda: ours.cast(origins, ends))  # noqa: B023
        starts, ways = origins.astype(np.float32), (ends - origins).astype(np.float32)
        theirs = fastest(lambda: embree.run(starts, ways, query="DISTANCE"))  # noqa: B023
        met = np.minimum(embree.run(starts, ways, query="DISTANCE"), 1.0)
        gaps = np.abs(ours.cast(origins, ends)[0] - met) * np.linalg.norm(ways, axis=1)
        yield (
            f"{name:>8}{len(origins):>8}{mine:>9.3f}{theirs:>9.3f}{mine / theirs:>7.2f}"
            f"{first - mine:>9.1f}{build:>9.1f}{(gaps > 1e-3).sum():>8}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("worlds", nargs="*", default=["worlds/circle_town.xml"])
    parser.add_argument("--no-helsinki", action="store_true")
    options = parser.parse_args()
    fill_kernel_cache()
    empty = RayScene(())
    empty.cast(np.zeros((1, 3)), np.ones((1, 3)))
    for name, world in worlds(options.worlds, has_helsinki=not options.no_helsinki):
        begin = time.process_time()
        RayScene.of(world)
        scene = 1e3 * (time.process_time() - begin)
        count = sum(len(mesh.triangles) for mesh in colliding(world))
        print(f"{name}: {count} triangles; a scene of ours takes {scene:.1f} ms until rays come")
        heads = ("ours ms", "Embree", "ratio", "new ms", "build ms", "> 1 mm")
        print(
            f"{'rays':>8}{'number':>8}"
            + "".join(
                f"{head:>{width}}" for head, width in zip(heads, (9, 9, 7, 9, 9, 8), strict=True)
            )
        )
        for row in rows(world):
            print(row)


if __name__ == "__main__":
    main()
