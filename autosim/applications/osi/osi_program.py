"""Serves a server's world as messages of OSI until it is interrupted, whatever world it loads."""

import threading
from contextlib import ExitStack
from dataclasses import dataclass, field

from autosim.applications.common.open_worlds import compile_with_progress, open_served
from autosim.applications.common.terminal import tell
from autosim.applications.remote.attached_program import FIRST_STATE_SECONDS
from autosim.applications.ros2.bridged_world import BridgedWorld, follow_worlds
from autosim.client.link.client_errors import ClientError
from autosim.client.link.mirror import Mirror
from autosim.client.link.served_world import fetch_description
from autosim.client.link.server_management import ServerManagement
from autosim.client.link.simulation_control import SimulationControl
from autosim.osi.osi_scene import OsiScene
from autosim.osi.osi_server import OsiServer
from autosim.osi.periods import Periods
from autosim.osi.traffic_updates import UpdateRefusedError, orders_of
from autosim.wire import OSI_PORT
from autosim.world.pipeline.fetched_worlds import fetched_map

_TICK_SECONDS = 0.02
"""Longest time [s] between two looks at updates and the end while no state comes."""


@dataclass(frozen=True, slots=True)
class OsiOptions:
    """Options of `autosim osi`.

    `world`: the server, and the states in a simulated second. `host`, `port`: to listen on.
    `takes_updates`: whether clients may move robots and objects.
    """

    world: BridgedWorld = field(default_factory=lambda: BridgedWorld(name="osi", rate=50.0))
    host: str = "127.0.0.1"
    port: int = OSI_PORT
    takes_updates: bool = True


def run_osi(options: OsiOptions, stop: threading.Event | None = None) -> None:
    """Serves until Ctrl-C, or until `stop` is set.

    Raises:
        UserError: it cannot; the message says why.
        KeyboardInterrupt: the user has ended it.
    """
    over = stop or threading.Event()
    with OsiServer(options.host, options.port, takes_updates=options.takes_updates) as server:
        shown = f"[{options.host}]" if ":" in options.host else options.host
        tell(f"OSI in Lichtblick: Open connection, ws://{shown}:{server.port}")
        follow_worlds(lambda stack: _serve(options.world, server, stack, over), over)


def _serve(
    options: BridgedWorld, server: OsiServer, stack: ExitStack, over: threading.Event
) -> None:
    """Serves one world as long as the server has it.

    Raises:
        ClientError: the server has another world, or is gone.
    """
    served = fetch_description(options.server)
    world = open_served(options.server)
    compiled = compile_with_progress(world, sent=fetched_map(world.terrain.osm))
    mirror = stack.enter_context(
        Mirror(served, options.server, rate_hz=options.rate, name=options.name, report=tell)
    )
    connection = mirror.connection
    connection.wait_for_state(FIRST_STATE_SECONDS)
    management = ServerManagement(SimulationControl(options.server, lambda: connection.stub))
    scene = OsiScene(mirror.state, compiled)
    periods = Periods(list(scene.topics()))
    server.open_topics(list(periods.topics))
    stack.callback(server.close_topics)
    tell(f"'{served.name}' of {options.server}: {len(periods.topics)} channels")
    while not over.is_set():
        connection.wait_until(lambda: mirror.has_news, _TICK_SECONDS)
        if mirror.take():
            _publish(scene, periods, server, int(mirror.state.ints[1]))
        for data in server.take_updates():
            try:
                for order in orders_of(scene, mirror.state, data):
                    management.move_robot(order)
            except (UpdateRefusedError, ClientError) as error:
                tell(f"not obeyed: {error}")


def _publish(scene: OsiScene, periods: Periods, server: OsiServer, now: int) -> None:
    """Sends what is due; the first message to a new subscriber has the map."""
    for topic in periods.due(now):
        if server.is_wanted(topic.name):
            is_new = server.take_new(topic.name)
            message = scene.complete(topic, now) if is_new else topic.make(now)
            server.send(topic.name, now, message)
    server.broadcast_time(now)
