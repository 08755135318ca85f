"""What sensing takes in a step of many robots with many devices each, but for rays.

    python benchmarks/sensing.py [--robots 100] [--steps 400]

Each car has 20 devices that sense without rays: two of each kind and more, with noise. The limit is
measured in the same run: the step of the physics of the same bodies (`integrate`), without wheels.
All times are of the processor, the least of several rounds.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from autosim.config.descriptions import Device, PlacedRobot
from autosim.config.noise_records import Bias, Noise, WhiteGaussianNoise
from autosim.engine.step.simulation import Simulation
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.kinds.sensors.driving.odometer import Odometer
from autosim.kinds.sensors.driving.wheel_encoder import WheelEncoder
from autosim.kinds.sensors.motion.accelerometer import Accelerometer
from autosim.kinds.sensors.motion.gyroscope import GyroscopeSensor
from autosim.kinds.sensors.motion.imu import IMU
from autosim.kinds.sensors.motion.velocimeter import VelocimeterSensor
from autosim.kinds.sensors.positioning.barometer import Barometer
from autosim.kinds.sensors.positioning.compass import CompassSensor
from autosim.kinds.sensors.positioning.gps import GPSSensor
from autosim.kinds.sensors.positioning.inclinometer import InclinometerSensor
from autosim.kinds.sensors.time_device import TimeDevice
from autosim.loading.loader import load_robot, load_world

ROOT = Path(__file__).resolve().parents[1]
SPACING = 8.0
GOAL = 0.5e-3
ROUNDS = 5
QUIET: tuple[Noise, ...] = ()
NOISY: tuple[Noise, ...] = (WhiteGaussianNoise(0.02), Bias(0.0, 0.01))


def devices(noises: tuple[Noise, ...]) -> list[Device]:
    """Twenty devices of all kinds that cast no rays."""
    part = "chassis"
    wheel = {"wheel": "rear_left"}
    others = {"wheel": "rear_right"}
    axes = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
    return [
        *(GyroscopeSensor(f"rate_{name}", part, noises, axis) for name, axis in axes.items()),
        *(VelocimeterSensor(f"speed_{name}", part, noises, axis) for name, axis in axes.items()),
        *(InclinometerSensor(f"tilt_{name}", part, noises, axes[name]) for name in "xy"),
        *(CompassSensor(f"compass_{number}", part, noises) for number in range(2)),
        Accelerometer("accelerometer", part, noises),
        *(IMU(f"imu_{number}", part, noises) for number in range(2)),
        Barometer("barometer", part, noises),
        GPSSensor("gps", part, noises),
        WheelEncoder("ticks_left", part, noises, **wheel),
        WheelEncoder("ticks_right", part, noises, **others),
        Odometer("way_left", part, noises, **wheel),
        Odometer("way_right", part, noises, **others),
        TimeDevice("time", part),
    ]


def world_of(count: int, noises: tuple[Noise, ...]) -> Simulation:
    """Cars that stand in rows."""
    car = load_robot(ROOT / "robots" / "impreza.xml")
    rolling = [each for each in car.devices if isinstance(each, WheelDevice | DriveActuator)]
    car = replace(car, devices=(*rolling, *devices(noises)))
    side = int(np.ceil(np.sqrt(count)))
    robots = tuple(
        PlacedRobot(
            f"car{number}",
            car,
            position=(SPACING * (number % side), SPACING * (number // side), None),
            yaw=0.0,
        )
        for number in range(count)
    )
    world = load_world(ROOT / "worlds" / "circle_town.xml")
    return Simulation(replace(world, robots=robots), report=lambda notice: None)


def least(function: Callable[[], object], steps: int) -> float:
    """Seconds of the processor that a call takes, in the best of several rounds."""
    found = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        for _ in range(steps):
            function()
        found.append((time.process_time() - begin) / steps)
    return min(found)


def measure(count: int, noises: tuple[Noise, ...], steps: int) -> tuple[float, float]:
    """Seconds of a step's physics, and of its sensing; writes what each kind takes."""
    with world_of(count, noises) as simulation:
        for _ in range(20):
            simulation.step()
        banks, bodies, state = simulation._devices, simulation._bodies.states, simulation.state
        for bank, noise in banks._sensing:

            def sense(bank=bank, noise=noise):  # type: ignore[no-untyped-def]
                noise.step = state.step
                bank.sense(bodies, state, noise)

            print(f"  {type(bank).__name__:20} {least(sense, steps) * 1e6:8.1f} µs")
        sensing = least(lambda: banks.sense(bodies, state), steps)
        return least(simulation._physics.step, steps // 4), sensing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robots", type=int, default=100)
    parser.add_argument("--steps", type=int, default=400)
    options = parser.parse_args()
    for name, noises in (("without noise", QUIET), ("with two sources of noise each", NOISY)):
        print(f"{options.robots} robots × {len(devices(noises))} devices, {name}:")
        physics, sensing = measure(options.robots, noises, options.steps)
        print(
            f"  all sensing {sensing * 1e3:.3f} ms, physics {physics * 1e3:.3f} ms: "
            f"ratio {sensing / physics:.2f}; goal {GOAL * 1e3:.1f} ms"
        )


if __name__ == "__main__":
    main()
