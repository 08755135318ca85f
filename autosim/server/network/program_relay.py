"""A user program that runs elsewhere: its messages between the network and the simulation.

The simulation process sees a participant's socket, as of a program on this machine. What it
cannot share with one elsewhere is memory: when it wakes the program the state stands still, and
goes along here, and so do pictures that were drawn for it.
"""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable

from autosim.server.process.host import SimulationHost
from autosim.server.process.process_messages import AttachRemoteProgram
from autosim.server.worlds.running_world import RunningWorld
from autosim.userprogram.ipc.camera_images import ImageMemory, PictureRequest, max_bytes, slot_end
from autosim.userprogram.ipc.channel import MAXIMUM_PACKET
from autosim.userprogram.ipc.program_messages import picture_requests_of, places_of
from autosim.v1 import autosim_pb2 as pb


async def relay_program(
    requests: AsyncIterator[pb.ProgramMessage],
    write: Callable[[pb.ServerMessage], Awaitable[None]],
    *,
    running: RunningWorld,
    peer: str,
    place: contextlib.AbstractContextManager[None],
) -> pb.Dismissed | None:
    """Relays until either side ends. A lost stream closes the socket: the participant leaves.

    Where the world hands its programs over to another one, the relay ends when that has settled.

    The simulation learns of the program with its first message, so that a silent stream cannot hold
    up the step.

    Args:
        requests: what the program sends.
        write: sends to the program.
        running: the world, loaded.
        peer: its address, for messages.
        place: entered once the program wants to take part, and left at its end.

    Returns:
        why the simulation continues without the program, None if it left by itself.
    """
    first = await anext(requests, None)
    if first is None or first.WhichOneof("kind") != "attach":
        return None
    packet = first.SerializeToString()
    if len(packet) > MAXIMUM_PACKET:
        return None
    with place, contextlib.ExitStack() as sockets:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        sockets.enter_context(ours)
        ours.setblocking(False)
        pictures = _Pictures(running)
        sockets.callback(pictures.close)
        with theirs:
            ours.send(packet)
            order = AttachRemoteProgram(peer, pictures.size)
            running.host.send(order, (theirs.fileno(), *pictures.descriptors))
        leave = sockets.enter_context(running.attendance.of(peer, first.attach.robot))
        up = asyncio.ensure_future(_relay_up(requests, ours, pictures, leave, running))
        down = asyncio.ensure_future(_relay_down(ours, write, running.host, pictures))
        try:
            await asyncio.wait((up, down), return_when=asyncio.FIRST_COMPLETED)
            if running.is_handing_over and down.done() and _is_released(down):
                # The world that takes over does not await a program that ends meanwhile.
                await running.has_settled.wait()
        finally:
            up.cancel()
            down.cancel()
            ends = await asyncio.gather(up, down, return_exceptions=True)
    for end in ends:
        if isinstance(end, Exception):
            raise end
    return ends[1] if isinstance(ends[1], pb.Dismissed) else None


class _Pictures:
    """The memory in which pictures for a program come in, and what it has asked for last."""

    def __init__(self, running: RunningWorld) -> None:
        self.size = running.world.graphics.width, running.world.graphics.height
        self.wishes: list[PictureRequest] = []
        width, height = self.size
        size = max_bytes(running.tree, self.size)
        self._images: ImageMemory | None = None
        if size:
            self._images = ImageMemory.create(
                width=width, height=height, size=size, is_written_elsewhere=True
            )

    @property
    def descriptors(self) -> tuple[int, ...]:
        """The descriptor of the memory, if there are cameras."""
        return () if self._images is None else (self._images.fd,)

    def add_to(self, images: pb.Images) -> None:
        """Adds the pictures themselves to what says where they are."""
        if self._images is not None:
            places = zip(self.wishes, places_of(images), strict=True)
            end = max((slot_end(wish.kind, place) for wish, place in places), default=0)
            images.memory = self._images.content(end)

    def close(self) -> None:
        """Frees the memory here."""
        if self._images is not None:
            self._images.close()


async def _relay_up(
    requests: AsyncIterator[pb.ProgramMessage],
    to: socket.socket,
    pictures: _Pictures,
    leave: Callable[[], None],
    running: RunningWorld,
) -> None:
    loop = asyncio.get_running_loop()
    async for message in requests:
        kind = message.WhichOneof("kind")
        if kind == "image_request":
            pictures.wishes = picture_requests_of(message.image_request)
        elif kind == "leave":
            leave()  # a paused simulation reads it later, or never
        packet = message.SerializeToString()
        if 0 < len(packet) <= MAXIMUM_PACKET:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                await loop.sock_sendall(to, packet)
    leave()
    # The program has sent its last word and closed its half: the simulation closes next. A paused
    # one reads it when it continues.
    with contextlib.suppress(OSError):  # it has closed already
        to.shutdown(socket.SHUT_WR)
    if not running.is_standing:
        await asyncio.Event().wait()


async def _relay_down(
    source: socket.socket,
    write: Callable[[pb.ServerMessage], Awaitable[None]],
    host: SimulationHost,
    pictures: _Pictures,
) -> pb.Dismissed | None:
    loop = asyncio.get_running_loop()
    while packet := await _receive(loop, source):
        message = pb.ServerMessage.FromString(packet)
        kind = message.WhichOneof("kind")
        if kind == "dismissed":
            return message.dismissed
        if kind == "turn_started":
            message.turn_started.state = host.live_state()
        if kind == "images":
            pictures.add_to(message.images)
        await write(message)
    return None


def _is_released(down: "asyncio.Future[pb.Dismissed | None]") -> bool:
    """Whether the simulation has closed the socket without dismissing the program."""
    return not down.cancelled() and down.exception() is None and down.result() is None


async def _receive(loop: asyncio.AbstractEventLoop, source: socket.socket) -> bytes:
    try:
        return await loop.sock_recv(source, MAXIMUM_PACKET)
    except ConnectionResetError:
        # The simulation closed before it had read everything. What it said before comes now.
        return await loop.sock_recv(source, MAXIMUM_PACKET)
