"""What a lidar costs in a step, by its resolution and reach.

    python benchmarks/lidar.py [WORLD.xml]

CPU time of the sense phase alone, with the car where the world puts it, and what of it PyBullet's
rays are.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from autosim.applications.common.worlds import open_world
from autosim.config.descriptions import LidarSensor, Noise, WorldDescription
from autosim.server.physics.physics import Physics
from autosim.server.step.simulation import Simulation
from autosim.world.compiled.compiled import CompiledWorld
from autosim.world.pipeline.cache import compile_world

STEPS = 240
NOISES = (Noise("WhiteGaussianNoise", 0.4),)
LIDARS = (
    (),
    ((16, 360, 10.0, 30.0),),
    ((16, 360, 10.0, 100.0),),
    ((16, 900, 10.0, 100.0),),
    ((32, 720, 20.0, 100.0),),
    ((64, 1024, 10.0, 100.0),),
    4 * ((16, 360, 10.0, 100.0),),
)


@contextmanager
def timed_rays() -> Iterator[list[float]]:
    """Inside, what `Physics.cast` takes [s] is added up in the list's only number."""
    spent, cast = [0.0], Physics.cast

    def timed(self, origins, ends):
        begin = time.process_time()
        result = cast(self, origins, ends)
        spent[0] += time.process_time() - begin
        return result

    Physics.cast = timed
    try:
        yield spent
    finally:
        Physics.cast = cast


def measure(
    world: WorldDescription, compiled: CompiledWorld, lidars: list[LidarSensor]
) -> tuple[float, float]:
    """CPU seconds of a sense phase, and of the rays in it."""
    car = world.robots[0]
    robot = replace(car.robot, devices=(*car.robot.devices, *lidars))
    world = replace(world, robots=(replace(car, robot=robot, program=None),))
    with Simulation(world, compiled=compiled, report=lambda notice: None) as simulation:
        for _ in range(60):
            simulation.step()
        with timed_rays() as spent:
            begin = time.process_time()
            for _ in range(STEPS):
                simulation.state.ints[0] += 1
                simulation._sense()
            return (time.process_time() - begin) / STEPS, spent[0] / STEPS


def main() -> None:
    world = open_world(sys.argv[1] if len(sys.argv) > 1 else "worlds/circle_town.xml")
    compiled = compile_world(world.terrain)
    part = world.robots[0].robot.parts[0]
    print(f"{world.name}, {len(compiled.ground.triangles)} triangles of ground")
    print(" lidars  channels  columns  Hz  reach m  rays/step  ms/step  rays ms")
    bare = 0.0
    for chosen in LIDARS:
        lidars = [
            LidarSensor(
                *(f"lidar{number}", part.name, NOISES),
                position=(0.0, 0.0, part.size[2] / 2 + 0.3),
                channels=channels,
                columns=columns,
                rate=rate,
                range=reach,
            )
            for number, (channels, columns, rate, reach) in enumerate(chosen)
        ]
        seconds, rays = measure(world, compiled, lidars)
        if not lidars:
            bare = seconds
            print(f"   none {'':38} {bare * 1e3:8.3f} {rays * 1e3:8.3f}")
            continue
        channels, columns, rate, reach = chosen[0]
        count = sum(each.channels * each.columns * each.rate for each in lidars)
        print(
            f"{len(lidars):7} {channels:9} {columns:8} {rate:3.0f} {reach:8.0f} "
            f"{count * world.physics.step_seconds:10.0f} {(seconds - bare) * 1e3:8.3f} "
            f"{rays * 1e3:8.3f}"
        )


if __name__ == "__main__":
    sys.exit(main())
