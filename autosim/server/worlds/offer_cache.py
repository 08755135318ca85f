"""The files of a server's world for its clients: listed once, when the first one asks."""

import asyncio

from autosim.config.descriptions import WorldDescription
from autosim.model.phase import Phase
from autosim.server.process.host import SimulationHost
from autosim.server.server_errors import WorldError
from autosim.server.worlds.offer import Offer, OfferedFile, make_offer
from autosim.v1 import autosim_pb2 as pb

_LOOK_SECONDS = 0.05
"""Interval [s] between checks whether the simulation has been loaded, while a client waits."""


class OfferCache:
    """Makes the offer of a world in a thread, so that the event loop is not blocked.

    Args:
        world: the world that is simulated.
        host: the process that loads it.
    """

    def __init__(self, world: WorldDescription, host: SimulationHost) -> None:
        self._world = world
        self._host = host
        self._making: asyncio.Future[Offer] | None = None

    async def offer(self) -> Offer:
        """The files that clients may read. Waits until the map is compiled.

        Raises:
            WorldError: its files are not there any longer, or not as they were.
        """
        while self._host.loaded is None and self._host.phase is not Phase.STOPPED:
            await asyncio.sleep(_LOOK_SECONDS)
        if self._making is None or (self._making.done() and self._making.exception()):
            digest = self._host.loaded.world_digest if self._host.loaded else ""
            loop = asyncio.get_running_loop()
            self._making = loop.run_in_executor(None, make_offer, self._world, digest)
        try:
            return await asyncio.shield(self._making)
        except OSError as error:
            raise WorldError(f"the world's files are gone: {error}") from error


def to_message(offer: Offer) -> pb.FileList:
    """The offer as it goes over the wire."""
    return pb.FileList(
        world=offer.world,
        files=[_file(each) for each in offer.files],
        compiled=None if offer.compiled is None else _file(offer.compiled),
    )


def _file(file: OfferedFile) -> pb.OfferedFile:
    return pb.OfferedFile(name=file.name, digest=file.digest, size=file.size)
