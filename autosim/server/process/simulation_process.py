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
import socket
import sys
import traceback
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from autosim.config.descriptions import WorldDescription
from autosim.errors import UserError
from autosim.helper_processes.process_socket import ControlClosedError, ControlSocket
from autosim.kinds.director import build_tree
from autosim.records.ring import Ring
from autosim.server.process.continuing import continue_run
from autosim.server.process.loop import SimulationLoop
from autosim.server.process.messages import Failed, Loaded, Setup
from autosim.server.process.outbox import Outbox, OutboxWriter
from autosim.server.process.recording import Recording
from autosim.server.process.steppable import Steppable
from autosim.server.programs.pictures import PictureDesk
from autosim.server.programs.process_participants import ProcessParticipants
from autosim.server.programs.programs import ProgramsContext
from autosim.server.step.simulation import Simulation
from autosim.system_limits import explain_shortage, raise_file_limit
from autosim.terminal_text import for_terminal
from autosim.userprogram.exchange.shared_state import SharedState
from autosim.userprogram.process.endings import end_with_parent
from autosim.world.compiled.compiled import CompiledWorld


def load_and_run(control: ControlSocket) -> None:
    """Makes the simulation that the front's first message describes, and steps it to the end."""
    setup, descriptors = control.receive()
    if not isinstance(setup, Setup):
        raise TypeError(f"the first message is a {type(setup).__name__}, not a Setup")
    _renice(setup.niceness)
    # Each program holds three; the usual soft limit is 1024.
    raise_file_limit()
    shared = SharedState.create(build_tree(setup.world).stop)
    make_simulation = _simulation_of(setup)
    make_participants = partial(_make_participants, setup, shared)
    is_whole = setup.snapshot is None
    recording = Recording(setup.world, setup.seed, is_whole=is_whole, report=control.send)
    simulation = make_simulation(
        setup.world,
        seed=setup.seed,
        buffer=shared.live,
        report=recording.report,
        idle=setup.idle,
        make_participants=make_participants,
    )
    with closing(simulation):
        if setup.snapshot is not None:
            simulation.restore(setup.snapshot)
        outbox = OutboxWriter(Outbox(descriptors[0], simulation.tree.stop), descriptors[1])
        recording.follow(simulation)
        if setup.idle:
            recording.note_intervention(f"programs of {', '.join(setup.idle)} were not started")
        loop = SimulationLoop(simulation, control=control, outbox=outbox, recording=recording)
        if setup.record is not None:
            ring, lifeline = Ring.open(descriptors[2]), socket.socket(fileno=descriptors[3])
            recording.start(setup.record.path, ring, lifeline, setup.record.world_file)
        if setup.continued is not None:
            assert isinstance(simulation, Simulation)
            is_fresh = setup.continued.has_fresh_programs or bool(setup.idle)
            continued = replace(setup.continued, has_fresh_programs=is_fresh)
            loop.is_started = continue_run(simulation, continued, recording, control.send)
        _switch_off_garbage_collection()
        loaded = Loaded(simulation.tree.digest, simulation.compiled.digest, shared.fd)
        control.send(loaded)
        loop.run()


def _simulation_of(setup: Setup) -> Callable[..., Steppable]:
    make: Callable[..., Steppable] = pkgutil.resolve_name(setup.simulation)
    return make if setup.replay is None else partial(make, path=setup.replay)


def _make_participants(
    setup: Setup, shared: SharedState, context: ProgramsContext
) -> ProcessParticipants:
    """Programs of the simulation in processes of their own, over the memory that it works on."""
    world = setup.world
    world_file = find_compiled_file(world, context.compiled)
    return ProcessParticipants(
        context.tree,
        drivers=context.drivers,
        shared=shared,
        step_seconds=context.step_seconds,
        report=context.report,
        world_file=world_file,
        remote_deadlines=find_remote_deadlines(world),
        pictures=PictureDesk(
            world,
            world_file or context.compiled,
            context.tree,
            shared=shared,
            seed=context.seed,
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
    end_with_parent(signal.SIGTERM)
    faulthandler.enable()
    # Not sys.exit: foreign code, while it calls back into Python, swallows exceptions. The kernel
    # ends the user programs with this process.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    control = ControlSocket.inherited(control_descriptor)
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
