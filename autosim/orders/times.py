"""Orders to the time of a run: its records, the snapshots of it, and replays.

On the wire each is a `TimeOrder`, whose fields mean what its action says.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Self, TypeAlias

from autosim.orders.base_order import Order
from autosim.orders.robot_orders import StartPose
from autosim.v1 import autosim_pb2 as pb

_ACTIONS = pb.TimeOrder.Action


@dataclass(frozen=True, slots=True)
class ReportTime:
    """Requests a report only: every answer contains the record and the snapshots."""

    def to_message(self) -> pb.TimeOrder:
        """Its form on the wire."""
        return pb.TimeOrder(action=_ACTIONS.REPORT)


@dataclass(frozen=True, slots=True)
class EndRecord:
    """Ends the record; answered when it is on the disk."""

    def to_message(self) -> pb.TimeOrder:
        """Its form on the wire."""
        return pb.TimeOrder(action=_ACTIONS.STOP_RECORD)


@dataclass(frozen=True, slots=True)
class _NamedOrder:
    """An order that has a `name`, of a record or a snapshot, and nothing else."""

    action: ClassVar[pb.TimeOrder.Action]
    name: str

    def to_message(self) -> pb.TimeOrder:
        """Its form on the wire."""
        return pb.TimeOrder(action=self.action, name=self.name)

    @classmethod
    def from_message(cls, message: pb.TimeOrder) -> Self:
        """The order of a checked request."""
        return cls(message.name)


class RecordRun(_NamedOrder):
    """Begins a record called `name` in the server's folder for records; "": a new name."""

    __slots__ = ()
    action = _ACTIONS.RECORD


class SaveMoment(_NamedOrder):
    """Writes a snapshot as a record called `name`; "": a new name."""

    __slots__ = ()
    action = _ACTIONS.SAVE_SNAPSHOT


class KeepMoment(_NamedOrder):
    """Takes a snapshot under a new `name`."""

    __slots__ = ()
    action = _ACTIONS.SNAPSHOT


class RestoreMoment(_NamedOrder):
    """Continues from the snapshot `name`, which stays kept."""

    __slots__ = ()
    action = _ACTIONS.RESTORE


class DropMoment(_NamedOrder):
    """Forgets the snapshot `name`."""

    __slots__ = ()
    action = _ACTIONS.DROP


@dataclass(frozen=True, slots=True)
class Rewind:
    """Goes `seconds` of simulated time back and pauses there."""

    seconds: float

    def to_message(self) -> pb.TimeOrder:
        """Its form on the wire."""
        return pb.TimeOrder(action=_ACTIONS.REWIND, seconds=self.seconds)


@dataclass(frozen=True, slots=True)
class Seek(Order[None]):
    """Shows the state of `step` of a replay, or the nearest available one."""

    step: int

    def to_message(self) -> pb.TimeOrder:
        """Its form on the wire."""
        return pb.TimeOrder(action=_ACTIONS.SEEK, step=self.step)


@dataclass(frozen=True, slots=True)
class PlayBack(Order[None]):
    """Runs a replay backwards at `real_time_factor`, until it is paused."""

    real_time_factor: float

    def to_message(self) -> pb.TimeOrder:
        """Its form on the wire."""
        return pb.TimeOrder(action=_ACTIONS.PLAY_BACK, seconds=self.real_time_factor)


@dataclass(frozen=True, slots=True)
class Begun:
    """A run has begun; `record` is the path of the record that has ended, or ""."""

    record: str


@dataclass(frozen=True, slots=True)
class Begin(Order[Begun]):
    """Restarts the run, in another simulation of the same world.

    `seed` of its noise and traffic; `places` of robots with another start pose than the world's.
    Where it cannot, the run has begun as it did before.
    """

    seed: int
    places: tuple[StartPose, ...] = ()

    def to_message(self) -> pb.TimeOrder:
        """Its form on the wire."""
        places = [each.to_message() for each in self.places]
        return pb.TimeOrder(action=_ACTIONS.BEGIN, seed=self.seed, places=places)


TimeOrder: TypeAlias = (
    ReportTime
    | RecordRun
    | EndRecord
    | SaveMoment
    | KeepMoment
    | RestoreMoment
    | DropMoment
    | Rewind
    | Seek
    | PlayBack
    | Begin
)
"""All orders of the service; a server answers each with a report."""

_READERS: dict[pb.TimeOrder.Action, Callable[[pb.TimeOrder], TimeOrder]] = {
    _ACTIONS.REPORT: lambda _: ReportTime(),
    _ACTIONS.STOP_RECORD: lambda _: EndRecord(),
    RecordRun.action: RecordRun.from_message,
    SaveMoment.action: SaveMoment.from_message,
    KeepMoment.action: KeepMoment.from_message,
    RestoreMoment.action: RestoreMoment.from_message,
    DropMoment.action: DropMoment.from_message,
    _ACTIONS.REWIND: lambda message: Rewind(message.seconds),
    _ACTIONS.SEEK: lambda message: Seek(message.step),
    _ACTIONS.PLAY_BACK: lambda message: PlayBack(message.seconds),
    _ACTIONS.BEGIN: lambda message: Begin(
        message.seed, tuple(StartPose.from_message(each) for each in message.places)
    ),
}


def time_order_of(message: pb.TimeOrder) -> TimeOrder:
    """The order of a checked request."""
    return _READERS[message.action](message)
