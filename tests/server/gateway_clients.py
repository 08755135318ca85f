"""Clients of a gateway, and programs that take part from elsewhere, played by a test."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
import pytest
import uvloop

from autosim.server.network.front import Front
from autosim.v1 import autosim_pb2 as pb
from autosim.v1.autosim_pb2_grpc import SimulatorStub
from autosim.wire import Packet, PacketKind, read_packet
from tests.server.access import WithToken
from tests.server.light_simulation import (
    LightSimulation,
    light_options,
    light_world,
)

ROBOTS = 2


WORLD = light_world(ROBOTS)


Actions = pb.ControlRequest.Action


class Client:
    """A plain client of the generated stubs."""

    def __init__(self, front: Front, channel: grpc.aio.Channel) -> None:
        self.front = front
        self.channel = channel
        self.stub: Any = WithToken(SimulatorStub(channel), front.address)

    async def request(self, **changes: Any) -> pb.SubscribeRequest:
        description = await self.stub.Describe(pb.DescribeRequest())
        values = {"layout_digest": description.layout_digest, "files": description.files}
        return pb.SubscribeRequest(**{**values, **changes})

    async def states(self, rate_hz: float = 0.0) -> AsyncIterator[Packet]:
        async for update in self.stub.Subscribe(await self.request(rate_hz=rate_hz)):
            packet = read_packet(update.packet)
            if packet.kind is PacketKind.STATE:
                yield packet

    async def control(self, action: Any, **values: Any) -> pb.Status:
        status: pb.Status = await self.stub.Control(pb.ControlRequest(action=action, **values))
        return status

    async def step(self, steps: int) -> pb.Status:
        return await self.control(Actions.STEP, steps=steps)


Test = Callable[[Client], Awaitable[None]]


Run = Callable[[Test], None]


async def play(test: Test, front: Front) -> None:
    """Runs a test with a client of its own against `front`, and leaves the simulation paused."""
    # As AutoSim's own clients: gRPC is to hold back little of what they have not read yet.
    options = (("grpc.http2.lookahead_bytes", 4096), ("grpc.http2.bdp_probe", 0))
    channels = grpc.aio.insecure_channel(front.address, options=options)
    async with asyncio.timeout(60.0), channels as channel:
        client = Client(front, channel)
        while (await client.control(Actions.PAUSE)).clients > 0:
            await asyncio.sleep(0.005)
        await test(client)


def run_alone(test: Test) -> None:
    """Runs a test against a server of its own."""

    async def within() -> None:
        async with Front(WORLD, light_options()) as front:
            await play(test, front)

    uvloop.run(within())


async def refusal(call: Awaitable[Any]) -> tuple[grpc.StatusCode, str]:
    """How the server refuses a call."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return caught.value.code(), caught.value.details() or ""


async def attached(client: Client) -> Any:
    """A stream of a program that takes part and has been given its first turn."""
    stream = client.stub.Participate()
    digest = LightSimulation(WORLD).tree.digest
    attach = pb.Attach(program="test.py", robot="r0", layout_digest=digest)
    await stream.write(pb.ProgramMessage(attach=attach))
    return stream
