"""A client that offers to draw pictures: what the simulation orders, between it and the network.

To the simulation it is a socket like that of the process which the server starts itself. What is
not shared with a client is memory: the state goes along with an order, and pictures come back.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

from autosim.config.descriptions import WorldDescription
from autosim.helper_processes.process_socket import ControlClosedError, ControlSocket
from autosim.kinds.sensors.perception.camera import Camera, picture_size
from autosim.server.process.process_messages import AddRenderer
from autosim.server.server_errors import ServerError
from autosim.server.worlds.running_world import RunningWorld
from autosim.userprogram.ipc.camera_images import ImageMemory, ImageSlot, PictureRequest, slot_end
from autosim.userprogram.ipc.picture_orders import PictureOrder, PicturesDrawn
from autosim.userprogram.ipc.program_messages import places_of
from autosim.v1 import autosim_pb2 as pb

TOO_SLOW = "the server has stopped waiting for its pictures: it is too slow, or the world has ended"
"""Reason for which the server drops a client that draws."""


class RendererRelay:
    """Relays for one client until either side ends.

    Args:
        running: the world.
        requests: what the client sends after its offer.
        write: sends to the client.
    """

    def __init__(
        self,
        running: RunningWorld,
        requests: AsyncIterator[pb.RenderResult],
        write: Callable[[pb.RenderRequest], Awaitable[None]],
    ) -> None:
        self._running, self._requests, self._write = running, requests, write
        self._memories: dict[int, ImageMemory] = {}
        self._sizes = _sizes(running.world)

    async def run(self) -> None:
        """Passes on orders and pictures.

        Raises:
            ServerError: the client sends something else than a requested picture, or is too slow.
        """
        ours, theirs = ControlSocket.pair()
        try:
            self._running.host.send(AddRenderer(), (theirs.fileno(),))
            theirs.close()
            ours.set_blocking(False)
            while True:
                order = await self._next_order(ours)
                ours.send(await self._drawn(order, ours))
        except ControlClosedError as error:
            raise ServerError(TOO_SLOW) from error
        except StopAsyncIteration:
            return
        finally:
            ours.close()
            for memory in self._memories.values():
                memory.close()

    async def _next_order(self, control: ControlSocket) -> PictureOrder:
        """The next order; what the client says before it is not heard."""
        message, descriptors = await _receive(control)
        assert isinstance(message, PictureOrder)
        width, height = self._running.world.graphics.width, self._running.world.graphics.height
        for descriptor in descriptors:
            self._memories[message.memory] = ImageMemory.open(
                descriptor, width=width, height=height, is_written=True
            )
        return message

    async def _drawn(self, order: PictureOrder, control: ControlSocket) -> PicturesDrawn:
        wanted = [pb.ImageSpec(camera=each.camera, kind=each.kind) for each in order.wishes]
        state = self._running.host.live_state()
        await self._write(pb.RenderRequest(number=order.number, state=state, images=wanted))
        memory, data = self._memories[order.memory], bytearray()
        while True:
            part = await self._next_part(control)
            if part.number != order.number:
                raise ServerError("the client has sent pictures that were not requested")
            data += part.memory
            if len(data) > memory.size:
                raise ServerError("the client has sent more data than the requested pictures")
            if part.failure:
                return PicturesDrawn(order.number, failure=part.failure)
            if part.images:
                places = places_of(part)
                self._check(order.wishes, places, len(data))
                memory.fill(data)
                return PicturesDrawn(order.number, places=tuple(places))

    async def _next_part(self, control: ControlSocket) -> pb.RenderResult:
        """The client's next message, as long as the simulation waits for it."""
        part = asyncio.ensure_future(anext(self._requests))
        with _readable(control) as is_readable:
            await asyncio.wait((part, is_readable), return_when=asyncio.FIRST_COMPLETED)
        if not part.done() and control.is_closed:
            part.cancel()
            raise ControlClosedError("the simulation waits no more")
        return await part

    def _check(
        self, wishes: tuple[PictureRequest, ...], places: list[ImageSlot], size: int
    ) -> None:
        """Raises ServerError where the pictures are not those that were wanted."""
        is_right = len(places) == len(wishes) and all(
            self._sizes.get(wish.camera) == (place.width, place.height)
            and place.offset % 8 == 0
            and slot_end(wish.kind, place) <= size
            for wish, place in zip(wishes, places, strict=True)
        )
        if not is_right:
            raise ServerError("the client has sent other pictures than were wanted")


def _sizes(world: WorldDescription) -> dict[str, tuple[int, int]]:
    """Width and height [pixels] of the pictures of each camera, by its qualified name."""
    size = world.graphics.width, world.graphics.height
    return {
        f"{robot.name}.{camera.part}.{camera.name}": picture_size(camera, size)
        for robot in world.robots
        for camera in robot.robot.devices
        if isinstance(camera, Camera)
    }


async def _receive(control: ControlSocket) -> tuple[object, tuple[int, ...]]:
    """The next message, once it is there."""
    while True:
        with contextlib.suppress(BlockingIOError):
            return control.receive()
        with _readable(control) as is_readable:
            await is_readable


@contextlib.contextmanager
def _readable(control: ControlSocket) -> Iterator["asyncio.Future[None]"]:
    """A future that is done when there is something to receive, or the other end is gone."""
    loop = asyncio.get_running_loop()
    is_readable: asyncio.Future[None] = loop.create_future()

    def note() -> None:
        if not is_readable.done():
            is_readable.set_result(None)

    loop.add_reader(control.fileno(), note)
    try:
        yield is_readable
    finally:
        loop.remove_reader(control.fileno())
