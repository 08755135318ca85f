"""A TCP proxy on the loopback interface whose faults a test switches on and off."""

import asyncio
import random
import socket
import struct
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import TypeVar

T = TypeVar("T")

_PIECE = 16 * 1024
"""Bytes that are read at once: a piece is delayed, cut or dropped as a whole."""


@dataclass(frozen=True, slots=True)
class Weather:
    """What the proxy does to what passes through it, in both directions.

    `delay`, `jitter` [s]: each piece waits for `delay` and up to `jitter` more. `rate`: bytes a
    second, 0: no limit. `is_black_hole`: pieces are taken and never arrive. `cut_after`: after so
    many bytes the connection is reset in the middle of a frame, -1: never. `is_half_open`: what the
    server sends arrives, what the client sends does not.
    """

    delay: float = 0.0
    jitter: float = 0.0
    rate: float = 0.0
    is_black_hole: bool = False
    cut_after: int = -1
    is_half_open: bool = False


class FaultProxy:
    """Forwards connections to `target` (HOST:PORT) from a thread of its own.

    Args:
        target: the server's address.
        seed: of the jitter.
    """

    def __init__(self, target: str, seed: int = 0) -> None:
        self._host, _, port = target.rpartition(":")
        self._port = int(port)
        self._random = random.Random(seed)
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.weather = Weather()
        self.address = ""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = self._run(self._open())

    def _run(self, call: Awaitable[T]) -> T:
        async def wait() -> T:
            return await call

        return asyncio.run_coroutine_threadsafe(wait(), self._loop).result(10.0)

    async def _open(self) -> asyncio.Server:
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        return server

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there = await asyncio.open_connection(self._host, self._port)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, there[1]}
        for each in (
            self._forward(reader, there[1], lambda weather: weather.is_half_open),
            self._forward(there[0], writer, lambda weather: False),
        ):
            task = self._loop.create_task(each)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _forward(
        self,
        source: asyncio.StreamReader,
        target: asyncio.StreamWriter,
        is_lost: Callable[[Weather], bool],
    ) -> None:
        passed = 0
        with suppress(OSError):
            while piece := await source.read(_PIECE):
                weather = self.weather
                if weather.delay or weather.jitter:
                    wait = weather.delay + weather.jitter * self._random.random()
                    await asyncio.sleep(wait)
                if weather.rate:
                    await asyncio.sleep(len(piece) / weather.rate)
                if self.weather.is_black_hole or is_lost(self.weather):
                    continue
                if 0 <= weather.cut_after <= passed + len(piece):
                    target.write(piece[: weather.cut_after - passed])
                    await target.drain()
                    self._reset()
                    return
                passed += len(piece) if weather.cut_after >= 0 else 0
                target.write(piece)
                await target.drain()
        target.transport.abort()
        self._writers.discard(target)

    def _reset(self) -> None:
        writers, self._writers = self._writers, set()
        for each in writers:
            # Without lingering, closing sends a reset (RST), as a lost line does in the end.
            plain = each.get_extra_info("socket")
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            each.transport.abort()

    def cut(self) -> None:
        """Resets all connections; new ones are accepted."""

        async def reset() -> None:
            self._reset()

        self._run(reset())

    def heal(self) -> None:
        """Lets everything pass again; what was lost breaks its connection, as TCP would."""
        was, self.weather = self.weather, Weather()
        if was.is_black_hole or was.is_half_open:
            # Bytes are missing in the streams: an operating system would have sent them again.
            self.cut()

    def close(self) -> None:
        """Ends the proxy and its connections."""

        async def end() -> None:
            self._server.close()
            self._reset()
            for each in self._tasks:
                each.cancel()

        self._run(end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10.0)
        self._loop.close()

    def __enter__(self) -> "FaultProxy":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
