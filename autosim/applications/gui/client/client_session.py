"""A connection to a server with the user programs that run beside it."""

import time
from collections.abc import Callable
from pathlib import Path

from autosim.client.link.mirror import Mirror
from autosim.client.link.updates import LinkState
from autosim.client.programs.client_programs import ClientPrograms
from autosim.client.programs.image_queue import Render
from autosim.config.descriptions import WorldDescription
from autosim.model.notices import Notice
from autosim.wire import NO_WORLD
from autosim.world.pipeline.cache import compiled_path
from autosim.world.pipeline.fetched_worlds import fetched_map


class ClientSession:
    """One connection, from Run to Stop. For the thread that draws.

    Args:
        world: the client's files.
        address: HOST:PORT of the server.
        rate: states wanted per simulated second [Hz]; 0: every step.
        render: draws the pictures that programs ask for.
        report: told when the server is lost and when it is back; called from another thread.
        notice: told what programs print and how they end; called from other threads.
        programs: those of the session before, which continue; None: there are none.
    """

    def __init__(
        self,
        world: WorldDescription,
        address: str,
        *,
        rate: float,
        render: Render,
        report: Callable[[str], None],
        notice: Callable[[Notice], None],
        programs: ClientPrograms | None = None,
    ) -> None:
        self.mirror = Mirror(world, address, rate_hz=rate, name="client window", report=report)
        self.address = address
        self._counted = 0
        size = world.graphics.width, world.graphics.height
        if programs is None:
            self.programs = ClientPrograms(
                self.mirror,
                world_file=_map_file(world),
                image_size=size,
                render=render,
                report=notice,
                reports_output=True,
            )
        else:
            self.programs = programs
            programs.follow(
                self.mirror, world_file=_map_file(world), image_size=size, render=render
            )
        self._has_programs = True

    @property
    def was_stopped(self) -> bool:
        """Whether the server was stopped on purpose, and has not come back since."""
        return self.mirror.connection.was_stopped

    @property
    def trouble(self) -> str:
        """Why no states arrive, in a sentence; "" if they do."""
        match self.mirror.connection.link:
            case LinkState.LOST if self.was_stopped:
                return (
                    f"The server at {self.address} was stopped. "
                    "Waiting for its next start; Disconnect (Shift+F5) ends that."
                )
            case LinkState.LOST if self.mirror.connection.statistics.connections:
                return f"Lost the server at {self.address}. Trying to reconnect …"
            case LinkState.LOST if NO_WORLD in str(self.mirror.connection.failure):
                return f"The server at {self.address} has no world yet. Waiting for one …"
            case LinkState.LOST:
                return f"No server at {self.address} yet. Trying again …"
        silence = self.mirror.connection.silence
        return f"{silence[0].upper()}{silence[1:]}." if silence else ""

    @property
    def latency(self) -> float | None:
        """From publishing to arrival of the newest state [s]; None before one came just now."""
        return self.mirror.connection.statistics.latency

    @property
    def age(self) -> float | None:
        """Age of the newest state [s]; None without one."""
        newest = self.mirror.connection.newest
        return time.monotonic() - newest.arrived if newest is not None else None

    def count_states(self) -> tuple[int, float]:
        """Number of states since the last call, and arrival time [s] of the newest."""
        connection = self.mirror.connection
        updates, newest = connection.statistics.updates, connection.newest
        count, self._counted = updates - self._counted, updates
        return count, newest.arrived if newest is not None else time.monotonic()

    def release_programs(self) -> ClientPrograms:
        """The programs, which `close` does not end then: another session continues with them."""
        self._has_programs = False
        self.programs.detach()
        return self.programs

    def close(self) -> None:
        """Ends the programs and the connection."""
        if self._has_programs:
            self.programs.close()
        self.mirror.close()


def _map_file(world: WorldDescription) -> Path:
    """The compiled map for programs that navigate: this user's own, else the one that was sent."""
    own = compiled_path(world.terrain)
    return own if own.is_file() else fetched_map(world.terrain.osm) or own
