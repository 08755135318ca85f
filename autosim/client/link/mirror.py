"""The mirror: the tree of a simulation that runs elsewhere, with its newest state."""

from collections.abc import Callable, Mapping

import numpy.typing as npt

from autosim.client.link.connection import Connection, ExpectedWorld
from autosim.client.link.served_world import ServedWorld
from autosim.client.link.updates import Received
from autosim.config.descriptions import WorldDescription
from autosim.kinds.director import build_tree
from autosim.model.actuator_limits import within_limits
from autosim.model.commands import command_for
from autosim.model.state import State
from autosim.wire import DEFAULT_ADDRESS


class Mirror:
    """A client's copy of the simulation tree.

    Args:
        world: the client's own files, the same as the server's; or what the server said of them.
        address: HOST:PORT of the server.
        rate_hz: states wanted per simulated second; 0: every step.
        max_hz: states wanted at most per second of wall-clock time; 0: no limit.
        name: what the server's messages call this client.
        report: told when the server is lost, and when it is back; called from another thread.

    `tree` is that of the client's own files, or the server's; `state` changes only in `take`;
    `step_seconds` [s] is the simulated time of a step.
    """

    def __init__(
        self,
        world: WorldDescription | ServedWorld,
        address: str = DEFAULT_ADDRESS,
        *,
        rate_hz: float = 60.0,
        max_hz: float = 0.0,
        name: str = "",
        report: Callable[[str], None] = lambda text: None,
    ) -> None:
        if isinstance(world, ServedWorld):
            self.tree, self.step_seconds = world.tree, world.step_seconds
        else:
            self.tree, self.step_seconds = build_tree(world), world.physics.step_seconds
        self.state = State(self.tree)
        self._taken = (0, -1, 0)
        self.connection = Connection(
            address,
            world=ExpectedWorld.of(self.tree, world.files, self.step_seconds),
            rate_hz=rate_hz,
            max_hz=max_hz,
            name=name,
            report=report,
        )

    @property
    def has_news(self) -> bool:
        """Whether there is a newer state than the last that was taken."""
        return self._news is not None

    def take(self) -> bool:
        """Takes over the newest state; False where there is none that is new.

        Raises:
            ServerRefusedError: the server does not want this client, or no longer. (A lost server
                raises nothing: the mirror keeps its last state until the server is back; see
                `Connection.check`.)
        """
        news = self._news
        self.state.is_standing = self.connection.is_standing
        if news is None:
            self.connection.check_refusal()
            return False
        self.state.from_bitstream(news.packet.state, digest=self.tree.digest)
        self._taken = _identity(news)
        return True

    def set_data(self, values: Mapping[str, npt.ArrayLike]) -> None:
        """Sets actuators (by qualified name) at the next step of the simulation.

        Raises:
            DeviceError: no such actuator, or values that it does not take.
        """
        commands = [command_for(self.tree, device, each) for device, each in values.items()]
        self.connection.set_data([within_limits(self.tree, each) for each in commands])

    def close(self) -> None:
        """Ends the connection."""
        self.connection.close()

    @property
    def _news(self) -> Received | None:
        newest = self.connection.newest
        if newest is None or _identity(newest) == self._taken:
            return None
        return newest

    def __enter__(self) -> "Mirror":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _identity(received: Received) -> tuple[int, int, int]:
    """Of a state; while a simulation stands still, another one may be of the same step."""
    return (received.epoch, received.packet.step, received.packet.published_ns)
