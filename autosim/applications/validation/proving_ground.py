"""A test track: one robot on its own ground, in the simulator's physics, without a world."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import NamedTuple

import numpy as np

from autosim import portable
from autosim.arrays import Floats, Floats32, Integers32
from autosim.config.descriptions import PlacedRobot, RobotDescription
from autosim.config.world_settings import GRAVITY
from autosim.engine.physics.bullet.bullet_engine import BulletEngine
from autosim.engine.physics.engine_bodies import EngineBodies
from autosim.engine.physics.inventory import Inventory
from autosim.engine.physics.robot_bodies import RobotBodies
from autosim.engine.physics.spawn_poses import SpawnPose
from autosim.engine.physics.wheeled_vehicles import WheeledVehicles
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.director import build_robots
from autosim.kinds.kind import body_of
from autosim.model.environment.standard_atmosphere import AIR_DENSITY
from autosim.model.tree import SimulationTree
from autosim.model.vector_kernels import read_vector, rotation_matrix, to_body
from autosim.rays.ray_scene import RayScene
from autosim.vehicle.contact.grip import ASPHALT, Grip
from autosim.vehicle.info.standing_height import standing_height
from autosim.world.geometry.meshes import Mesh

HALF_SIZE = 4000.0
"""Half size [m] of the plane of a track: enough for a minute at 60 m/s and more."""

GAIN, INTEGRAL_GAIN = 1.0, 1.0
"""[s/m], [1/m]: share of the motor's torque for each m/s, and for each metre, that is missing."""

COMMANDS = 5
"""Number of commands of a drive actuator: steering, acceleration, brake, hand brake, gear."""


class DriveCommand(NamedTuple):
    """Values of a `DriveActuator`.

    Attributes:
        steering: angle of the front wheels [rad], positive to the left.
        acceleration: share of the motor's force, -1..1.
        brake: share of the brake force, 0..1.
        hand_brake: share of the hand brake's force, 0..1.
        gear: 1, 2, … forwards, -1 backwards, 0 neutral.
    """

    steering: float = 0.0
    acceleration: float = 0.0
    brake: float = 0.0
    hand_brake: float = 0.0
    gear: float = 1.0


@dataclass(frozen=True)
class TestSurface:
    """Ground of a test.

    vertices: (n, 3) m in W; triangles: (m, 3); frictions: (m,) factors on the tyres' friction,
    1 on dry asphalt; pitch: [rad] at which a robot stands at the origin, its nose up.
    """

    vertices: Floats
    triangles: Integers32
    frictions: Floats32
    pitch: float = 0.0

    @property
    def mesh(self) -> Mesh:
        """For rays."""
        surfaces = np.zeros(len(self.triangles), dtype=np.uint8)
        return Mesh(self.vertices, self.triangles, surfaces)


def strip(
    height: Callable[[Floats], Floats],
    along: Floats,
    *,
    frictions: tuple[float, float] = (1.0, 1.0),
    pitch: float = 0.0,
) -> TestSurface:
    """A ground whose height depends on x alone, with one friction on the left and one on the right.

    Args:
        height: of places along x, both (n,) [m].
        along: (n,) [m], where the ground bends.
        frictions: of the halves with y > 0 and y < 0.
        pitch: [rad] of the ground at the origin.
    """
    across = np.array([-HALF_SIZE, 0.0, HALF_SIZE])
    x, y = np.meshgrid(along, across)
    vertices = np.stack([x.ravel(), y.ravel(), height(x.ravel())], axis=1)
    count = len(along)
    corner = (np.arange(2)[:, None] * count + np.arange(count - 1)).ravel()
    lower = np.stack([corner, corner + 1, corner + count + 1], axis=1)
    upper = np.stack([corner, corner + count + 1, corner + count], axis=1)
    side = np.tile(np.repeat([frictions[1], frictions[0]], count - 1), 2).astype(np.float32)
    triangles = np.concatenate([lower, upper]).astype(np.int32)
    return TestSurface(vertices, triangles, side, pitch)


def plane(*, slope: float = 0.0, frictions: tuple[float, float] = (1.0, 1.0)) -> TestSurface:
    """A plane that rises by `slope` [1] along x, see `strip`."""
    ends = np.array([-HALF_SIZE, HALF_SIZE])
    pitch = float(portable.arctan(slope))
    return strip(lambda x: slope * x, ends, frictions=frictions, pitch=pitch)


class Sample(NamedTuple):
    """Motion of the robot's first part, at its centre of mass.

    time [s]; x, y, z [m] in W; yaw, pitch (nose up), roll (right side down) [rad]; forward, left
    [m/s] along B; yaw_rate, roll_rate [rad/s]; lateral: [m/s²], yaw rate × speed and the change
    of the speed to the left; steering: [rad] as commanded; acceleration, brake: as commanded.
    """

    time: float
    x: float
    y: float
    z: float
    yaw: float
    pitch: float
    roll: float
    forward: float
    left: float
    yaw_rate: float
    roll_rate: float
    steering: float
    acceleration: float
    brake: float


@dataclass
class DriveSamples:
    """The samples of a drive, as arrays: `run["yaw_rate"]` (n,)."""

    samples: list[Sample] = field(default_factory=list)

    def __getitem__(self, name: str) -> Floats:
        return np.array([getattr(each, name) for each in self.samples])

    @property
    def last(self) -> Sample:
        """The newest sample."""
        return self.samples[-1]

    def since(self, first: Sample) -> "DriveSamples":
        """The same run with time and place counted from `first`, and the heading as it is."""
        return DriveSamples(
            [
                each._replace(time=each.time - first.time, x=each.x - first.x, y=each.y - first.y)
                for each in self.samples
            ]
        )


Driver = Callable[["ProvingGround"], DriveCommand]


class ProvingGround:
    """A robot in the physics, alone on a ground.

    Args:
        robot: its first `DriveActuator` is commanded; others are left at rest, but brake with it.
        ground: what its wheels stand on.
        hertz: steps in a second.
        air_density: [kg/m^3].
    """

    def __init__(
        self,
        robot: RobotDescription,
        ground: TestSurface | None = None,
        *,
        hertz: float = 240.0,
        air_density: float = AIR_DENSITY,
    ) -> None:
        ground = ground or plane()
        self.step_seconds = 1.0 / hertz
        self._physics = BulletEngine(step_seconds=self.step_seconds, gravity=GRAVITY)
        inventory = Inventory()
        tree = SimulationTree()
        build_robots(tree, [PlacedRobot(robot.name, robot)], [inventory])
        tree.lay_out()
        rest = standing_height(robot, gravity=GRAVITY * float(portable.cos(ground.pitch)))
        standing = SpawnPose(np.zeros(3), 0.0, ground.pitch)
        self._pose = replace(standing, position=standing.of_point((0.0, 0.0, rest)))
        self._bodies = RobotBodies(
            inventory, self._physics, [self._pose], step_seconds=self.step_seconds
        )
        self._bodies.read()
        actuators = [mounted.device for mounted in inventory.of(DriveActuator)]
        self._vehicles = WheeledVehicles(
            EngineBodies(
                self._physics, [built.part for built in inventory.parts], self._bodies.states
            ),
            wheels=inventory.wheels(),
            actuators=actuators,
            step_seconds=self.step_seconds,
            gravity=GRAVITY,
            rays=RayScene([ground.mesh]),
            grip=Grip(ground.frictions, ASPHALT.asphalt),
            air_density=air_density,
        )
        self._commands = np.zeros((len(actuators), COMMANDS))
        self._commands[:, 4] = 1.0
        self._centre = np.array(body_of(robot.parts[0]).centre_of_mass)
        self._steps = 0
        self._yaw = 0.0
        self.command = DriveCommand()

    def __enter__(self) -> "ProvingGround":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._physics.close()

    @property
    def time(self) -> float:
        """[s] since the beginning."""
        return self._steps * self.step_seconds

    @property
    def wheels(self) -> Floats:
        """As `WheeledVehicles.wheel_output`."""
        return self._vehicles.wheel_output

    def start(self, speed: float) -> None:
        """Starts all bodies with the forward velocity `speed` [m/s] and rolling wheels."""
        self._bodies.put(0, self._pose, velocity=(speed, 0.0, 0.0), angular_velocity=(0, 0, 0))
        count = len(self.wheels)
        self._vehicles.roll_wheels(range(count), [speed] * count)
        self._bodies.read()

    def step(self, command: DriveCommand) -> None:
        """One step of the simulation."""
        self.command = command
        self._commands[0] = command
        self._commands[1:, 2] = command.brake
        self._vehicles.actuate(self._commands)
        self._physics.step()
        self._bodies.read()
        self._steps += 1

    def drive(self, seconds: float, driver: Driver) -> DriveSamples:
        """Drives on as `driver` commands before each step; the samples after each step."""
        run = DriveSamples()
        for _ in range(round(seconds / self.step_seconds)):
            self.step(driver(self))
            run.samples.append(self.sample())
        return run

    def leans(self) -> Floats:
        """Angles (parts,) [rad] between the upward axis of each part and the vertical."""
        orientations = self._bodies.states.orientations
        R = np.empty((3, 3))
        result = np.empty(len(orientations))
        for row, orientation in enumerate(orientations):
            rotation_matrix(orientation, R)
            result[row] = portable.arctan2(float(np.hypot(R[2, 0], R[2, 1])), R[2, 2])
        return result

    def sample(self) -> Sample:
        """Current motion of the first part."""
        states = self._bodies.states
        R = np.empty((3, 3))
        rotation_matrix(states.orientations[0], R)
        arm = R @ self._centre
        position = states.positions[0] + arm
        turning = states.angular_velocities[0]
        velocity = to_body(R, read_vector(states.velocities[0] + np.cross(turning, arm)))
        rates = to_body(R, read_vector(turning))
        yaw = float(portable.arctan2(R[1, 0], R[0, 0]))
        # Counted over full turns.
        self._yaw += float(portable.wrapped(yaw - self._yaw))
        return Sample(
            time=self.time,
            x=float(position[0]),
            y=float(position[1]),
            z=float(position[2]),
            yaw=self._yaw,
            pitch=float(portable.arctan2(R[2, 0], float(np.hypot(R[2, 1], R[2, 2])))),
            roll=float(portable.arctan2(R[2, 1], R[2, 2])),
            forward=velocity[0],
            left=velocity[1],
            yaw_rate=float(turning[2]),
            roll_rate=rates[0],
            steering=self.command.steering,
            acceleration=self.command.acceleration,
            brake=self.command.brake,
        )


def holding_speed(speed: float, steering: Callable[["ProvingGround"], float]) -> Driver:
    """A driver who keeps `speed` [m/s] on average, too, and steers [rad] as `steering` says."""
    missed = 0.0

    def drive(track: ProvingGround) -> DriveCommand:
        nonlocal missed
        missing = speed - track.sample().forward
        missed = float(np.clip(missed + INTEGRAL_GAIN * missing * track.step_seconds, -1.0, 1.0))
        push = float(np.clip(GAIN * missing + missed, -1.0, 1.0))
        return DriveCommand(steering(track), push)

    return drive
