"""The simulation: a world, its robots and their devices, one step at a time.

The same class runs in its own process behind a server and, with
`Simulation(world).step()`, in any Python program: no sockets, no processes.
"""

import sys
from collections.abc import Callable, Collection, Sequence
from functools import partial

from autosim.config.descriptions import WorldDescription
from autosim.engine.command_gate.drivers import Drivers
from autosim.engine.command_gate.gate import CheckedCommand, CommandGate
from autosim.engine.engine_errors import SnapshotError
from autosim.engine.physics.bullet.bullet_engine import BulletEngine
from autosim.engine.physics.engine import MakeEngine
from autosim.engine.physics.inventory import Inventory
from autosim.engine.physics.world_shapes import WorldShapes
from autosim.engine.programs.program_manager import (
    MakeParticipants,
    ProgramManager,
    ProgramsContext,
)
from autosim.engine.programs.thread_participants import ThreadParticipants
from autosim.engine.step.forks import Fork
from autosim.engine.step.kernel_cache import compilations_told, fill_kernel_cache
from autosim.engine.step.placement import AT_REST, Placement
from autosim.engine.step.relocation import Relocation
from autosim.engine.step.robot_devices import RobotDevices
from autosim.engine.step.systems import make_systems
from autosim.fmi.fmu import FmuError
from autosim.kinds.actuators.drive_actuator import DriveActuator
from autosim.kinds.actuators.flat_tyre import FlatTyre
from autosim.kinds.actuators.wheel import WheelDevice
from autosim.kinds.director import build_tree
from autosim.model.bodies import BodyForces
from autosim.model.commands import Command, DeviceState, RobotStateChange
from autosim.model.notebook import VIEW_HEIGHT, NotebookView, state_html, view_of
from autosim.model.notices import Notice, Severity
from autosim.model.snapshot import Snapshot
from autosim.model.state import State, Value, time_after
from autosim.terminal_text import for_terminal
from autosim.traffic.scenarios.scenario_starts import with_start_poses
from autosim.userprogram.ipc.program_exits import ProgramExit
from autosim.world.compiled.compiled_world import CompiledWorld
from autosim.world.pipeline.cache import compile_world
from autosim.world.pipeline.forked_helpers import gc_disabled


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
        shapes: those of the map, that a simulation before this one has used.
        buffer: memory for the state, of `tree.stop` bytes or more; by default its own.
        report: takes messages for the user.
        idle: robots whose programs are not started; `programs` starts them one by one.
        make_participants: makes what runs user programs; by default threads.
        make_engine: makes the physics engine; by default PyBullet.

    `on_command` and `on_publish` are called in the phases of these names: the first with the number
    of the step and each command that is applied, a `Placement` where something was moved,
    a `RobotStateChange` where a robot shows another state; the second with the new state in place.
    `queue` gives another run the same commands. `systems`: the bodies, and what moves and senses
    them.
    """

    @gc_disabled()
    def __init__(
        self,
        world: WorldDescription,
        *,
        seed: int = 0,
        compiled: CompiledWorld | None = None,
        shapes: WorldShapes | None = None,
        buffer: memoryview | None = None,
        report: Callable[[Notice], None] = to_standard_error,
        idle: Collection[str] = (),
        make_participants: MakeParticipants = ThreadParticipants.of,
        make_engine: MakeEngine = BulletEngine,
    ) -> None:
        _require_description(world)
        self.compiled = compiled or (shapes.world if shapes else compile_world(world.terrain))
        self.shapes = shapes or WorldShapes(self.compiled)
        self.world = world = with_start_poses(world, self.compiled)
        self.step_seconds = world.physics.step_seconds
        self.on_publish: list[Callable[[], None]] = []
        self._is_started, self._is_read = False, True
        self._report = report
        self._queue: list[CheckedCommand | RobotStateChange] = []
        self._placements: list[Placement] = []
        inventory = Inventory()
        self.tree = build_tree(world, [inventory])
        self.state = State(self.tree, buffer)
        self.drivers = Drivers()
        self._gate = CommandGate(self.tree)
        self._robots = RobotDevices(
            [node for node, _ in inventory.robots],
            self.state,
            rests=inventory.rests(),
            drivers=self.drivers,
            report=report,
        )
        self.on_command = self._robots.on_command
        self.programs = ProgramManager.of(
            ProgramsContext.of(
                world,
                self.state,
                seed=seed,
                compiled=self.compiled,
                drivers=self.drivers,
                report=report,
            ),
            self.state,
            make_participants=make_participants,
            report_exit=self._report_exit,
            idle=idle,
        )
        self.participants = self.programs.participants

        def tell(text: str) -> None:
            report(Notice("info", "simulation", 0, text))

        fill_kernel_cache(tell, with_traffic=world.traffic is not None)
        with compilations_told(tell):
            self._build(inventory, seed, make_engine)
            self._sense()

    def _build(self, inventory: Inventory, seed: int, make_engine: MakeEngine) -> None:
        systems = make_systems(
            self.world,
            self.shapes,
            inventory,
            self.state,
            seed=seed,
            make_engine=make_engine,
            report=self._report,
        )
        self.systems = systems
        self._physics, self._streaming = systems.physics, systems.streaming
        self._bodies, self._vehicles = systems.bodies, systems.vehicles
        self._kinematic, self._devices = systems.kinematic, systems.devices
        self._beliefs, self._collisions = systems.beliefs, systems.collisions
        self._memories, self._signals = systems.memories, systems.signals
        self._traffic = systems.traffic
        self._actuator_words = inventory.words(DriveActuator)
        self._wheel_words = inventory.words(WheelDevice)
        self._flat_wheels, self._flat_words = inventory.flat_tyres(), inventory.words(FlatTyre)
        self._moving = Relocation(
            systems,
            self.state,
            world=self.compiled,
            wheel_words=self._wheel_words,
            snapshot=partial(self.snapshot, is_continued=False),
            report=self._report,
        )
        self._robots.rest()
        self._robots.show_state(DeviceState.READY)

    def __repr__(self) -> str:
        robots = ", ".join(each.name for each in self.tree.robots) or "no robots"
        return (
            f"<Simulation '{self.world.name}' at step {self.state.step} "
            f"({self.state.time:.3f} s): {robots}>"
        )

    def _repr_html_(self) -> str:
        """All values, for notebooks."""
        return state_html(self.state, repr(self))

    def show(self, *, height: int = VIEW_HEIGHT) -> NotebookView:
        """The run from now on, for notebooks: see `autosim.show`.

        Raises:
            UserError: the page for browsers was not built.
        """
        return view_of(self, height)

    def get(self, name: str) -> Value | dict[str, Value]:
        """The present value of a device, a part or a field: see `State.get`.

        Raises:
            UserError: there is no such value.
        """
        return self.state.get(name)

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

    def run(self, steps: int) -> None:
        """Does several steps of which only the last is observed, bit-identical to calling `step()`.

        Sensor values of the steps in between are left out if nothing depends on them.
        """
        for left in range(steps, 0, -1):
            self._is_read = left == 1 or bool(self.on_publish) or self.programs.are_there
            self.step()

    def attend(self) -> None:
        """Applies orders to programs between two steps: some leave, others begin."""
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
        """Continues from the state of another simulation of the same world; before the first step.

        Robots that both have keep poses, velocities, wheels and tyres, actuators, collisions and
        sensors with what they remember.
        """
        names = {node.name for node in snapshot.restore(self.state)}
        self._bodies.place(self.state, robots=names)
        self._vehicles.turn_wheels(self.state.floats[self._wheel_words])
        self._collisions.restore(snapshot, self.state)
        self._bodies.read()
        if snapshot.step:
            self._robots.show_state(DeviceState.ACTIVE)
        # Robots that are new have sensed nothing yet. The others have sensed this step already: to
        # do it again would filter it twice.
        self._sense()
        snapshot.restore(self.state)
        self._memories.restore(snapshot, robots=names)
        fmus = dict(snapshot.fmus)
        self._devices.restore({each: fmus[each] for each in fmus if each.split(".")[0] in names})
        self._kinematic.follow_bodies()
        if self._traffic:
            self._traffic.restore()
        self._robots.restore_blocked()

    def snapshot(self, *, is_continued: bool = True) -> Snapshot:
        """The state from which another simulation can continue.

        Args:
            is_continued: False: it is not continued, and has no states of FMUs.

        Raises:
            SnapshotError: an FMU of a robot cannot save its state; the message names it.
        """
        try:
            fmus = self._devices.save() if is_continued else {}
        except FmuError as error:
            raise SnapshotError(f"the snapshot cannot be taken: {error}") from error
        contacts = self._collisions.last_contacts()
        return Snapshot.of(self.state, self._memories.all, contacts, fmus)

    def fork(self) -> Fork:
        """A bit-exact copy of the current state, to try out alternatives.

            with simulation.fork() as fork:
                left, right = fork.run(drive, 0.2), fork.run(drive, -0.2)

        where `drive(simulation, angle)` is a function of a module.

        Raises:
            ForkError: a user program runs in a thread, or there is no room for another process.
        """
        return Fork(self)

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
        """Moves a robot or an object between two steps, without effect on anything else.

        Its program and its actuators continue; its sensors forget their history, and
        its wheels roll at the speed of the motion. It is placed on the ground, along its slope.

        Args:
            name: of the robot or object.
            place: (x, y) [m] in W.
            yaw: [rad] from east to north; None: as it heads now.
            height: [m] in W: of several levels it stands on the nearest; None: its own height.
            velocity: [m/s] forward, left and up.
            angular_velocity: [rad/s] about these axes.

        Returns:
            The placement as passed to `on_command`: `queue` takes it, and repeats it in another
            run.

        Raises:
            PlacementError: there is no such thing, or it cannot stand or move there; nothing has
                changed.
        """
        placement = self._moving.move(
            name,
            place,
            yaw=yaw,
            height=height,
            velocity=velocity,
            angular_velocity=angular_velocity,
        )
        self._tell(placement)
        return placement

    def _tell(self, placement: Placement) -> None:
        for listener in self.on_command:
            listener(self.state.step, placement)

    def queue(self, commands: Sequence[Command | Placement | RobotStateChange]) -> None:
        """Takes commands for the next step, or what the log of another run has.

        Placements come first in it, without a look at whether something is in their way.

        Raises:
            DeviceError: a command is not valid; none is taken.
            PlacementError: the same of a placement.
        """
        placements = [each for each in commands if isinstance(each, Placement)]
        for placement in placements:
            self._moving.check_name(placement.name)
        self._queue += [
            self._gate.check(each) if isinstance(each, Command) else each
            for each in commands
            if not isinstance(each, Placement)
        ]
        self._placements += placements

    def carry_out_placements(self) -> None:
        """Puts what is queued elsewhere now, and not at the beginning of the next step."""
        placements, self._placements = self._placements, []
        for placement in placements:
            self._moving.apply(placement)
            self._tell(placement)

    def take(self, commands: Sequence[CheckedCommand]) -> None:
        """Takes commands for the next step that have passed the gate of an equal tree."""
        self._queue += commands

    def close(self) -> None:
        """Ends the user programs and frees the physics."""
        self.participants.close()
        self._devices.close()
        self._physics.close()

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _apply_commands(self) -> None:
        """Reads what arrived; writes the actuators."""
        self.carry_out_placements()
        queue, self._queue = self._queue, []
        self._robots.apply(self.participants.commands(), queue)

    def _actuate(self) -> None:
        """Reads the actuators and the bodies; writes the wheels and the forces."""
        if self._signals:
            self._signals.advance(self.state.step + 1)
        commands = self.state.floats[self._actuator_words]
        if self._flat_wheels:
            flatness = self.state.floats[self._flat_words[:, 0]]
            self._vehicles.flatten(self._flat_wheels, flatness)
        self._kinematic.actuate(self.state)
        if self._traffic:
            self._traffic.actuate(self.state)
        self._vehicles.actuate(
            self._devices.commanded(DriveActuator, commands, self.state.step),
            self._push,
        )
        self._bodies.joints.drive()
        self.state.floats[self._wheel_words] = self._vehicles.wheel_output

    def _push(self, forces: BodyForces) -> None:
        """Adds what pushes bodies beside wheels."""
        self._devices.act(self._bodies.states, self.state, forces)
        if self._traffic:
            self._traffic.apply_forces(forces)

    def _integrate(self) -> None:
        """Moves the bodies; the step count and the time go up with them."""
        self._physics.step()
        self.state.ints[0] += 1
        self.state.ints[1] = time_after(self.state.step, self.step_seconds)

    def _sense(self) -> None:
        """Reads the bodies, brings in the tiles that they come near, writes what they sense."""
        self._bodies.read()
        self._streaming.follow(self._bodies.moved_places())
        self._bodies.write(self.state)
        self._kinematic.sense(self.state)
        self._beliefs.write(self._bodies.states, self.state)
        self._devices.sense(self._bodies.states, self.state, is_read=self._is_read)
        self._beliefs.watch(self.state)
        self._collisions.sense(self.state)

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


def _require_description(world: object) -> None:
    """Names the usual mistake, which is to give the name of the world's file."""
    if not isinstance(world, WorldDescription):
        raise TypeError(
            f"expected a world, not {world!r}: Simulation(load_world('worlds/circle_town.xml'))"
        )
