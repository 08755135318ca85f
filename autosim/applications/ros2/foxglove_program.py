"""Serves a server's robots to Foxglove until it is interrupted, whatever world it loads."""

import threading
from contextlib import ExitStack
from dataclasses import dataclass, field

from autosim.applications.common.terminal import tell
from autosim.applications.ros2.bridged_world import BridgedWorld, WorldBridge, follow_worlds
from autosim.ros2.foxglove_node import FoxgloveServer
from autosim.ros2.message_types import MessageTypes
from autosim.wire import FOXGLOVE_PORT


@dataclass(frozen=True, slots=True)
class FoxgloveOptions:
    """Options of `autosim foxglove`.

    `world`: what is published. `host`, `port`: to listen on. `takes_commands`: whether clients may
    drive.
    """

    world: BridgedWorld = field(default_factory=lambda: BridgedWorld(name="foxglove"))
    host: str = "127.0.0.1"
    port: int = FOXGLOVE_PORT
    takes_commands: bool = True


def run_foxglove(options: FoxgloveOptions, stop: threading.Event | None = None) -> None:
    """Serves until Ctrl-C, or until `stop` is set.

    Raises:
        UserError: it cannot; the message says why.
        KeyboardInterrupt: the user has ended it.
    """
    over = stop or threading.Event()
    with FoxgloveServer(
        options.host,
        options.port,
        MessageTypes(),
        name="AutoSim",
        takes_commands=options.takes_commands,
    ) as server:
        shown = f"[{options.host}]" if ":" in options.host else options.host
        tell(f"in Foxglove: Open connection, ws://{shown}:{server.port}")

        def follow(stack: ExitStack) -> None:
            node = server.node()
            stack.callback(node.close)
            world = WorldBridge(options.world, node, stack, over)
            world.open()
            world.run(on_state=server.broadcast_time)

        follow_worlds(follow, over)
