"""Orders to the time of a run: its records, the moments that are kept of it, and replays.

On the wire each is a `TimeOrder`, whose fields mean what its action says.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

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
class RecordRun:
    """Begins a record called `name` in the server's folder for records; "": a new name."""

    name: str

    def to_message(self) -> pb.TimeOrder:
        """Its form on the wire."""
        return pb.TimeOrder(action=_ACTIONS.RECORD, name=self.name)


@dataclass(frozen=True, slots=True)
class EndRecord:
    """Ends the record; answered when it is on the disk."""

    def to_message(self) -> pb.TimeOrder:
        """Its form on the wire."""
        return pb.TimeOrder(action=_ACTIONS.STOP_RECORD)


@dataclass(frozen=True, slots=True)
class SaveMoment:
    """Writes the present moment as a record called `name`; "": a new name."""

    name: str

    def to_message(self) -> pb.TimeOrder:
        """Its form on the wire."""
        return pb.TimeOrder(action=_ACTIONS.SAVE_MOMENT, name=self.name)


@dataclass(frozen=True, slots=True)
class KeepMoment:
    """Keeps the present moment under a new `name`."""

    name: str

    def to_message(self) -> pb.TimeOrder:
        """Its form on the wire."""
        return pb.TimeOrder(action=_ACTIONS.SNAPSHOT, name=self.name)


@dataclass(frozen=True, slots=True)
class RestoreMoment:
    """Continues from the moment `name`, which stays kept."""

    name: str

    def to_message(self) -> pb.TimeOrder:
        """Its form on the wire."""
        return pb.TimeOrder(action=_ACTIONS.RESTORE, name=self.name)


@dataclass(frozen=True, slots=True)
class DropMoment:
    """Forgets the moment `name`."""

    name: str

    def to_message(self) -> pb.TimeOrder:
        """Its form on the wire."""
        return pb.TimeOrder(action=_ACTIONS.DROP, name=self.name)


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
    _ACTIONS.RECORD: lambda message: RecordRun(message.name),
    _ACTIONS.STOP_RECORD: lambda _: EndRecord(),
    _ACTIONS.SAVE_MOMENT: lambda message: SaveMoment(message.name),
    _ACTIONS.SNAPSHOT: lambda message: KeepMoment(message.name),
    _ACTIONS.RESTORE: lambda message: RestoreMoment(message.name),
    _ACTIONS.DROP: lambda message: DropMoment(message.name),
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
