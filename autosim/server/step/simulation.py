"""The simulation: a world, its robots and their devices, one step at a time.

The same class runs in a process of its own behind a server and, with
`Simulation(world).step()`, in any Python program: no sockets, no processes.
"""

import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.config.descriptions import PlacedRobot, WorldDescription
from autosim.jit import read_only
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.actuators.flat_tyre import FlatTyre
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.kinds.banks import Air, BankContext
from autosim.kinds.device_banks import DeviceBanks
from autosim.kinds.director import build_tree
from autosim.kinds.kind import body_of
from autosim.rays.scene import RayScene
from autosim.server.commands.drivers import Drivers
from autosim.server.commands.gate import CheckedCommand, CommandGate
from autosim.server.errors import PlacementError
from autosim.server.physics.bodies import Bodies
from autosim.server.physics.builder import Inventory, longest_reach, ray_caster
from autosim.server.physics.collisions import CollisionCounter
from autosim.server.physics.engine import MakeEngine, PhysicsEngine
from autosim.server.physics.kinematic_vehicles import KinematicVehicles
from autosim.server.physics.physics import Physics
from autosim.server.physics.placement import place_objects, place_robots, pose_at
from autosim.server.physics.streaming import Streaming
from autosim.server.physics.vehicles import Vehicles
from autosim.server.programs.programs import MakeParticipants, Programs, ProgramsContext
from autosim.server.programs.thread_participants import ThreadParticipants
from autosim.server.step.beliefs import Beliefs
from autosim.server.step.encounters import Encounters
from autosim.server.step.kernels import keep_kernels
from autosim.server.step.moving import Moving
from autosim.server.step.placement import AT_REST, Placement, as_vector
from autosim.server.step.robots import Robots
from autosim.simulation.bodies import Touches
from autosim.simulation.commands import Command, DeviceState
from autosim.simulation.notices import Notice, Severity
from autosim.simulation.snapshot import Snapshot
from autosim.simulation.state import State, time_after
from autosim.terminal_text import for_terminal
from autosim.userprogram.exchange.program_exits import ProgramExit
from autosim.vehicle.grip import Grip
from autosim.vehicle.placement import place_height
from autosim.world.compiled.compiled import CompiledWorld
from autosim.world.compiled.ground_index import height_at
from autosim.world.compiled.tiles import levels_of
from autosim.world.geometry.projection import Projection
from autosim.world.osm.surface_friction import wet_frictions
from autosim.world.pipeline.cache import compile_world

COMPILING = "compiles its kernels for this processor: once, some twenty seconds"


def to_standard_error(notice: Notice) -> None:
    """Prints a notice."""
    text = for_terminal(f"{notice.source}: {notice.level}: {notice.text}")
    print(text, file=sys.stderr)


class Simulation:
    """A running world.

    Args:
        world: the world to simulate.
        seed: of all noise.
        compiled: the compiled map; by default it is taken from the cache or compiled.
        buffer: memory for the state, of `tree.stop` bytes or more; by default its own.
        report: takes messages for the user.
        idle: robots whose programs are not started; `programs` starts them one by one.
        make_participants: makes what runs user programs; by default threads.
        make_engine: makes the physics engine; by default PyBullet.

    `on_command` and `on_publish` are called in the phases of these names: the first with the number
    of the step and each command that is applied, a `Placement` where something was put elsewhere;
    the second with the new state in place. `queue` gives another run the same commands.
    """

    def __init__(
        self,
        world: WorldDescription,
        *,
        seed: int = 0,
        compiled: CompiledWorld | None = None,
        buffer: memoryview | None = None,
        report: Callable[[Notice], None] = to_standard_error,
        idle: Collection[str] = (),
        make_participants: MakeParticipants = ThreadParticipants.of,
        make_engine: MakeEngine = Physics,
    ) -> None:
        self.world = world
        self.compiled = compiled or compile_world(world.terrain)
        self.step_seconds = world.physics.step_seconds
        self.on_publish: list[Callable[[], None]] = []
        self._is_started = False
        self._report = report
        self._queue: list[CheckedCommand] = []
        self._placements: list[Placement] = []
        inventory = Inventory()
        self.tree = build_tree(world, [inventory])
        self.state = State(self.tree, buffer)
        self.drivers = Drivers()
        self._gate = CommandGate(self.tree)
        self._robots = Robots(
            [node for node, _ in inventory.robots],
            self.state,
            rests=inventory.rests(),
            drivers=self.drivers,
            report=report,
        )
        self.on_command = self._robots.on_command
        self.participants = make_participants(
            ProgramsContext(
                world,
                seed,
                self.tree,
                self.drivers,
                self.state.buffer,
                self.step_seconds,
                self.compiled,
                report,
            )
        )
        self.programs = Programs(
            world,
            participants=self.participants,
            drivers=self.drivers,
            state=self.state,
            report=report,
            report_exit=self._report_exit,
            idle=idle,
        )
        self._build(inventory, seed, make_engine)
        self._sense()

    def _build(self, inventory: Inventory, seed: int, make_engine: MakeEngine) -> None:
        keep_kernels(lambda: self._report(Notice("info", "simulation", 0, COMPILING)))
        world, gravity = self.compiled, self.world.physics.gravity
        self._physics = make_engine(step_seconds=self.step_seconds, gravity=gravity)
        rays = RayScene.of(world)
        self._streaming = Streaming(
            self._physics,
            world,
            levels=levels_of(world),
            reach=longest_reach(inventory.parts),
            step_seconds=self.step_seconds,
            has_floats=bool(inventory.floating()),
        )
        placed = [robot for _, robot in inventory.robots]
        heights = [place_height(robot.robot, gravity=gravity) for robot in placed]
        poses = place_robots(placed, world, rest_heights=heights)
        poses += place_objects([thing for _, thing in inventory.objects], world)
        heights += [-body_of(thing.body).low[2] for _, thing in inventory.objects]
        names = [*(robot.name for robot in placed), *(node.name for node, _ in inventory.objects)]
        self._bodies = Bodies(inventory, self._physics, poses, step_seconds=self.step_seconds)
        self._bodies.read()
        self._streaming.follow(self._moved_places())
        self._vehicles = Vehicles(
            self._physics,
            parts=[built.part for built in inventory.parts],
            bodies=self._bodies.states,
            wheels=inventory.wheels(),
            actuators=[mounted.device for mounted in inventory.of(DriveActuator)],
            step_seconds=self.step_seconds,
            gravity=gravity,
            rays=rays,
            grip=_grip(world, self.world.physics.wetness),
        )
        self._kinematic = KinematicVehicles(
            inventory.kinematic_vehicles(),
            physics=self._physics,
            parts=[built.part for built in inventory.parts],
            bodies=self._bodies.states,
            engine_moved=self._bodies.engine_moved,
            rays=rays,
            height_near=lambda x, y, z: float(height_at(world, np.array([[x, y, z]]))[0]),
            step_seconds=self.step_seconds,
            gravity=gravity,
            seed=seed,
            report=lambda notice: self._report(notice),
        )
        context = BankContext(
            step_seconds=self.step_seconds,
            seed=seed,
            projection=Projection(world.origin),
            gravity=gravity,
            rays=ray_caster(rays, inventory.parts),
            joints=self._bodies.joints.mounted,
            servos=self._bodies.joints.servos,
            roads=world.roads,
            air=Air.under(self.world.graphics.sky),
            touches=lambda: _touches_of(self._physics),
        )
        self._devices = DeviceBanks(inventory.devices, context)
        self._beliefs = Beliefs(
            inventory, step_seconds=self.step_seconds, report=lambda notice: self._report(notice)
        )
        self._collisions = CollisionCounter(
            self._bodies.robot,
            robots=len(placed),
            objects=len(inventory.objects),
            step_seconds=self.step_seconds,
        )
        for number in _standing(placed):
            self._collisions.remember(number, len(names), 0)
        self._encounters = Encounters(
            [built.node.name for built in inventory.parts],
            robots=names,
            robot_of_body=self._bodies.robot.tolist(),
            touches=lambda: [*self._physics.touches(), *self._kinematic.touches()],
            streaming=self._streaming,
            world=world,
        )
        self._moving = Moving(
            names,
            bodies=self._bodies,
            physics=self._physics,
            streaming=self._streaming,
        )
        self._rest_heights, self._names = heights, tuple(names)
        self._wheel_names = [mounted.node.name for mounted in inventory.of(WheelDevice)]
        self._memories = (
            *self._devices.memories,
            *self._vehicles.memories(
                parts=[built.node.name for built in inventory.parts],
                wheels=self._wheel_names,
                actuators=[mounted.node.name for mounted in inventory.of(DriveActuator)],
            ),
            *self._kinematic.memories(),
        )
        self._collision_words = self._robots.words + 1
        self._actuator_words = inventory.words(DriveActuator)
        self._wheel_words = inventory.words(WheelDevice)
        self._flat_wheels, self._flat_words = inventory.flat_tyres(), inventory.words(FlatTyre)
        self._robots.rest()
        self._robots.show_state(DeviceState.READY)
        self._fresh = [memory.rows.copy() for memory in self._memories]

    def start(self) -> None:
        """Starts the world's user programs and waits until each has had its first turn.

        Called by the first `step` where it was not called before.
        """
        self.begin()
        self._wait_for_programs()

    def step(self) -> None:
        """One step: the phases in their fixed order, and the wait for the programs."""
        if not self._is_started:
            self.start()
        self.advance()
        self._wait_for_programs()

    def attend(self) -> None:
        """Lets orders to programs take effect between two steps: some leave, others begin."""
        if self._is_started:
            self.participants.open(self.state.step)
            self._wait_for_programs()

    def _wait_for_programs(self) -> None:
        self.participants.wait()
        self.settle()

    def begin(self) -> None:
        """Starts the world's user programs; their first barrier is open where they are awaited."""
        self._is_started = True
        self.programs.start()
        self.participants.open(self.state.step)

    def advance(self) -> None:
        """The phases of a step up to its barrier, which is open where programs are awaited."""
        self._apply_commands()
        self._actuate()
        self._integrate()
        self._sense()
        self._publish()
        self.programs.start_due()
        self.participants.open(self.state.step)

    def settle(self) -> None:
        """Ends a barrier that is closed: robots brake whose driver has left."""
        for program_exit in self.participants.take_exits():
            self._report_exit(program_exit)
        self.programs.give_back_due()

    def restore(self, snapshot: Snapshot) -> None:
        """Goes on from the state of another simulation of the same world; before the first step.

        Robots that both have keep poses, velocities, wheels and tyres, actuators, collisions and
        sensors with what they remember.
        """
        names = {node.name for node in snapshot.restore(self.state)}
        self._bodies.place(self.state, robots=names)
        self._vehicles.turn_wheels(self.state.floats[self._wheel_words])
        self._collisions.counts[:] = self.state.ints[self._collision_words]
        self._collisions_from(snapshot)
        self._bodies.read()
        if snapshot.step:
            self._robots.show_state(DeviceState.ACTIVE)
        # Robots that are new have sensed nothing yet. The others have sensed this step already: to
        # do it again would filter it twice.
        self._sense()
        snapshot.restore(self.state)
        snapshot.restore_memories(self._memories, robots=names)
        self._kinematic.follow_bodies()
        self._robots.restore_blocked()

    def snapshot(self) -> Snapshot:
        """The state from which another simulation can go on."""
        names = (*self._names, "")
        contacts = [
            (names[first], names[second], step)
            for first, second, step in self._collisions.last_contacts
        ]
        return Snapshot.of(self.state, self._memories, contacts)

    def place(
        self,
        name: str,
        place: Sequence[float],
        *,
        yaw: float | None = None,
        height: float | None = None,
        velocity: Sequence[float] = AT_REST,
        angular_velocity: Sequence[float] = AT_REST,
    ) -> Placement:
        """Puts a robot or an object elsewhere between two steps, without effect on anything else.

        Its program goes on, and so do its actuators; its sensors forget what they remembered, and
        its wheels roll as fast as it moves. It stands on the ground, as that slopes.

        Args:
            name: of the robot or object.
            place: (x, y) [m] in W.
            yaw: [rad] from east to north; None: as it heads now.
            height: [m] in W: of several levels it stands on the nearest; None: its own height.
            velocity: [m/s] forward, left and up.
            angular_velocity: [rad/s] about these axes.

        Returns:
            What `on_command` was told: `queue` takes it, and does the same again in another run.

        Raises:
            PlacementError: there is no such thing, or it cannot stand or move there; nothing has
                changed.
        """
        number = self._number_of(name)
        first = self._bodies.numbers_of(number)[0]
        near = self._bodies.states.positions[first, 2] if height is None else height
        heading = self._bodies.heading(first) if yaw is None else yaw
        try:
            linear = as_vector("velocity", velocity)
            angular = as_vector("angular velocity", angular_velocity)
            if self._bodies.is_static(number) and any((*linear, *angular)):
                raise PlacementError("it is static, and has no velocity")
            pose = pose_at(
                self.compiled,
                (*place, near),
                yaw=heading,
                rest_height=self._rest_heights[number],
            )
            self._moving.check(number, pose)
        except PlacementError as error:
            raise PlacementError(f"'{name}' cannot be moved: {error}") from error
        x, y, z = pose.position.tolist()
        placement = Placement(name, (x, y, z), pose.yaw, pose.pitch, linear, angular)
        self._put(placement)
        speed = portable.length(linear)
        text = f"was moved to x={place[0]:.2f} m, y={place[1]:.2f} m"
        text += f", at {speed:.2f} m/s" if speed else ""
        self._report(Notice("info", name, self.state.step, text))
        return placement

    def _number_of(self, name: str) -> int:
        if name not in self._names:
            raise PlacementError(f"there is no robot or object '{name}'")
        return self._names.index(name)

    def _put(self, placement: Placement) -> None:
        """Carries out a placement, and lets its robot sense where it is."""
        name = placement.name
        others = self._snapshot_without(name)
        self._moving.put(self._number_of(name), placement)
        self._forget(name, speed=placement.velocity[0])
        self._bodies.write(self.state)
        self._kinematic.follow_bodies()
        self._kinematic.sense(self.state)
        self._beliefs.write(self._bodies.states, self.state, is_moved=True)
        self._devices.sense(self._bodies.states, self.state)
        self._keep(others)
        for listener in self.on_command:
            listener(self.state.step, placement)

    def _snapshot_without(self, robot: str) -> Snapshot:
        whole = self.snapshot()
        return replace(whole, robots=tuple(r for r in whole.robots if r.name != robot))

    def _keep(self, others: Snapshot) -> None:
        """Restores the robots that have sensed this step already."""
        others.restore(self.state)
        others.restore_memories(self._memories, robots=[robot.name for robot in others.robots])

    def _forget(self, robot: str, *, speed: float) -> None:
        """Empties what a robot's devices remember, as at the first step; its wheels roll [m/s]."""
        wheels = _rows_of(robot, self._wheel_names)
        self._vehicles.roll_wheels(wheels, [speed] * len(wheels))
        self.state.floats[self._wheel_words] = self._vehicles.wheel_output
        for memory, fresh in zip(self._memories, self._fresh, strict=True):
            rows = _rows_of(robot, memory.names)
            memory.rows[rows] = fresh[rows]

    def _collisions_from(self, snapshot: Snapshot) -> None:
        numbers = {name: number for number, name in enumerate(self._names)}
        numbers[""] = len(numbers)
        for first, second, step in snapshot.contacts:
            if first in numbers and second in numbers:
                self._collisions.remember(numbers[first], numbers[second], step)

    def queue(self, commands: Sequence[Command | Placement]) -> None:
        """Takes commands for the next step.

        Placements come first in it, without a look at whether something is in their way.

        Raises:
            DeviceError: a command is not valid; none is taken.
            PlacementError: the same of a placement.
        """
        placements = [each for each in commands if isinstance(each, Placement)]
        for placement in placements:
            self._number_of(placement.name)
        self.take([self._gate.check(each) for each in commands if isinstance(each, Command)])
        self._placements += placements

    def take(self, commands: Sequence[CheckedCommand]) -> None:
        """Takes commands for the next step that have passed the gate of an equal tree."""
        self._queue += commands

    def close(self) -> None:
        """Ends the user programs and frees the physics."""
        self.participants.close()
        self._physics.close()

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _apply_commands(self) -> None:
        """Reads what arrived; writes the actuators."""
        placements, self._placements = self._placements, []
        for placement in placements:
            self._moving.bring_in_world(self._number_of(placement.name), placement.pose)
            self._put(placement)
        queue, self._queue = self._queue, []
        self._robots.apply(self.participants.commands(), queue)

    def _actuate(self) -> None:
        """Reads the actuators and the bodies; writes the wheels and the forces."""
        commands = self.state.floats[self._actuator_words]
        if self._flat_wheels:
            flatness = self.state.floats[self._flat_words[:, 0]]
            self._vehicles.flatten(self._flat_wheels, flatness)
        self._kinematic.actuate(self.state)
        self._vehicles.actuate(
            self._devices.commanded(DriveActuator, commands, self.state.step),
            lambda forces: self._devices.act(self._bodies.states, self.state, forces),
        )
        self._bodies.joints.drive()
        self.state.floats[self._wheel_words] = self._vehicles.wheel_output

    def _integrate(self) -> None:
        """Moves the bodies; the step count and the time go up with them."""
        self._physics.step()
        self.state.ints[0] += 1
        self.state.ints[1] = time_after(self.state.step, self.step_seconds)

    def _sense(self) -> None:
        """Reads the bodies, brings in the tiles that they come near, writes what they sense."""
        self._bodies.read()
        self._streaming.follow(self._moved_places())
        self._bodies.write(self.state)
        self._kinematic.sense(self.state)
        self._beliefs.write(self._bodies.states, self.state)
        self._devices.sense(self._bodies.states, self.state)
        self._beliefs.watch(self.state)
        contacts = self._physics.contacts()
        driven = self._kinematic.contacts(self.state.step)
        if len(driven):
            contacts = np.concatenate([contacts, driven])
        for pair in self._collisions.update(self.state.step, contacts):
            self._report_collision(*pair)
        self.state.ints[self._collision_words] = self._collisions.counts

    def _moved_places(self) -> Floats:
        """Where bodies (n, 3) [m] are that the world may hold up."""
        return self._bodies.states.positions[self._bodies.engine_moved]

    def _report_collision(self, first: int, second: int) -> None:
        """Reports a collision for both robots, or for the one that has hit the world."""
        for robot, other in ((first, second), (second, first)):
            if robot < len(self._robots.nodes):
                words = self._encounters.words(robot, other)
                name = self._robots.nodes[robot].name
                self._report(Notice("warning", name, self.state.step, words))

    def _publish(self) -> None:
        """Shows the new state to all listeners."""
        if self.state.step == 1:
            self._robots.show_state(DeviceState.ACTIVE)
        for listener in self.on_publish:
            listener()

    def _report_exit(self, program_exit: ProgramExit) -> None:
        level: Severity = "error" if program_exit.has_failed else "info"
        text = "\n".join(filter(None, (program_exit.reason, program_exit.traceback)))
        self._report(Notice(level, program_exit.program, self.state.step, text))
        self._robots.brake(program_exit.driven)
        self._robots.clear(program_exit.lists)
        self.programs.take_program_exit(program_exit)


def _touches_of(physics: PhysicsEngine) -> Touches:
    found = physics.touches()
    return Touches(
        np.array([(each.first, each.second) for each in found], dtype=np.int64).reshape(-1, 2),
        np.array([each.place for each in found]).reshape(-1, 3),
        np.array([each.impulse for each in found]),
    )


def _standing(robots: Sequence[PlacedRobot]) -> list[int]:
    """The numbers of those that stand on their body from the start, which is no collision."""
    return [
        number
        for number, placed in enumerate(robots)
        if (placed.position is None or placed.position[2] is None)
        and not any(isinstance(each, WheelDevice) for each in placed.robot.devices)
    ]


def _rows_of(robot: str, names: Sequence[str]) -> list[int]:
    """Which of `names` are of things of that robot."""
    return [row for row, name in enumerate(names) if name.split(".", 1)[0] == robot]


def _grip(world: CompiledWorld, wetness: float) -> Grip:
    (asphalt,) = wet_frictions(np.ones(1, dtype=np.float32), wetness).tolist()
    return Grip(read_only(wet_frictions(world.ground_friction, wetness)), asphalt)
