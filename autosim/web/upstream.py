"""The gateway's calls to its gRPC server, with the rights of the session that asks."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass

import grpc
import grpc.aio

from autosim.client.link.channels import open_async_channel
from autosim.client.link.credentials import Credentials
from autosim.client.link.updates import CHANNEL_OPTIONS
from autosim.v1 import autosim_pb2 as pb
from autosim.web.sessions import SESSION_SECONDS, BrowserSession, NoAnswerError, NoEntryError

SERVICE = "/autosim.v1.Simulator/"

_METHODS = pb.DESCRIPTOR.services_by_name["Simulator"].methods
ONE_BATCH = frozenset({"SetData"})
"""Names of the methods with several requests of which a page sends one: browsers cannot stream
requests. On the wire of gRPC one such request is the same as one without a stream."""

UNARY = ONE_BATCH | frozenset(
    each.name for each in _METHODS if not (each.client_streaming or each.server_streaming)
)
"""Names of the methods that pages call with one request and one answer."""

ANSWER_STREAMS = frozenset({"Load"})
"""Names of the methods with one request and several answers that pages may call."""

_CALL_SECONDS = 60.0
"""Longest time [s] that a call may take; loading a world has no limit."""

_CHECK_SECONDS = 10.0
"""Longest time [s] of a call by which the gateway finds out what a token is good for."""

_FAREWELL_SECONDS = 1.0
"""Longest time [s] of a call while the gateway ends."""

_READY_SECONDS = 3.0
"""Longest time [s] that a call waits for its connection to a server that sends states: attempts to
connect are a second apart."""

_FRESH_SECONDS = 0.3
"""Time [s] for which an answer to a question is good for all pages with the same rights: each page
asks the same about once a second."""

_NO_ANSWER = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
"""Statuses of calls to a server that has not started, has ended or hangs."""

_MAX_CACHED = 200
"""Number of answers that are kept."""

_STATUS = pb.ControlRequest(action=pb.ControlRequest.STATUS).SerializeToString()
_TIME_REPORT = pb.TimeOrder(action=pb.TimeOrder.REPORT).SerializeToString()
_QUESTIONS = ("Describe", "Report", "Programs", "Clients", "Track")


class CallError(Exception):
    """A call that has failed: gRPC's status, and the reason in words."""

    def __init__(self, code: grpc.StatusCode, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


@dataclass(frozen=True, slots=True)
class _Answer:
    answer: "asyncio.Future[bytes]"
    asked: float


@dataclass(frozen=True, slots=True)
class _Made:
    """A token that was made for sessions; `name` is "" where it is the gateway's own.

    `maker` is the token with which it was made, `expires` monotonic time [s].
    """

    name: str
    secret: str
    maker: str
    expires: float


_Rights = tuple[str, tuple[str, ...]]
"""A role, and the robots of a role to drive."""


def _same(data: bytes) -> bytes:
    return data


class Upstream:
    """The server at `address` (HOST:PORT).

    `sends_states` states whether another connection receives states of the server now.

    Raises:
        ClientError: its certificate is not accepted, or a token that was named cannot be read.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self.sends_states = False
        self._credentials = Credentials(address)
        self._channel = open_async_channel(address, CHANNEL_OPTIONS)
        self._made: dict[_Rights, _Made] = {}
        self._making = asyncio.Lock()
        self._answers: dict[tuple[str, bytes, str], _Answer] = {}

    async def close(self) -> None:
        """Ends the connection, and the tokens that were made for sessions."""
        for made in self._made.values():
            if not made.name:
                continue
            request = pb.RevokeTokenRequest(name=made.name).SerializeToString()
            with suppress(CallError):
                await self._unary("RevokeToken", request, self._own(), _FAREWELL_SECONDS)
        await self._channel.close()

    async def role_of(self, secret: str = "") -> str:
        """The role of a token; "" stands for the gateway's own.

        Raises:
            NoEntryError: it has none.
            NoAnswerError: the server does not answer.
        """
        token = secret or self._own()
        try:
            await self._unary("ListTokens", b"", token, _CHECK_SECONDS)
            return "control"
        except CallError as error:
            if error.code is not grpc.StatusCode.PERMISSION_DENIED:
                raise self._as_no_entry(error) from error
        call = self._channel.stream_unary(f"{SERVICE}SetData", _same, _same)
        try:
            await call(iter(()), metadata=_metadata(token), timeout=_CHECK_SECONDS)
        except grpc.aio.AioRpcError as failure:
            if failure.code() is grpc.StatusCode.PERMISSION_DENIED:
                return "view"
            raise self._as_no_entry(_as_call_error(failure)) from failure
        return "drive"

    async def check_link(self, role: str) -> None:
        """Checks that the gateway may make links with this role.

        A server that does not answer yet is taken to be the user's own, as for the first links; it
        checks the rights of each call itself.

        Raises:
            NoEntryError: its own token is good for less; or for drivers, but cannot be limited.
        """
        try:
            own = await self.role_of()
        except NoAnswerError:
            return
        if own not in ("control", role):
            raise NoEntryError(
                f"this gateway's own token is good to {own} only, so its links are, too"
            )

    async def is_revoked(self, session: BrowserSession) -> bool:
        """Whether the server no longer accepts the token of a session."""
        try:
            await self._as_session("Control", _STATUS, session, _CHECK_SECONDS)
        except CallError as error:
            return error.code is grpc.StatusCode.UNAUTHENTICATED
        return False

    async def call(
        self, method: str, body: bytes, session: BrowserSession, seconds: float = _CALL_SECONDS
    ) -> bytes:
        """The server's answer to a call of a method with one request and one answer.

        Raises:
            CallError: it fails.
        """
        if not _is_question(method, body):
            self._answers.clear()
            return await self._as_session(method, body, session, seconds)
        key = (method, body, session.secret or repr(_rights(session)))
        now = time.monotonic()
        kept = self._answers.get(key)
        if kept is None or (kept.answer.done() and now - kept.asked > _FRESH_SECONDS):
            if len(self._answers) >= _MAX_CACHED:
                self._answers.clear()
            answer = asyncio.ensure_future(self._as_session(method, body, session, seconds))
            # Where all pages have gone, its failure is of no interest.
            answer.add_done_callback(lambda done: done.cancelled() or done.exception())
            kept = self._answers[key] = _Answer(answer, now)
        return await asyncio.shield(kept.answer)

    async def stream(
        self, method: str, body: bytes, session: BrowserSession
    ) -> AsyncIterator[bytes]:
        """The server's answers, one after the other.

        Raises:
            CallError: it fails.
        """
        self._answers.clear()
        call = self._channel.unary_stream(f"{SERVICE}{method}", _same, _same)
        token = await self._token_of(session)
        try:
            async for each in call(body, metadata=_metadata(token)):
                yield each
        except grpc.aio.AioRpcError as error:
            raise _as_call_error(error) from error

    async def participate(
        self, session: BrowserSession
    ) -> "grpc.aio.StreamStreamCall[bytes, bytes]":
        """A new stream of a user program that runs in a page."""
        call = self._channel.stream_stream(f"{SERVICE}Participate", _same, _same)
        return call(metadata=_metadata(await self._token_of(session)))

    async def _as_session(
        self, method: str, body: bytes, session: BrowserSession, seconds: float
    ) -> bytes:
        token = await self._token_of(session)
        try:
            return await self._unary(method, body, token, seconds)
        except CallError as error:
            made = self._made.get(_rights(session))
            is_made = made is not None and made.secret == token
            if error.code is not grpc.StatusCode.UNAUTHENTICATED or not is_made:
                raise
            assert made is not None
            if made.maker == self._own() and time.monotonic() < made.expires:
                raise  # It was revoked on purpose. Else the server was restarted, or it is old.
            self._made.pop(_rights(session), None)
        return await self._unary(method, body, await self._token_of(session), seconds)

    async def _token_of(self, session: BrowserSession) -> str:
        """The token for the server with the rights of a session."""
        if session.secret or session.role == "control":
            return session.secret or self._own()
        rights = _rights(session)
        async with self._making:
            if rights not in self._made:
                self._made[rights] = await self._make_token(*rights)
            return self._made[rights].secret

    async def _make_token(self, role: str, robots: tuple[str, ...]) -> "_Made":
        """A token for all sessions with the same rights; the gateway's own where it makes none."""
        name = f"web-{role}-{secrets.token_hex(4)}"
        request = pb.CreateTokenRequest(
            role=role.upper(), name=name, robots=robots, seconds=SESSION_SECONDS
        )
        own = self._own()
        expires = time.monotonic() + SESSION_SECONDS
        try:
            answer = await self._unary(
                "CreateToken", request.SerializeToString(), own, _CHECK_SECONDS
            )
        except CallError as error:
            if error.code is grpc.StatusCode.PERMISSION_DENIED:
                return _Made("", own, own, expires)
            raise
        return _Made(name, pb.CreatedToken.FromString(answer).secret, own, expires)

    def _as_no_entry(self, error: CallError) -> NoEntryError:
        if error.code in _NO_ANSWER:
            return NoAnswerError(f"the server at {self.address} does not answer: try again later")
        return NoEntryError(error.reason)

    def _own(self) -> str:
        return self._credentials.token()

    async def _unary(
        self, method: str, body: bytes, token: str, seconds: float = _CALL_SECONDS
    ) -> bytes:
        if self.sends_states:
            # It has just come, and this connection may still be between two attempts.
            with suppress(TimeoutError):
                await asyncio.wait_for(self._channel.channel_ready(), _READY_SECONDS)
        call = self._channel.unary_unary(f"{SERVICE}{method}", _same, _same)
        try:
            return await call(body, metadata=_metadata(token), timeout=seconds)
        except grpc.aio.AioRpcError as error:
            raise _as_call_error(error) from error


def _is_question(method: str, body: bytes) -> bool:
    """Whether a call changes nothing, and has the same answer for all who may ask."""
    is_status = method == "Control" and body in (b"", _STATUS)
    is_report = method == "ControlTime" and body in (b"", _TIME_REPORT)
    return method in _QUESTIONS or is_status or is_report


def _rights(session: BrowserSession) -> _Rights:
    return session.role, session.robots


def _metadata(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),) if token else ()


def _as_call_error(error: grpc.aio.AioRpcError) -> CallError:
    return CallError(error.code(), error.details() or error.code().name)
