"""The gateway: the services of the wire contract, on one event loop, for any number of clients."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import PurePosixPath

import grpc

from autosim.config.descriptions import WorldDescription
from autosim.engine.command_gate.gate import CheckedCommand
from autosim.engine.peer_limits import LIMITS
from autosim.engine.step.run_monitor import RunFigures
from autosim.model.commands import Command, DeviceError
from autosim.model.phase import Phase
from autosim.model.state import time_after
from autosim.model.tree import SimulationTree
from autosim.server.network.clients import ClientRecord, Clients
from autosim.server.network.program_relay import relay_program
from autosim.server.network.renderer_relay import RendererRelay
from autosim.server.network.rpc_handlers import (
    Context,
    Handler,
    abort_on_error,
    status_details,
    stream_stream,
    stream_unary,
    unary_stream,
    unary_unary,
)
from autosim.server.notice_log import NoticeLog, NumberedNotice
from autosim.server.process.process_messages import GetTrajectory, Pause, Run
from autosim.server.server_errors import CommandError, ServerError
from autosim.server.worlds.offer_cache import to_message
from autosim.server.worlds.running_world import RunningWorld
from autosim.server.worlds.settings import Settings
from autosim.server.worlds.world_host import WorldHost
from autosim.userprogram.codec.tree_codec import tree_to_message
from autosim.v1 import autosim_pb2 as pb
from autosim.version import __version__
from autosim.wire import NO_WORLD, PROGRAM_STOPPED, ROBOTS_CHANGED, WAS_STOPPED, WORLD_CHANGED

SERVICE = "autosim.v1.Simulator"
MAX_PAUSE_SECONDS = 0.5
"""Between two states of a client that limits their number; heartbeats come in between."""


class Gateway:
    """Answers clients from the state of one server.

    Args:
        worlds: holds the world that is simulated.
        notices: the messages so far; the caller adds to them.
        stopped: set when the server is to end: here when a client says STOP.
    """

    def __init__(self, worlds: WorldHost, *, notices: NoticeLog, stopped: asyncio.Event) -> None:
        self._worlds = worlds
        self._notices = notices
        self._stopped = stopped
        self._clients = Clients()
        self._programs: Counter[str] = Counter()
        self._programs_of_worlds: Counter[RunningWorld] = Counter()

    def methods(self) -> dict[str, Handler]:
        """The handlers of the service's methods by their names."""
        return {
            "Describe": unary_unary(self.describe, pb.DescribeRequest, pb.Description),
            # Updates are serialised once for all clients, so there is nothing left to do here.
            "Subscribe": unary_stream(self.subscribe, pb.SubscribeRequest, None),
            "Participate": stream_stream(self.participate, pb.ProgramMessage, pb.ServerMessage),
            "DrawPictures": stream_stream(self.draw_pictures, pb.RenderResult, pb.RenderRequest),
            "SetData": stream_unary(self.set_data, pb.Commands, pb.SetDataResult),
            "Control": unary_unary(self.control, pb.ControlRequest, pb.Status),
            "Report": unary_unary(self.report, pb.ReportRequest, pb.RunReport),
            "Track": unary_unary(self.track, pb.TrackRequest, pb.TrackSamples),
            "Clients": unary_unary(self.clients, pb.ClientsRequest, pb.ClientList),
            "ListFiles": unary_unary(self.list_files, pb.ListFilesRequest, pb.FileList),
            "ReadFile": unary_stream(self.read_file, pb.ReadFileRequest, pb.FilePart),
        }

    def status(self) -> pb.Status:
        """The state of the simulation now."""
        phase = Phase.STOPPED if self._stopped.is_set() else self._worlds.phase
        status = pb.Status(
            phase=phase.name,
            clients=len(self._clients),
            work=self._worlds.work,
            undoable=self._worlds.changes.last,
        )
        running = self._worlds.running
        if running is not None:
            status.unresponsive_seconds = running.unresponsive_seconds
            status.step = max(0, running.broadcast.step)
            status.time_ns = time_after(status.step, running.world.physics.step_seconds)
            status.world = running.world.name
            status.real_time_factor = running.real_time_factor
            # Those of the world before may still be leaving it.
            status.programs = self._programs_of_worlds[running]
        return status

    async def describe(self, request: pb.DescribeRequest, context: Context) -> pb.Description:
        """The world that is simulated, and the layout of its state."""
        async with abort_on_error(context):
            running = self._worlds.require()
        loaded, world = running.host.loaded, running.world
        return pb.Description(
            version=__version__,
            world=world.name,
            layout_digest=running.tree.digest,
            files=[pb.File(name=name, digest=digest) for name, digest in world.files],
            step_ns=time_after(1, world.physics.step_seconds),
            state_bytes=running.tree.stop,
            world_digest=loaded.world_digest if loaded else "",
            tree=tree_to_message(running.tree),
            step_seconds=world.physics.step_seconds,
            seed=running.seed,
            picture_width=world.graphics.width,
            picture_height=world.graphics.height,
        )

    async def subscribe(self, request: pb.SubscribeRequest, context: Context) -> None:
        """States, newest only, and heartbeats while there is none; ends with the world."""
        running = self._worlds.running
        if running is None:
            await context.abort(grpc.StatusCode.UNAVAILABLE, NO_WORLD)
        difference = find_world_mismatch(request, running.world, running.tree)
        if difference:
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, difference)
        every = steps_between(request.rate_hz, running.world.physics.step_seconds)
        with self._clients.admit(request, context.peer(), every=every) as client:
            await _send_updates(running, context.write, client)
        await self._say_end(context, running)

    async def participate(
        self, requests: AsyncIterator[pb.ProgramMessage], context: Context
    ) -> None:
        """A user program that runs at the client; while the world is loaded, it waits."""
        write: Callable[[pb.ServerMessage], Awaitable[None]] = context.write
        peer = context.peer()
        async with abort_on_error(context):
            running = self._worlds.require()
            dismissed = await relay_program(
                requests,
                write,
                running=running,
                peer=peer,
                place=self._place_of_program(peer, running),
            )
        if running.is_continued and not self._stopped.is_set():
            await context.abort(grpc.StatusCode.UNAVAILABLE, ROBOTS_CHANGED)
        await self._say_end(context, running)
        if dismissed is not None and dismissed.has_failed:
            await context.abort(grpc.StatusCode.ABORTED, dismissed.reason)
        if dismissed is not None:
            await context.abort(grpc.StatusCode.UNAVAILABLE, PROGRAM_STOPPED)

    async def draw_pictures(
        self, requests: AsyncIterator[pb.RenderResult], context: Context
    ) -> None:
        """A client that draws the pictures of programs, until its world ends or it is too slow."""
        async with abort_on_error(context):
            running = self._worlds.require()
            offer = await anext(requests, None)
            if offer is None or offer.layout_digest != running.tree.digest:
                raise ServerError("the client shows another world, and cannot draw this one")
            try:
                await RendererRelay(running, requests, context.write).run()
            finally:
                await self._say_end(context, running)

    async def _say_end(self, context: Context, running: RunningWorld) -> None:
        """Notifies a client that a stream ends because of an order to the server or the world.

        Args:
            context: of the stream.
            running: the world that it was about.
        """
        if self._stopped.is_set():
            await context.abort(grpc.StatusCode.UNAVAILABLE, WAS_STOPPED)
        if self._worlds.running is not running:
            await context.abort(grpc.StatusCode.UNAVAILABLE, WORLD_CHANGED)

    @contextmanager
    def _place_of_program(self, peer: str, running: RunningWorld) -> Iterator[None]:
        """Inside, a program of that connection takes part in a world.

        Raises:
            ServerError: the connection has as many as one may have.
        """
        if self._programs[peer] >= LIMITS.connection_programs:
            raise ServerError(
                f"{LIMITS.connection_programs} programs of this connection take part already, as "
                "many as one connection may have"
            )
        self._programs[peer] += 1
        self._programs_of_worlds[running] += 1
        try:
            yield
        finally:
            self._programs[peer] -= 1
            self._programs += Counter()  # forgets connections without programs
            self._programs_of_worlds[running] -= 1
            self._programs_of_worlds += Counter()

    async def set_data(
        self, requests: AsyncIterator[pb.Commands], context: Context
    ) -> pb.SetDataResult:
        """Commands for the next step."""
        summary = pb.SetDataResult()
        async for batch in requests:
            async with abort_on_error(context):
                _take_commands(batch, self._worlds.settings, summary)
            if summary.refused > LIMITS.stream_refusals:
                reason = f"{summary.refused} commands refused, the first: {summary.first_refusal}"
                await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, status_details(reason))
        return summary

    async def control(self, request: pb.ControlRequest, context: Context) -> pb.Status:
        """Runs, pauses, steps or stops."""
        actions = pb.ControlRequest.Action
        if request.action == actions.STOP:
            self._stopped.set()
        elif request.action == actions.PAUSE:
            async with abort_on_error(context):
                await self._worlds.require().ask(Pause())
        elif request.action in (actions.RUN, actions.STEP):
            async with abort_on_error(context):
                await self._run(request)
        status = self.status()
        if request.wants_state:
            async with abort_on_error(context):
                status.state = self._standing_state()
        return status

    async def _run(self, request: pb.ControlRequest) -> None:
        running = self._worlds.require()
        commands = [Command(each.device, each.data) for each in request.commands]
        try:
            obeyed = running.inbox.take_with(commands)
        except DeviceError as error:
            raise CommandError(str(error)) from error
        await running.run(_run_order(request, obeyed))

    def _standing_state(self) -> bytes:
        """The state of a simulation that stands still.

        Raises:
            ServerError: it runs, or there is none.
        """
        running = self._worlds.require()
        if running.host.phase not in (Phase.READY, Phase.PAUSED):
            raise ServerError("the simulation runs: only one that stands still tells its state")
        return running.host.live_state()

    async def report(self, request: pb.ReportRequest, context: Context) -> pb.RunReport:
        """Messages and figures so far."""
        found = self._notices.since(request.messages_after, characters=LIMITS.report_characters)
        report = pb.RunReport(
            status=self.status(),
            messages=[_message(each) for each in found],
            messages_total=self._notices.said,
            messages_dropped=self._notices.dropped,
        )
        running = self._worlds.running
        # Messages are needed most where the simulation does not answer.
        if running is not None and running.host.loaded is not None and not running.host.silence:
            left = context.time_remaining()
            async with abort_on_error(context):
                with suppress(TimeoutError):
                    async with asyncio.timeout(None if left is None else 0.5 * left):
                        _add_figures(report, await running.host.figures())
        return report

    async def track(self, request: pb.TrackRequest, context: Context) -> pb.TrackSamples:
        """Tracks of the robots, from the first sample that the caller does not have."""
        async with abort_on_error(context):
            running = self._worlds.require()
            part = await running.ask(GetTrajectory(request.samples, request.interval))
        return pb.TrackSamples(
            robots=[robot.name for robot in running.world.robots],
            first=part.first,
            interval=part.interval,
            samples=part.samples.tobytes(),
        )

    async def clients(self, request: pb.ClientsRequest, context: Context) -> pb.ClientList:
        """The clients that take states, and their figures."""
        return self._clients.to_message()

    async def list_files(self, request: pb.ListFilesRequest, context: Context) -> pb.FileList:
        """The readable files of the world; waits until it is loaded."""
        async with abort_on_error(context):
            return to_message(await self._worlds.require().library.offer())

    async def read_file(self, request: pb.ReadFileRequest, context: Context) -> None:
        """The content of one file of the list."""
        async with abort_on_error(context):
            offer = await self._worlds.require().library.offer()
        file = offer.find(request.name)
        if file is None:
            reason = f"'{request.name[:100]}' is not a file of this world"
            await context.abort(grpc.StatusCode.NOT_FOUND, reason)
        for part in file.parts():
            await context.write(pb.FilePart(data=part))


async def _send_updates(
    running: RunningWorld, write: Callable[[bytes], Awaitable[None]], client: ClientRecord
) -> None:
    due, seen, every = 0, 0, client.every
    # One that has handed over its programs is closed, and its process may still be there.
    while not (running.is_closed or running.host.phase is Phase.STOPPED):
        update = await running.broadcast.next(due, seen=seen)
        if update.number == seen > 0:
            continue
        if update.step >= 0:
            due, seen = (update.step // every + 1) * every, update.number
        begin = time.monotonic()
        await write(update.message)
        if update.step >= 0:
            delay = time.monotonic() - begin
            client.count(update.step, len(update.message), delay=delay)
            if client.max_hz > 0.0:
                await asyncio.sleep(min(1.0 / client.max_hz, MAX_PAUSE_SECONDS) - delay)


def _take_commands(batch: pb.Commands, settings: Settings, summary: pb.SetDataResult) -> None:
    for each in batch.commands:
        try:
            settings.add(Command(each.device, each.data))
            summary.accepted += 1
        except DeviceError as error:
            summary.refused += 1
            # Only the first is put into words, for which the nearest name is searched.
            summary.first_refusal = summary.first_refusal or str(error)


def _run_order(request: pb.ControlRequest, commands: tuple[CheckedCommand, ...]) -> Run:
    is_awaited = request.action == pb.ControlRequest.Action.STEP
    return Run(
        steps=max(1, request.steps) if is_awaited else request.steps,
        real_time_factor=request.real_time_factor,
        is_awaited=is_awaited,
        commands=commands,
    )


def _add_figures(report: pb.RunReport, figures: RunFigures) -> None:
    report.wall_seconds = figures.wall_seconds
    report.step_ms_p50, report.step_ms_p99 = figures.step_ms
    report.lateness_ms_p50, report.lateness_ms_p99 = figures.lateness_ms
    report.state_digest = figures.state_digest
    report.robots.extend(figures.robots)
    report.collisions.extend(figures.collisions)


def _message(numbered: NumberedNotice) -> pb.Message:
    notice = numbered.notice
    return pb.Message(
        level=notice.level,
        source=notice.source,
        step=notice.step,
        text=notice.text,
        number=numbered.number,
    )


def steps_between(rate_hz: float, step_seconds: float) -> int:
    """Steps from one state to the next at `rate_hz` states a simulated second; 0: each step."""
    return max(1, round(1.0 / (rate_hz * step_seconds))) if rate_hz > 0.0 else 1


def find_world_mismatch(
    request: pb.SubscribeRequest, world: WorldDescription, tree: SimulationTree
) -> str:
    """The first difference between client and server, such as a file; "" without any.

    The world files themselves, which come first, are compared by their content alone.
    """
    ours, theirs = dict(world.files), {file.name: file.digest for file in request.files}
    if world.files and request.files:
        (main, digest), given = world.files[0], request.files[0]
        if given.digest != digest:
            return _explain_other_world(world.name, main, given.name)
        del ours[main], theirs[given.name]
    for name, digest in ours.items():
        if name not in theirs:
            return (
                f"the server's world '{world.name}' uses the file '{name}', the client's does "
                f"not{_TAKE}"
            )
        if theirs[name] != digest:
            return f"the file '{name}' differs between server and client{_TAKE}"
    unknown = sorted(theirs.keys() - ours.keys())
    if unknown:
        return (
            f"the client's world uses the file '{unknown[0]}', the server's '{world.name}' does "
            f"not{_TAKE}"
        )
    plugins = {plugin.name: plugin.version for plugin in request.plugins}
    is_same = request.layout_digest == tree.digest
    # A client with the layout from the server need not know where its kinds come from.
    own = {name: each for name, each in tree.plugins if name in plugins or not is_same}
    if difference := find_plugin_mismatch(own, plugins):
        return difference
    if not is_same:
        return (
            f"the layout of the state differs: {tree.digest[:12]} on the server, "
            f"{request.layout_digest[:12] or 'none'} on the client; are both the same version?"
        )
    return ""


def _explain_other_world(name: str, ours: str, theirs: str) -> str:
    """The message to a client whose world file differs: another world, or another state of it."""
    if PurePosixPath(ours).name == PurePosixPath(theirs).name:
        return (
            f"the server's world '{name}' uses the file '{ours}', which differs between "
            "server and client, perhaps because robots were added or the step was changed at "
            f"the server{_TAKE}"
        )
    return (
        f"the server simulates the world '{name}' of the file '{ours}', the client was given "
        f"'{theirs}'{_TAKE}, or load that world at the server"
    )


_TAKE = ": give the client no world file, and it takes the server's"
"""Action that suits every difference between the files of two worlds."""


def find_plugin_mismatch(own: Mapping[str, str], theirs: Mapping[str, str]) -> str:
    """The plug-in of which server and client have other versions; "" where there is none.

    Args:
        own: the versions of the server's plug-ins, by their names.
        theirs: the same of the client's.
    """
    for name in sorted(own.keys() | theirs.keys()):
        here, there = own.get(name), theirs.get(name)
        if here != there:
            return (
                f"the plug-in '{name}' is {_version(here)} on the server and {_version(there)} on "
                "the client: have the same version on both; or give the client no world file, and "
                "it takes the devices from the server, without the plug-in"
            )
    return ""


def _version(version: str | None) -> str:
    if version is None:
        return "not in use"
    return f"of version {version[:12] or 'unknown'}"
