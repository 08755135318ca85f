"""The service for the time of a simulation: records, and replays of them."""

from collections.abc import Callable
from pathlib import Path

from autosim.orders.times import (
    Begin,
    DropMoment,
    EndRecord,
    KeepMoment,
    PlayBack,
    RecordRun,
    RestoreMoment,
    Rewind,
    SaveMoment,
    Seek,
    TimeOrder,
    time_order_of,
)
from autosim.records.recorder import RecordStatus
from autosim.server.network.rpc_handlers import Context, Handler, abort_on_error, unary_unary
from autosim.server.process.process_messages import GetTimeReport
from autosim.server.worlds.running_world import RunningWorld
from autosim.server.worlds.world_host import WorldHost
from autosim.v1 import autosim_pb2 as pb


class TimeService:
    """Records what a server simulates, and goes to other steps of it.

    Args:
        worlds: what it simulates.
        status: says where the simulation stands.
    """

    def __init__(self, worlds: WorldHost, *, status: Callable[[], pb.Status]) -> None:
        self._worlds = worlds
        self._status = status

    def methods(self) -> dict[str, Handler]:
        """The handlers of the service's methods by their names."""
        return {"ControlTime": unary_unary(self.control_time, pb.TimeOrder, pb.TimeReport)}

    async def control_time(self, request: pb.TimeOrder, context: Context) -> pb.TimeReport:
        """Carries out an order; returns what is recorded and kept then."""
        async with abort_on_error(context):
            running = self._worlds.require()
            ended = await self._carry_out(time_order_of(request), running)
            # The order may have put another world in the place of that one.
            running = self._worlds.require()
            return await self._report(running, ended)

    async def _carry_out(self, order: TimeOrder, running: RunningWorld) -> RecordStatus | None:
        """Returns the record that the order has ended or written, if it has."""
        match order:
            case EndRecord():
                return await running.stop_record()
            case SaveMoment():
                return await self._worlds.save_snapshot(order.name)
            case RecordRun():
                await self._worlds.start_record(order.name)
            case KeepMoment():
                await self._worlds.take_snapshot(order.name)
            case DropMoment():
                running.drop(order.name)
            case RestoreMoment():
                await self._worlds.restore(running.snapshots.find(order.name))
            case Rewind():
                await self._worlds.rewind(order.seconds)
            case Begin():
                await self._worlds.restart(order)
            case Seek() | PlayBack():
                await running.ask(order)
        return None

    async def _report(self, running: RunningWorld, ended: RecordStatus | None) -> pb.TimeReport:
        times = await running.ask(GetTimeReport())
        report = pb.TimeReport(status=self._status())
        if times.replayed is None:  # that of a replay is of what was shown, in whatever order
            report.state_digest = times.state_digest
        record = ended or times.record
        if record is not None:
            report.record.path = record.path
            report.record.states, report.record.bytes = record.states, _size(record)
            report.record.waits, report.record.failure = record.waits, record.failure
            report.record.dropped = record.dropped
        for each in running.snapshots:
            report.snapshots.add(
                name=each.name, step=each.step, time_ns=each.time, bytes=each.bytes
            )
        if times.replayed is not None:
            report.is_replay = True
            report.first_step, report.last_step = times.replayed
        return report


def _size(record: RecordStatus) -> int:
    """Size of a record on the disk so far [bytes]."""
    try:
        return Path(record.path).stat().st_size
    except OSError:
        return record.bytes
