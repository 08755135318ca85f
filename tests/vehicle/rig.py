"""A car of 1400 kg on a mesh, without the rest of the simulator."""

from collections.abc import Callable
from pathlib import Path
from types import TracebackType

import numpy as np
import numpy.typing as npt

from autosim.arrays import Floats
from autosim.config.descriptions import Device, Link, Part, RobotDescription
from autosim.engine.physics.bullet.bullet_engine import BulletEngine
from autosim.engine.physics.engine_bodies import EngineBodies
from autosim.engine.physics.wheeled_vehicles import WheeledVehicles
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.kinds.bodies.box import BoxPart
from autosim.kinds.kind import body_of, joint_of
from autosim.model.bodies import BodyStates
from autosim.rays.ray_scene import RayScene
from autosim.vehicle.contact.grip import ASPHALT
from autosim.vehicle.info.standing_height import standing_height
from autosim.vehicle.wheels.wheel_arrays import SPEED, MountedWheel, mount_wheels
from autosim.world.geometry.meshes import Mesh

GRAVITY = 9.81
WHEELBASE = 2.52
Height = Callable[[Floats, Floats], Floats]


def wheel(name: str, x: float, y: float, *, z: float = -0.3, part: str = "chassis", **more):
    values = {
        "drive_actuator": "drive",
        "radius": 0.316,
        "suspension_rest_length": 0.2,
        "suspension_ks": 30.0,
        "suspension_kd": 4.0,
        "has_brakes": True,
    }
    return WheelDevice(name, part, position=(x, y, z), **(values | more))


def car(
    *,
    name: str = "car",
    mass: float = 1400.0,
    front: float = 1.26,
    rear: float = 1.26,
    track: float = 1.5,
    size: tuple[float, float, float] = (4.2, 1.7, 0.9),
    centre_of_mass: tuple[float, float, float] = (0.0, 0.0, -0.25),
    **wheel_values,
) -> RobotDescription:
    """Rear-wheel drive, brakes on all wheels, `front` and `rear` of the centre of mass."""
    side = track / 2.0
    wheels = [
        wheel("front_left", front, side, is_steering=True, **wheel_values),
        wheel("front_right", front, -side, is_steering=True, **wheel_values),
        wheel("rear_left", -rear, side, is_powered=True, **wheel_values),
        wheel("rear_right", -rear, -side, is_powered=True, **wheel_values),
    ]
    drive = DriveActuator("drive", "chassis", motor_force=4000.0, brake_force=20.0)
    box = BoxPart("chassis", (0.0, 0.0, 0.0), size, mass=mass, centre_of_mass=centre_of_mass)
    return robot(name, [box], [drive, *wheels])


def robot(
    name: str, parts: list[Part], devices: list[Device], links: list[Link] | None = None
) -> RobotDescription:
    return RobotDescription(name, Path(name), tuple(parts), tuple(links or ()), tuple(devices))


def grid(
    height: Height, *, half: float = 300.0, spacing: float = 20.0
) -> tuple[Floats, npt.NDArray[np.int32]]:
    """A square mesh z = height(x, y) around the origin."""
    ticks = np.arange(-half, half + spacing / 2, spacing)
    x, y = np.meshgrid(ticks, ticks)
    n = len(ticks)
    corner = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    triangles = np.stack(
        [corner, corner + 1, corner + n + 1, corner, corner + n + 1, corner + n], axis=1
    ).reshape(-1, 3)
    vertices = np.stack([x.ravel(), y.ravel(), height(x, y).ravel()], axis=1)
    return vertices, triangles.astype(np.int32)


def flat(x: Floats, y: Floats) -> Floats:
    return np.zeros_like(x)


class Rig:
    """Robots on a mesh. `height` is that of the ground; a robot stands along it, unyawed.

    `surface`: vertices and triangles to drive on instead.
    """

    def __init__(
        self,
        robots: list[RobotDescription],
        *,
        places: list[tuple[float, float]] | None = None,
        height: Height = flat,
        slope: tuple[float, float] = (0.0, 0.0),
        half: float = 300.0,
        spacing: float = 20.0,
        hertz: float = 240.0,
        mesh: bool = True,
        gravity: float = GRAVITY,
        lift: float = 0.0,
        friction: float = 1.0,
        surface: tuple[Floats, npt.NDArray[np.int32]] | None = None,
    ) -> None:
        self.step_seconds = 1.0 / hertz
        self.physics = BulletEngine(step_seconds=self.step_seconds, gravity=gravity)
        meshes = []
        if mesh:
            vertices, triangles = surface or grid(
                lambda x, y: height(x, y) + slope[0] * x + slope[1] * y, half=half, spacing=spacing
            )
            self.physics.add_static(self.physics.make_shape(vertices, triangles))
            meshes = [Mesh(vertices, triangles, np.zeros(len(triangles), dtype=np.uint8))]
        places = [(0.0, 0.0)] * len(robots) if places is None else places
        self.parts: list[Part] = []
        wheels: list[MountedWheel] = []
        actuators: list[DriveActuator] = []
        turn, quaternion = tilt(slope)
        for each, (x, y) in zip(robots, places, strict=True):
            wheels += mount_wheels(each, first_body=len(self.parts), first_actuator=len(actuators))
            z = float(height(np.array([x]), np.array([y]))[0]) + slope[0] * x + slope[1] * y
            rest = standing_height(each, gravity=gravity * turn[2, 2])
            origin = np.array([x, y, z]) + turn[:, 2] * (rest + lift)
            self._add(each, origin, turn, quaternion)
            actuators += [device for device in each.devices if isinstance(device, DriveActuator)]
        self.bodies = BodyStates(len(self.parts))
        self.all_commands = np.zeros((len(actuators), 5))
        self.all_commands[:, 4] = 1.0
        self.commands = self.all_commands[:, :3]
        self.wheels_of_all, self.actuators = wheels, actuators
        self.meshes, self._gravity, self._friction = meshes, gravity, friction
        self.vehicles = self.make_vehicles(RayScene(meshes))
        self.read()

    def make_vehicles(self, rays: RayScene) -> WheeledVehicles:
        """Vehicles on `rays` that have remembered nothing yet."""
        return WheeledVehicles(
            EngineBodies(self.physics, self.parts, self.bodies),
            wheels=self.wheels_of_all,
            actuators=self.actuators,
            step_seconds=self.step_seconds,
            gravity=self._gravity,
            rays=rays,
            grip=ASPHALT._replace(asphalt=self._friction),
        )

    def _add(
        self, each: RobotDescription, origin: Floats, turn: Floats, quaternion: Floats
    ) -> None:
        first = len(self.parts)
        for part in each.parts:
            self.physics.add_body(
                body_of(part),
                position=(origin + turn @ np.array(part.position)).tolist(),
                orientation=quaternion.tolist(),
            )
            self.parts.append(part)
        names = [part.name for part in each.parts]
        for link in each.links:
            self.physics.add_joint(
                joint_of(link).in_world(lambda point: origin + turn @ np.array(point)),
                first + names.index(link.parent),
                first + names.index(link.child),
            )

    def __enter__(self) -> "Rig":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.physics.close()

    def read(self) -> None:
        b = self.bodies
        self.physics.read(b.positions, b.orientations, b.velocities, b.angular_velocities)

    def step(self) -> None:
        self.vehicles.actuate(self.all_commands)
        self.physics.step()
        self.read()

    def run(self, seconds: float, *, steering: float = 0.0, drive: float = 0.0, brake: float = 0.0):
        self.commands[:] = (steering, drive, brake)
        for _ in range(round(seconds / self.step_seconds)):
            self.step()

    def start(self, speed: float, *, radius: float = 0.316) -> None:
        """Every box at `speed` [m/s] along x, every wheel of `radius` [m] rolling."""
        for body in range(self.physics.body_count):
            self.physics.set_velocity(body, (speed, 0.0, 0.0), (0.0, 0.0, 0.0))
        self.wheels[:, SPEED] = speed / radius
        self.read()

    def hold_speed(self, seconds: float, speed: float, *, steering: float) -> None:
        """Drives with a proportional controller of speed."""
        for _ in range(round(seconds / self.step_seconds)):
            drive = np.clip(2.0 * (speed - self.forward_speed()), -1.0, 1.0)
            self.commands[:] = (steering, drive, 0.0)
            self.step()

    @property
    def wheels(self) -> Floats:
        return self.vehicles.wheel_output

    def forward_speed(self, body: int = 0) -> float:
        return float(np.linalg.norm(self.bodies.velocities[body]))


def tilt(slope: tuple[float, float]) -> tuple[Floats, Floats]:
    """R_WB and its quaternion of a body that lies on the plane z = slope . (x, y)."""
    normal = np.array([-slope[0], -slope[1], 1.0])
    normal /= np.linalg.norm(normal)
    axis = np.cross([0.0, 0.0, 1.0], normal)
    quaternion = np.append(axis, 1.0 + normal[2])
    quaternion /= np.linalg.norm(quaternion)
    states = BodyStates(1)
    states.orientations[0] = quaternion
    states.update_rotations()
    return states.rotations[0], quaternion
