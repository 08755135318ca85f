"""The gateway: the services of the wire contract, on one event loop, for any number of clients."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, NoReturn

import grpc

from autosim import __version__
from autosim.config.descriptions import WorldDescription
from autosim.server.broadcast import Broadcast
from autosim.server.clients import ClientRecord, Clients
from autosim.server.commands import CommandInbox
from autosim.server.errors import ServerError
from autosim.server.host import SimulationHost
from autosim.server.library import Library, to_message
from autosim.server.messages import Pause, Phase, Run
from autosim.server.relay import relay
from autosim.simulation.commands import Command, DeviceError
from autosim.simulation.notices import Notice
from autosim.simulation.state import time_after
from autosim.simulation.tree import SimulationTree
from autosim.userprogram.tree_codec import tree_to_bytes
from autosim.v1 import autosim_pb2 as pb

SERVICE = "autosim.v1.Simulator"
MAX_REQUEST_BYTES = 256 * 1024
"""The longest message that a client may send."""

Context = grpc.aio.ServicerContext[Any, Any]


class Gateway:
    """Answers clients from the state of one server.

    Args:
        world: what is simulated.
        tree: its tree, laid out.
        host: the simulation process.
        broadcast: its states.
        notices: what was said so far, oldest first; the caller appends.
        stop: ends the server; called after a client said STOP.
    """

    def __init__(
        self,
        world: WorldDescription,
        tree: SimulationTree,
        *,
        host: SimulationHost,
        broadcast: Broadcast,
        notices: Sequence[Notice],
        stop: Callable[[], None],
    ) -> None:
        self._world = world
        self._tree = tree
        self._tree_bytes = tree_to_bytes(tree)
        self._host = host
        self._broadcast = broadcast
        self._notices = notices
        self._stop = stop
        self._step_seconds = world.physics.step_seconds
        self._clients = Clients()
        self._programs = 0
        self._library = Library(world, host)
        self.inbox = CommandInbox(tree, host)

    def handler(self) -> grpc.GenericRpcHandler:
        """The methods of the service, to add to a server."""
        unary, stream = grpc.unary_unary_rpc_method_handler, grpc.unary_stream_rpc_method_handler
        methods: dict[str, Any] = {
            "Describe": unary(self.describe, *_types(pb.DescribeRequest, pb.Description)),
            # Updates are serialised once for all clients, so there is nothing left to do here.
            "Subscribe": stream(self.subscribe, pb.SubscribeRequest.FromString, None),
            "Participate": grpc.stream_stream_rpc_method_handler(
                self.participate, *_types(pb.ProgramMessage, pb.ServerMessage)
            ),
            "SetData": grpc.stream_unary_rpc_method_handler(
                self.set_data, *_types(pb.Commands, pb.Summary)
            ),
            "Control": unary(self.control, *_types(pb.ControlRequest, pb.Status)),
            "Report": unary(self.report, *_types(pb.ReportRequest, pb.RunReport)),
            "Clients": unary(self.clients, *_types(pb.ClientsRequest, pb.ClientList)),
            "ListFiles": unary(self.list_files, *_types(pb.ListFilesRequest, pb.FileList)),
            "ReadFile": stream(self.read_file, *_types(pb.ReadFileRequest, pb.FilePart)),
        }
        return grpc.method_handlers_generic_handler(SERVICE, methods)

    def status(self) -> pb.Status:
        """What the simulation is doing now."""
        step = max(0, self._broadcast.step)
        return pb.Status(
            phase=self._host.phase.name,
            step=step,
            time_ns=time_after(step, self._step_seconds),
            clients=len(self._clients),
            programs=self._programs,
        )

    async def describe(self, request: pb.DescribeRequest, context: Context) -> pb.Description:
        """What is simulated."""
        loaded = self._host.loaded
        return pb.Description(
            version=__version__,
            world=self._world.name,
            layout_digest=self._tree.digest,
            files=[pb.File(name=name, digest=digest) for name, digest in self._world.files],
            step_ns=time_after(1, self._step_seconds),
            state_bytes=self._tree.stop,
            world_digest=loaded.world_digest if loaded else "",
            tree=self._tree_bytes,
            step_seconds=self._step_seconds,
        )

    async def subscribe(self, request: pb.SubscribeRequest, context: Context) -> None:
        """States, newest only, and heartbeats while there is none."""
        difference = find_difference(request, self._world, self._tree)
        if difference:
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, difference)
        every = steps_between(request.rate_hz, self._world.physics.step_seconds)
        with self._clients.admit(request, context.peer(), every=every) as client:
            await self._send_updates(context.write, client)

    async def _send_updates(
        self, write: Callable[[bytes], Awaitable[None]], client: ClientRecord
    ) -> None:
        due, seen, every = 0, -1, client.every
        while self._host.phase is not Phase.STOPPED:
            update = await self._broadcast.next(due, seen=seen)
            if update.step == seen >= 0:
                continue
            if update.step >= 0:
                due, seen = (update.step // every + 1) * every, update.step
            begin = time.monotonic()
            await write(update.message)
            if update.step >= 0:
                delay = time.monotonic() - begin
                client.count(update.step, len(update.message), delay=delay)

    async def participate(
        self, requests: AsyncIterator[pb.ProgramMessage], context: Context
    ) -> None:
        """A user program that runs at the client; while the world is loaded, it waits."""
        write: Callable[[pb.ServerMessage], Awaitable[None]] = context.write
        work = relay(requests, write, host=self._host, peer=context.peer(), count=self._count)
        await self._guard(context, work)

    def _count(self, change: int) -> None:
        self._programs += change

    async def set_data(self, requests: AsyncIterator[pb.Commands], context: Context) -> pb.Summary:
        """Commands for the next step."""
        summary = pb.Summary()
        async for batch in requests:
            for each in batch.commands:
                try:
                    self.inbox.add(Command(each.device, each.data))
                    summary.accepted += 1
                except DeviceError as error:
                    summary.refused += 1
                    summary.first_refusal = summary.first_refusal or str(error)
                except ServerError as error:
                    await _abort(context, error)
        return summary

    async def control(self, request: pb.ControlRequest, context: Context) -> pb.Status:
        """Runs, pauses, steps or stops."""
        actions = pb.ControlRequest.Action
        steps = max(0, request.steps)
        if request.action == actions.STOP:
            self._stop()
        elif request.action == actions.PAUSE:
            await self._guard(context, self._host.ask(Pause))
        elif request.action in (actions.RUN, actions.STEP):
            is_awaited = request.action == actions.STEP
            order = self._host.ask(
                lambda number: Run(
                    number,
                    steps=max(1, steps) if is_awaited else steps,
                    real_time_factor=max(0.0, request.real_time_factor),
                    is_awaited=is_awaited,
                )
            )
            await self._guard(context, order)
        return self.status()

    async def report(self, request: pb.ReportRequest, context: Context) -> pb.RunReport:
        """Messages and figures so far."""
        first = max(0, request.messages_after)
        report = pb.RunReport(
            status=self.status(), messages=[_message(each) for each in self._notices[first:]]
        )
        if self._host.loaded is not None:
            await self._guard(context, self._add_figures(report))
        return report

    async def clients(self, request: pb.ClientsRequest, context: Context) -> pb.ClientList:
        """Who takes states, and how they fare."""
        return self._clients.to_message()

    async def list_files(self, request: pb.ListFilesRequest, context: Context) -> pb.FileList:
        """What of the world can be read; waits until it is loaded."""
        try:
            offer = await self._library.offer()
        except OSError as error:
            await context.abort(grpc.StatusCode.NOT_FOUND, f"the world's files are gone: {error}")
        return to_message(offer)

    async def read_file(self, request: pb.ReadFileRequest, context: Context) -> None:
        """The content of one file of the list."""
        file = (await self._library.offer()).find(request.name)
        if file is None:
            reason = f"'{request.name[:100]}' is no file of this world"
            await context.abort(grpc.StatusCode.NOT_FOUND, reason)
        for part in file.parts():
            await context.write(pb.FilePart(data=part))

    async def _add_figures(self, report: pb.RunReport) -> None:
        figures = await self._host.figures()
        report.wall_seconds = figures.wall_seconds
        report.step_ms_p50, report.step_ms_p99 = figures.step_ms
        report.lateness_ms_p50, report.lateness_ms_p99 = figures.lateness_ms
        report.state_digest = figures.state_digest
        report.robots.extend(figures.robots)
        report.track = figures.track.tobytes()
        report.track_seconds = figures.track_seconds
        report.collisions.extend(figures.collisions)

    async def _guard(self, context: Context, work: Awaitable[object]) -> None:
        """Awaits `work`; what goes wrong with the simulation is said to the client."""
        try:
            await work
        except ServerError as error:
            await _abort(context, error)


async def _abort(context: Context, error: ServerError) -> NoReturn:
    await context.abort(grpc.StatusCode.UNAVAILABLE, str(error))


def _types(request: Any, response: Any) -> tuple[Any, Any]:
    return request.FromString, response.SerializeToString


def _message(notice: Notice) -> pb.Message:
    return pb.Message(level=notice.level, source=notice.source, step=notice.step, text=notice.text)


def steps_between(rate_hz: float, step_seconds: float) -> int:
    """Steps from one state to the next at `rate_hz` states a simulated second; 0: each step."""
    return max(1, round(1.0 / (rate_hz * step_seconds))) if rate_hz > 0.0 else 1


def find_difference(
    request: pb.SubscribeRequest, world: WorldDescription, tree: SimulationTree
) -> str:
    """What keeps the client from sharing this world: a file that differs; "" where nothing does."""
    theirs = {file.name: file.digest for file in request.files}
    for name, digest in world.files:
        if name not in theirs:
            return (
                f"the server's world '{world.name}' uses the file '{name}', the client's does not"
            )
        if theirs[name] != digest:
            return f"the file '{name}' differs between server and client"
    unknown = sorted(set(theirs) - {name for name, _ in world.files})
    if unknown:
        return (
            f"the client's world uses the file '{unknown[0]}', the server's '{world.name}' does not"
        )
    if request.layout_digest != tree.digest:
        return (
            f"the layout of the state differs: {tree.digest[:12]} on the server, "
            f"{request.layout_digest[:12] or 'none'} on the client; are both the same version?"
        )
    return ""
