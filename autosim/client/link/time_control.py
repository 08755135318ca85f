"""Orders to the time of a simulation: records, and the steps of replays."""

from collections.abc import Iterable
from dataclasses import dataclass

from autosim.client.link.simulation_control import LOAD_SECONDS, SimulationControl
from autosim.v1 import autosim_pb2 as pb

_ACTIONS = pb.TimeOrder.Action


@dataclass(frozen=True, slots=True)
class RecordInfo:
    """A record on the server's machine.

    `states`, `bytes`: recorded so far; `waits`: how often the simulation had to wait for the disk;
    `dropped`: how many pictures were left out, as they came faster than they can be written.
    `failure`: why nothing more is recorded, "" while it is.
    """

    path: str
    states: int
    bytes: int
    waits: int
    dropped: int = 0
    failure: str = ""


@dataclass(frozen=True, slots=True)
class SnapshotInfo:
    """A moment that is kept: its `step`, its `time` [s], and the memory [bytes] that it takes."""

    name: str
    step: int
    time: float
    bytes: int


@dataclass(frozen=True, slots=True)
class RobotStartPose:
    """Start pose of a robot: `position` [m] in W of its origin, z None: on the ground; `yaw` [rad].

    Its program is not started.
    """

    robot: str
    position: tuple[float, float, float | None]
    yaw: float


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
    moments: tuple[SnapshotInfo, ...]
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
        return self._order(_ACTIONS.REPORT)

    def start_record(self, name: str = "") -> TimeInfo:
        """Records from now on, under a new name in the server's folder for records."""
        return self._order(_ACTIONS.RECORD, name=name)

    def stop_record(self) -> TimeInfo:
        """Ends the record, which the answer has; returns when it is on the disk."""
        return self._order(_ACTIONS.STOP_RECORD)

    def save_moment(self, name: str = "") -> TimeInfo:
        """Writes the present moment to the disk, under a new name in that folder.

        The answer has it as its record; a server can continue from it elsewhere, on another day.
        """
        return self._order(_ACTIONS.SAVE_MOMENT, name=name)

    def snapshot(self, name: str) -> TimeInfo:
        """Keeps the present moment under a new name."""
        return self._order(_ACTIONS.SNAPSHOT, name=name)

    def restore(self, name: str) -> TimeInfo:
        """Continues from a snapshot, which stays kept."""
        return self._order(_ACTIONS.RESTORE, name=name)

    def drop(self, name: str) -> TimeInfo:
        """Forgets a moment."""
        return self._order(_ACTIONS.DROP, name=name)

    def rewind(self, seconds: float) -> TimeInfo:
        """Goes back by that simulated time [s]."""
        return self._order(_ACTIONS.REWIND, seconds=seconds)

    def seek(self, step: int) -> TimeInfo:
        """Shows a step of a replay, or the nearest available one."""
        return self._order(_ACTIONS.SEEK, step=step)

    def play_back(self, real_time_factor: float = 1.0) -> TimeInfo:
        """Runs a replay backwards; returns at once."""
        return self._order(_ACTIONS.PLAY_BACK, seconds=real_time_factor)

    def begin(self, seed: int, places: Iterable[RobotStartPose] = ()) -> TimeInfo:
        """Restarts the run with other start poses than the world's; it is paused then."""
        order = pb.TimeOrder(action=_ACTIONS.BEGIN, seed=seed)
        for place in places:
            x, y, z = place.position
            order.places.add(robot=place.robot, x=x, y=y, z=z, yaw=place.yaw)
        return self._send(order)

    def _order(
        self, action: pb.TimeOrder.Action, *, name: str = "", seconds: float = 0.0, step: int = 0
    ) -> TimeInfo:
        order = pb.TimeOrder(action=action, name=name, seconds=seconds, step=step)
        return self._send(order)

    def _send(self, order: pb.TimeOrder) -> TimeInfo:
        return _info(self._control.call(lambda stub: stub.ControlTime(order, timeout=LOAD_SECONDS)))


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
        moments=tuple(
            SnapshotInfo(each.name, each.step, each.time_ns / 1e9, each.bytes)
            for each in report.moments
        ),
        replayed=(report.first_step, report.last_step) if report.is_replay else None,
        state_digest=report.state_digest,
    )
