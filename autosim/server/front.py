"""The front process: everything of a server but the simulation itself."""

import asyncio
import contextlib
import os
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass

import grpc
import uvloop
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from autosim.config.descriptions import WorldDescription
from autosim.server.address import check_address, split_address
from autosim.server.broadcast import Broadcast
from autosim.server.errors import AddressError, ServerError
from autosim.server.gateway import MAX_REQUEST_BYTES, SERVICE, Gateway
from autosim.server.host import SimulationHost
from autosim.server.messages import Nudge, Phase, Run, Setup
from autosim.server.outbox import Outbox, OutboxReader
from autosim.simulation.director import build_tree
from autosim.simulation.notices import Notice
from autosim.wire import DEFAULT_ADDRESS

HEARTBEAT_SECONDS = 0.5
MAX_RPCS = 2000
STOP_GRACE_SECONDS = 0.5
MAX_NOTICES = 10_000
"""Of a run's messages so many are kept for reports; of those after, the errors."""

SERVER_OPTIONS: tuple[tuple[str, int], ...] = (
    # Without this two servers could share one port without noticing.
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", MAX_REQUEST_BYTES),
    ("grpc.max_send_message_length", 64 * 1024 * 1024),
    # A client that is gone without a word is dropped after this time; keepalive alone does not
    # notice a frozen peer within a minute.
    ("grpc.keepalive_time_ms", 5_000),
    ("grpc.http2.ping_timeout_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 500),
    ("grpc.http2.max_ping_strikes", 0),
    ("grpc.http2.bdp_probe", 0),
)


@dataclass(frozen=True, slots=True)
class Listening:
    """The server can be reached at `address` (HOST:PORT)."""

    address: str


Event = Listening | Notice


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How to serve a world.

    `address` is HOST:PORT, port 0 any free one. `real_time_factor` None: wait for a client's
    word before the first step; 0: as fast as it goes. `niceness` is for the simulation process;
    `simulation` the class that it makes, as `module:name`.
    """

    address: str = DEFAULT_ADDRESS
    seed: int = 0
    real_time_factor: float | None = None
    is_insecure: bool = False
    niceness: int = 0
    simulation: str = "autosim.server.simulation:Simulation"


class Front:
    """One server. Use as an asynchronous context manager, on one event loop.

    Args:
        world: what to simulate.
        options: how.
        on_event: told of everything that happens, from the event loop.
    """

    def __init__(
        self,
        world: WorldDescription,
        options: ServerOptions,
        *,
        on_event: Callable[[Event], None] = lambda event: None,
    ) -> None:
        self._world = world
        self._options = options
        self._on_event = on_event
        self._notices: list[Notice] = []
        self._stopped = asyncio.Event()
        self.address = ""

    async def __aenter__(self) -> "Front":
        host, port = split_address(self._options.address)
        check_address(host, is_insecure=self._options.is_insecure)
        self._tree = build_tree(self._world)
        self._outbox = Outbox.create(self._tree.stop)
        self._bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._broadcast = Broadcast(OutboxReader(self._outbox))
        self._server = self._listen(host, port)
        self._start_simulation()
        self._add_services()
        await self._server.start()
        self._tasks = [asyncio.ensure_future(self._beat())]
        if self._options.real_time_factor is not None:
            self._tasks.append(asyncio.ensure_future(self._run(self._options.real_time_factor)))
        self._on_event(Listening(self.address))
        return self

    def _listen(self, host: str, port: int) -> grpc.aio.Server:
        server = grpc.aio.server(options=SERVER_OPTIONS, maximum_concurrent_rpcs=MAX_RPCS)
        shown = f"[{host}]" if ":" in host else host
        try:
            bound = server.add_insecure_port(f"{shown}:{port}")
        except RuntimeError as error:
            raise AddressError(
                f"cannot listen on {shown}:{port}: the port is taken, or the address is not one of "
                "this machine's. Choose another with --port; 0 takes any free one"
            ) from error
        self.address = f"{shown}:{bound}"
        return server

    def _start_simulation(self) -> None:
        asyncio.get_running_loop().add_reader(self._bell, self._ring)
        self.host = SimulationHost(
            Setup(
                self._world,
                self._options.simulation,
                seed=self._options.seed,
                niceness=self._options.niceness,
            ),
            outbox=self._outbox,
            bell=self._bell,
            on_notice=self._note,
            on_change=self._change,
        )

    def _add_services(self) -> None:
        self._gateway = Gateway(
            self._world,
            self._tree,
            host=self.host,
            broadcast=self._broadcast,
            notices=self._notices,
            stop=self._stopped.set,
        )
        self._server.add_generic_rpc_handlers((self._gateway.handler(),))
        self._health = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        names = (SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, self._server)

    def _ring(self) -> None:
        os.eventfd_read(self._bell)
        self._broadcast.publish()
        self._change()

    def _note(self, notice: Notice) -> None:
        if len(self._notices) < MAX_NOTICES or notice.level == "error":
            self._notices.append(notice)
        if len(self._notices) == MAX_NOTICES:
            text = "there are very many messages: from here on reports hold errors only"
            self._notices.append(Notice("warning", "server", notice.step, text))
        self._on_event(notice)

    def _change(self) -> None:
        # Where the process is gone there is nothing to hand over; `finished` says so.
        with contextlib.suppress(ServerError):
            self._gateway.inbox.flush()
            self._catch_up()

    def _catch_up(self) -> None:
        is_standing = self.host.phase in (Phase.READY, Phase.PAUSED)
        self._broadcast.set_standing(is_standing)
        # The last state before a pause may have come while the one before was still being read.
        if is_standing and self._broadcast.is_behind:
            self.host.send(Nudge())

    async def _beat(self) -> None:
        serving = health_pb2.HealthCheckResponse
        while True:
            is_serving = self.host.phase not in (Phase.LOADING, Phase.STOPPED)
            status = serving.SERVING if is_serving else serving.NOT_SERVING
            for service in ("", SERVICE):
                await self._health.set(service, status)
            await asyncio.sleep(HEARTBEAT_SECONDS)
            self._broadcast.beat()

    async def _run(self, real_time_factor: float) -> None:
        await self.host.ask(lambda number: Run(number, real_time_factor=real_time_factor))

    def stop(self) -> None:
        """Makes `finished` return."""
        self._stopped.set()

    async def finished(self) -> None:
        """Waits until a client or `stop` ends the server.

        Raises:
            SimulationFailedError: the simulation ended by itself.
        """
        stopped = asyncio.ensure_future(self._stopped.wait())
        ended = asyncio.ensure_future(self.host.ended())
        await asyncio.wait((stopped, ended), return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        if ended.done():
            ended.result()
        ended.cancel()

    async def __aexit__(self, *exception: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._health.enter_graceful_shutdown()
        await self.host.stop()
        self._broadcast.beat()
        await self._server.stop(STOP_GRACE_SECONDS)
        asyncio.get_running_loop().remove_reader(self._bell)
        os.close(self._bell)
        self._outbox.close()


async def _serve(
    world: WorldDescription,
    options: ServerOptions,
    on_event: Callable[[Event], None],
    stop_descriptor: int | None,
) -> None:
    loop = asyncio.get_running_loop()
    front = Front(world, options, on_event=on_event)
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, front.stop)
    if stop_descriptor is not None:
        loop.add_reader(stop_descriptor, front.stop)
    try:
        async with front:
            await front.finished()
    finally:
        if stop_descriptor is not None:
            loop.remove_reader(stop_descriptor)


def serve(
    world: WorldDescription,
    options: ServerOptions,
    *,
    on_event: Callable[[Event], None] = print,
    stop_descriptor: int | None = None,
) -> None:
    """Serves `world` until a client says STOP, or SIGINT or SIGTERM comes.

    Args:
        world: what to simulate.
        options: how.
        on_event: told that the server listens, and of what the simulation says.
        stop_descriptor: the server also ends when this descriptor becomes readable.

    Raises:
        AddressError: it may not or cannot listen there.
        SimulationFailedError: the simulation ended by itself.
    """
    uvloop.run(_serve(world, options, on_event, stop_descriptor))
