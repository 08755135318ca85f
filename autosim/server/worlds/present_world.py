"""The world that is simulated now, and the processes of those before it."""

import asyncio

from autosim.model.phase import Phase
from autosim.server.process.host import SimulationHost
from autosim.server.server_errors import NoWorldError
from autosim.server.worlds.running_world import RunningWorld


class PresentWorld:
    """The world that is simulated now, which another one may replace.

    `running`: that world, None where there is none.
    """

    def __init__(self) -> None:
        self.running: RunningWorld | None = None
        self._parents: list[SimulationHost] = []
        self._replaced = asyncio.Event()

    @property
    def phase(self) -> Phase:
        """Current phase of the simulation."""
        return Phase.EMPTY if self.running is None else self.running.phase

    def require(self) -> RunningWorld:
        """The world that is simulated now.

        Raises:
            NoWorldError: there is none.
        """
        if self.running is None:
            raise NoWorldError("it has no world yet: autosim ctl load WORLD loads one")
        return self.running

    def take(self, new: RunningWorld) -> RunningWorld | None:
        """Makes `new` the present world; returns the one before it, for `retire`."""
        old, self.running = self.running, new
        self._replaced.set()
        return old

    async def retire(self, old: RunningWorld) -> None:
        """Ends a world that was replaced; its process remains while it is a parent of programs."""
        await old.close()
        self._parents = [each for each in self._parents if not each.has_ended]
        if old.host.has_heir:
            self._parents.append(old.host)

    async def ended(self) -> None:
        """Waits until the simulation ends that is then the present one.

        Raises:
            SimulationCrashedError: it was not told to end.
        """
        while True:
            self._replaced.clear()
            present = self.running
            waits: list[asyncio.Future[object]] = [asyncio.ensure_future(self._replaced.wait())]
            if present is not None:
                waits.append(asyncio.ensure_future(present.host.ended()))
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
                if self.running is present and waits[-1].done():
                    waits[-1].result()
                    return
            finally:
                for each in waits:
                    each.cancel()

    async def close(self) -> None:
        """Ends the simulation."""
        if self.running is not None:
            await self.running.close()
        for host in self._parents:
            await host.stop()
