"""Components that compute the phases of a step, made from a world and its robots."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats32
from autosim.config.descriptions import PlacedRobot, WorldDescription
from autosim.config.world_settings import PhysicsDescription
from autosim.engine.physics.collisions import CollisionCounter
from autosim.engine.physics.engine import MakeEngine, PhysicsEngine
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
    seconds, gravity = description.physics.step_seconds, description.physics.gravity
    physics = make_engine(step_seconds=seconds, gravity=gravity)
    world, rays = shapes.world, shapes.rays
    parts = [built.part for built in inventory.parts]
    streaming = TileStreamer(
        physics,
        shapes,
        reach=max_reach(inventory.own_parts()),
        step_seconds=seconds,
        has_floats=bool(inventory.floating()),
    )
    heights, bodies = _place_bodies(inventory, world, physics, description)
    streaming.follow(bodies.moved_places())
    vehicles = WheeledVehicles(
        physics,
        parts=parts,
        bodies=bodies.states,
        wheels=inventory.wheels(),
        actuators=[mounted.device for mounted in inventory.of(DriveActuator)],
        step_seconds=seconds,
        gravity=gravity,
        rays=rays,
        grip=_grip(world, description.physics),
        moved=bodies.engine_moved,
    )
    kinematic = KinematicVehicles(
        inventory.kinematic_vehicles(),
        physics=physics,
        parts=parts,
        bodies=bodies.states,
        engine_moved=bodies.engine_moved,
        rays=rays,
        height_near=lambda x, y, z: float(height_at(world, np.array([[x, y, z]]))[0]),
        step_seconds=seconds,
        gravity=gravity,
        seed=seed,
        report=report,
    )
    names = inventory.names()
    wheel_names = tuple(mounted.node.name for mounted in inventory.of(WheelDevice))
    actuator_names = [mounted.node.name for mounted in inventory.of(DriveActuator)]
    signals = signals_of(description.traffic, world, state, step_seconds=seconds, seed=seed)
    traffic = make_world_traffic(
        description, world, inventory, physics, bodies, state, signals=signals, seed=seed
    )
    if traffic and traffic.shortage:
        report(Notice("warning", "traffic", state.step, traffic.shortage))
    context = BankContext(
        step_seconds=seconds,
        seed=seed,
        projection=MapProjection(world.origin),
        gravity=gravity,
        rays=ray_caster(rays, inventory.parts),
        joints=bodies.joints.mounted,
        servos=bodies.joints.servos,
        roads=world.roads,
        air=Weather.under(description.graphics.sky),
        touches=lambda: _touches_of(physics),
        drives=vehicles.drives(wheels=wheel_names, actuators=actuator_names),
        set_loads=vehicles.set_loads,
        steering_angles=kinematic.steering_angles,
    )
    devices = DeviceBanks(inventory.devices, context)
    memories = (
        *devices.memories,
        *vehicles.memories(
            parts=[built.node.name for built in inventory.parts],
            wheels=wheel_names,
            actuators=actuator_names,
        ),
        *kinematic.memories(),
        *(signals.memories() if signals else ()),
        *(traffic.memories if traffic else ()),
    )
    return Systems(
        physics,
        streaming,
        bodies,
        vehicles,
        kinematic,
        traffic,
        devices,
        RobotStateWriter(inventory, step_seconds=seconds, report=report),
        _collisions(
            inventory, world, bodies, streaming, physics, kinematic, traffic, seconds, report
        ),
        DeviceMemories(memories),
        signals,
        names,
        tuple(heights),
        wheel_names,
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


def _collisions(
    inventory: Inventory,
    world: CompiledWorld,
    bodies: RobotBodies,
    streaming: TileStreamer,
    physics: PhysicsEngine,
    kinematic: KinematicVehicles,
    traffic: TrafficBodies | None,
    step_seconds: float,
    report: Callable[[Notice], None],
) -> CollisionReports:
    placed = [robot for _, robot in inventory.robots]
    names = (*inventory.names(), *(f"traffic.{k}" for k in range(len(inventory.traffic))))
    counter = CollisionCounter(
        bodies.robot,
        robots=len(placed),
        objects=len(inventory.objects) + len(inventory.traffic),
        step_seconds=step_seconds,
    )
    for number in _standing(placed):
        counter.remember(number, len(names), 0)
    encounters = CollisionTexts(
        [built.node.name for built in inventory.parts],
        robots=names,
        robot_of_body=bodies.robot.tolist(),
        touches=lambda: [*physics.touches(), *kinematic.touches()],
        streaming=streaming,
        world=world,
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
        report=report,
    )


def _touches_of(physics: PhysicsEngine) -> ContactPoints:
    found = physics.touches()
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
        return snowy_frictions(wet_frictions(frictions, physics.wetness), physics.snow_cover)

    (asphalt,) = weathered(np.ones(1, dtype=np.float32)).tolist()
    return Grip(read_only(weathered(world.ground_friction)), asphalt)
