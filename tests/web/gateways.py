"""Gateways and pages for tests."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import aiohttp
import numpy as np

from autosim.arrays import Integers
from autosim.v1 import autosim_pb2 as pb
from autosim.web.streaming.packets import HEADER, StreamFlag, StreamKind, read_runs
from autosim.web.web_gateway import GatewayOptions, OpenedGateway, opened_gateway

PATIENCE = 60.0
"""Longest wait [s] for what comes at once on a machine that is not busy."""


def make_page(folder: Path) -> Path:
    """A page with a first file and a hashed one, which lies there compressed, too."""
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>AutoSim</title>")
    (folder / "assets" / "page-1234.js").write_text("export {}\n" * 100)
    (folder / "assets" / "page-1234.js.gz").write_bytes(b"compressed")
    return folder


@dataclass
class Page:
    """A browser without a picture: what it has received of the stream so far."""

    stream: aiohttp.ClientWebSocketResponse
    hello: dict[str, object]
    key: Integers
    values: Integers
    key_number: int = -1
    step: int = -1
    is_standing: bool = False
    trouble: str = ""

    @classmethod
    def new(cls, stream: aiohttp.ClientWebSocketResponse) -> "Page":
        """Before the first message."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls(stream, {}, nothing, nothing)

    async def receive(self) -> StreamKind | None:
        """Takes the next message; None for the hello."""
        message = await asyncio.wait_for(self.stream.receive(), PATIENCE)
        if message.type is aiohttp.WSMsgType.TEXT:
            self.hello = json.loads(message.data)
            channels = self.hello["channels"]
            assert isinstance(channels, list)
            count = sum(each[1] for each in channels)
            self.key = self.values = np.zeros(count, dtype=np.int64)
            return None
        assert message.type is aiohttp.WSMsgType.BINARY, message
        kind, flags, number, size, step = HEADER.unpack_from(message.data)
        payload = message.data[HEADER.size :]
        assert len(payload) == size
        self.is_standing = bool(flags & StreamFlag.STANDS_STILL)
        if kind == StreamKind.KEY:
            self.key = self.values = read_runs(payload, 0 * self.key)
            self.key_number, self.step, self.trouble = number, step, ""
        elif kind == StreamKind.DELTA:
            assert number == self.key_number
            self.values, self.step = read_runs(payload, self.key), step
            self.trouble = ""
        elif kind == StreamKind.HEARTBEAT:
            self.trouble = payload.decode()
        elif kind == StreamKind.WATCHED:
            self.watched = np.frombuffer(payload, dtype=np.float64)
        return StreamKind(kind)

    async def receive_until(self, condition: Callable[[], bool]) -> None:
        """Takes messages until `condition` holds."""
        async with asyncio.timeout(PATIENCE):
            while not condition():
                await self.receive()


@dataclass
class Gateway:
    """A gateway that serves, and a client of it."""

    opened: OpenedGateway
    client: aiohttp.ClientSession

    def url(self, path: str) -> str:
        """The URL of a path."""
        return f"http://{self.opened.address}{path}"

    @property
    def key(self) -> str:
        """The key of the first link."""
        return self.opened.links[0].url.partition("#key=")[2]

    async def enter(self, **content: object) -> tuple[int, dict[str, object]]:
        """Status and answer of an attempt to enter."""
        async with self.client.post(self.url("/api/enter"), json=content) as answer:
            return answer.status, await answer.json()

    async def token(self) -> str:
        """The token of a new session by the first link."""
        status, content = await self.enter(key=self.key)
        assert status == 200, content
        return str(content["token"])

    async def link(self, token: str, **content: object) -> tuple[int, dict[str, object]]:
        """Status and answer of a request for another link."""
        headers = {"Authorization": f"Bearer {token}"}
        async with self.client.post(self.url("/api/link"), json=content, headers=headers) as answer:
            return answer.status, await answer.json()

    async def session(self, token: str, role: str, **content: object) -> str:
        """The token of a new session with a role, by a link that `token` makes."""
        status, made = await self.link(token, role=role, **content)
        assert status == 200, made
        status, entered = await self.enter(key=made["key"])
        assert (status, entered["role"]) == (200, role)
        return str(entered["token"])

    async def call(self, token: str, method: str, request: bytes) -> tuple[int, bytes]:
        """Status and body of a call."""
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/proto"}
        url = self.url(f"/autosim.v1.Simulator/{method}")
        async with self.client.post(url, data=request, headers=headers) as answer:
            return answer.status, await answer.read()

    async def control(self, token: str, action: "pb.ControlRequest.Action") -> pb.Status:
        """The status after an order to the simulation."""
        request = pb.ControlRequest(action=action)
        status, body = await self.call(token, "Control", request.SerializeToString())
        assert status == 200, body
        return pb.Status.FromString(body)

    @asynccontextmanager
    async def page(self, token: str, rate_hz: float = 30.0) -> AsyncIterator[Page]:
        """A page that views."""
        async with self.client.ws_connect(self.url("/stream")) as stream:
            await stream.send_json({"token": token, "rate_hz": rate_hz})
            yield Page.new(stream)


def with_gateway(
    server: str, folder: Path, check: Callable[[Gateway], Awaitable[None]], **options: object
) -> None:
    """Runs `check` with a gateway to the server at an address."""
    chosen = GatewayOptions(
        server=server,
        web="127.0.0.1:0",
        page=make_page(folder / "page"),
        prepares_files=False,
    )
    chosen = replace(chosen, **options)  # type: ignore[arg-type]

    async def run() -> None:
        async with opened_gateway(chosen) as opened, aiohttp.ClientSession() as client:
            await check(Gateway(opened, client))

    asyncio.run(run())
