"""The front process: everything of a server but the simulation itself."""

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass

import grpc
import uvloop
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from autosim.config.descriptions import WorldDescription
from autosim.engine.peer_limits import LIMITS
from autosim.errors import UserError
from autosim.helper_processes.fork_server import ensure_fork_server
from autosim.model.notices import Notice, Severity
from autosim.model.phase import Phase
from autosim.server.network.address import split_address
from autosim.server.network.gateway import SERVICE, Gateway
from autosim.server.network.management_service import Management
from autosim.server.network.permissions.access_control import AccessControl
from autosim.server.network.time_service import TimeService
from autosim.server.notice_log import NoticeLog
from autosim.server.process.host import SIMULATION_PROCESS
from autosim.server.process.watchdog import CHECK_SECONDS
from autosim.server.server_errors import AddressError, ServerError
from autosim.server.worlds.server_options import ServerOptions, WorldChanged
from autosim.server.worlds.world_host import WorldHost
from autosim.userprogram.process.program_process import RUNNER

__all__ = [
    "Event",
    "Front",
    "Listening",
    "LoadAnswered",
    "Printed",
    "Ready",
    "ServerOptions",
    "WorldChanged",
    "serve",
]

STOP_GRACE_SECONDS = 0.5
"""Grace period [s] for calls in progress when the server ends."""

SERVER_OPTIONS: tuple[tuple[str, int], ...] = (
    # Without this two servers could share one port without noticing.
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", LIMITS.request_bytes),
    ("grpc.max_concurrent_streams", LIMITS.connection_calls),
    ("grpc.max_send_message_length", 64 * 1024 * 1024),
    # A client that vanishes is dropped after this time; keepalive alone does not
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


@dataclass(frozen=True, slots=True)
class Printed:
    """A line that a user program has printed: where the server prints, it is there already."""

    notice: Notice
    """The line, with the program as its source."""


@dataclass(frozen=True, slots=True)
class Ready:
    """The first world, of that name, is loaded: from now on the server serves it."""

    world: str


@dataclass(frozen=True, slots=True)
class LoadAnswered:
    """The end of an order to load a world: `refusal` is the reason for a failure, "" for none.

    Its `level` is "info" where the user has cancelled the loading.
    """

    refusal: str
    level: Severity = "error"


Event = Listening | Ready | Notice | Printed | WorldChanged | LoadAnswered


class Front:
    """One server. Use as an asynchronous context manager, on one event loop.

    Args:
        world: what to simulate; None: wait for a client to load one.
        options: how.
        on_event: called with every event, from the event loop.

    `worlds` holds the world that is simulated, `notices` the messages so far.
    """

    def __init__(
        self,
        world: WorldDescription | None,
        options: ServerOptions,
        *,
        on_event: Callable[[Event], None] = lambda event: None,
    ) -> None:
        self._first_world = world
        self._options = options
        self._on_event = on_event
        self._stopped = asyncio.Event()
        self._tasks: list[asyncio.Future[None]] = []
        self._loading: asyncio.Future[None] | None = None
        self.notices = NoticeLog()
        self._said_before_load = 0
        self.worlds = WorldHost(
            options, on_notice=self.note, on_change=self._take_change, on_load=self._mark_load
        )
        self.address = ""

    async def __aenter__(self) -> "Front":
        host, port = split_address(self._options.address)
        self._access = AccessControl(
            host,
            is_insecure=self._options.is_insecure,
            certificate=self._options.certificate,
            key=self._options.key,
        )
        self._server = self._listen(host, port)
        self._access.open(self.address, is_lasting=port != 0)
        self._add_services()
        if self._first_world is not None:
            self.worlds.begin(self._first_world)
        try:
            await self._server.start()
        except BaseException:
            self._access.close()
            raise
        self._tasks = [asyncio.ensure_future(self._beat())]
        if self._first_world is not None and self._options.real_time_factor is not None:
            run = self.worlds.require().run_at(self._options.real_time_factor)
            self._tasks.append(asyncio.ensure_future(run))
        self._on_event(Listening(self.address))
        self._tasks.append(asyncio.ensure_future(self._await_first_world()))
        if self._access.notice is not None:
            self.note(self._access.notice)
        return self

    async def _await_first_world(self) -> None:
        running = self.worlds.running
        if running is None:
            return
        # `finished` says why a world cannot be loaded.
        with contextlib.suppress(ServerError):
            await running.loaded()
            self._on_event(Ready(running.world.name))

    def _listen(self, host: str, port: int) -> grpc.aio.Server:
        server = grpc.aio.server(
            interceptors=(self._access.guard,),
            # gRPC's own limit on all calls stays off: one client could use it up and lock out the
            # owner. The guard gives each class of users its own share.
            options=SERVER_OPTIONS,
        )
        shown = f"[{host}]" if ":" in host else host
        try:
            bound = self._access.bind(server, f"{shown}:{port}")
        except RuntimeError as error:
            if host.count(":") == 1:
                raise AddressError(
                    f"'{host}' holds a port: give the host alone, and the port by --port"
                ) from error
            raise AddressError(
                f"cannot listen on {shown}:{port}: the port is taken, or the address is not one of "
                "this machine's. Choose another port; 0 takes any free one"
            ) from error
        self.address = f"{shown}:{bound}"
        return server

    def _add_services(self) -> None:
        gateway = Gateway(self.worlds, notices=self.notices, stopped=self._stopped)
        management = Management(self.worlds, status=gateway.status)
        times = TimeService(self.worlds, status=gateway.status)
        tokens = self._access.service
        services = (gateway, management, times, tokens)
        methods = {name: each for service in services for name, each in service.methods().items()}
        handler = grpc.method_handlers_generic_handler(SERVICE, methods)
        self._server.add_generic_rpc_handlers((handler,))
        self._health = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        names = (SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, self._server)

    def note(self, notice: Notice) -> None:
        """Stores a notice for reports, and forwards it."""
        kept = self.notices.add(notice)
        self._on_event(Printed(kept) if kept.is_output else kept)

    def _mark_load(self) -> None:
        self._said_before_load = self.notices.said

    def _take_change(self, changed: WorldChanged) -> None:
        """Forgets the messages of the world before; those of the new one's loading stay."""
        if changed.is_loaded:
            self.notices.drop_before(self._said_before_load)
        self._on_event(changed)

    async def _beat(self) -> None:
        serving = health_pb2.HealthCheckResponse
        keeping: asyncio.Future[None] | None = None
        while True:
            phase = self.worlds.phase
            is_serving = phase in (Phase.READY, Phase.RUNNING, Phase.PAUSED)
            status = serving.SERVING if is_serving else serving.NOT_SERVING
            for service in ("", SERVICE):
                await self._health.set(service, status)
            await asyncio.sleep(CHECK_SECONDS)
            self._look()
            # Not awaited: a process that does not answer is noticed here.
            if keeping is None or keeping.done():
                keeping = asyncio.ensure_future(self.worlds.take_due_snapshots())

    def _look(self) -> None:
        """Looks after the simulation process; clients hear with it that the server is there."""
        running = self.worlds.running
        text = running.check_alive() if running is not None else ""
        if running is not None and text:
            level: Severity = "error" if running.unresponsive_seconds else "info"
            self.note(Notice(level, "server", running.broadcast.step, text))

    def load(self, world: WorldDescription, options: ServerOptions) -> None:
        """Begins to load a world in place of the present one, as `WorldHost.load_prepared`.

        The server remains where it is: `options` has its address and certificates.
        `LoadAnswered` follows.
        """
        loading = self._loading
        if loading is not None and not loading.done():
            self._on_event(LoadAnswered("another world is being loaded: wait for its end"))
            return
        self._loading = asyncio.ensure_future(self._load(world, options))

    async def _load(self, world: WorldDescription, options: ServerOptions) -> None:
        try:
            await self.worlds.load_prepared(world, options)
        except UserError as error:
            self._on_event(LoadAnswered(str(error)))
        except asyncio.CancelledError:
            self._on_event(LoadAnswered("loading was cancelled", "info"))
        else:
            self._on_event(LoadAnswered(""))

    def cancel_load(self) -> None:
        """Ends the loading that `load` began; the present world continues."""
        if self._loading is not None:
            self._loading.cancel()

    def stop(self) -> None:
        """Makes `finished` return."""
        self._stopped.set()

    async def finished(self) -> None:
        """Waits until a client or `stop` ends the server.

        Raises:
            SimulationCrashedError: the simulation ended by itself.
        """
        stopped = asyncio.ensure_future(self._stopped.wait())
        ended = asyncio.ensure_future(self.worlds.ended())
        await asyncio.wait((stopped, ended), return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        if ended.done():
            ended.result()
        ended.cancel()

    async def __aexit__(self, *exception: object) -> None:
        self._access.close()
        if self._loading is not None:
            self._tasks.append(self._loading)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._health.enter_graceful_shutdown()
        await self.worlds.close()
        await self._server.stop(STOP_GRACE_SECONDS)


@dataclass(frozen=True, slots=True)
class OwnerOrders:
    """Orders of the process that started a server.

    `take` carries them out whenever `descriptor` is readable.
    """

    descriptor: int
    take: Callable[[Front], None]


async def _serve(
    world: WorldDescription | None,
    options: ServerOptions,
    on_event: Callable[[Event], None],
    orders: OwnerOrders | None,
) -> None:
    loop = asyncio.get_running_loop()
    front = Front(world, options, on_event=on_event)
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, front.stop)
    if orders is not None:
        loop.add_reader(orders.descriptor, orders.take, front)
    try:
        async with front:
            await front.finished()
    finally:
        if orders is not None:
            loop.remove_reader(orders.descriptor)


LOAD_KERNELS = "autosim.engine.step.kernel_cache:load_kernels"
"""Function that the fork server of a server calls, so that simulations find kernels loaded."""


def prepare_simulation_processes() -> None:
    """Prepares a fork server for simulation processes, while this process has one thread.

    gRPC starts some: a process that does something else first calls this at its beginning.
    """
    ensure_fork_server((SIMULATION_PROCESS, RUNNER, LOAD_KERNELS))


def serve(
    world: WorldDescription | None,
    options: ServerOptions,
    *,
    on_event: Callable[[Event], None] = print,
    orders: OwnerOrders | None = None,
) -> None:
    """Serves `world` until a client says STOP, or SIGINT or SIGTERM comes.

    Args:
        world: what to simulate; None: wait for a client to load one.
        options: how.
        on_event: called when the server listens, with each message, and when the world changes.
        orders: the orders of the process that started this one; None: none.

    Raises:
        AddressError: it may not or cannot listen there.
        SimulationCrashedError: the simulation ended by itself.
    """
    prepare_simulation_processes()
    uvloop.run(_serve(world, options, on_event, orders))
