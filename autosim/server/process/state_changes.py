"""Orders that change a simulation's state between two of its steps.

Programs that compute must not see a state that changes under them: so these wait until the barrier
is closed.
"""

from dataclasses import dataclass
from typing import Protocol

from autosim.engine.engine_errors import PlacementError, SnapshotError
from autosim.engine.step.replay import Replay
from autosim.engine.step.run_monitor import RunMonitor
from autosim.helper_processes.fork_server import use_fork_server
from autosim.helper_processes.process_socket import ControlSocket
from autosim.orders.robot_orders import MoveRobot
from autosim.orders.times import Begin, Seek
from autosim.records.record_format import RecordError
from autosim.server.process.process_messages import (
    Done,
    HandedOver,
    HandOver,
    QueryResult,
    Request,
    Retire,
    TakeSnapshot,
)
from autosim.server.process.run_recording import RunRecording
from autosim.server.process.steppable import Steppable
from autosim.server.process.successors.dormant import Woken
from autosim.server.process.successors.keeper import become_keeper
from autosim.server.process.successors.snapshot_forks import SnapshotForks
from autosim.server.server_errors import ServerError

NO_REPLAY = "only a replay goes to any step: autosim replay shows a record"

NOT_TAKEN_OVER = "the new simulation process ended before it took over"

Change = MoveRobot | Seek | TakeSnapshot | Retire | HandOver | Begin
"""Orders; `TakeSnapshot` changes nothing, but its copy is made between two steps."""


class Stepper(Protocol):
    """Protocol of the loop that steps the simulation."""

    def pause(self) -> None:
        """Pauses, where it runs."""

    def publish_standing(self) -> None:
        """Hands over a state that no step has led to."""

    def wake(self, woken: Woken) -> None:
        """Continues from the step at which this copy of the process was made."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """An order; `socket` is the one that came along with `TakeSnapshot` or `HandOver`."""

    number: int
    order: Change
    socket: ControlSocket | None


class PendingStateChanges:
    """The orders to one simulation that wait for the end of a step.

    Args:
        simulation: that they change.
        stepping: steps it.
        control: the connection to the front, which is answered.
        figures: of the run.
        recording: of the simulation; None: it cannot be recorded.
        moments: the snapshots.

    `restart`: the order to restart the run, None until it is given. The loop ends with it.
    """

    def __init__(
        self,
        simulation: Steppable,
        stepping: Stepper,
        *,
        control: ControlSocket,
        figures: RunMonitor,
        recording: RunRecording | None,
        moments: SnapshotForks,
    ) -> None:
        self._simulation, self._stepping, self._control = simulation, stepping, control
        self._figures, self._recording, self._moments = figures, recording, moments
        self._waiting: list[_Waiting] = []
        self.restart: Request[Begin] | None = None

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def take(self, number: int, order: Change, descriptors: tuple[int, ...]) -> None:
        """Takes the order `number`; `descriptors` has that of the socket that comes along."""
        is_with_socket = isinstance(order, TakeSnapshot | HandOver)
        socket = ControlSocket.inherited(*descriptors) if is_with_socket else None
        self._waiting.append(_Waiting(number, order, socket))

    def forget(self) -> None:
        """Discards all of them: this process continues from a snapshot."""
        self._waiting.clear()

    def carry_out(self) -> None:
        """Carries out all that wait, and answers each."""
        # In a copy that wakes meanwhile none is left: the original answers them.
        while self._waiting:
            each = self._waiting.pop(0)
            match each.order:
                case MoveRobot():
                    self._move(each.number, each.order)
                case Seek():
                    self._seek(each.number, each.order)
                case TakeSnapshot():
                    assert each.socket is not None
                    self._keep(each.number, each.order, each.socket)
                case HandOver():
                    assert each.socket is not None
                    self._hand_over(each.number, each.order, each.socket)
                case Retire():
                    self._retire(each.number, each.order)
                case Begin():
                    self._restart(each.number, each.order)

    def _move(self, number: int, order: MoveRobot) -> None:
        """Puts a robot elsewhere; where no step follows, the front asks for the new state."""
        try:
            self._simulation.place(
                order.robot,
                order.position,
                yaw=order.yaw,
                height=order.height,
                velocity=order.velocity,
                angular_velocity=order.angular_velocity,
            )
        except PlacementError as error:
            self._control.send(QueryResult(number, error))
        else:
            self._control.send(Done(number))

    def _seek(self, number: int, order: Seek) -> None:
        if not isinstance(self._simulation, Replay):
            self._control.send(QueryResult(number, RecordError(NO_REPLAY)))
            return
        self._simulation.seek(order.step)
        self._stepping.publish_standing()
        self._control.send(Done(number))

    def _keep(self, number: int, order: TakeSnapshot, leash: ControlSocket) -> None:
        """Takes a snapshot; in the copy of this process, continues when that is woken."""
        try:
            kept = self._moments.keep(order.name, leash)
        except SnapshotError as error:
            self._control.send(QueryResult(number, error))
            return
        if isinstance(kept, Woken):
            self._stepping.wake(kept)
        else:
            self._control.send(QueryResult(number, kept))

    def _restart(self, number: int, order: Begin) -> None:
        """Ends this run; the next one begins in this process."""
        if isinstance(self._simulation, Replay):
            reason = "a replay cannot be restarted: only a simulation can"
            self._control.send(QueryResult(number, RecordError(reason)))
            return
        self._stepping.pause()
        self.restart = Request(number, order)

    def _hand_over(self, number: int, order: HandOver, heir: ControlSocket) -> None:
        """Ends here once another process continues the user programs; else continues here."""
        self._stepping.pause()
        is_taken = self._simulation.programs.hand_over(order.robots, heir)
        heir.close()
        if not is_taken:
            self._control.send(QueryResult(number, ServerError(NOT_TAKEN_OVER)))
            return
        self._end_record()
        self._control.send(Done(number))
        use_fork_server(None)
        participants = self._simulation.participants
        become_keeper(self._control.fileno(), participants.children, participants.threads)

    def _end_record(self) -> str:
        if self._recording is None:
            return ""
        return self._recording.close(self._figures.state_digest())

    def _retire(self, number: int, order: Retire) -> None:
        """Ends here; another process continues the run."""
        self._stepping.pause()
        record = self._end_record()
        told = self._moments.told_since(order.since)
        self._moments.end_programs(order.running)
        self._control.send(QueryResult(number, HandedOver(told, record)))
        self._moments.retire()
