"""The loop of the simulation process: one wait for the front, for user programs and for the clock.

It is entered once. Whatever the simulation does next, one place waits: for an order of the front,
for the user program that an open barrier waits for, or for the time at which something is due. Then
the loop does what has become possible, and waits again. So orders are heard while programs compute.
"""

import select
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from autosim.engine.command_gate.gate import CheckedCommand
from autosim.engine.step.replay import Replay
from autosim.engine.step.run_monitor import RunMonitor
from autosim.helper_processes.process_socket import (
    ControlClosedError,
    ControlSocket,
    MessageLostError,
)
from autosim.model.notices import Notice
from autosim.model.phase import Phase
from autosim.orders.programs import OrderProgram
from autosim.orders.times import Begin, PlayBack
from autosim.records.record_format import RecordError
from autosim.server.process.outbox import OutboxWriter
from autosim.server.process.pace import Pace
from autosim.server.process.process_messages import (
    AddRenderer,
    ApplyCommands,
    AttachRemoteProgram,
    Awake,
    CommandsQueued,
    Done,
    DropSnapshot,
    Pause,
    PhaseChanged,
    Printout,
    PublishNow,
    Query,
    QueryResult,
    Request,
    Run,
    StartRecord,
    Stop,
    StopRecord,
    TakeOver,
)
from autosim.server.process.program_orders import ProgramOrders
from autosim.server.process.query_handlers import QueryHandlers
from autosim.server.process.run_recording import RunRecording
from autosim.server.process.state_changes import NO_REPLAY, Change, PendingStateChanges
from autosim.server.process.steppable import Steppable
from autosim.server.process.successors.dormant import Woken
from autosim.server.process.successors.snapshot_forks import SnapshotForks
from autosim.server.server_errors import ServerError
from autosim.userprogram.ipc.camera_images import ImageMemory

BEAT_SECONDS = 0.25
"""Longest time [s] between two signs of life of the loop; the front looks for one every half
second."""

ORDER_SECONDS = 0.02
"""Interval [s] between checks whether a program is ready for which a paused simulation waits."""


@dataclass(frozen=True, slots=True)
class _Step:
    """A step whose barrier is open: when it began (`time.perf_counter`), and how late [s]."""

    begin: float
    lateness: float | None


class SimulationLoop:
    """Steps `simulation` as the front says.

    At any time the loop is in one of these states:

        stands still ──Run──▶ waits until a step is due ──▶ waits for programs ──┐
              ▲                     ▲      │                                     │
              └───Pause, last step──┼──────┘                                     │
                                    └────────────────────────────────────────────┘

    It waits for programs while their barrier is open: in a step, at the start, and while it stands
    still, for programs that are started or ended then. Orders are heard in each state; those that
    would change the state under programs that compute wait until the barrier is closed.

    Args:
        simulation: complete, not yet started.
        control: the connection to the front.
        outbox: where states for clients go.
        recording: of the simulation; None: it cannot be recorded.

    `is_started`: the user programs have begun.
    """

    def __init__(
        self,
        simulation: Steppable,
        *,
        control: ControlSocket,
        outbox: OutboxWriter,
        recording: RunRecording | None = None,
    ) -> None:
        self._simulation = simulation
        self._control = control
        self._outbox = outbox
        self._participants = simulation.participants
        self._recording = recording
        self._figures = RunMonitor(simulation)
        self._phase = Phase.READY
        self._published = -1
        self._replay = simulation if isinstance(simulation, Replay) else None
        self._real_time_factor = 0.0
        self._pace = Pace(simulation.step_seconds, 0.0, now=0.0)
        self._last_step = 0
        self._awaited: int | None = None
        self._orders = ProgramOrders(simulation, control)
        self._answers = QueryHandlers(simulation, self._figures, recording)
        self._moments = SnapshotForks(
            simulation, self._participants, control=control, recording=recording
        )
        self._changes = PendingStateChanges(
            simulation,
            self,
            control=control,
            figures=self._figures,
            recording=recording,
            moments=self._moments,
        )
        self.ended_record = ""
        self.is_started = False
        self._step: _Step | None = None
        self._poll = select.poll()
        self._poll.register(control.fileno(), select.POLLIN)
        simulation.on_publish.append(self._publish)

    def run(self, *, answering: QueryResult | None = None) -> Request[Begin] | None:
        """Steps until the front orders a stop, or a restart of the run.

        Args:
            answering: the first message to the front, once the state of this simulation is there.

        Returns:
            the order to restart; None: the front ordered a stop. The record has ended, see
            `ended_record`.

        Raises:
            ControlClosedError: the front is gone.
        """
        self.publish_standing()
        self._enter(Phase.PAUSED if self.is_started else Phase.READY)
        if answering is not None:
            self._control.send(answering)
        while self._phase is not Phase.STOPPED and self._changes.restart is None:
            if self._wait_for_order():
                self._handle_next()
            elif self._participants.is_open:
                self._serve_programs()
            elif self._changes:
                self._changes.carry_out()
            elif self._phase is Phase.RUNNING:
                self._run_on()
            else:
                self._stand()
        if self._recording is not None:
            self.ended_record = self._recording.close(self._figures.state_digest())
        return self._changes.restart

    def _wait_for_order(self) -> bool:
        """The one place that waits: until there is an order, or something else to do.

        Returns:
            whether there is an order.
        """
        if self._participants.is_open:
            return self._wait_for_order_or_program()
        seconds = self._seconds_to_next()
        if seconds == 0.0:
            return bool(self._poll.poll(0))
        # poll() rounds to whole milliseconds, a quarter of a step; select() does not.
        return bool(select.select([self._control], [], [], seconds)[0])

    def _wait_for_order_or_program(self) -> bool:
        channel = self._participants.channel
        self._poll.register(channel, select.POLLIN)
        seconds = min(self._participants.seconds_left(), BEAT_SECONDS)
        ready = self._poll.poll(1000.0 * seconds)
        self._poll.unregister(channel)
        return any(descriptor == self._control.fileno() for descriptor, _ in ready)

    def _seconds_to_next(self) -> float:
        """Time [s] until there is work, unless the front sends an order."""
        if self._changes:
            return 0.0
        if self._phase is Phase.RUNNING:
            return min(self._pace.wait_seconds(time.monotonic()), BEAT_SECONDS)
        return ORDER_SECONDS if self._orders else BEAT_SECONDS

    def _serve_programs(self) -> None:
        """Hears the programs that the barrier waits for."""
        self._outbox.write_heartbeat()
        self._participants.serve()
        self._end_barrier()

    def _end_barrier(self) -> None:
        """Completes a barrier once it is closed, which is at once if no program is due."""
        if self._participants.is_open:
            return
        self._simulation.settle()
        if self._step is None:
            # What programs take to start or to end is not made up for.
            self._start_pace()
        else:
            self._end_step(self._step)
        if self._orders:
            self._orders.answer(is_started=self.is_started)

    def _end_step(self, step: _Step) -> None:
        self._figures.add_step(time.perf_counter() - step.begin, step.lateness)
        self._step = None
        if self._phase is Phase.RUNNING and self._is_at_last_step():
            self._stand_still()

    def _is_at_last_step(self) -> bool:
        step, replay = self._simulation.state.step, self._replay
        if replay is not None and step == (
            replay.first_step if replay.is_backwards else replay.last_step
        ):
            return True
        return step == self._last_step

    def _run_on(self) -> None:
        """Begins the next step if it is due."""
        now = time.monotonic()
        if self._pace.wait_seconds(now) > 0.0:
            self._outbox.write_heartbeat()
            return
        lateness = self._pace.begin_step(now)
        self._step = _Step(time.perf_counter(), lateness)
        self._simulation.advance()
        self._end_barrier()

    def _stand(self) -> None:
        """Carries out orders to programs while no step follows."""
        self._outbox.write_heartbeat()
        if self._orders and self.is_started:
            self._participants.open(self._simulation.state.step)
            self._end_barrier()
        elif self._orders:
            self._orders.answer(is_started=self.is_started)

    def _publish(self) -> None:
        state = self._simulation.state
        self._figures.add_state()
        if self._recording is not None:
            self._recording.note_digest(self._figures.state_digest)
        # A wait for a step later than the last one would never end if time goes back.
        has_gone_back, self._published = state.step <= self._published, state.step
        self._outbox.publish(state.step, state.buffer, is_forced=has_gone_back)

    def publish_standing(self) -> None:
        """Hands over a state that no step has led to."""
        state = self._simulation.state
        self._published = state.step
        self._outbox.publish(state.step, state.buffer, is_forced=True)

    def _enter(self, phase: Phase) -> None:
        self._phase = phase
        self._control.send(PhaseChanged(phase, self._simulation.state.step, self._last_step))

    def pause(self) -> None:
        """Pauses, where it runs."""
        if self._phase is Phase.RUNNING:
            self._stand_still()

    def _stand_still(self) -> None:
        if self._awaited is None:
            self._enter(Phase.PAUSED)
            return
        self._phase = Phase.PAUSED
        self._control.send(Done(self._awaited, stands=True))
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
            case Request():
                self._take_order(message.number, message.order, descriptors)
            case PublishNow() | DropSnapshot() | ApplyCommands() | Printout():
                self._take_word(message)
            case AttachRemoteProgram() | AddRenderer():
                self._admit(message, *descriptors)

    def _take_order(self, number: int, order: object, descriptors: tuple[int, ...]) -> None:
        match order:
            case Run() | PlayBack():
                self._run(number, order)
            case Pause():
                self.pause()
                self._control.send(Done(number))
            case Stop():
                self._enter(Phase.STOPPED)
                self._control.send(Done(number))
            case OrderProgram():
                self._note_intervention(f"a client sent an order to the program of {order.robot}")
                self._orders.begin(number, order)
            case TakeOver():
                self._take_over(number, ControlSocket.inherited(*descriptors))
            case StartRecord() | StopRecord():
                answer = self._answers.record(order, descriptors)
                self._control.send(QueryResult(number, answer))
            case _ if isinstance(order, Query):
                self._control.send(QueryResult(number, self._answers.to(order)))
            case _ if isinstance(order, Change):
                self._changes.take(number, order, descriptors)
            case _:  # the front waits for an answer to every order
                text = f"a simulation process does not carry out {type(order).__name__}"
                self._control.send(QueryResult(number, ServerError(text)))

    def _take_word(self, word: PublishNow | DropSnapshot | ApplyCommands | Printout) -> None:
        match word:
            case PublishNow():
                self.publish_standing()
            case Printout() if self._recording is not None:
                self._recording.printed(word.text, word.source)
            case DropSnapshot():
                self._moments.drop(word.name)
            case ApplyCommands():
                self._take(word.commands)
                self._control.send(CommandsQueued())

    def _take(self, commands: Sequence[CheckedCommand]) -> None:
        self._simulation.take(commands)
        if self._recording is not None:
            self._recording.note_from_outside(commands)

    def _admit(
        self, order: AttachRemoteProgram | AddRenderer, channel: int, memory: int = -1
    ) -> None:
        if isinstance(order, AddRenderer):
            self._participants.add_renderer(ControlSocket.inherited(channel))
            return
        self._note_intervention(f"a program of {order.peer} took part")
        images: ImageMemory | None = None
        if memory >= 0:
            width, height = order.image_size
            images = ImageMemory.open(memory, width=width, height=height, is_written=True)
        self._participants.attach_remote(
            socket.socket(fileno=channel), peer=order.peer, images=images
        )

    def _note_intervention(self, text: str) -> None:
        if self._recording is not None:
            self._recording.note_intervention(text)

    def _take_over(self, number: int, giver: ControlSocket) -> None:
        """Continues the user programs of the process before, and starts those that are new."""
        with suppress(ControlClosedError):  # what was not handed over starts again
            self._simulation.programs.continue_from(giver)
        giver.close()
        self._enter(Phase.PAUSED)
        self._control.send(Done(number))
        self._begin_programs()

    def _lose_message(self, reason: str) -> None:
        """Reports a message that was lost: commands, or a program that wants to take part."""
        step = self._simulation.state.step
        text = f"a program or commands could not be taken: {reason}"
        self._control.send(Notice("error", "simulation", step, text))
        self._control.send(CommandsQueued())

    def _run(self, number: int, order: Run | PlayBack) -> None:
        is_backwards = isinstance(order, PlayBack)
        if is_backwards and self._replay is None:
            self._control.send(QueryResult(number, RecordError(NO_REPLAY)))
            return
        if isinstance(order, Run):
            self._take(order.commands)
        steps = 0 if isinstance(order, PlayBack) else order.steps
        self._begin_run(steps, order.real_time_factor, is_backwards=is_backwards)
        if isinstance(order, Run) and order.is_awaited:
            self._awaited = number
        else:
            self._control.send(Done(number))
        self._begin_programs()

    def _begin_run(self, steps: int, pace: float, *, is_backwards: bool = False) -> None:
        self.pause()
        if self._replay is not None:
            self._replay.is_backwards = is_backwards
        self._real_time_factor = pace
        self._last_step = self._simulation.state.step + steps if steps else -1
        self._enter(Phase.RUNNING)
        self._start_pace()

    def _begin_programs(self) -> None:
        """With the first run; a replay may be at its end already."""
        if not self.is_started:
            self.is_started = True
            self._simulation.begin()
            self._end_barrier()
        if self._replay is not None and self._is_at_last_step():
            self._stand_still()

    def _start_pace(self) -> None:
        """The next step is due now, those after it at the pace of the run."""
        step_seconds, now = self._simulation.step_seconds, time.monotonic()
        self._pace = Pace(step_seconds, self._real_time_factor, now=now)

    def wake(self, woken: Woken) -> None:
        """Continues from the step at which this copy of the process was made."""
        self._awaited = None
        self._orders.forget()
        self._changes.forget()
        self._moments.go_on(woken)
        self._poll = select.poll()
        self._poll.register(self._control.fileno(), select.POLLIN)
        self._control.send(Awake())
        self._enter(Phase.PAUSED if self.is_started else Phase.READY)
        self.publish_standing()
