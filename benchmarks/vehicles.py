"""Steps per second of 1 to 100 cars, by phase, against what the physics alone takes.

    python benchmarks/vehicles.py [--seconds 4] [--hertz 240] [--cars 1 10 50 100]

The limit is measured in the same run: one `Physics.step` and one `Physics.read` of the same
boxes on the same mesh, without wheels.
"""

import argparse
import gc
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

from autosim.arrays import Floats
from autosim.config.descriptions import BoxPart, RobotDescription
from autosim.kinds.drive_actuator import DriveActuator
from autosim.kinds.wheel import WheelDevice
from autosim.server.physics.physics import Physics
from autosim.server.physics.vehicles import Vehicles
from autosim.simulation.bodies import BodyStates
from autosim.vehicle.placement import place_height
from autosim.vehicle.wheels import mount_wheels

GRAVITY = 9.81
SPACING = 12.0
CELLS = 200
PHASES = ("read", "rays", "model", "apply", "step")


def car() -> RobotDescription:
    wheels = [
        WheelDevice(
            name,
            "chassis",
            drive_actuator="drive",
            position=(x, y, -0.3),
            radius=0.316,
            suspension_rest_length=0.2,
            suspension_ks=30.0,
            suspension_kd=4.0,
            is_steering=x > 0,
            is_powered=x < 0,
            has_brakes=True,
        )
        for name, x, y in (
            ("front_left", 1.26, 0.75),
            ("front_right", 1.26, -0.75),
            ("rear_left", -1.26, 0.75),
            ("rear_right", -1.26, -0.75),
        )
    ]
    drive = DriveActuator("drive", "chassis", motor_force=4000.0, brake_force=12.0)
    part = BoxPart("chassis", (0.0, 0.0, 0.0), (4.2, 1.7, 0.9), 1400.0, (0.0, 0.0, -0.25))
    return RobotDescription("car", Path("car"), (part,), (), (drive, *wheels))


def mesh(roughness: float) -> tuple[Floats, npt.NDArray[np.int32]]:
    """A square of 2 * CELLS^2 = 80 000 triangles, 2 m wide each, as hilly as `roughness` [m]."""
    ticks = (np.arange(CELLS + 1) - CELLS / 2) * 2.0
    x, y = np.meshgrid(ticks, ticks)
    z = roughness * (np.sin(x / 9.0) * np.cos(y / 7.0) + 0.1 * np.sin(1.3 * x + 2.1 * y))
    corner = (np.arange(CELLS)[:, None] * (CELLS + 1) + np.arange(CELLS)).ravel()
    above = corner + CELLS + 1
    triangles = np.stack([corner, corner + 1, above + 1, corner, above + 1, above], axis=1)
    vertices = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)
    return vertices, triangles.reshape(-1, 3).astype(np.int32)


class TimedPhysics(Physics):
    """Adds up what its calls take."""

    def __init__(self, *, step_seconds: float, gravity: float) -> None:
        super().__init__(step_seconds=step_seconds, gravity=gravity)
        self.cast_seconds = self.apply_seconds = 0.0

    def cast(self, origins: Floats, ends: Floats) -> tuple[Floats, Floats]:
        begin = time.perf_counter()
        result = super().cast(origins, ends)
        self.cast_seconds += time.perf_counter() - begin
        return result

    def apply(self, forces: Floats, torques: Floats) -> None:
        begin = time.perf_counter()
        super().apply(forces, torques)
        self.apply_seconds += time.perf_counter() - begin


class Fleet:
    """Cars in a square grid, each with its own seeded commands."""

    def __init__(self, count: int, *, roughness: float, hertz: float) -> None:
        self.physics = TimedPhysics(step_seconds=1.0 / hertz, gravity=GRAVITY)
        vertices, triangles = mesh(roughness)
        self.physics.put_in(self.physics.make_shape(vertices, triangles))
        robots = [car()] * count
        side = int(np.ceil(np.sqrt(count)))
        rest = place_height(robots[0], gravity=GRAVITY)
        for number, robot in enumerate(robots):
            x, y = (np.array(divmod(number, side)) - (side - 1) / 2) * SPACING
            nearest = np.argmin(np.hypot(vertices[:, 0] - x, vertices[:, 1] - y))
            part = robot.parts[0]
            self.physics.add_box(
                size=part.size,
                mass=part.mass,
                position=(x, y, vertices[nearest, 2] + rest + 0.3 * (roughness > 0.0)),
                centre_of_mass=part.centre_of_mass,
            )
        self.vehicles = Vehicles(
            self.physics,
            parts=[robot.parts[0] for robot in robots],
            wheels=[
                wheel
                for number, robot in enumerate(robots)
                for wheel in mount_wheels(robot, first_body=number, first_actuator=number)
            ],
            actuators=[robot.devices[0] for robot in robots],
            step_seconds=1.0 / hertz,
            gravity=GRAVITY,
        )
        self.bodies = BodyStates(count)
        self.commands = np.zeros((count, 3))
        self.random = np.random.default_rng(0)

    def read(self) -> None:
        b = self.bodies
        self.physics.read(b.positions, b.orientations, b.velocities, b.angular_velocities)

    def steer(self) -> None:
        shape = (len(self.commands), 3)
        self.commands[:] = self.random.uniform([0.2, 0.0, -1.0], [0.5, 0.5, 0.1], shape)

    def run(self, steps: int) -> dict[str, float]:
        """Milliseconds a step, by phase."""
        seconds = dict.fromkeys(PHASES, 0.0)
        self.physics.cast_seconds = self.physics.apply_seconds = 0.0
        for step in range(steps):
            if step % 60 == 0:
                self.steer()
            t0 = time.perf_counter()
            self.vehicles.actuate(self.commands, self.bodies)
            t1 = time.perf_counter()
            self.physics.step()
            t2 = time.perf_counter()
            self.read()
            t3 = time.perf_counter()
            seconds["model"] += t1 - t0
            seconds["step"] += t2 - t1
            seconds["read"] += t3 - t2
        seconds["rays"], seconds["apply"] = self.physics.cast_seconds, self.physics.apply_seconds
        seconds["model"] -= seconds["rays"] + seconds["apply"]
        return {phase: 1e3 * value / steps for phase, value in seconds.items()}

    def limit(self, steps: int) -> float:
        """Milliseconds of a step and a read without wheels; the boxes fall, so last of all."""
        begin = time.perf_counter()
        for _ in range(steps):
            self.physics.step()
            self.read()
        return 1e3 * (time.perf_counter() - begin) / steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=4.0, help="simulated, for each row")
    parser.add_argument("--hertz", type=float, default=240.0)
    parser.add_argument("--cars", type=int, nargs="+", default=[1, 10, 50, 100])
    options = parser.parse_args()
    steps = round(options.seconds * options.hertz)
    gc.freeze()
    gc.disable()
    print(f"ms a step at {options.hertz:g} Hz, mesh of {2 * CELLS**2} triangles")
    heads = (*PHASES, "total", "limit", "ratio", "steps/s", "x real time")
    print(f"{'ground':>7} {'cars':>5}" + "".join(f"{head:>12}" for head in heads))
    for ground, roughness in (("flat", 0.0), ("rough", 0.8)):
        for count in options.cars:
            fleet = Fleet(count, roughness=roughness, hertz=options.hertz)
            fleet.read()
            fleet.run(steps // 4)
            phases = fleet.run(steps)
            total, limit = sum(phases.values()), fleet.limit(20)
            row = (*phases.values(), total, limit, total / limit)
            speed = 1e3 / total
            print(
                f"{ground:>7} {count:>5}"
                + "".join(f"{value:12.3f}" for value in row)
                + f"{speed:12.0f}{speed / options.hertz:12.1f}"
            )
            fleet.physics.close()


if __name__ == "__main__":
    main()
