"""The messages between the front process and the simulation process."""

from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from autosim.config.descriptions import WorldDescription
from autosim.engine.command_gate.gate import CheckedCommand
from autosim.engine.step.run_monitor import RunFigures, TrajectoryPart
from autosim.model.phase import Phase
from autosim.model.snapshot import Snapshot
from autosim.orders.base_order import Order
from autosim.orders.programs import GetPrograms
from autosim.records.events import Event
from autosim.records.record_format import Continuation, RecordedFile
from autosim.records.recorder import RecordStatus


@dataclass(frozen=True, slots=True)
class RecordOrder:
    """Destination of a record, and the files of its world; `world_file` names the main one."""

    path: Path
    """The file to write."""
    files: tuple[RecordedFile, ...]
    world_file: str


@dataclass(frozen=True, slots=True)
class Setup:
    """Front: the first message, with the descriptors of the outbox and of its bell.

    Where it is recorded, those of a ring and a lifeline follow, as with `StartRecord`.

    `simulation` names a class with the interface of `Simulation` as `module:name`, so that the
    front need not import a physics engine. `niceness` is added to the process's own; a negative
    one needs the right to do so. `idle`: the robots whose programs are not started. `snapshot`:
    the state of another simulation of the same robots, None to begin at step 0. `record`: the
    destination of the record from the first step on, None: none. `replay`: the record to be shown;
    `continued`: the start of a continued run, None: the first step.
    """

    world: WorldDescription
    """Description of the world to simulate."""
    simulation: str
    seed: int = 0
    """Seed of all random numbers of the run."""
    niceness: int = 0
    idle: tuple[str, ...] = ()
    snapshot: Snapshot | None = None
    record: RecordOrder | None = None
    replay: Path | None = None
    continued: Continuation | None = None


OrderT = TypeVar("OrderT", bound=Order[object], covariant=True)


@dataclass(frozen=True, slots=True)
class Request(Generic[OrderT]):
    """Front: an order, which a `Done` or a `QueryResult` with the same `number` answers."""

    number: int
    order: OrderT


@dataclass(frozen=True, slots=True)
class Run(Order[None]):
    """Front: step on; `steps` 0: until another order. `real_time_factor` 0: as fast as possible.

    Answered at once, or, where `is_awaited`, when the steps are done or were interrupted. The first
    step applies `commands`.
    """

    steps: int = 0
    real_time_factor: float = 1.0
    is_awaited: bool = False
    commands: tuple[CheckedCommand, ...] = ()


@dataclass(frozen=True, slots=True)
class Pause(Order[None]):
    """Front: stop stepping after the current step."""


@dataclass(frozen=True, slots=True)
class Stop(Order[None]):
    """Front: end."""


@dataclass(frozen=True, slots=True)
class GetFigures(Order[RunFigures]):
    """Front: the figures of the run so far (`RunFigures`)."""


@dataclass(frozen=True, slots=True)
class GetTrajectory(Order[TrajectoryPart]):
    """Front: the trajectory after `samples` of `interval` steps, as `Trajectory.part`."""

    samples: int = 0
    interval: int = 0


@dataclass(frozen=True, slots=True)
class GetSnapshot(Order[Snapshot]):
    """Front: the current state of the robots (`Snapshot`).

    `is_continued`: another simulation continues from it.
    """

    is_continued: bool = True
    """Whether it holds the states of FMUs, too."""


@dataclass(frozen=True, slots=True)
class TimeReport:
    """Simulation: how the record fares, if there is one; first and last step of a replay."""

    record: RecordStatus | None
    replayed: tuple[int, int] | None
    """None: a simulation, not a replay."""
    state_digest: str
    """SHA-256 (hex) over the bitstreams of all steps done."""


@dataclass(frozen=True, slots=True)
class GetTimeReport(Order[TimeReport]):
    """Front: what is recorded and kept of the run (`TimeReport`)."""


Query = GetFigures | GetTrajectory | GetSnapshot | GetPrograms | GetTimeReport
"""Requests that a `QueryResult` answers at once."""


@dataclass(frozen=True, slots=True)
class StartRecord(Order[RecordStatus]):
    """Front: record the run from now on.

    The descriptors of a ring and of a lifeline to the process that writes come along. Answered by a
    `RecordStatus`, or why it cannot be.
    """

    path: Path
    """The file to write."""
    world_file: str
    """Name of the main one among the recorded files of the world."""


@dataclass(frozen=True, slots=True)
class SaveSnapshot(StartRecord):
    """Front: write a record of the present state alone, with the log of all that led there."""


@dataclass(frozen=True, slots=True)
class StopRecord(Order[RecordStatus]):
    """Front: end the record; answered as `StartRecord`."""


@dataclass(frozen=True, slots=True)
class SnapshotTaken:
    """Simulation: the moment after `step` steps, at `time` [ns], sleeps in the process `pid`.

    `running`: the processes of user programs of which there is no copy.
    """

    step: int
    time: int
    pid: int
    running: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TakeSnapshot(Order[SnapshotTaken]):
    """Front: take a snapshot, with the descriptor of the copy's end of a socket.

    Answered by `SnapshotTaken`, or why it cannot be.
    """

    name: str
    """Name of the snapshot."""


@dataclass(frozen=True, slots=True)
class DropSnapshot:
    """Front: the moment `name` is gone; programs forget it, too."""

    name: str


@dataclass(frozen=True, slots=True)
class HandedOver:
    """Simulation: what no program has told it; the path of the record that has ended, or ""."""

    told: tuple[Event, ...]
    record: str


@dataclass(frozen=True, slots=True)
class Retire(Order[HandedOver]):
    """Front: stop for good, another process follows this one.

    Answered by `HandedOver`, with the external inputs after `since` steps or later. The
    processes `running` of user programs continue with the following process; all others have ended
    by then.
    """

    since: int
    running: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class HandOver(Order[None]):
    """Front: hand the user programs of `robots` over to the process at the other end of a socket.

    Its descriptor comes along. When it is done, the record has ended, and the process is but their
    parent (see `keeper`): it takes no further request, only `Release`. If the other process ends
    before it has taken over, the answer is an error, and this process continues unchanged.
    """

    robots: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Release:
    """Front: the last message after `HandOver`: end when the programs have ended."""


@dataclass(frozen=True, slots=True)
class TakeOver(Order[None]):
    """Front: continue the user programs that another process hands over, and start the others.

    The descriptor of the socket to that process comes along.
    """


@dataclass(frozen=True, slots=True)
class Waking:
    """Simulation: the copy of a process is about to continue from a snapshot; its id."""

    pid: int
    """Process id of the copy."""


@dataclass(frozen=True, slots=True)
class Awake:
    """Simulation: the copy of a process is at the step from which it continues."""


@dataclass(frozen=True, slots=True)
class Printout:
    """Front: output of the process or of a program, `source`, for the record."""

    text: str
    """Printed characters, any number of lines."""
    source: str


@dataclass(frozen=True, slots=True)
class OutputPipes:
    """Simulation: what a program prints comes through the pipes whose ends follow.

    `source` names the program in messages.
    """

    source: str


@dataclass(frozen=True, slots=True)
class PublishNow:
    """Front: publish the present state, whatever its step."""


@dataclass(frozen=True, slots=True)
class ApplyCommands:
    """Front: checked commands for the next step; answered by `CommandsQueued`."""

    commands: tuple[CheckedCommand, ...]


@dataclass(frozen=True, slots=True)
class AttachRemoteProgram:
    """Front: a user program that runs elsewhere, with the descriptor of its socket.

    A second descriptor is that of the memory for its pictures, if there are cameras. `peer`: its
    address, for messages; `image_size` [pixels]: of cameras without their own resolution.
    """

    peer: str
    image_size: tuple[int, int]


@dataclass(frozen=True, slots=True)
class AddRenderer:
    """Front: a client offers to render pictures, with the descriptor of a socket to it."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """Simulation: ready. `state_descriptor` is the number that its live state has in its process.

    The front opens it when a program elsewhere needs it. A descriptor that came along would be lost
    where clients have taken all files that the front may open.
    """

    layout_digest: str
    """SHA-256 (hex) of the tree's layout."""
    world_digest: str
    """SHA-256 (hex) of the compiled map."""
    state_descriptor: int


@dataclass(frozen=True, slots=True)
class PhaseChanged:
    """Simulation: its new phase, entered after `step`.

    `last_step`: of the run that begins or ends; -1: it continues until another order.
    """

    phase: Phase
    step: int
    last_step: int = -1


@dataclass(frozen=True, slots=True)
class Done:
    """Simulation: the request `number` is done. It `stands` now, or else is as before."""

    number: int
    stands: bool = False


@dataclass(frozen=True, slots=True)
class QueryResult:
    """Simulation: the answer to the question `number`; an error where it cannot be given."""

    number: int
    answer: object


@dataclass(frozen=True, slots=True)
class CommandsQueued:
    """Simulation: the last `ApplyCommands` is queued; the next one may come."""


@dataclass(frozen=True, slots=True)
class Failed:
    """Simulation: it cannot continue; `traceback` gives the reason. The process ends."""

    traceback: str
