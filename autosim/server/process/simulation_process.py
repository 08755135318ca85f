"""The simulation process: it steps the simulation and does nothing else.

PyBullet holds the interpreter's lock for whole steps, so the simulation shares a process with
neither the network nor a window. One thread; the garbage collector is off once everything is
loaded. It ends when the front is gone.
"""

import faulthandler
import gc
import os
import pkgutil
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from autosim.config.descriptions import WorldDescription
from autosim.engine.engine_errors import PlacementError
from autosim.engine.physics.world_shapes import WorldShapes
from autosim.engine.programs.deadlines import Deadlines
from autosim.engine.programs.picture_scheduler import PictureScheduler
from autosim.engine.programs.process_participants import ProcessParticipants, ProcessSetting
from autosim.engine.programs.program_manager import ProgramsContext
from autosim.engine.step.simulation import Simulation
from autosim.errors import UserError
from autosim.helper_processes.fork_server import ensure_fork_server
from autosim.helper_processes.process_socket import ControlClosedError, ControlSocket
from autosim.helper_processes.start import inherited_control
from autosim.kinds.director import build_tree
from autosim.orders.times import Begin, Begun
from autosim.records.recorder import RecordingChannels
from autosim.server.process.loop import SimulationLoop
from autosim.server.process.outbox import Outbox, OutboxWriter
from autosim.server.process.process_messages import (
    Failed,
    Loaded,
    OutputPipes,
    QueryResult,
    Request,
    Setup,
)
from autosim.server.process.run_recording import RunRecording
from autosim.server.process.steppable import Steppable
from autosim.server.process.successors.continuation import continue_run
from autosim.system_limits import explain_shortage, raise_file_limit
from autosim.terminal_text import for_terminal
from autosim.userprogram.ipc.shared_state import SharedState
from autosim.userprogram.process.process_cleanup import kill_with_parent
from autosim.userprogram.process.program_process import RUNNER
from autosim.world.compiled.compiled_world import CompiledWorld


def load_and_run(control: ControlSocket) -> None:
    """Makes the simulation that the front's first message describes, and steps it to the end."""
    setup, descriptors = control.receive()
    if not isinstance(setup, Setup):
        raise TypeError(f"the first message is a {type(setup).__name__}, not a Setup")
    _renice(setup.niceness)
    # Each program holds three; the usual soft limit is 1024.
    raise_file_limit()
    ensure_fork_server((RUNNER,))
    runs = _Runs(control, setup, Outbox(descriptors[0], build_tree(setup.world).stop), descriptors)
    order = runs.run_first()
    while order is not None:
        order = runs.run_again(order)


class _Runs:
    """The runs of one world, one after the other, over one memory."""

    def __init__(
        self, control: ControlSocket, setup: Setup, outbox: Outbox, descriptors: tuple[int, ...]
    ) -> None:
        self._control, self._setup, self._descriptors = control, setup, descriptors
        self._tree = build_tree(setup.world)
        self._shared = SharedState.create(self._tree.stop)
        self._outbox = OutboxWriter(outbox, descriptors[1])
        self._shapes: WorldShapes | None = None
        self._record = ""

    def run_first(self) -> Request[Begin] | None:
        """Makes the simulation that is set up, and steps it to its end.

        Returns:
            the order to restart; None: the front ordered a stop.
        """
        setup = self._setup
        simulation, recording = self._begin(setup)
        with closing(simulation):
            if setup.snapshot is not None:
                simulation.restore(setup.snapshot)
            loop = self._loop_of(simulation, recording)
            if setup.record is not None:
                outlets = RecordingChannels.open(self._descriptors[2:])
                recording.start(setup.record.path, outlets, setup.record.world_file)
            if setup.continued is not None:
                assert isinstance(simulation, Simulation)
                is_fresh = setup.continued.has_fresh_programs or bool(setup.idle)
                continued = replace(setup.continued, has_fresh_programs=is_fresh)
                loop.is_started = continue_run(
                    setup.world, simulation, continued, recording, self._control.send
                )
            _switch_off_garbage_collection()
            if isinstance(simulation, Simulation):
                self._shapes = simulation.shapes
            loaded = Loaded(self._tree.digest, simulation.compiled.digest, self._shared.fd)
            self._control.send(loaded)
            order = loop.run()
        self._record = loop.ended_record
        self._setup = replace(setup, snapshot=None, record=None, continued=None)
        return order

    def run_again(self, order: Request[Begin]) -> Request[Begin] | None:
        """Restarts as ordered, and steps that run to its end, as `run_first`."""
        gc.collect()
        setup = _as_ordered(self._setup, order.order)
        answer = QueryResult(order.number, Begun(self._record))
        try:
            simulation, recording = self._begin(setup)
        except PlacementError as error:
            setup, answer = self._setup, QueryResult(order.number, error)
            simulation, recording = self._begin(setup)
        self._setup = setup
        with closing(simulation):
            loop = self._loop_of(simulation, recording)
            following = loop.run(answering=answer)
        self._record = loop.ended_record
        return following

    def _begin(self, setup: Setup) -> tuple[Steppable, RunRecording]:
        self._shared.live[:] = bytes(len(self._shared.live))
        recording = RunRecording(
            setup.world, setup.seed, is_whole=setup.snapshot is None, report=self._control.send
        )
        shared = {} if self._shapes is None else {"shapes": self._shapes}
        simulation = _simulation_of(setup)(
            setup.world,
            seed=setup.seed,
            buffer=self._shared.live,
            report=recording.report,
            idle=setup.idle,
            make_participants=partial(
                _make_participants, setup, self._shared, recording, self._pass_pipes
            ),
            **shared,
        )
        return simulation, recording

    def _pass_pipes(self, source: str, pipes: tuple[int, int]) -> None:
        self._control.send(OutputPipes(source), pipes)

    def _loop_of(self, simulation: Steppable, recording: RunRecording) -> SimulationLoop:
        recording.follow(simulation)
        if self._setup.idle:
            names = ", ".join(self._setup.idle)
            recording.note_intervention(f"programs of {names} were not started")
        return SimulationLoop(
            simulation, control=self._control, outbox=self._outbox, recording=recording
        )


def _as_ordered(setup: Setup, order: Begin) -> Setup:
    """Setup of a run with other start poses of robots, whose programs are not started."""
    places = {each.robot: each for each in order.places}
    robots = tuple(
        replace(each, position=places[each.name].position, yaw=places[each.name].yaw)
        if each.name in places
        else each
        for each in setup.world.robots
    )
    idle = tuple({*setup.idle, *places})
    return replace(setup, world=replace(setup.world, robots=robots), seed=order.seed, idle=idle)


def _simulation_of(setup: Setup) -> Callable[..., Steppable]:
    make: Callable[..., Steppable] = pkgutil.resolve_name(setup.simulation)
    return make if setup.replay is None else partial(make, path=setup.replay)


def _make_participants(
    setup: Setup,
    shared: SharedState,
    recording: RunRecording,
    pass_pipes: Callable[[str, tuple[int, int]], None],
    context: ProgramsContext,
) -> ProcessParticipants:
    """Programs of the simulation in processes of their own, over the memory that it works on."""
    world = setup.world
    world_file = find_compiled_file(world, context.compiled)
    return ProcessParticipants(
        ProcessSetting(context.tree, shared, context.step_seconds, world_file),
        drivers=context.drivers,
        report=context.report,
        deadlines=Deadlines(remote=find_remote_deadlines(world)),
        pass_pipes=pass_pipes,
        pictures=PictureScheduler(
            world,
            world_file or context.compiled,
            context.tree,
            shared=shared,
            seed=context.seed,
            on_drawn=recording.add_picture,
        ),
    )


def find_remote_deadlines(world: WorldDescription) -> dict[str, float]:
    """The deadlines [s] that the world sets for programs that run elsewhere, by robot.

    Only robots whose program belongs on a client count: the deadline of a program on the server
    leaves no time for a network.
    """
    return {
        robot.name: robot.program_limits.deadline
        for robot in world.robots
        if robot.program_side == "client" and robot.program_limits.deadline is not None
    }


def find_compiled_file(world: WorldDescription, compiled: CompiledWorld) -> Path | None:
    """The compiled world's file, for user programs that navigate; None for one without a map."""
    if not world.terrain.osm.exists():
        return None
    # Takes more than a second to import, which a world without a map can do without.
    from autosim.world.pipeline.cache import file_of

    return file_of(compiled)


def _switch_off_garbage_collection() -> None:
    # A collection in the middle of a step made it 80 ms late.
    gc.collect()
    gc.freeze()
    gc.disable()


def _renice(niceness: int) -> None:
    # Without the right to it, the process runs as it is.
    with suppress(PermissionError):
        os.nice(niceness)


def main(control_descriptor: int) -> int:
    """The process's whole life; returns its exit code."""
    kill_with_parent(signal.SIGTERM)
    faulthandler.enable()
    # Not sys.exit: foreign code, while it calls back into Python, swallows exceptions. The kernel
    # ends the user programs with this process.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    control = inherited_control(control_descriptor)
    try:
        load_and_run(control)
    except ControlClosedError:
        return 0
    except UserError as error:
        return _fail(control, str(error))
    except Exception as error:
        return _fail(control, explain_shortage(error) or traceback.format_exc())
    return 0


def _fail(control: ControlSocket, reason: str) -> int:
    try:
        control.send(Failed(reason))
    except ControlClosedError:
        print(for_terminal(reason), file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
