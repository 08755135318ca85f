"""The loop of the simulation process: it steps as the front says, and listens between steps."""

import select
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Protocol

from autosim.processes.process_socket import ControlSocket, MessageLostError
from autosim.server.errors import PlacementError
from autosim.server.process.messages import (
    Adopt,
    Answer,
    Answered,
    Apply,
    Done,
    MoveRobot,
    Nudge,
    OrderProgram,
    Pause,
    PhaseChanged,
    ProgramAction,
    Question,
    Run,
    Stop,
    Taken,
    WantFigures,
    WantPrograms,
    WantSnapshot,
    WantTrack,
)
from autosim.server.process.outbox import OutboxWriter
from autosim.server.process.pace import Pace
from autosim.server.programs.process_participants import ProcessParticipants
from autosim.server.programs.programs import ProgramError, Programs
from autosim.server.step.record import RunRecord
from autosim.simulation.commands import Command
from autosim.simulation.notices import Notice
from autosim.simulation.phase import Phase
from autosim.simulation.snapshot import Snapshot
from autosim.simulation.state import State
from autosim.simulation.tree import SimulationTree
from autosim.world.compiled.compiled import CompiledWorld

BEAT_SECONDS = 0.25
"""The loop gives a sign of life at least so often while no step is due; the front looks for one
every half second."""

ORDER_SECONDS = 0.02
"""While a paused simulation waits for a program that somebody has started, it looks so often
whether the program is ready."""


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

    def snapshot(self) -> Snapshot:
        """What another simulation needs to go on from here."""

    def restore(self, snapshot: Snapshot) -> None:
        """Goes on from what another simulation came to."""

    def move(
        self, robot: str, place: Sequence[float], *, yaw: float | None, height: float | None
    ) -> None:
        """Puts a robot elsewhere between two steps; raises PlacementError where it cannot."""

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
        participants: ProcessParticipants,
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
        self._orders: list[int] = []
        self._moves: list[MoveRobot] = []
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
                if self._orders:
                    self._carry_out_orders()
                if self._moves:
                    self._carry_out_moves()
                elif self._phase is Phase.RUNNING:
                    self._step_when_due()
                elif self._is_message_waiting(ORDER_SECONDS if self._orders else BEAT_SECONDS):
                    self._handle_next()
                else:
                    self._outbox.beat()

    def _step_when_due(self) -> None:
        wait = self._pace.wait_seconds(time.monotonic())
        if self._is_message_waiting(min(wait, BEAT_SECONDS)):
            self._handle_next()
            return
        if wait > BEAT_SECONDS:
            self._outbox.beat()
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
        self._outbox.beat()
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
        try:
            message, descriptors = self._control.receive()
        except MessageLostError as error:
            self._lose_message(str(error))
        else:
            self._handle(message, descriptors)

    def _handle(self, message: object, descriptors: tuple[int, ...]) -> None:
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
            case OrderProgram():
                self._take_order(message)
            case MoveRobot() | Question():
                self._take_request(message)

    def _take_request(self, request: MoveRobot | Question) -> None:
        if isinstance(request, MoveRobot):
            # Programs that compute must not see a state that changes under them.
            self._moves.append(request)
        else:
            self._control.send(Answer(request.number, self._answer(request)))

    def _lose_message(self, reason: str) -> None:
        """Says that something did not come: a program that wants to take part, or commands."""
        step = self._simulation.state.step
        text = f"a program or commands could not be taken: {reason}"
        self._control.send(Notice("error", "simulation", step, text))
        self._control.send(Taken())

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
                return self._simulation.snapshot()
            case WantPrograms():
                return self._simulation.programs.reports()
            case WantFigures():
                return self._record.figures()
        raise TypeError(f"{type(question).__name__} is no question that has an answer")

    def _take_order(self, order: OrderProgram) -> None:
        """Begins what is ordered of a program; it is answered when that is done."""
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
            self._control.send(Answer(order.number, error))
        else:
            self._orders.append(order.number)

    def _carry_out_orders(self) -> None:
        """Answers orders when those who were to leave have left, and new ones had a first turn.

        Whoever starts a program that fails at once is to hear of that. While it imports its
        modules, the simulation goes on.
        """
        if self._is_started and self._phase is not Phase.RUNNING:
            with self._in_step():
                self._simulation.attend()
        if self._is_started and not self._participants.is_settled:
            return
        for number in self._orders:
            self._control.send(Answer(number, self._simulation.programs.reports()))
        self._orders.clear()

    def _carry_out_moves(self) -> None:
        """Puts robots elsewhere; the front asks for the state where no step follows."""
        moves, self._moves = self._moves, []
        for order in moves:
            try:
                self._simulation.move(order.robot, order.place, yaw=order.yaw, height=order.height)
            except PlacementError as error:
                self._control.send(Answer(order.number, error))
            else:
                self._control.send(Done(order.number))
