"""The WebSockets of pages: states for viewers, and user programs that run in a page."""

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable

import grpc
import grpc.aio
from aiohttp import WSMessage, WSMsgType, web
from google.protobuf.message import DecodeError

from autosim.v1 import autosim_pb2 as pb
from autosim.web.admission import Admission
from autosim.web.answers import HEADERS, RefusalError, close_reason, require_own_origin
from autosim.web.sessions import BrowserSession
from autosim.web.streaming.stream_messages import BadMessageError, Opening, read_opening, read_watch
from autosim.web.streaming.viewers import StreamViewer, UnknownNodeError, ViewerHub
from autosim.web.upstream import Upstream
from autosim.web.viewer_limits import Budget, ViewerLimits

MALFORMED, REFUSED, TOO_MANY = 1007, 1008, 1013
"""Close codes (RFC 6455): a message is not understood; not allowed; try again later."""

OF_SERVER = 4000
"""Added to the number of a status of gRPC, it is the close code of a user program's stream."""

_PING_SECONDS = 20.0
"""Interval [s] between pings; a page that does not answer half as long is gone."""


_Serving = Callable[[web.Request, web.WebSocketResponse, BrowserSession, Opening], Awaitable[None]]


class ClosedError(Exception):
    """The stream has to end with this close code, for this reason."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class Streams:
    """The handlers of WebSockets.

    Args:
        hub: sends states.
        upstream: the server.
        admission: who may open what.
        limits: of one peer.
        clock: monotonic time [s].
    """

    def __init__(
        self,
        hub: ViewerHub,
        upstream: Upstream,
        admission: Admission,
        limits: ViewerLimits,
        clock: Callable[[], float],
    ) -> None:
        self._hub = hub
        self._upstream = upstream
        self._admission = admission
        self._limits = limits
        self._clock = clock

    async def view(self, request: web.Request) -> web.StreamResponse:
        """Serves `/stream`."""
        return await self._serve(request, self._view, self._limits.stream_message_bytes)

    async def participate(self, request: web.Request) -> web.StreamResponse:
        """Serves `/participate`."""
        return await self._serve(request, self._participate, self._limits.request_bytes)

    async def _serve(
        self,
        request: web.Request,
        serve: _Serving,
        most_bytes: int,
    ) -> web.StreamResponse:
        require_own_origin(request)
        with self._admission.connection(request) as has_shown_token:
            page = web.WebSocketResponse(
                compress=False, heartbeat=_PING_SECONDS, max_msg_size=most_bytes
            )
            page.headers.update(HEADERS)
            await page.prepare(request)
            try:
                opening = await self._first_message(page)
                session = self._admission.require_session(opening.token)
                has_shown_token()
                with self._admission.stream_of(session, _ending(page)):
                    await serve(request, page, session, opening)
            except ClosedError as closed:
                await page.close(code=closed.code, message=close_reason(closed.reason))
            except BadMessageError as error:
                await page.close(code=MALFORMED, message=close_reason(str(error)))
            except RefusalError as error:
                code = TOO_MANY if error.status == 429 else REFUSED
                await page.close(code=code, message=close_reason(error.reason))
        return page

    async def _first_message(self, page: web.WebSocketResponse) -> Opening:
        try:
            message = await page.receive(self._limits.first_message_seconds)
        except TimeoutError as error:
            raise ClosedError(REFUSED, "no token came") from error
        return read_opening(_text_of(message))

    async def _view(
        self,
        request: web.Request,
        page: web.WebSocketResponse,
        session: BrowserSession,
        opening: Opening,
    ) -> None:
        outlet = request.transport
        if outlet is None:
            return

        _limit_buffer(outlet, self._limits.socket_bytes)
        viewer = StreamViewer(outlet, opening.rate_hz)
        rate = self._limits.stream_messages_per_second
        budget = Budget(rate, 10.0 * rate)
        self._hub.add(viewer)
        try:
            async for message in page:
                if not budget.spend(self._clock()):
                    raise ClosedError(REFUSED, f"more than {rate:g} messages a second")
                try:
                    self._hub.watch(viewer, read_watch(_text_of(message)))
                except UnknownNodeError as error:
                    await page.send_str(json.dumps({"refused": str(error)}))
        finally:
            self._hub.remove(viewer)

    async def _participate(
        self,
        request: web.Request,
        page: web.WebSocketResponse,
        session: BrowserSession,
        opening: Opening,
    ) -> None:
        call = await self._upstream.participate(session)
        down = asyncio.ensure_future(_pass_down(call, page, wants_state=opening.wants_state))
        try:
            await self._pass_up(page, call)
        finally:
            call.cancel()
            await asyncio.wait([down])
        if not down.cancelled() and (failure := down.exception()) is not None:
            raise failure

    async def _pass_up(
        self, page: web.WebSocketResponse, call: "grpc.aio.StreamStreamCall[bytes, bytes]"
    ) -> None:
        rate = self._limits.participant_messages_per_second
        budget = Budget(rate, 2.0 * rate)
        async for message in page:
            if message.type is not WSMsgType.BINARY:
                raise ClosedError(MALFORMED, "a message of a user program is binary")
            if not budget.spend(self._clock()):
                raise ClosedError(REFUSED, f"more than {rate:g} messages a second")
            try:
                await call.write(message.data)
            except (asyncio.InvalidStateError, grpc.aio.AioRpcError):
                return  # The server has ended it; its reason comes the other way.
        await call.done_writing()


async def _pass_down(
    call: "grpc.aio.StreamStreamCall[bytes, bytes]",
    page: web.WebSocketResponse,
    *,
    wants_state: bool,
) -> None:
    """Sends the server's messages to a page, and the reason when the server ends the stream."""
    try:
        async for message in call:
            await page.send_bytes(message if wants_state else _without_state(message))
    except grpc.aio.AioRpcError as error:
        code = OF_SERVER + int(error.code().value[0])
        reason = close_reason(error.details() or error.code().name)
        await page.close(code=code, message=reason)
        return
    except (ConnectionError, asyncio.CancelledError):
        return
    await page.close()


def _without_state(message: bytes) -> bytes:
    """A message without the state that comes when a program is woken: pages have it already."""
    try:
        read = pb.ServerMessage.FromString(message)
    except DecodeError:
        return message
    if not read.HasField("turn_started"):
        return message
    read.turn_started.ClearField("state")
    return read.SerializeToString()


def _text_of(message: WSMessage) -> str:
    if message.type is WSMsgType.TEXT:
        return str(message.data)
    if message.type in (WSMsgType.CLOSE, WSMsgType.CLOSING, WSMsgType.CLOSED, WSMsgType.ERROR):
        raise ClosedError(REFUSED, "closed")
    raise BadMessageError("a message that is not text")


def _ending(page: web.WebSocketResponse) -> Callable[[], None]:
    """A function that closes a page's stream when its session ends."""
    closing: list[asyncio.Future[bool]] = []

    def end() -> None:
        reason = close_reason("the session has ended: open a new link")
        closing.append(asyncio.ensure_future(page.close(code=REFUSED, message=reason)))

    return end


def _limit_buffer(outlet: asyncio.Transport, size: int) -> None:
    connection = outlet.get_extra_info("socket")
    if connection is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, size)
