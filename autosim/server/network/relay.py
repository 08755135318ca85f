"""A user program that runs elsewhere: its messages between the network and the simulation.

The simulation process sees a participant's socket, as of a program on this machine. What it
cannot share with one elsewhere is the memory of the state: when it wakes the program it stands
still, and the state goes along here.
"""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable

from autosim.server.process.host import SimulationHost
from autosim.server.process.messages import Adopt
from autosim.userprogram.exchange.channel import MAXIMUM_PACKET
from autosim.v1 import autosim_pb2 as pb


async def relay(
    requests: AsyncIterator[pb.ProgramMessage],
    write: Callable[[pb.ServerMessage], Awaitable[None]],
    *,
    host: SimulationHost,
    peer: str,
    place: contextlib.AbstractContextManager[None],
) -> pb.Dismissed | None:
    """Relays until either side ends. A lost stream closes the socket: the participant leaves.

    The simulation hears of the program with its first message, so that a silent stream cannot hold
    up the step.

    Args:
        requests: what the program sends.
        write: sends to the program.
        host: the simulation process, loaded.
        peer: its address, for messages.
        place: entered once the program wants to take part, and left at its end.

    Returns:
        why the simulation goes on without the program, None where it left by itself.
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
        with theirs:
            ours.send(packet)
            host.send(Adopt(peer), (theirs.fileno(),))
        up = asyncio.ensure_future(_relay_up(requests, ours))
        down = asyncio.ensure_future(_relay_down(ours, write, host))
        try:
            await asyncio.wait((up, down), return_when=asyncio.FIRST_COMPLETED)
        finally:
            up.cancel()
            down.cancel()
            ends = await asyncio.gather(up, down, return_exceptions=True)
    for end in ends:
        if isinstance(end, Exception):
            raise end
    return ends[1] if isinstance(ends[1], pb.Dismissed) else None


async def _relay_up(requests: AsyncIterator[pb.ProgramMessage], to: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    async for message in requests:
        packet = message.SerializeToString()
        if 0 < len(packet) <= MAXIMUM_PACKET:
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                await loop.sock_sendall(to, packet)
    # The program may have sent its last word and closed its half: the simulation closes next.
    to.shutdown(socket.SHUT_WR)
    await asyncio.Event().wait()


async def _relay_down(
    source: socket.socket,
    write: Callable[[pb.ServerMessage], Awaitable[None]],
    host: SimulationHost,
) -> pb.Dismissed | None:
    loop = asyncio.get_running_loop()
    while packet := await _receive(loop, source):
        message = pb.ServerMessage.FromString(packet)
        kind = message.WhichOneof("kind")
        if kind == "dismissed":
            return message.dismissed
        if kind == "woken":
            message.woken.state = host.live_state()
        await write(message)
    return None


async def _receive(loop: asyncio.AbstractEventLoop, source: socket.socket) -> bytes:
    try:
        return await loop.sock_recv(source, MAXIMUM_PACKET)
    except ConnectionResetError:
        # The simulation closed before it had read everything. What it said before comes now.
        return await loop.sock_recv(source, MAXIMUM_PACKET)
