"""Steps per second of 1 to 1000 physical cars, by phase, beside `panda3d.bullet`.

    python benchmarks/vehicles.py [--seconds 2] [--hertz 240] [--cars 1 10 100 300 1000]

Ground: what wheels touch; model: suspension, tyres, drive; calls: reading PyBullet's bodies, and
giving them forces; solver: PyBullet's step. The limit is measured in the same run: one
`BulletEngine.step` and one `BulletEngine.read` of the same boxes on the same mesh, without wheels.
So are the ray-cast vehicles of `panda3d.bullet`, which are compiled as a whole, in the same places
under the same commands. Tables of kinematic cars follow (`kinematic_vehicles.py`). All times are of
the processor. Memory is what a car adds to the process, and what of that the model's arrays are.
"""

import argparse
import gc
import os
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt
from kinematic_vehicles import print_tables
from panda3d.bullet import (
    BulletBoxShape,
    BulletRigidBodyNode,
    BulletTriangleMesh,
    BulletTriangleMeshShape,
    BulletVehicle,
    BulletWorld,
    ZUp,
)
from panda3d.core import Point3, TransformState, Vec3

from autosim.applications.common.open_worlds import open_named_world
from autosim.arrays import Floats
from autosim.config.descriptions import RobotDescription
from autosim.engine.physics.bullet.bullet_engine import BulletEngine
from autosim.engine.physics.engine_bodies import EngineBodies
from autosim.engine.physics.wheeled_vehicles import WheeledVehicles
from autosim.engine.step.kernel_cache import fill_kernel_cache
from autosim.jit import bind_arguments, compiled
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.kinds.bodies.box import BoxPart
from autosim.kinds.kind import body_of
from autosim.model.bodies import BodyStates
from autosim.rays.hierarchy import Hierarchy
from autosim.rays.ray_scene import RayScene, colliding
from autosim.vehicle.body.body_motion import BodyMotion, begin_motion
from autosim.vehicle.body.body_state import BodyParameters, BodyState
from autosim.vehicle.contact.grip import Grip
from autosim.vehicle.contact.wheel_contacts import WheelContacts, find_wheel_contacts
from autosim.vehicle.info.standing_height import standing_height
from autosim.vehicle.wheels.wheel_arrays import WheelParameters, WheelState, mount_wheels
from autosim.world.geometry.meshes import Mesh
from autosim.world.pipeline.cache import compile_world

GRAVITY = 9.81
SPACING = 12.0
CELLS = 200
PHASES = ("ground", "model", "calls", "solver")
GROUNDS = (("flat", 0.0), ("rough", 0.8), ("town", 0.0))
SPACINGS = (12.0, 8.0, 6.0)


@compiled
def feel(
    wheels: WheelParameters,
    parameters: BodyParameters,
    bodies: BodyState,
    motion: BodyMotion,
    hierarchy: Hierarchy,
    grip: Grip,
    contacts: WheelContacts,
    state: WheelState,
) -> int:
    """The part of a step in which wheels feel the ground."""
    begin_motion(parameters, bodies, GRAVITY, motion)
    return find_wheel_contacts(wheels, parameters, bodies, motion, hierarchy, grip, contacts, state)


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
    size, centre = (4.2, 1.7, 0.9), (0.0, 0.0, -0.25)
    part = BoxPart("chassis", (0.0, 0.0, 0.0), size, mass=1400.0, centre_of_mass=centre)
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


class TimedPhysics(BulletEngine):
    """Adds up what `apply` takes."""

    def __init__(self, *, step_seconds: float, gravity: float) -> None:
        super().__init__(step_seconds=step_seconds, gravity=gravity)
        self.apply_seconds = 0.0

    def apply(self, forces: Floats, torques: Floats) -> None:
        begin = time.process_time()
        super().apply(forces, torques)
        self.apply_seconds += time.process_time() - begin


def grid_of(count: int, vertices: Floats) -> Floats:
    """Places (count, 3) [m] on the ground, in a square."""
    side = int(np.ceil(np.sqrt(count)))
    plan = (np.stack(np.divmod(np.arange(count), side), axis=1) - (side - 1) / 2) * SPACING
    nearest = [np.argmin(np.hypot(*(vertices[:, :2] - place).T)) for place in plan]
    return np.column_stack([plan, vertices[nearest, 2]])


def town() -> list[Mesh]:
    world = open_named_world("worlds/circle_town.xml")
    return [mesh for mesh in colliding(compile_world(world.terrain)) if len(mesh.triangles)]


def lane_places(count: int) -> Floats:
    """Places (count, 3) [m] on the lanes of the demo's town, as far apart as they can be."""
    points = compile_world(open_named_world("worlds/circle_town.xml").terrain).roads.points
    for spacing in SPACINGS:
        found = points[:1]
        for point in points:
            if len(found) < count and np.hypot(*(found - point)[:, :2].T).min() > spacing:
                found = np.vstack([found, point])
        if len(found) == count:
            break
    return found


def resident() -> int:
    """Memory [bytes] of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def arrays_in(values: Iterable[object]) -> int:
    """Memory [bytes] of all arrays in records of arrays."""
    total = 0
    for value in values:
        if isinstance(value, np.ndarray):
            total += value.nbytes
        elif isinstance(value, tuple) and not isinstance(value, Hierarchy):
            total += arrays_in(value)
    return total


class Fleet:
    """Cars, each with its own seeded commands."""

    def __init__(self, places: Floats, meshes: list[Mesh], *, lift: float, hertz: float) -> None:
        self.physics = TimedPhysics(step_seconds=1.0 / hertz, gravity=GRAVITY)
        for mesh in meshes:
            self.physics.add_static(self.physics.make_shape(mesh.vertices, mesh.triangles))
        rays = RayScene(meshes)
        before = resident()
        count = len(places)
        robots = [car()] * count
        part = robots[0].parts[0]
        rest = standing_height(robots[0], gravity=GRAVITY) + lift
        for place in places:
            self.physics.add_body(
                body_of(part), position=(place + np.array([0.0, 0.0, rest])).tolist()
            )
        self.bodies = BodyStates(count)
        self.vehicles = WheeledVehicles(
            EngineBodies(self.physics, [robot.parts[0] for robot in robots], self.bodies),
            wheels=[
                wheel
                for number, robot in enumerate(robots)
                for wheel in mount_wheels(robot, first_body=number, first_actuator=number)
            ],
            actuators=[robot.devices[0] for robot in robots],
            step_seconds=1.0 / hertz,
            gravity=GRAVITY,
            rays=rays,
        )
        self.commands = np.zeros((count, 5))
        self.commands[:, 4] = 1.0
        self.random = np.random.default_rng(0)
        self.read()
        self.run(1)
        self.memory = resident() - before

    def read(self) -> None:
        b = self.bodies
        self.physics.read(b.positions, b.orientations, b.velocities, b.angular_velocities)

    def steer(self) -> None:
        shape = (len(self.commands), 3)
        self.commands[:, :3] = self.random.uniform([0.2, 0.0, -1.0], [0.5, 0.5, 0.1], shape)

    def run(self, steps: int) -> dict[str, float]:
        """Milliseconds a step, by phase."""
        seconds = dict.fromkeys(PHASES, 0.0)
        self.physics.apply_seconds = 0.0
        for step in range(steps):
            if step % 60 == 0:
                self.steer()
            t0 = time.process_time()
            self.vehicles.actuate(self.commands)
            t1 = time.process_time()
            self.physics.step()
            t2 = time.process_time()
            self.read()
            t3 = time.process_time()
            seconds["model"] += t1 - t0
            seconds["solver"] += t2 - t1
            seconds["calls"] += t3 - t2
        seconds["model"] -= self.physics.apply_seconds
        seconds["calls"] += self.physics.apply_seconds
        found = {phase: 1e3 * value / steps for phase, value in seconds.items()}
        found["ground"] = self.ground(steps)
        found["model"] -= found["ground"]
        return found

    def ground(self, steps: int) -> float:
        """Milliseconds in which all wheels feel the ground, where they are now."""
        records = {type(each): each for each in self.vehicles._move.args}  # type: ignore[attr-defined]
        kinds = (WheelParameters, BodyParameters, BodyState, BodyMotion)
        kinds += (Hierarchy, Grip, WheelContacts, WheelState)
        call = bind_arguments(feel, *(records[kind] for kind in kinds))
        begin = time.process_time()
        for _ in range(steps):
            call()
        return 1e3 * (time.process_time() - begin) / steps

    @property
    def arrays(self) -> int:
        """Memory [bytes] of the model's arrays."""
        return arrays_in(self.vehicles._move.args)  # type: ignore[attr-defined]

    def limit(self, steps: int) -> float:
        """Milliseconds of a step and a read without wheels; the boxes fall, so last of all."""
        begin = time.process_time()
        for _ in range(steps):
            self.physics.step()
            self.read()
        return 1e3 * (time.process_time() - begin) / steps


class NativeFleet:
    """The same cars by `panda3d.bullet`, one compiled call a step."""

    def __init__(self, places: Floats, meshes: list[Mesh], *, hertz: float) -> None:
        self.world, self.seconds = BulletWorld(), 1.0 / hertz
        self.world.set_gravity(0.0, 0.0, -GRAVITY)
        for mesh in meshes:
            self._put_in(mesh)
        rest = standing_height(car(), gravity=GRAVITY)
        self.vehicles = [self._add(place + np.array([0.0, 0.0, rest])) for place in places]
        self.random = np.random.default_rng(0)

    def _put_in(self, mesh: Mesh) -> None:
        made = BulletTriangleMesh()
        made.preallocate(3 * len(mesh.triangles), len(mesh.triangles))
        for corners in mesh.vertices[mesh.triangles].tolist():
            made.add_triangle(*(Point3(*corner) for corner in corners), False)
        node = BulletRigidBodyNode("ground")
        node.add_shape(BulletTriangleMeshShape(made, dynamic=False))
        self.world.attach(node)

    def _add(self, place: Floats) -> BulletVehicle:
        part, wheels = car().parts[0], [d for d in car().devices if isinstance(d, WheelDevice)]
        length, width, height = part.size
        body = BulletRigidBodyNode("car")
        # Its vehicles drive along y.
        box = BulletBoxShape(Vec3(width, length, height) / 2.0)
        body.add_shape(box, TransformState.make_pos(Point3(0.0, 0.0, 0.25)))
        body.set_mass(part.mass)
        body.set_deactivation_enabled(False)
        body.set_transform(TransformState.make_pos(Point3(*place) - Vec3(0.0, 0.0, 0.25)))
        self.world.attach(body)
        vehicle = BulletVehicle(self.world, body)
        vehicle.set_coordinate_system(ZUp)
        self.world.attach(vehicle)
        for device in wheels:
            x, y, z = device.position
            wheel = vehicle.create_wheel()
            wheel.set_chassis_connection_point_cs(Point3(-y, x, z + 0.25))
            wheel.set_front_wheel(device.is_steering)
            wheel.set_wheel_direction_cs(Vec3(0.0, 0.0, -1.0))
            wheel.set_wheel_axle_cs(Vec3(1.0, 0.0, 0.0))
            wheel.set_wheel_radius(device.radius)
            wheel.set_max_suspension_travel_cm(100.0 * device.suspension_rest_length)
            wheel.set_suspension_stiffness(device.suspension_ks)
            wheel.set_wheels_damping_relaxation(device.suspension_kd)
            wheel.set_wheels_damping_compression(device.suspension_kd)
        return vehicle

    def run(self, steps: int) -> float:
        """Milliseconds a step."""
        spent = 0.0
        for step in range(steps):
            if step % 60 == 0:
                for vehicle in self.vehicles:
                    steering, drive, brake = self.random.uniform([0.2, 0, -1], [0.5, 0.5, 0.1])
                    for wheel in (0, 1):
                        vehicle.set_steering_value(np.degrees(steering), wheel)
                    for wheel in (2, 3):
                        vehicle.apply_engine_force(2000.0 * drive, wheel)
                        vehicle.set_brake(max(brake, 0.0) * 100.0, wheel)
            begin = time.process_time()
            self.world.do_physics(self.seconds, 0)
            spent += time.process_time() - begin
        return 1e3 * spent / steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=2.0, help="simulated, for each row")
    parser.add_argument("--hertz", type=float, default=240.0)
    parser.add_argument("--cars", type=int, nargs="+", default=[1, 10, 100, 300, 1000])
    options = parser.parse_args()
    steps = round(options.seconds * options.hertz)
    fill_kernel_cache()
    gc.freeze()
    gc.disable()
    print(f"ms a step at {options.hertz:g} Hz, mesh of {2 * CELLS**2} triangles, or the town's")
    heads = (*PHASES, "total", "limit", "ratio", "steps/s", "x real", "% core", "panda3d", "ratio")
    heads += ("kB/car", "kB arrays")
    print(f"{'ground':>7} {'cars':>5}" + "".join(f"{head:>10}" for head in heads))
    for ground, roughness in GROUNDS:
        for count in options.cars:
            if ground == "town":
                meshes, places = town(), lane_places(count)
            else:
                vertices, triangles = mesh(roughness)
                meshes = [Mesh(vertices, triangles, np.zeros(len(triangles), np.uint8))]
                places = grid_of(count, vertices)
            count = len(places)
            lift = 0.3 * (roughness > 0.0)
            fleet = Fleet(places, meshes, lift=lift, hertz=options.hertz)
            fleet.run(steps // 4)
            phases = fleet.run(steps)
            total, limit = sum(phases.values()), fleet.limit(20)
            fleet.physics.close()
            native = NativeFleet(places, meshes, hertz=options.hertz)
            native.run(steps // 4)
            theirs = native.run(steps)
            speed, share = 1e3 / total, 0.1 * total * options.hertz
            row = (*phases.values(), total, limit, total / limit, speed, speed / options.hertz)
            row += (
                share,
                theirs,
                total / theirs,
                fleet.memory / count / 1e3,
                fleet.arrays / count / 1e3,
            )
            print(f"{ground:>7} {count:>5}" + "".join(f"{value:10.3f}" for value in row))
    print_tables(options.cars, hertz=options.hertz, seconds=options.seconds)


if __name__ == "__main__":
    main()
