"""Orders to the time of a simulation: records, and the steps of replays."""

from collections.abc import Iterable
from dataclasses import dataclass

from autosim.client.link.simulation_control import LOAD_SECONDS, SimulationControl
from autosim.orders.robot_orders import StartPose
from autosim.orders.times import (
    Begin,
    DropMoment,
    EndRecord,
    KeepMoment,
    PlayBack,
    RecordRun,
    ReportTime,
    RestoreMoment,
    Rewind,
    SaveMoment,
    Seek,
    TimeOrder,
)
from autosim.v1 import autosim_pb2 as pb


@dataclass(frozen=True, slots=True)
class RecordInfo:
    """A record on the server's machine.

    `states`, `bytes`: recorded so far; `waits`: how often the simulation had to wait for the disk;
    `dropped`: how many pictures were left out, as they came faster than they can be written.
    `failure`: why nothing more is recorded, "" while it is.
    """

    path: str
    """Path on the server's machine."""
    states: int
    bytes: int
    waits: int
    dropped: int = 0
    failure: str = ""


@dataclass(frozen=True, slots=True)
class SnapshotInfo:
    """A snapshot that is kept: its `step`, its `time` [s], and the memory [bytes] that it takes."""

    name: str
    """Name of the snapshot."""
    step: int
    time: float
    bytes: int


@dataclass(frozen=True, slots=True)
class TimeInfo:
    """Recording and snapshots of a run.

    `step` and `time` [s]: where it stands. `record`: None while nothing is recorded. `replayed`:
    first and last step of a replay, None of a live simulation. `state_digest`: SHA-256 (hex) over
    the states of all steps so far.
    """

    step: int
    time: float
    record: RecordInfo | None
    snapshots: tuple[SnapshotInfo, ...]
    """Snapshots, oldest first."""
    replayed: tuple[int, int] | None
    state_digest: str


class TimeControl:
    """The calls that record a run and go through a replay. They may be made from any thread.

    Each raises ClientError where the server refuses it or does not answer.
    """

    def __init__(self, control: SimulationControl) -> None:
        self._control = control

    def report(self) -> TimeInfo:
        """The current recording."""
        return self.order(ReportTime())

    def start_record(self, name: str = "") -> TimeInfo:
        """Records from now on, under a new name in the server's folder for records."""
        return self.order(RecordRun(name))

    def stop_record(self) -> TimeInfo:
        """Ends the record, which the answer has; returns when it is on the disk."""
        return self.order(EndRecord())

    def save_snapshot(self, name: str = "") -> TimeInfo:
        """Writes a snapshot to the disk, under a new name in that folder.

        The answer has it as its record; a server can continue from it elsewhere, on another day.
        """
        return self.order(SaveMoment(name))

    def snapshot(self, name: str) -> TimeInfo:
        """Takes a snapshot under a new name."""
        return self.order(KeepMoment(name))

    def restore(self, name: str) -> TimeInfo:
        """Continues from a snapshot, which stays kept."""
        return self.order(RestoreMoment(name))

    def drop(self, name: str) -> TimeInfo:
        """Forgets a snapshot."""
        return self.order(DropMoment(name))

    def rewind(self, seconds: float) -> TimeInfo:
        """Goes back by that simulated time [s]."""
        return self.order(Rewind(seconds))

    def seek(self, step: int) -> TimeInfo:
        """Shows a step of a replay, or the nearest available one."""
        return self.order(Seek(step))

    def play_back(self, real_time_factor: float = 1.0) -> TimeInfo:
        """Runs a replay backwards; returns at once."""
        return self.order(PlayBack(real_time_factor))

    def begin(self, seed: int, places: Iterable[StartPose] = ()) -> TimeInfo:
        """Restarts the run with other start poses than the world's; it is paused then."""
        return self.order(Begin(seed, tuple(places)))

    def order(self, order: TimeOrder) -> TimeInfo:
        """Gives any of the orders; returns what is recorded and kept then."""
        request = order.to_message()
        return _info(
            self._control.call(lambda stub: stub.ControlTime(request, timeout=LOAD_SECONDS))
        )


def _info(report: pb.TimeReport) -> TimeInfo:
    record = None
    if report.HasField("record"):
        found = report.record
        record = RecordInfo(
            found.path, found.states, found.bytes, found.waits, found.dropped, found.failure
        )
    return TimeInfo(
        step=report.status.step,
        time=report.status.time_ns / 1e9,
        record=record,
        snapshots=tuple(
            SnapshotInfo(each.name, each.step, each.time_ns / 1e9, each.bytes)
            for each in report.snapshots
        ),
        replayed=(report.first_step, report.last_step) if report.is_replay else None,
        state_digest=report.state_digest,
    )
