"""The server as a program: a world, simulated and served until it is stopped."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from autosim.access.server_addresses import EVERYWHERE
from autosim.applications.common.open_worlds import compile_with_progress, open_named_world
from autosim.applications.common.screen import find_obstacle
from autosim.applications.common.terminal import tell, told_by_a_thread
from autosim.config.descriptions import WorldDescription
from autosim.errors import UserError
from autosim.helper_processes.scratch_folder import sweep_scratch_folders
from autosim.model.notices import Notice
from autosim.records.record_format import Continuation
from autosim.server.network.front import (
    Event,
    Listening,
    Ready,
    ServerOptions,
    WorldChanged,
    prepare_simulation_processes,
    serve,
)
from autosim.server.worlds.server_options import REPLAY, SIMULATION
from autosim.web.optional_packages import require_packages
from autosim.wire import DEFAULT_HOST, DEFAULT_PORT


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """World and options of a server; `pace` is the real-time factor, 0 as fast as possible.

    `has_window`: with a window, if one can be shown; `is_named`: the user named the world, so
    it is loaded at once. `is_safe`: none of its user programs is started. `record`: the file of the
    first world's record, None: none. `keep_seconds`, `replay`, `continued`: as in
    `ServerOptions`. `described`: the world, if it was read already; then `world` is only its path.
    `web`: HOST:PORT for browsers, None: none; `guests`: number of browsers that may watch by
    a second link. `ros2`: the endpoint of a zenoh router by which robots are connected with ROS 2,
    None: they are not.

    Attributes:
        host: name or address at which clients connect.
        port: 0: any free one; None: the usual one.
        seed: seed of the random numbers.
        is_paused: starts paused.
        is_insecure: no encryption and no tokens.
        certificate: PEM file, None: the server's own.
        key: PEM file of the certificate's key.
    """

    world: str
    host: str
    port: int | None
    seed: int
    pace: float
    is_paused: bool
    is_insecure: bool
    certificate: Path | None
    key: Path | None
    is_safe: bool
    has_window: bool = False
    is_named: bool = True
    record: Path | None = None
    keep_seconds: float = 0.0
    replay: Path | None = None
    continued: Continuation | None = None
    described: WorldDescription | None = None
    web: str | None = None
    guests: int = 0
    ros2: str | None = None


def run_server(options: ServeOptions) -> None:
    """Serves until the window is closed; without one, until SIGINT, SIGTERM or a client's word.

    Raises:
        UserError: it cannot; the message says why.
    """
    sweep_scratch_folders()
    if options.has_window:
        obstacle = find_obstacle()
        if not obstacle:
            with _gateway(options), _bridge(options):
                _open_window(options)
            return
        tell(f"no window: {obstacle}")
    with _gateway(options), _bridge(options):
        _serve_headless(options)


def _gateway(options: ServeOptions) -> AbstractContextManager[object]:
    """The gateway for browsers of this server; it waits until the server is there.

    Raises:
        UserError: it cannot be started; the message says why.
    """
    if options.web is None:
        return nullcontext()
    require_packages()
    from autosim.applications.web.gateways import start_gateway
    from autosim.web.web_gateway import GatewayOptions

    return start_gateway(
        GatewayOptions(
            server=_own_address(options, "--web"),
            web=options.web,
            certificate=options.certificate,
            key=options.key,
            is_insecure=options.is_insecure,
            guests=options.guests,
        )
    )


def _bridge(options: ServeOptions) -> AbstractContextManager[object]:
    """The bridge to ROS 2 of this server; it waits until the server is there.

    Raises:
        UserError: it cannot be started; the message says why.
    """
    if options.ros2 is None:
        return nullcontext()
    from autosim.ros2.ros_packages import require_packages as require_ros2

    require_ros2()
    from autosim.applications.ros2.bridge_program import BridgeOptions, start_bridge
    from autosim.applications.ros2.bridged_world import BridgedWorld

    world = BridgedWorld(_own_address(options, "--ros2"))
    return start_bridge(BridgeOptions(world, options.ros2))


def _own_address(options: ServeOptions, option: str) -> str:
    """HOST:PORT at which a process on this machine connects to the server.

    Raises:
        UserError: the port is only known once the server listens.
    """
    port = DEFAULT_PORT if options.port is None else options.port
    if not port:
        raise UserError(f"{option} needs the number of the server's port: give --port another one")
    host = options.host
    if host in EVERYWHERE:
        host = "::1" if ":" in host else DEFAULT_HOST
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _open_window(options: ServeOptions) -> None:
    from autosim.applications.gui.server.operator import ServerSettings
    from autosim.applications.gui.server.server_app import ServerWindowOptions, run_server_window

    run_server_window(
        ServerWindowOptions(
            world=options.world,
            server=ServerSettings(
                host=options.host,
                port=DEFAULT_PORT if options.port is None else options.port,
                is_insecure=options.is_insecure,
                certificate=options.certificate,
                key=options.key,
                seed=options.seed,
                pace=options.pace,
                is_safe=options.is_safe,
                record=options.record,
                keep_seconds=options.keep_seconds,
                replay=options.replay,
                continued=options.continued,
                described=options.described,
            ),
            is_loaded=options.is_named,
            is_run=options.is_named and not options.is_paused,
        )
    )


def _serve_headless(options: ServeOptions) -> None:
    prepare_simulation_processes()
    world = options.described
    if world is None and options.is_named:
        world = open_named_world(options.world)
    if world is not None:
        compile_with_progress(world)

    place = ""

    def say(event: Event) -> None:
        nonlocal place
        match event:
            case Listening():
                place = f"at {event.address}; Ctrl-C ends it"
                what = f"loading '{world.name}'" if world else "waiting for a world"
                tell(f"{what} {place}")
            case Ready():
                tell(f"serving '{event.world}' {place}")
            case WorldChanged():
                tell(f"serving '{event.world.name}' with {len(event.world.robots)} robots")
            case Notice():
                tell(str(event))

    port = DEFAULT_PORT if options.port is None else options.port
    with told_by_a_thread():
        serve(
            world,
            ServerOptions(
                address=f"{options.host}:{port}",
                seed=options.seed,
                real_time_factor=None if options.is_paused else options.pace,
                is_insecure=options.is_insecure,
                certificate=options.certificate,
                key=options.key,
                is_safe=options.is_safe,
                record=options.record,
                keep_seconds=options.keep_seconds,
                simulation=SIMULATION if options.replay is None else REPLAY,
                replay=options.replay,
                continued=options.continued,
            ),
            on_event=say,
        )
