"""Steps per second with 1, 10, 50 and 100 cars on the demo town's mesh, without and with devices.

The limit that the ratios refer to is the bare physics of the same cars in the same run: PyBullet's
step and the reading of the bodies, with no wheels and no devices. Of several rounds the fastest
counts, since others use the machine too.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import replace

from autosim.applications.common.open_worlds import open_named_world
from autosim.engine.step.simulation import Simulation
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.model.commands import command_for
from autosim.world.pipeline.cache import compile_world

COUNTS = (1, 10, 50, 100)
ROUNDS, STEPS = 8, 50


def fleet(world, count: int, *, has_devices: bool):
    car = world.robots[0]
    robot = car.robot
    if not has_devices:
        kept = tuple(d for d in robot.devices if isinstance(d, DriveActuator | WheelDevice))
        robot = replace(robot, devices=kept)
    robots = [replace(car, name=f"car{k}", robot=robot, program=None) for k in range(count)]
    return replace(world, robots=tuple(robots))


def seconds_per_step(simulation: Simulation) -> tuple[float, float]:
    drive = [
        command_for(simulation.tree, f"{car.name}.chassis.drive_chassis", [0.02, 0.2, 0.0])
        for car in simulation.tree.children
    ]
    simulation.queue(drive)
    for _ in range(20):
        simulation.step()

    def bare_step() -> None:
        simulation._physics.step()
        simulation._bodies.read()

    return fastest(simulation.step), fastest(bare_step)


def fastest(step: Callable[[], None]) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        for _ in range(STEPS):
            step()
        best = min(best, (time.perf_counter() - begin) / STEPS)
    return best


def main() -> None:
    world = open_named_world("worlds/circle_town.xml")
    compiled = compile_world(world.terrain)
    triangles = len(compiled.ground.triangles)
    print(f"demo town, {triangles} triangles, {1 / world.physics.step_seconds:.0f} Hz")
    print(" cars  devices  ms/step  steps/s  × real time  bare ms  ratio")
    for count in COUNTS:
        for has_devices in (False, True):
            cars = fleet(world, count, has_devices=has_devices)
            devices = sum(len(car.robot.devices) for car in cars.robots)
            with Simulation(cars, compiled=compiled, report=lambda notice: None) as simulation:
                whole, bare = seconds_per_step(simulation)
            print(
                f"{count:5} {devices:8} {whole * 1e3:8.3f} {1 / whole:8.0f} "
                f"{world.physics.step_seconds / whole:12.1f} {bare * 1e3:8.3f} {whole / bare:6.1f}"
            )
    print("goals: one car with all devices at 12 000 steps/s or more, 100 cars at 800")


if __name__ == "__main__":
    sys.exit(main())
