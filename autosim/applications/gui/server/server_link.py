"""A server of a window's own, and the ways to it: its state, and its orders."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

from autosim.client.link.mirror import Mirror
from autosim.client.link.simulation_control import SimulationControl, simulation_control
from autosim.config.descriptions import WorldDescription
from autosim.server.network.front import Event, ServerOptions
from autosim.server.network.server_process import ServerProcess

STATES_PER_SECOND = 30.0
"""Of simulated time: enough for plots of a slow simulation."""

REFRESH_HZ = 10.0
"""Of wall-clock time, at most: as fast as numbers are read, and nothing that a step notices."""


@dataclass(slots=True)
class ServerLink:
    """A server with its connections.

    The mirror is another one for each world, while calls that change the world wait for their
    answers: so these have their own channel.
    """

    server: ServerProcess
    control: SimulationControl
    """Calls that change the simulation."""
    mirror: Mirror
    channel: ExitStack

    def close(self) -> None:
        """Ends the server and waits until its processes are gone."""
        self.mirror.close()
        self.channel.close()
        self.server.close()


def open_link(
    world: WorldDescription, options: ServerOptions, on_event: Callable[[Event], None]
) -> ServerLink:
    """Starts a server of `world`; `on_event` receives events until the link is open.

    Raises:
        ServerError: it cannot start; the message says why.
    """
    server = ServerProcess(world, options, on_event=on_event)
    with ExitStack() as opened:
        opened.callback(server.close)
        mirror = open_window_mirror(world, server.address)
        opened.callback(mirror.close)
        channel = ExitStack()
        control = channel.enter_context(simulation_control(server.address))
        opened.pop_all()
    return ServerLink(server, control, mirror, channel)


def open_window_mirror(world: WorldDescription, address: str) -> Mirror:
    """The mirror of a server's present world, at the rates of a window."""
    return Mirror(
        world,
        address,
        rate_hz=STATES_PER_SECOND,
        max_hz=REFRESH_HZ,
        name="server window",
    )
