"""One world while it is simulated: its process, its states for clients, and their commands.

A server has one at a time. To load another world, or to add a robot, it makes a second one, and
drops the first when the second is ready.
"""

import asyncio
import contextlib
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from autosim.engine.engine_errors import PlacementError, SnapshotError
from autosim.helper_processes.process_socket import ControlSocket
from autosim.kinds.director import build_tree
from autosim.model.notices import Notice
from autosim.model.phase import Phase
from autosim.orders.base_order import AnswerT, Order
from autosim.orders.robot_orders import MoveRobot
from autosim.orders.times import Begin
from autosim.records.record_format import RecordError
from autosim.records.recorder import NO_RECORD, RecordProcess, RecordStatus
from autosim.records.writer_messages import WriterDone
from autosim.server.process.host import SimulationHost
from autosim.server.process.outbox import Outbox, OutboxReader
from autosim.server.process.process_messages import (
    DropSnapshot,
    PublishNow,
    RecordOrder,
    Run,
    SaveSnapshot,
    Setup,
    StartRecord,
    StopRecord,
    TakeSnapshot,
)
from autosim.server.process.successors.dormant import Wake
from autosim.server.process.watchdog import Watchdog
from autosim.server.server_errors import ServerError
from autosim.server.worlds.attendance import Attendance
from autosim.server.worlds.broadcast import Broadcast
from autosim.server.worlds.command_inbox import CommandInbox
from autosim.server.worlds.offer_cache import OfferCache
from autosim.server.worlds.snapshot_store import ForkedSnapshot, SnapshotStore

_ENDED_EARLY = "it has ended before that: its writer failed, as the messages say"
"""Addition to the answer to an order to end a record that has ended by itself."""


class RunningWorld:
    """A simulation process with all that the network needs of it. Belongs to one event loop.

    Args:
        setup: what to simulate.
        on_notice: called with the messages of the simulation for the user.

    `seed` is that of the run; `real_time_factor` is the pace of the last run, 0 as fast as it goes.
    `is_handing_over`: its programs go over to another one; `is_continued`: that one has taken its
    place, and continues with other robots where this one was; `has_settled`: whether that is known.
    `attendance`: the programs of clients that take part. `is_closed`: it has no states left.
    """

    def __init__(self, setup: Setup, *, on_notice: Callable[[Notice], None]) -> None:
        self.world, self.seed = setup.world, setup.seed
        self.tree = build_tree(setup.world)
        self.real_time_factor = 1.0
        self._outbox = Outbox.create(self.tree.stop)
        self._bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._settled = asyncio.Event()
        self.broadcast = Broadcast(OutboxReader(self._outbox), catch_up=self._catch_up)
        asyncio.get_running_loop().add_reader(self._bell, self._ring)
        self._on_notice = on_notice
        self._work = ""
        self._waiting = ThreadPoolExecutor(2, thread_name_prefix="autosim-record")
        self._writing: asyncio.Future[WriterDone | None] | None = None
        recorder = None
        if setup.record is not None:
            order = setup.record
            recorder = RecordProcess(order.path, order.files, state_bytes=self.tree.stop)
        self.host = SimulationHost(
            setup,
            outbox=self._outbox,
            bell=self._bell,
            on_notice=self._take_notice,
            on_output=self._note_output,
            on_change=self._change,
            recorder=recorder,
        )
        if recorder is not None:
            self._follow_record(recorder)
        self._restoring = asyncio.Lock()
        self._life = Watchdog(lambda: self.host.pid, lambda: self._outbox.heartbeat)
        self.inbox = CommandInbox(self.tree, self.host)
        self.library = OfferCache(self.world, self.host)
        self.snapshots = SnapshotStore()
        self._is_told_to_run = False
        self.is_continued = self.is_handing_over = self.is_closed = False
        self.has_settled = asyncio.Event()
        self.attendance = Attendance()

    def _note_output(self, source: str, line: str) -> None:
        self._on_notice(Notice("info", source, self.broadcast.step, line, is_output=True))

    @property
    def phase(self) -> Phase:
        """The current phase; RUNNING if it is READY and was ordered to run."""
        phase = self.host.phase
        return Phase.RUNNING if self._is_told_to_run and phase is Phase.READY else phase

    @property
    def unresponsive_seconds(self) -> float:
        """Since when the simulation process does not answer [s]; 0: it does."""
        return self._life.unresponsive_seconds

    @property
    def work(self) -> str:
        """Progress of the simulation process while it loads, in words; "" where it is not known."""
        return self._work if self.host.phase is Phase.LOADING else ""

    def _take_notice(self, notice: Notice) -> None:
        if notice.source == "simulation":
            self._work = notice.text
        self._on_notice(notice)

    def check_alive(self) -> str:
        """Checks the process for a sign of life; returns a message for the user, or ""."""
        before = self._life.unresponsive_seconds
        if self.host.phase is not Phase.STOPPED:
            self._life.check(is_loading=self.host.phase is Phase.LOADING)
        text = self._life.text
        self.host.silence = text
        self.broadcast.beat(self._life.unresponsive_seconds)
        if before and not text:
            return f"the simulation process answers again, after {before:.0f} s"
        return "" if before else text

    async def loaded(self) -> None:
        """Waits until the simulation is ready for its first step.

        Raises:
            SimulationCrashedError: it cannot be made.
        """
        await self._settled.wait()
        if self.host.phase is Phase.STOPPED:
            await self.host.ended()

    async def ask(self, order: Order[AnswerT]) -> AnswerT:
        """Gives an order to the simulation; returns its answer, as `SimulationHost.ask`.

        Raises:
            UserError: it cannot be carried out.
            ServerError: the process is gone.
        """
        return await self.host.ask(order)

    async def run(self, order: Run) -> None:
        """Runs on; returns when the process has taken the order, or has done the steps.

        Raises:
            ServerError: the process is gone.
        """
        if not order.is_awaited:
            self.real_time_factor = order.real_time_factor
        await self.ask(order)

    async def run_at(self, real_time_factor: float, *, steps: int | None = None) -> None:
        """Runs on.

        Args:
            real_time_factor: simulated by real time; 0: as fast as possible.
            steps: their number, 0 or less: it stands still; None: until another order.

        Raises:
            ServerError: the process is gone.
        """
        if steps is not None and steps <= 0:
            return
        self._is_told_to_run = True
        try:
            await self.run(Run(steps=steps or 0, real_time_factor=real_time_factor))
        finally:
            self._is_told_to_run = False

    async def move_robot(self, order: MoveRobot) -> None:
        """Moves a robot or an object; the state with it is published when this returns.

        Raises:
            PlacementError: it cannot stand there.
            ServerError: the process is gone.
        """
        await self.ask(order)
        # What was handed over before is taken first: then there is a request for what comes now.
        self.broadcast.publish()
        if self.is_standing:
            before = self.broadcast.number
            self.host.send(PublishNow())
            # Who is answered now is to see the robot where it is: a client that connects gets the
            # newest state that was handed over. A heartbeat means that nothing has changed.
            await self.broadcast.next(self.broadcast.step + 1, seen=before)

    async def start_record(self, order: RecordOrder) -> RecordStatus:
        """Records the run from now on.

        Raises:
            RecordError: it cannot be recorded.
            ServerError: the process is gone.
        """
        process, status = await self._begin_record(order, StartRecord)
        self._follow_record(process)
        return status

    async def save_snapshot(self, order: RecordOrder) -> RecordStatus:
        """Writes a record of the present state alone; returns when it is on the disk.

        Raises:
            RecordError: it cannot be written, or what led there is not known.
            ServerError: the process is gone.
        """
        process, status = await self._begin_record(order, SaveSnapshot)
        process.release()
        try:
            written = await asyncio.get_running_loop().run_in_executor(None, process.wait)
        except RecordError as error:
            process.path.unlink(missing_ok=True)
            raise RecordError("the snapshot was not written: the disk takes no more") from error
        return _finished(status, written)

    async def _begin_record(
        self, order: RecordOrder, request: type[StartRecord]
    ) -> tuple[RecordProcess, RecordStatus]:
        process = RecordProcess(order.path, order.files, state_bytes=self.tree.stop)
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(None, process.wait_until_open)
            status = await self.host.ask(
                request(order.path, order.world_file), process.outlets.descriptors
            )
        except BaseException:
            loop.run_in_executor(None, process.close)
            raise
        return process, status

    async def stop_record(self) -> RecordStatus:
        """Ends the record; returns when it is on the disk.

        Raises:
            RecordError: there is none.
            ServerError: the process is gone.
        """
        status = await self.ask(StopRecord())
        if self._writing is None:
            raise RecordError(NO_RECORD)
        written = await self._record_written()
        if written is None:  # its writer has failed, which a message says
            return status if status.failure else replace(status, failure=_ENDED_EARLY)
        return _finished(status, written)

    def _follow_record(self, process: RecordProcess) -> None:
        """Waits beside for the end of a record, and says if it is not a good one."""
        process.release()
        self.host.is_recorded = True
        self._writing = asyncio.ensure_future(self._await_end(process))

    async def _await_end(self, process: RecordProcess) -> WriterDone | None:
        loop = asyncio.get_running_loop()
        try:
            # It takes as long as the run: its own thread, not one of those for short work.
            written = await loop.run_in_executor(self._waiting, process.wait)
            self._say_what_is_missing(written)
            return written
        except RecordError as error:
            self._on_notice(Notice("error", "record", self.broadcast.step, str(error)))
            with contextlib.suppress(RecordError, ServerError):  # it may know that already
                await self.ask(StopRecord())
            return None

    def _say_what_is_missing(self, written: WriterDone) -> None:
        reason = written.failure or "they came faster than they can be written"
        if written.dropped:
            text = f"{written.dropped} pictures and clouds of points were left out: {reason}"
            self._on_notice(Notice("warning", "record", self.broadcast.step, text))

    async def _record_written(self) -> WriterDone | None:
        self.host.is_recorded = False
        writing, self._writing = self._writing, None
        return None if writing is None else await writing

    async def begin(self, order: Begin) -> str:
        """Restarts the run with other start poses; pauses before its first step.

        Returns:
            the path of the record that has ended with this, "" where there was none.

        Raises:
            PlacementError: there is no such robot, or no ground.
            RecordError: this is a replay.
            ServerError: the process is gone.
        """
        names = [each.name for each in self.world.robots]
        for place in order.places:
            if place.robot not in names:
                raise PlacementError(f"there is no robot '{place.robot}' (robots: {names})")
        async with self._restoring:
            begun = await self.ask(order)
        self.seed = order.seed
        self.snapshots.close()
        if begun.record:
            await self._record_written()
        return begun.record

    async def take_snapshot(self, name: str) -> ForkedSnapshot:
        """Takes a snapshot.

        Raises:
            SnapshotError: it cannot be kept.
            ServerError: the process is gone.
        """
        self.snapshots.check_new(name)
        ours, theirs = ControlSocket.pair()
        try:
            kept = await self.host.ask(TakeSnapshot(name), (theirs.fileno(),))
            self.snapshots.check_new(name)  # another client may have taken the name meanwhile
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        snapshot = ForkedSnapshot(name, kept.step, kept.time, kept.pid, ours, kept.running)
        self.snapshots.add(snapshot)
        return snapshot

    def drop(self, name: str) -> None:
        """Forgets a snapshot.

        Raises:
            SnapshotError: there is none.
            ServerError: the process is gone.
        """
        self.snapshots.drop(name)
        self.host.send(DropSnapshot(name))

    async def restore(self, snapshot: ForkedSnapshot, step: int | None = None) -> str:
        """Goes back to a snapshot, or to a later step by way of it; runs on if it was running.

        Returns:
            the path of the record that has ended with this, "" where there was none.

        Raises:
            SnapshotError: it cannot be gone back to; then nothing has changed.
            ServerError: the process is gone.
        """
        # A caller that leaves meanwhile must not leave the run without a process.
        return await asyncio.shield(self._go_back(snapshot, step))

    async def _go_back(self, snapshot: ForkedSnapshot, step: int | None) -> str:
        async with self._restoring:
            if snapshot.leash.is_closed:
                self.drop(snapshot.name)
                reason = "the system may have ended it for want of memory"
                raise SnapshotError(f"the process of snapshot '{snapshot.name}' is gone ({reason})")
            was_running, last_step = self.host.phase is Phase.RUNNING, self.host.last_step
            retired = await self.host.retire(snapshot.step, snapshot.running)
            self.host.is_recorded, self._writing = False, None
            told = () if step is None else retired.told
            await self.host.follow(snapshot.leash, Wake(snapshot.name, told, step or 0))
            if was_running:
                left = None if last_step < 0 else last_step - (step or snapshot.step)
                await self.run_at(self.real_time_factor, steps=left)
            return retired.record

    async def hand_over(self, heir: "RunningWorld") -> None:
        """Hands the user programs of robots that both worlds have over to another one.

        Raises:
            ServerError: one of the processes is gone, or does not listen.
        """
        self.is_handing_over = True
        self.has_settled.clear()  # an earlier attempt may have failed
        names = {robot.name for robot in heir.world.robots}
        shared = tuple(each.name for each in self.world.robots if each.name in names)
        try:
            await self.host.hand_over(heir.host, shared)
        except BaseException:
            self.is_handing_over = False
            self.has_settled.set()
            raise

    async def close(self) -> None:
        """Ends the process, and the streams of its states.

        One that has handed over its user programs ends with them.
        """
        self.is_closed = True
        self.snapshots.close()
        if self.host.has_heir:
            self.host.release()
        else:
            await self.host.stop()
        await self._record_written()
        self._waiting.shutdown(wait=False)
        self.broadcast.beat()
        asyncio.get_running_loop().remove_reader(self._bell)
        os.close(self._bell)
        self._outbox.close()

    def _ring(self) -> None:
        os.eventfd_read(self._bell)
        self.broadcast.publish()
        self._change()

    def _change(self) -> None:
        if self.host.phase is not Phase.LOADING:
            self._settled.set()
        # Where the process is gone there is nothing to hand over; `host.ended` says so.
        with contextlib.suppress(ServerError):
            self.inbox.flush()
        # Its end is reported by the caller that ends it, with the reason.
        if self.host.phase is not Phase.STOPPED:
            self.broadcast.set_standing(self.is_standing)
        self._catch_up()

    @property
    def is_standing(self) -> bool:
        """Whether the simulation is paused, or has not begun."""
        return self.host.phase in (Phase.READY, Phase.PAUSED)

    def _catch_up(self) -> None:
        """Makes a paused simulation hand over its state if a client waits for it."""
        # The last state before a pause may have come while the one before was still being read.
        if self.is_standing and self.broadcast.is_behind:
            with contextlib.suppress(ServerError):
                self.host.send(PublishNow())


def _finished(status: RecordStatus, written: WriterDone) -> RecordStatus:
    """Status of a record that is on disk."""
    return replace(status, bytes=written.bytes, dropped=written.dropped)
