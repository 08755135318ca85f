"""Services that manage a server: other worlds, more robots, user programs, saving.

A client names files as world files do. They are looked up in the server's own folders, and no name
leads out of these.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from autosim.config.files.lookup import PathError, confine, find_file, roots_of_new, search_roots
from autosim.loading.world_worker import PreparationDone, PrepareOrder
from autosim.loading.world_writer import write_world
from autosim.orders.programs import GetPrograms, OrderProgram, ProgramReports
from autosim.orders.robot_orders import AddRobot, MoveRobot
from autosim.server.network.rpc_handlers import (
    Context,
    Handler,
    abort_on_error,
    unary_stream,
    unary_unary,
)
from autosim.server.worlds.world_host import WorldHost
from autosim.terminal_text import for_terminal
from autosim.v1 import autosim_pb2 as pb


class Management:
    """Changes what a server simulates.

    Args:
        worlds: what it simulates.
        status: says where the simulation stands.
    """

    def __init__(self, worlds: WorldHost, *, status: Callable[[], pb.Status]) -> None:
        self._worlds = worlds
        self._status = status

    def methods(self) -> dict[str, Handler]:
        """The handlers of the service's methods by their names."""
        return {
            "Programs": unary_unary(self.programs, pb.ProgramsRequest, pb.ProgramList),
            "ControlProgram": unary_unary(self.control_program, pb.ProgramOrder, pb.ProgramList),
            "Load": unary_stream(self.load, pb.LoadRequest, pb.LoadProgress),
            "AddRobot": unary_unary(self.add_robot, pb.AddRobotRequest, pb.Status),
            "MoveRobot": unary_unary(self.move_robot, pb.MoveRobotRequest, pb.Status),
            "RemoveRobot": unary_unary(self.remove_robot, pb.RemoveRobotRequest, pb.Status),
            "Undo": unary_unary(self.undo, pb.UndoRequest, pb.UndoReport),
            "Save": unary_unary(self.save, pb.SaveRequest, pb.WorldFile),
        }

    async def programs(self, request: pb.ProgramsRequest, context: Context) -> pb.ProgramList:
        """The user programs, and how they fare."""
        async with abort_on_error(context):
            return _program_list(await self._worlds.require().ask(GetPrograms()))

    async def control_program(self, request: pb.ProgramOrder, context: Context) -> pb.ProgramList:
        """Starts, ends or starts again the program of a robot, or lets a person drive it."""
        async with abort_on_error(context):
            order = OrderProgram.from_message(request)
            return _program_list(await self._worlds.require().ask(order))

    async def load(self, request: pb.LoadRequest, context: Context) -> None:
        """Loads another world; messages tell how far it has come."""
        write: Callable[[pb.LoadProgress], Awaitable[None]] = context.write
        progress = _Progress()
        async with abort_on_error(context):
            discarded = () if request.world else await self._worlds.discarded()
            order = PrepareOrder(
                str(find_world(request.world)) if request.world else self._worlds.as_loaded,
                steps_per_second=request.steps_per_second or None,
                has_picture=False,
            )
            telling = asyncio.ensure_future(progress.tell(write))
            try:
                prepared = await self._worlds.load(
                    order, is_safe=request.is_safe, on_progress=progress.take
                )
            finally:
                telling.cancel()
                await asyncio.wait([telling])
            await write(self._loaded(prepared, discarded))

    async def add_robot(self, request: pb.AddRobotRequest, context: Context) -> pb.Status:
        """Puts a robot into the present world."""
        async with abort_on_error(context):
            await self._worlds.add_robot(AddRobot.from_message(request))
        return self._status()

    async def move_robot(self, request: pb.MoveRobotRequest, context: Context) -> pb.Status:
        """Puts a robot or an object of the present world elsewhere."""
        async with abort_on_error(context):
            await self._worlds.move_robot(MoveRobot.from_message(request))
        return self._status()

    async def remove_robot(self, request: pb.RemoveRobotRequest, context: Context) -> pb.Status:
        """Takes a robot out of the present world."""
        async with abort_on_error(context):
            await self._worlds.remove_robot(request.robot)
        return self._status()

    async def undo(self, request: pb.UndoRequest, context: Context) -> pb.UndoReport:
        """Undoes the last change: a robot added, removed or moved, an actuator set."""
        async with abort_on_error(context):
            undone = await self._worlds.undo()
        return pb.UndoReport(undone=undone, next=self._worlds.changes.last)

    async def save(self, request: pb.SaveRequest, context: Context) -> pb.WorldFile:
        """The current world as the text of a world file."""
        async with abort_on_error(context):
            world = await self._worlds.save()
            return pb.WorldFile(
                text=write_world(world, roots_of_new(Path(request.folder) / "world.xml"))
            )

    def _loaded(self, prepared: PreparationDone, discarded: Sequence[str]) -> pb.LoadProgress:
        warnings = [for_terminal(str(each)) for each in prepared.warnings]
        warnings += [f"the reset has discarded {for_terminal(each)}" for each in discarded]
        return pb.LoadProgress(step="ready", share=1.0, status=self._status(), warnings=warnings)


class _Progress:
    """Progress of loading a world: only the newest is kept, however slowly the client reads."""

    def __init__(self) -> None:
        self._newest = pb.LoadProgress(step="loading")
        self._is_new = asyncio.Event()

    def take(self, step: str, share: float) -> None:
        self._newest = pb.LoadProgress(step=step, share=share)
        self._is_new.set()

    async def tell(self, write: Callable[[pb.LoadProgress], Awaitable[None]]) -> None:
        while True:
            await self._is_new.wait()
            self._is_new.clear()
            await write(self._newest)


def find_world(name: str) -> Path:
    """A world file or an extract that a client names: inside the folders of the server.

    Raises:
        PathError: it is not there, or leads out of them.
    """
    roots = search_roots()
    if not Path(name).is_absolute():
        return find_file(name, roots)
    path = Path(name).resolve()
    if not any(path.is_relative_to(root) for root in roots):
        raise PathError(f"'{path.name}' lies in none of the folders in which files are looked up")
    return confine(path, roots)


def _program_list(programs: ProgramReports) -> pb.ProgramList:
    return pb.ProgramList(programs=[each.to_message() for each in programs])
