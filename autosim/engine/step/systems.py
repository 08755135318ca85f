"""Components that compute the phases of a step, made from a world and its robots."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats32
from autosim.config.descriptions import Part, PlacedRobot, WorldDescription
from autosim.config.world_settings import PhysicsDescription
from autosim.engine.physics.collisions import CollisionCounter
from autosim.engine.physics.engine import MakeEngine, PhysicsEngine
from autosim.engine.physics.engine_bodies import EngineBodies
from autosim.engine.physics.inventory import Inventory, max_reach, ray_caster
from autosim.engine.physics.kinematic_vehicles import KinematicVehicles
from autosim.engine.physics.robot_bodies import RobotBodies
from autosim.engine.physics.spawn_poses import SpawnPose, object_poses, spawn_poses
from autosim.engine.physics.tile_streaming import TileStreamer
from autosim.engine.physics.traffic_bodies import TrafficBodies, make_world_traffic
from autosim.engine.physics.wheeled_vehicles import WheeledVehicles
from autosim.engine.physics.world_shapes import WorldShapes
from autosim.engine.step.collision_reports import CollisionReports
from autosim.engine.step.collision_texts import CollisionTexts
from autosim.engine.step.device_memories import DeviceMemories
from autosim.engine.step.robot_states import RobotStateWriter
from autosim.jit import read_only
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.kinds.banks import BankContext, Weather
from autosim.kinds.device_banks import DeviceBanks
from autosim.kinds.kind import body_of
from autosim.model.bodies import ContactPoints
from autosim.model.notices import Notice
from autosim.model.snapshot import Memory
from autosim.model.state import State
from autosim.model.tree import WORD
from autosim.traffic.signals.running_signals import RunningSignals, signals_of
from autosim.traffic.vehicles.vehicle_motion import NOWHERE
from autosim.vehicle.contact.grip import Grip
from autosim.vehicle.info.standing_height import standing_height
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.compiled.ground_index import height_at
from autosim.world.geometry.map_projection import MapProjection
from autosim.world.osm.surface_friction import snowy_frictions, wet_frictions


@dataclass(frozen=True, slots=True)
class Systems:
    """The bodies of a world, what moves them, and what senses them.

    `names` of the robots, then of the objects, and how high [m] the origin of each is over the
    ground on which it rests (`rest_heights`); `wheel_names` of the wheels, in the order of the
    rows of `vehicles`. `memories`: what all of these remember from step to step. `signals` are
    there in worlds with traffic.

    Attributes:
        physics: holds all bodies, and steps them.
        streaming: loads the collision pieces of the world near bodies.
        kinematic: vehicles that move by a kinematic model.
        devices: banks of sensors and actuators, a bank for each kind.
        beliefs: writes the states of robots, and checks their owners.
        collisions: contacts between robots, objects and the world.
    """

    physics: PhysicsEngine
    streaming: TileStreamer
    bodies: RobotBodies
    vehicles: WheeledVehicles
    kinematic: KinematicVehicles
    traffic: TrafficBodies | None
    devices: DeviceBanks
    beliefs: RobotStateWriter
    collisions: CollisionReports
    memories: DeviceMemories
    signals: RunningSignals | None
    names: tuple[str, ...]
    rest_heights: tuple[float, ...]
    wheel_names: tuple[str, ...]


def make_systems(
    description: WorldDescription,
    shapes: WorldShapes,
    inventory: Inventory,
    state: State,
    *,
    seed: int,
    make_engine: MakeEngine,
    report: Callable[[Notice], None],
) -> Systems:
    """Puts all bodies into a new physics engine, with the world where they are.

    Args:
        description: of the world.
        shapes: of its compiled map.
        inventory: all robots and objects in the tree.
        state: of that tree.
        seed: of all noise.
        make_engine: makes the engine.
        report: takes messages for the user.
    """
    physics = make_engine(
        step_seconds=description.physics.step_seconds, gravity=description.physics.gravity
    )
    run = _Run(description, shapes, inventory, state, physics, seed, report)
    streaming = TileStreamer(
        physics,
        shapes,
        reach=max_reach(inventory.own_parts()),
        step_seconds=run.step_seconds,
        has_floats=bool(inventory.floating()),
    )
    heights, bodies = _place_bodies(inventory, run.map, physics, description)
    streaming.follow(bodies.moved_places())
    vehicles, kinematic = _wheeled_vehicles(run, bodies), _kinematic_vehicles(run, bodies)
    signals = signals_of(
        description.traffic, run.map, state, step_seconds=run.step_seconds, seed=seed
    )
    traffic = _traffic(run, bodies, signals)
    devices = DeviceBanks(inventory.devices, _bank_context(run, bodies, vehicles, kinematic))
    memories = _memories(run, devices, vehicles, kinematic, signals, traffic)
    return Systems(
        physics,
        streaming,
        bodies,
        vehicles,
        kinematic,
        traffic,
        devices,
        RobotStateWriter(inventory, step_seconds=run.step_seconds, report=report),
        _collisions(run, bodies, streaming, kinematic, traffic),
        DeviceMemories(memories),
        signals,
        inventory.names(),
        tuple(heights),
        run.wheel_names,
    )


@dataclass(frozen=True, slots=True)
class _Run:
    """Everything that the components of one run are made from; see `make_systems`."""

    description: WorldDescription
    shapes: WorldShapes
    inventory: Inventory
    state: State
    physics: PhysicsEngine
    seed: int
    report: Callable[[Notice], None]

    @property
    def map(self) -> CompiledWorld:
        """The compiled map."""
        return self.shapes.world

    @property
    def step_seconds(self) -> float:
        """Length of a step [s]."""
        return self.description.physics.step_seconds

    @property
    def gravity(self) -> float:
        """Gravity [m/s²]."""
        return self.description.physics.gravity

    @property
    def parts(self) -> list[Part]:
        """The parts of all bodies."""
        return [built.part for built in self.inventory.parts]

    def engine_bodies(self, bodies: RobotBodies) -> EngineBodies:
        """The bodies as vehicles move them."""
        return EngineBodies(self.physics, self.parts, bodies.states, bodies.engine_moved)

    @property
    def wheel_names(self) -> tuple[str, ...]:
        """The names of the wheels' nodes."""
        return tuple(mounted.node.name for mounted in self.inventory.of(WheelDevice))

    @property
    def actuator_names(self) -> list[str]:
        """The names of the nodes of the drive actuators."""
        return [mounted.node.name for mounted in self.inventory.of(DriveActuator)]


def _wheeled_vehicles(run: _Run, bodies: RobotBodies) -> WheeledVehicles:
    return WheeledVehicles(
        run.engine_bodies(bodies),
        wheels=run.inventory.wheels(),
        actuators=[mounted.device for mounted in run.inventory.of(DriveActuator)],
        step_seconds=run.step_seconds,
        gravity=run.gravity,
        rays=run.shapes.rays,
        grip=_grip(run.map, run.description.physics),
    )


def _kinematic_vehicles(run: _Run, bodies: RobotBodies) -> KinematicVehicles:
    world = run.map
    return KinematicVehicles(
        run.inventory.kinematic_vehicles(),
        bodies=run.engine_bodies(bodies),
        rays=run.shapes.rays,
        height_near=lambda x, y, z: float(height_at(world, np.array([[x, y, z]]))[0]),
        step_seconds=run.step_seconds,
        gravity=run.gravity,
        seed=run.seed,
        report=run.report,
    )


def _traffic(
    run: _Run, bodies: RobotBodies, signals: RunningSignals | None
) -> TrafficBodies | None:
    """The traffic of a world that has some; a warning where it has fewer vehicles than ordered."""
    traffic = make_world_traffic(
        run.description,
        run.map,
        run.inventory,
        run.physics,
        bodies,
        run.state,
        signals=signals,
        seed=run.seed,
    )
    if traffic and traffic.shortage:
        run.report(Notice("warning", "traffic", run.state.step, traffic.shortage))
    return traffic


def _bank_context(
    run: _Run, bodies: RobotBodies, vehicles: WheeledVehicles, kinematic: KinematicVehicles
) -> BankContext:
    """Access of sensors and actuators to the rest of the run."""
    physics = run.physics
    return BankContext(
        step_seconds=run.step_seconds,
        seed=run.seed,
        projection=MapProjection(run.map.origin),
        gravity=run.gravity,
        rays=ray_caster(run.shapes.rays, run.inventory.parts),
        joints=bodies.joints.mounted,
        servos=bodies.joints.servos,
        roads=run.map.roads,
        air=Weather.under(run.description.graphics.sky),
        touches=lambda: _touches_of(physics),
        drives=vehicles.drives(wheels=run.wheel_names, actuators=run.actuator_names),
        set_loads=vehicles.set_loads,
        steering_angles=kinematic.steering_angles,
        report=run.report,
    )


def _place_bodies(
    inventory: Inventory,
    world: CompiledWorld,
    physics: PhysicsEngine,
    description: WorldDescription,
) -> tuple[list[float], RobotBodies]:
    """Puts robots and objects into the physics, each at its rest height [m] over the ground."""
    placed = [robot for _, robot in inventory.robots]
    gravity, seconds = description.physics.gravity, description.physics.step_seconds
    heights = [standing_height(robot.robot, gravity=gravity) for robot in placed]
    poses = spawn_poses(placed, world, rest_heights=heights)
    poses += object_poses([thing for _, thing in inventory.objects], world)
    poses += [SpawnPose(np.array([0.0, 0.0, NOWHERE]), 0.0)] * len(inventory.traffic)
    heights += [-body_of(thing.body).low[2] for _, thing in inventory.objects]
    bodies = RobotBodies(inventory, physics, poses, step_seconds=seconds)
    bodies.read()
    return heights, bodies


def _memories(
    run: _Run,
    devices: DeviceBanks,
    vehicles: WheeledVehicles,
    kinematic: KinematicVehicles,
    signals: RunningSignals | None,
    traffic: TrafficBodies | None,
) -> tuple[Memory, ...]:
    """Memory of devices, vehicles of robots, signals and traffic."""
    return (
        *devices.memories,
        *vehicles.memories(
            parts=[built.node.name for built in run.inventory.parts],
            wheels=run.wheel_names,
            actuators=run.actuator_names,
        ),
        *kinematic.memories(),
        *(signals.memories() if signals else ()),
        *(traffic.memories if traffic else ()),
    )


def _collisions(
    run: _Run,
    bodies: RobotBodies,
    streaming: TileStreamer,
    kinematic: KinematicVehicles,
    traffic: TrafficBodies | None,
) -> CollisionReports:
    inventory, physics = run.inventory, run.physics
    placed = [robot for _, robot in inventory.robots]
    names = (*inventory.names(), *(f"traffic.{k}" for k in range(len(inventory.traffic))))
    counter = CollisionCounter(
        bodies.robot,
        robots=len(placed),
        objects=len(inventory.objects) + len(inventory.traffic),
        step_seconds=run.step_seconds,
    )
    for number in _standing(placed):
        counter.remember(number, len(names), 0)
    encounters = CollisionTexts(
        [built.node.name for built in inventory.parts],
        robots=names,
        robot_of_body=bodies.robot.tolist(),
        touches=lambda: [*physics.contact_points(), *kinematic.touches()],
        streaming=streaming,
        world=run.map,
    )
    # The count of a robot's collisions comes after its state.
    starts = np.array([node.start for node, _ in inventory.robots], dtype=np.int64)
    return CollisionReports(
        names,
        starts // WORD + 1,
        counter=counter,
        encounters=encounters,
        physics=physics,
        kinematic=kinematic,
        traffic=traffic,
        report=run.report,
    )


def _touches_of(physics: PhysicsEngine) -> ContactPoints:
    found = physics.contact_points()
    return ContactPoints(
        np.array([(each.first, each.second) for each in found], dtype=np.int64).reshape(-1, 2),
        np.array([each.place for each in found]).reshape(-1, 3),
        np.array([each.impulse for each in found]),
    )


def _standing(robots: Sequence[PlacedRobot]) -> list[int]:
    """Numbers of robots that rest on their body from the start, which is not a collision."""
    return [
        number
        for number, placed in enumerate(robots)
        if (placed.position is None or placed.position[2] is None)
        and not any(isinstance(each, WheelDevice) for each in placed.robot.devices)
    ]


def _grip(world: CompiledWorld, physics: PhysicsDescription) -> Grip:
    """The grip of the ground, and of asphalt above and below it, in the weather of a world."""

    def weathered(frictions: Floats32) -> Floats32:
        weather = snowy_frictions(wet_frictions(frictions, physics.wetness), physics.snow_cover)
        return weather if physics.friction == 1.0 else weather * np.float32(physics.friction)

    (asphalt,) = weathered(np.ones(1, dtype=np.float32)).tolist()
    return Grip(read_only(weathered(world.ground_friction)), asphalt)
