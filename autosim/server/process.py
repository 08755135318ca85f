"""The simulation process: it steps the simulation and does nothing else.

PyBullet holds the interpreter's lock for whole steps, so the simulation shares a process with
neither the network nor a window. One thread; the garbage collector is off once everything is
loaded. It answers the front between steps, and ends when the front is gone.
"""

import ctypes
import faulthandler
import gc
import os
import pkgutil
import resource
import select
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Protocol

from autosim.config.descriptions import WorldDescription
from autosim.errors import UserError
from autosim.server.control import ControlClosedError, ControlSocket
from autosim.server.messages import (
    Adopt,
    Answer,
    Answered,
    Apply,
    Done,
    Failed,
    Loaded,
    Nudge,
    OrderProgram,
    Pause,
    PhaseChanged,
    ProgramAction,
    Question,
    Run,
    Setup,
    Stop,
    Taken,
    WantFigures,
    WantPrograms,
    WantSnapshot,
    WantTrack,
)
from autosim.server.outbox import Outbox, OutboxWriter
from autosim.server.pace import Pace
from autosim.server.participants import Participants
from autosim.server.programs import ProgramError, Programs
from autosim.server.record import RunRecord
from autosim.simulation.commands import Command
from autosim.simulation.director import build_tree
from autosim.simulation.phase import Phase
from autosim.simulation.snapshot import Snapshot
from autosim.simulation.state import State
from autosim.simulation.tree import SimulationTree
from autosim.userprogram.shared_state import SharedState
from autosim.world.compiled import CompiledWorld

_PR_SET_PDEATHSIG = 1
"""linux/prctl.h"""


class Steppable(Protocol):
    """What the process needs of a simulation (see `Simulation`)."""

    tree: SimulationTree
    state: State
    step_seconds: float
    compiled: CompiledWorld
    programs: Programs
    on_publish: list[Callable[[], None]]

    def start(self) -> None:
        """Lets the user programs have their first turn; called once, before the first step."""

    def step(self) -> None:
        """Does one step."""

    def attend(self) -> None:
        """Lets orders to programs take effect between two steps."""

    def restore(self, snapshot: Snapshot) -> None:
        """Goes on from what another simulation came to."""

    def queue(self, commands: Sequence[Command]) -> None:
        """Takes commands for the next step."""

    def close(self) -> None:
        """Ends it and its programs."""


class StoppedError(Exception):
    """The front said stop while a step waited for its programs."""


class SimulationLoop:
    """Steps `simulation` as the front says, and listens also while programs compute.

    Args:
        simulation: complete, not yet started.
        control: the connection to the front.
        outbox: where states for clients go.
        participants: the user programs.
    """

    def __init__(
        self,
        simulation: Steppable,
        *,
        control: ControlSocket,
        outbox: OutboxWriter,
        participants: Participants,
    ) -> None:
        self._simulation = simulation
        self._control = control
        self._outbox = outbox
        self._participants = participants
        self._record = RunRecord(simulation)
        self._phase = Phase.READY
        self._real_time_factor = 0.0
        self._pace = Pace(simulation.step_seconds, 0.0, now=0.0)
        self._last_step = 0
        self._is_in_step = False
        self._awaited: int | None = None
        self._is_started = False
        self._poll = select.poll()
        self._poll.register(control.fileno(), select.POLLIN)
        simulation.on_publish.append(self._publish)
        participants.listen = self._listen

    def run(self) -> None:
        """Steps and listens until the front says stop.

        Raises:
            ControlClosedError: the front is gone.
        """
        self._enter(Phase.READY)
        with suppress(StoppedError):
            while self._phase is not Phase.STOPPED:
                if self._phase is Phase.RUNNING:
                    self._step_when_due()
                else:
                    self._handle_next()

    def _step_when_due(self) -> None:
        wait = self._pace.wait_seconds(time.monotonic())
        if self._is_message_waiting(wait):
            self._handle_next()
            return
        lateness = self._pace.begin_step(time.monotonic())
        begin = time.perf_counter()
        with self._in_step():
            self._simulation.step()
        self._record.add_step(time.perf_counter() - begin, lateness)
        if self._phase is Phase.RUNNING and self._simulation.state.step == self._last_step:
            self._stand_still()

    @contextmanager
    def _in_step(self) -> Iterator[None]:
        self._is_in_step = True
        try:
            yield
        finally:
            self._is_in_step = False

    def _listen(self) -> None:
        """Hears what the front says while a step waits for programs."""
        while self._is_message_waiting(0.0):
            self._handle_next()
            if self._phase is Phase.STOPPED:
                raise StoppedError

    def _is_message_waiting(self, timeout: float) -> bool:
        if timeout == 0.0:
            return bool(self._poll.poll(0))
        # poll() rounds to whole milliseconds, a quarter of a step; select() does not.
        return bool(select.select([self._control], [], [], timeout)[0])

    def _publish(self) -> None:
        state = self._simulation.state
        self._record.add_state()
        self._outbox.publish(state.step, state.buffer)

    def _publish_standing(self) -> None:
        state = self._simulation.state
        self._outbox.publish(state.step, state.buffer, is_forced=True)

    def _enter(self, phase: Phase) -> None:
        self._phase = phase
        self._control.send(PhaseChanged(phase, self._simulation.state.step))

    def _stand_still(self) -> None:
        self._enter(Phase.PAUSED)
        if self._awaited is not None:
            self._control.send(Done(self._awaited))
            self._awaited = None

    def _handle_next(self) -> None:
        message, descriptors = self._control.receive()
        match message:
            case Run():
                self._run(message)
            case Pause():
                if self._phase is Phase.RUNNING:
                    self._stand_still()
                self._control.send(Done(message.number))
            case Stop():
                self._enter(Phase.STOPPED)
                self._control.send(Done(message.number))
            case Nudge():
                self._publish_standing()
            case Apply():
                self._simulation.queue(message.commands)
                self._control.send(Taken())
            case Adopt():
                channel = socket.socket(fileno=descriptors[0])
                self._participants.adopt(channel, peer=message.peer)
            case Question():
                self._control.send(Answer(message.number, self._answer(message)))

    def _run(self, order: Run) -> None:
        if self._phase is Phase.RUNNING:
            self._stand_still()
        self._real_time_factor = order.real_time_factor
        self._last_step = self._simulation.state.step + order.steps if order.steps else -1
        self._enter(Phase.RUNNING)
        if order.is_awaited:
            self._awaited = order.number
        else:
            self._control.send(Done(order.number))
        if not self._is_started:
            self._is_started = True
            with self._in_step():
                self._simulation.start()
        self._pace = Pace(
            self._simulation.step_seconds, self._real_time_factor, now=time.monotonic()
        )

    def _answer(self, question: Question) -> Answered:
        match question:
            case WantTrack():
                return self._record.track.part(question.samples, question.interval)
            case WantSnapshot():
                return Snapshot.of(self._simulation.state)
            case OrderProgram():
                return self._order_program(question)
            case WantPrograms():
                return self._simulation.programs.reports()
            case WantFigures():
                return self._record.figures()
        raise TypeError(f"{type(question).__name__} is no question that has an answer")

    def _order_program(self, order: OrderProgram) -> Answered:
        programs = self._simulation.programs
        try:
            match order.action:
                case ProgramAction.STOP:
                    programs.stop(order.robot)
                case ProgramAction.RESTART:
                    programs.restart(order.robot)
                case ProgramAction.ATTACH:
                    programs.attach(order.robot, order.file, order.arguments)
        except ProgramError as error:
            return error
        # In a step its own barrier sees to it.
        if not self._is_in_step:
            with self._in_step():
                self._simulation.attend()
        return programs.reports()


def end_with_parent() -> None:
    """Asks the kernel for SIGTERM when the parent process ends, however it ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def load_and_run(control: ControlSocket) -> None:
    """Makes the simulation that the front's first message describes, and steps it to the end."""
    setup, descriptors = control.receive()
    if not isinstance(setup, Setup):
        raise TypeError(f"the first message is a {type(setup).__name__}, not a Setup")
    _renice(setup.niceness)
    _allow_open_files()
    shared = SharedState.create(build_tree(setup.world).stop)
    make_simulation: Callable[..., Steppable] = pkgutil.resolve_name(setup.simulation)
    simulation = make_simulation(
        setup.world, seed=setup.seed, buffer=shared.live, report=control.send, idle=setup.idle
    )
    with closing(simulation):
        participants = Participants(
            simulation.tree,
            shared=shared,
            step_seconds=simulation.step_seconds,
            report=control.send,
            world_file=find_compiled_file(setup.world, simulation.compiled),
        )
        simulation.programs.participants = participants
        if setup.snapshot is not None:
            simulation.restore(setup.snapshot)
        outbox = OutboxWriter(Outbox(descriptors[0], simulation.tree.stop), descriptors[1])
        loop = SimulationLoop(simulation, control=control, outbox=outbox, participants=participants)
        _switch_off_garbage_collection()
        loaded = Loaded(simulation.tree.digest, simulation.compiled.digest)
        control.send(loaded, (shared.fd,))
        loop.run()


def find_compiled_file(world: WorldDescription, compiled: CompiledWorld) -> Path | None:
    """The compiled world's file, for user programs that navigate; None for one without a map."""
    if not world.terrain.osm.exists():
        return None
    # Takes more than a second to import, which a world without a map can do without.
    from autosim.world.cache import file_of

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


def _allow_open_files() -> None:
    # Each program holds three; the usual soft limit is 1024.
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def main(control_descriptor: int) -> int:
    """The process's whole life; returns its exit code."""
    end_with_parent()
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
    except Exception:
        return _fail(control, traceback.format_exc())
    return 0


def _fail(control: ControlSocket, reason: str) -> int:
    try:
        control.send(Failed(reason))
    except ControlClosedError:
        print(reason, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
