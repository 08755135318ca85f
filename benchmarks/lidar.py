"""What a lidar costs in a step, by its resolution and reach.

    python benchmarks/lidar.py [WORLD.xml]

CPU time of the sense phase alone, with the car where the world puts it.
"""

import sys
import time
from dataclasses import replace

from autosim.applications.common.open_worlds import open_named_world
from autosim.config.descriptions import WorldDescription
from autosim.config.noise_records import WhiteGaussianNoise
from autosim.engine.step.simulation import Simulation
from autosim.kinds.sensors.ranging.lidar_device import LidarSensor
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.pipeline.cache import compile_world

STEPS = 240
NOISES = (WhiteGaussianNoise(0.4),)
LIDARS = (
    (),
    ((16, 360, 10.0, 30.0),),
    ((16, 360, 10.0, 100.0),),
    ((16, 900, 10.0, 100.0),),
    ((32, 720, 20.0, 100.0),),
    ((64, 1024, 10.0, 100.0),),
    4 * ((16, 360, 10.0, 100.0),),
)


def measure(world: WorldDescription, compiled: CompiledWorld, lidars: list[LidarSensor]) -> float:
    """CPU seconds of a sense phase."""
    car = world.robots[0]
    robot = replace(car.robot, devices=(*car.robot.devices, *lidars))
    world = replace(world, robots=(replace(car, robot=robot, program=None),))
    with Simulation(world, compiled=compiled, report=lambda notice: None) as simulation:
        for _ in range(60):
            simulation.step()
        begin = time.process_time()
        for _ in range(STEPS):
            simulation.state.ints[0] += 1
            simulation._sense()
        return (time.process_time() - begin) / STEPS


def main() -> None:
    world = open_named_world(sys.argv[1] if len(sys.argv) > 1 else "worlds/circle_town.xml")
    compiled = compile_world(world.terrain)
    part = world.robots[0].robot.parts[0]
    print(f"{world.name}, {len(compiled.ground.triangles)} triangles of ground")
    print(" lidars  channels  columns  Hz  reach m  rays/step  ms/step")
    bare = 0.0
    for chosen in LIDARS:
        lidars = [
            LidarSensor(
                *(f"lidar{number}", part.name, NOISES),
                position=(0.0, 0.0, part.size[2] / 2 + 0.3),
                channels=channels,
                columns=columns,
                update_rate=rate,
                range=reach,
            )
            for number, (channels, columns, rate, reach) in enumerate(chosen)
        ]
        seconds = measure(world, compiled, lidars)
        if not lidars:
            bare = seconds
            print(f"   none {'':38} {bare * 1e3:8.3f}")
            continue
        channels, columns, rate, reach = chosen[0]
        count = sum(each.channels * each.columns * each.update_rate for each in lidars)
        print(
            f"{len(lidars):7} {channels:9} {columns:8} {rate:3.0f} {reach:8.0f} "
            f"{count * world.physics.step_seconds:10.0f} {(seconds - bare) * 1e3:8.3f}"
        )


if __name__ == "__main__":
    sys.exit(main())
