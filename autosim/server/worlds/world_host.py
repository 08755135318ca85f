"""The world that a server simulates, and its replacement by another.

A tree has a fixed layout. So to load another world, or to add a robot to this one, a second
simulation is made in parallel; the first is dropped when the second is ready, and continues if
that fails.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

from autosim.config.descriptions import PlacedObject, PlacedRobot, WorldDescription
from autosim.loading.world_worker import PreparationDone, PrepareOrder
from autosim.model.notices import Notice
from autosim.model.phase import Phase
from autosim.model.snapshot import Snapshot
from autosim.orders.programs import GetPrograms
from autosim.orders.robot_orders import AddRobot, MoveRobot
from autosim.orders.times import Begin, Seek
from autosim.records.record_format import Continuation, RecordError
from autosim.records.recorder import RecordStatus
from autosim.server.process.process_messages import GetSnapshot, Pause, Setup
from autosim.server.server_errors import (
    ServerError,
    SimulationCrashedError,
    WorldError,
)
from autosim.server.worlds.automatic_snapshots import AutomaticSnapshots
from autosim.server.worlds.changes import Changes
from autosim.server.worlds.present_world import PresentWorld
from autosim.server.worlds.recorded_files import RecordNames, make_record_order, record_path
from autosim.server.worlds.running_world import RunningWorld
from autosim.server.worlds.server_options import ServerOptions, WorldChanged
from autosim.server.worlds.settings import Settings
from autosim.server.worlds.snapshot_store import ForkedSnapshot
from autosim.server.worlds.world_changes import (
    as_it_stands,
    discarded_by_reset,
    with_robot,
    with_robot_again,
    without_robot,
)
from autosim.server.worlds.world_preparation import prepare_world

REJOIN_SECONDS = 10.0
"""Longest wait [s] for the programs of clients when the simulation's process is replaced."""


class WorldHost(PresentWorld):
    """One world at a time. Belongs to one event loop.

    Args:
        options: how to simulate.
        on_notice: called with the messages of simulations for the user.
        on_change: told when another world has taken the place of the one before.
        on_load: called when another world begins to load.

    `changes` are those of its robots that can be undone.
    """

    def __init__(
        self,
        options: ServerOptions,
        *,
        on_notice: Callable[[Notice], None],
        on_change: Callable[[WorldChanged], None],
        on_load: Callable[[], None],
    ) -> None:
        super().__init__()
        self._options = options
        self._on_notice, self._on_change, self._on_load = on_notice, on_change, on_load
        self._own = AutomaticSnapshots(on_notice)
        self._record_names = RecordNames()
        self.changes = Changes()
        self._settings: Settings | None = None
        self._as_loaded: WorldDescription | None = None
        self._changing = asyncio.Lock()
        self._moving = asyncio.Lock()
        self._work = ""
        self._next: RunningWorld | None = None

    @property
    def work(self) -> str:
        """Loading or change of the world and its progress, in words; "" without one."""
        if self._changing.locked():
            progress = self._next.work if self._next is not None else ""
            return f"{self._work}: {progress}" if progress else self._work
        return self.running.work if self.running is not None else ""

    def begin(self, world: WorldDescription) -> None:
        """Starts with `world`, which is still loading when this returns."""
        self._as_loaded = world
        idle = _robots(world) if self._options.is_safe else ()
        options = self._options
        self.running = self._start(world, idle=idle, options=options, continued=options.continued)

    @property
    def as_loaded(self) -> WorldDescription:
        """The present world as it was loaded: without what was added or removed since.

        Raises:
            NoWorldError: there is none.
        """
        world = self.require().world
        return world if self._as_loaded is None else self._as_loaded

    async def discarded(self) -> tuple[str, ...]:
        """Losses by a reset to `as_loaded`, a sentence each.

        Raises:
            UserError: there is no world, or its process is gone.
        """
        running = self.require()
        return discarded_by_reset(self.as_loaded, running.world, await running.ask(GetPrograms()))

    async def load(
        self, order: PrepareOrder, *, is_safe: bool, on_progress: Callable[[str, float], None]
    ) -> PreparationDone:
        """Loads another world in place of the current one; it pauses before its first step.

        On any failure, and when cancelled, the current world continues.

        Raises:
            ServerError: the world cannot be used, or another one is being loaded.
        """
        name = order.world if isinstance(order.world, str) else order.world.name
        async with self._alone(f"loading '{Path(name).stem}'"):
            prepared = await prepare_world(order, on_progress)
            await self._load(prepared.world, replace(self._options, continued=None), is_safe)
        return prepared

    async def load_prepared(self, world: WorldDescription, options: ServerOptions) -> None:
        """Loads a world that is compiled already, as `load`; `options` are the next ones.

        Raises:
            ServerError: the world cannot be used, or another one is being loaded.
        """
        async with self._alone(f"loading '{world.name}'"):
            await self._load(world, options, options.is_safe)
            self._options = options

    async def _load(self, world: WorldDescription, options: ServerOptions, is_safe: bool) -> None:
        if self.running is not None and world.source != self.running.world.source:
            self._refuse_in_replay("start autosim server for another world")
        self._on_load()
        new = self._start(
            world,
            idle=_robots(world) if is_safe else (),
            options=options,
            continued=options.continued,
        )
        await self._replace(new, is_loaded=True)
        self.changes.clear()
        self._as_loaded = world
        self._on_notice(Notice("info", "server", 0, f"loaded '{world.name}'"))

    async def add_robot(self, added: AddRobot) -> None:
        """Puts a robot into the current world, which continues in place.

        Bodies, wheels, sensors and step count go over into a new simulation, and the user programs
        of the other robots continue there; those of clients join it by themselves, for which it
        waits, within limits.
        Where it cannot be done, the present one continues.

        Raises:
            UserError: it cannot be done.
        """
        await self._change_robots(lambda world: with_robot(world, added))
        self._say(added.name, "was added")
        self.changes.add(f"{added.name} was added", lambda: self._remove_robot(added.name))

    async def remove_robot(self, name: str) -> None:
        """Removes a robot from the current world, which continues in place, as `add_robot`.

        Raises:
            UserError: it cannot be done.
        """
        removed, place = await self._remove_robot(name)
        self.changes.add(f"{name} was removed", lambda: self._put_back(removed, place))

    async def _remove_robot(self, name: str) -> tuple[PlacedRobot, int]:
        """Removes a robot; returns it where it was, and its place among the others."""
        before: list[WorldDescription] = []

        def change(world: WorldDescription) -> WorldDescription:
            before.append(world)
            return without_robot(world, name)

        await self._change_robots(change)
        self._say(name, "was removed")
        robots = before[0].robots
        place = [each.name for each in robots].index(name)
        return robots[place], place

    async def _put_back(self, removed: PlacedRobot, place: int) -> None:
        await self._change_robots(lambda world: with_robot_again(world, removed, place))
        self._say(removed.name, "was added again")

    @property
    def settings(self) -> Settings:
        """Takes the commands of users to the present world.

        Raises:
            NoWorldError: there is none.
        """
        running = self.require()
        if self._settings is None or self._settings.running is not running:
            self._settings = Settings(running, self.changes)
        return self._settings

    async def undo(self) -> str:
        """Undoes the last change: a robot added, removed or moved, an actuator set. In words.

        A robot that was removed is back where it was, at rest, and its program starts.

        Raises:
            UserError: there is none, or it cannot be undone.
        """
        # A move that is not over is not among the changes yet.
        async with self._moving:
            self._refuse_while_changing()
            return await self.changes.undo()

    async def move_robot(self, order: MoveRobot) -> None:
        """Moves a robot or an object of the current world, as `RunningWorld.move_robot`.

        Raises:
            UserError: it cannot be done.
        """
        async with self._moving:
            self._refuse_while_changing()
            running = self.require()
            world, _ = await self._world_as_it_stands(running)
            await running.move_robot(order)
            things: tuple[PlacedRobot | PlacedObject, ...] = (*world.robots, *world.objects)
            before = next(each for each in things if each.name == order.robot)
            self.changes.add(f"{order.robot} was moved", lambda: self._move_back(before))

    async def _move_back(self, before: PlacedRobot | PlacedObject) -> None:
        assert before.position is not None
        x, y, z = before.position
        running = self.require()
        await running.move_robot(MoveRobot(before.name, (x, y), yaw=before.yaw, height=z))

    async def _change_robots(self, change: Callable[[WorldDescription], WorldDescription]) -> None:
        async with self._alone("adding or removing a robot"):
            present = self.require()
            was_running, last_step = present.host.phase is Phase.RUNNING, present.host.last_step
            await present.ask(Pause())
            left: int | None = None
            try:
                world, snapshot = await self._world_as_it_stands(present)
                # A run with a set number of steps ends at the step set for it.
                left = None if last_step < 0 else last_step - snapshot.step
                programs = await present.ask(GetPrograms())
                # The person at the controls has to leave, too: the robot goes back to its program.
                idle = [each.robot for each in programs if not (each.is_active or each.is_taken)]
                new = self._start(
                    change(world), idle=tuple(idle), options=self._options, snapshot=snapshot
                )
                # Before the first run no program has begun.
                has_begun = present.host.phase is Phase.PAUSED
                await self._replace(new, giver=present if has_begun else None)
                await self._await_rejoined(new)
            finally:
                if was_running:
                    await self.require().run_at(present.real_time_factor, steps=left)

    async def _await_rejoined(self, new: RunningWorld) -> None:
        """Waits for the programs of clients that took part in the world before."""
        for robot in await new.attendance.complete(REJOIN_SECONDS):
            text = (
                f"the program of a client has not rejoined within {REJOIN_SECONDS:g} s: the run "
                "continues without it"
            )
            self._on_notice(Notice("warning", robot, new.broadcast.step, text))

    def _say(self, robot: str, text: str) -> None:
        self._on_notice(Notice("info", robot, self.require().broadcast.step, text))

    async def save(self) -> WorldDescription:
        """The description of the current world in its current state."""
        return (await self._world_as_it_stands(self.require(), is_continued=False))[0]

    async def _world_as_it_stands(
        self, running: RunningWorld, *, is_continued: bool = True
    ) -> tuple[WorldDescription, Snapshot]:
        snapshot = await running.ask(GetSnapshot(is_continued))
        programs = await running.ask(GetPrograms())
        world = as_it_stands(running.world, running.tree, snapshot=snapshot, programs=programs)
        return world, snapshot

    @contextlib.asynccontextmanager
    async def _alone(self, work: str) -> AsyncIterator[None]:
        """Inside, no other change of the world begins; `work` says what is done, in words."""
        self._refuse_while_changing()
        async with self._changing:
            self._work = work
            yield

    def _refuse_in_replay(self, advice: str) -> None:
        """Refuses what only a simulation can do, where this is a replay."""
        if self._options.replay is not None:
            raise RecordError(f"this is a replay of {self._options.replay}: {advice}")

    async def take_snapshot(self, name: str) -> None:
        """Takes a snapshot, as `RunningWorld.take_snapshot`.

        Raises:
            UserError: it cannot be kept.
        """
        self._refuse_in_replay("autosim ctl seek goes to any of its steps")
        await self.require().take_snapshot(name)

    def _refuse_while_changing(self) -> None:
        if self._changing.locked():
            raise WorldError(
                "another world is being loaded, or a robot added or removed: wait for its end"
            )

    async def _replace(
        self, new: RunningWorld, *, giver: RunningWorld | None = None, is_loaded: bool = False
    ) -> None:
        """Takes over `new` when it is loaded; whatever goes wrong, `new` is dropped.

        Args:
            new: what is simulated from then on.
            giver: hands its user programs over to `new`.
            is_loaded: it begins at step 0.

        Raises:
            WorldError: it cannot be simulated.
        """
        self._next = new
        try:
            await new.loaded()
        except BaseException as error:
            await asyncio.shield(new.close())
            if isinstance(error, SimulationCrashedError):
                # The server continues with its current world.
                raise WorldError(str(error)) from error
            raise
        finally:
            self._next = None
        # A caller that leaves meanwhile must not leave programs between two processes.
        await asyncio.shield(self._switch(new, giver, is_loaded=is_loaded))

    async def _switch(
        self, new: RunningWorld, giver: RunningWorld | None, *, is_loaded: bool
    ) -> None:
        if self.running is not None and not is_loaded:
            new.attendance.expect(self.running.attendance, _robots(new.world))
        try:
            if giver is not None:
                await giver.hand_over(new)
            else:
                await new.host.figures()  # it has not ended since it has loaded
        except ServerError as error:
            await new.close()
            kept = "" if self.running is None else "; the world that was there continues"
            raise WorldError(f"{error}{kept}") from error
        old = self.take(new)
        if old is not None:
            old.is_continued = not is_loaded
            old.has_settled.set()
        self._on_change(WorldChanged(new.world, is_loaded))
        if old is not None:
            await self.retire(old)

    def _start(
        self,
        world: WorldDescription,
        *,
        idle: tuple[str, ...],
        options: ServerOptions,
        continued: Continuation | None = None,
        snapshot: Snapshot | None = None,
    ) -> RunningWorld:
        path = options.record
        if path is not None:
            path = self._record_names.name_next(path)
        setup = Setup(
            world,
            options.simulation,
            seed=options.seed,
            niceness=options.niceness,
            idle=idle,
            snapshot=snapshot,
            record=None if path is None else make_record_order(path, world),
            replay=options.replay,
            continued=continued,
        )
        return RunningWorld(setup, on_notice=self._on_notice)

    async def restore(self, snapshot: ForkedSnapshot, step: int | None = None) -> None:
        """Goes back to a snapshot, or to a later `step` by way of it.

        A record ends with that, and another one begins.

        Raises:
            UserError: it cannot be done.
        """
        # A caller that leaves meanwhile must not leave out what follows: its record, for one.
        await asyncio.shield(self._restore(snapshot, step))

    async def _restore(self, snapshot: ForkedSnapshot, step: int | None) -> None:
        running = self.require()
        ended = await running.restore(snapshot, step)
        now = snapshot.step if step is None else step
        self._own.drop_after(running, now)
        if ended:
            await self._record_on(Path(ended), running)
        text = f"went back to '{snapshot.name}'" if step is None else "went back"
        self._on_notice(Notice("info", "simulation", step or snapshot.step, text))

    async def restart(self, order: Begin) -> None:
        """Restarts the current run, as `RunningWorld.begin`; a record is followed by another.

        Raises:
            UserError: it cannot be done.
        """
        self._refuse_while_changing()
        running = self.require()
        self.changes.clear()
        if ended := await running.begin(order):
            await self._record_on(Path(ended), running)
        self._on_notice(Notice("info", "simulation", 0, f"restarted with the seed {order.seed}"))

    async def _record_on(self, ended: Path, running: RunningWorld) -> None:
        """Records a run in the file that follows that of the run before."""
        await running.start_record(
            make_record_order(self._record_names.following(ended), running.world)
        )

    async def take_due_snapshots(self) -> None:
        """Keeps a snapshot where the last is old enough, and forgets the oldest of its kind.

        What keeps it from that is reported, once where it remains the same.
        """
        running, seconds = self.running, self._options.keep_seconds
        if running is None or not seconds or running.host.phase is not Phase.RUNNING:
            return
        await self._own.take_due_snapshots(running, seconds)

    async def rewind(self, seconds: float) -> None:
        """Goes back by simulated time, by way of the last snapshot that is kept before.

        A replay shows the step of that time, or its first one.

        Where the history that is kept is shorter, it goes back to its beginning.

        Raises:
            UserError: it cannot be done.
        """
        running = self.require()
        steps = max(1, round(seconds / running.world.physics.step_seconds))
        step = max(0, running.broadcast.step - steps)
        if self._options.replay is not None:
            await running.ask(Seek(step))
            return
        oldest = min((each.step for each in running.snapshots), default=step)
        step = max(step, oldest)
        await self.restore(running.snapshots.before(step), step)

    async def start_record(self, name: str) -> RecordStatus:
        """Records the present run from now on, under that name in the folder for records.

        Raises:
            UserError: it cannot be done.
        """
        self._refuse_in_replay("all that it shows is recorded already")
        running = self.require()
        path = record_path(name, running.world.name)
        return await running.start_record(make_record_order(path, running.world))

    async def save_snapshot(self, name: str) -> RecordStatus:
        """Writes a snapshot to the folder for records, as a record of one state.

        Raises:
            UserError: it cannot be done.
        """
        running = self.require()
        step = running.broadcast.step
        self._refuse_in_replay(f"autosim branch {self._options.replay}@{step} continues from here")
        path = record_path(name, running.world.name)
        status = await running.save_snapshot(make_record_order(path, running.world))
        text = f"the snapshot is on disk: autosim server --continue-from {status.path}"
        self._on_notice(Notice("info", "record", running.broadcast.step, text))
        return status


def _robots(world: WorldDescription) -> tuple[str, ...]:
    return tuple(robot.name for robot in world.robots)
