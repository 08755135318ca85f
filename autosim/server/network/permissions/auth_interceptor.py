"""The guard before all services: each call shows a token, whose role has to allow it."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import ExitStack
from typing import NoReturn, Protocol, TypeVar

import grpc
from google.protobuf.message import DecodeError, Message

from autosim.engine.peer_limits import LIMITS
from autosim.server.network.permissions.grants import Grant, Grants, Role
from autosim.server.network.permissions.shares import ShareError, Shares
from autosim.server.network.rpc_handlers import status_details
from autosim.v1 import autosim_pb2 as pb

TOKEN_KEY = "authorization"
TOKEN_SCHEME = "Bearer "

_OPEN = frozenset({"/grpc.health.v1.Health/Check"})
"""A monitor may ask this without a token: the answer is SERVING or not, and no more."""

_SERVICE = "/autosim.v1.Simulator/"
_ROLES = {
    **dict.fromkeys(
        (
            *("Describe", "Subscribe", "Control", "Report", "Track", "Clients"),
            *("ListFiles", "ReadFile", "Programs"),
        ),
        Role.VIEW,
    ),
    **dict.fromkeys(("SetData", "Participate"), Role.DRIVE),
}
"""Of the service's methods; of all others CONTROL is asked."""

_OTHER_VIEWS = frozenset(
    {
        "/grpc.health.v1.Health/Watch",
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
    }
)

Request = TypeVar("Request")
Response = TypeVar("Response")
Kind = TypeVar("Kind", bound=Message)

Metadata = Iterable[tuple[str, str | bytes]]

Behaviour = Callable[..., object]
"""Answers a request, or requests, within the context of the call."""

Check = Callable[[bytes], None]


class CallContext(Protocol):
    """Methods of gRPC's context of a call that the guard uses."""

    def peer(self) -> str:
        """The address of the caller."""

    def write(self, message: object) -> Awaitable[None]:
        """Sends an answer of a stream."""

    async def abort(
        self,
        code: grpc.StatusCode,
        details: str = "",
        trailing_metadata: tuple[tuple[str, str | bytes], ...] = (),
    ) -> NoReturn:
        """Ends the call with a status other than OK; raises gRPC's `AbortError`."""


Begin = Callable[[AsyncIterator[object], CallContext], Awaitable[object]]


class AuthInterceptor(grpc.aio.ServerInterceptor):
    """Admits calls whose token permits them, within the token's share.

    Args:
        grants: the tokens.
    """

    def __init__(self, grants: Grants) -> None:
        self._grants = grants
        self._shares = Shares()

    async def intercept_service(
        self,
        continuation: Callable[
            [grpc.HandlerCallDetails],
            Awaitable["grpc.RpcMethodHandler[Request, Response] | None"],
        ],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "grpc.RpcMethodHandler[Request, Response] | None":
        """The handler of a call, or one that refuses it."""
        method = str(handler_call_details.method)
        if method in _OPEN:
            return self._guarded(await continuation(handler_call_details), None, None)
        grant = self._grants.find(_token_in(handler_call_details.invocation_metadata))
        if isinstance(grant, str):
            return _refusing(grpc.StatusCode.UNAUTHENTICATED, grant)
        role = _role_for(method)
        if grant.role < role:
            return _refusing(grpc.StatusCode.PERMISSION_DENIED, _too_little(grant, role))
        handler = await continuation(handler_call_details)
        return self._guarded(handler, grant, _check_for(method, grant))

    def _guarded(
        self,
        handler: "grpc.RpcMethodHandler[Request, Response] | None",
        grant: Grant | None,
        check: Check | None,
    ) -> "grpc.RpcMethodHandler[Request, Response] | None":
        """`handler` within the share of its caller.

        The handler takes a stream of requests, also where the call has one request: so it begins
        with the head of the call, and a client that holds back its request is counted, too.
        """
        if handler is None:
            return None
        behaviour = _behaviour_of(handler)
        is_owner = grant is not None and self._grants.is_owner(grant)

        async def begin(requests: AsyncIterator[object], context: CallContext) -> object:
            request: object = requests
            if not handler.request_streaming:
                request = await _single(requests, context, has_token=grant is not None)
            return await _run(behaviour, _checked(request, check), context)

        async def answer(requests: AsyncIterator[object], context: CallContext) -> object:
            try:
                with ExitStack() as share:
                    share.enter_context(
                        self._shares.admit(grant, context.peer(), is_owner=is_owner)
                    )
                    counted = _CountedContext(context, share.close)
                    if grant is None or is_owner:
                        return await begin(requests, counted)
                    return await self._answer(begin, requests, grant, counted)
            except ShareError as error:
                await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, status_details(str(error)))
            except _ForbiddenError as error:
                await context.abort(grpc.StatusCode.PERMISSION_DENIED, str(error))

        make = (
            grpc.stream_stream_rpc_method_handler
            if handler.response_streaming
            else grpc.stream_unary_rpc_method_handler
        )
        return make(answer, handler.request_deserializer, handler.response_serializer)

    async def _answer(
        self,
        begin: Begin,
        requests: AsyncIterator[object],
        grant: Grant,
        context: CallContext,
    ) -> object:
        """Answers a call with a token that was made, until that is revoked or expires.

        That includes the wait for its request.
        """
        with self._grants.answering(grant) as ended:
            try:
                return await begin(requests, context)
            except asyncio.CancelledError:
                if not ended():
                    raise
                task = asyncio.current_task()
                if task is not None:
                    task.uncancel()
                await context.abort(grpc.StatusCode.UNAUTHENTICATED, ended())


class _ForbiddenError(Exception):
    """A request asks for more than the token is good for."""


class _CountedContext:
    """The context of a call that stops counting just before its status is sent.

    A client that learns that its call has ended may begin the next one at once.

    Args:
        context: of gRPC, which does everything else.
        stop_counting: gives back the share of the call; called again, it does nothing.
    """

    def __init__(self, context: CallContext, stop_counting: Callable[[], None]) -> None:
        self._context = context
        self._stop_counting = stop_counting

    def __getattr__(self, name: str) -> object:
        return getattr(self._context, name)

    def peer(self) -> str:
        """The address of the caller."""
        return self._context.peer()

    def write(self, message: object) -> Awaitable[None]:
        """Sends an answer of a stream."""
        return self._context.write(message)

    async def abort(
        self,
        code: grpc.StatusCode,
        details: str = "",
        trailing_metadata: tuple[tuple[str, str | bytes], ...] = (),
    ) -> NoReturn:
        """Ends the call with a status other than OK; raises gRPC's `AbortError`."""
        self._stop_counting()
        await self._context.abort(code, details, trailing_metadata)


async def _run(behaviour: Behaviour, request: object, context: CallContext) -> object:
    """Runs a handler, whether it returns, writes or yields its answers."""
    answer = behaviour(request, context)
    if inspect.isasyncgen(answer):
        async for each in answer:
            await context.write(each)
        return None
    assert isinstance(answer, Awaitable)
    return await answer


def _checked(request: object, check: Check | None) -> object:
    """The request, or requests, as they come; one that asks for too much raises."""
    if check is None:
        return request
    if isinstance(request, AsyncIterator):
        return _each_checked(request, check)
    assert isinstance(request, bytes)
    check(request)
    return request


async def _each_checked(requests: AsyncIterator[bytes], check: Check) -> AsyncIterator[bytes]:
    async for each in requests:
        check(each)
        yield each


def _check_for(method: str, grant: Grant) -> Check | None:
    """The check of the requests of a call; None where there is none."""
    name = method.removeprefix(_SERVICE)
    if grant.role < Role.CONTROL and name == "Control":
        return lambda data: _check_control(_read(pb.ControlRequest, data), grant)
    if grant.role is Role.DRIVE and name == "SetData":
        return lambda data: _check_robots(_robots_of(_read(pb.Commands, data).commands), grant)
    if grant.role is Role.DRIVE and name == "Participate":
        return lambda data: _check_program(_read(pb.ProgramMessage, data), grant)
    return None


def _check_control(request: pb.ControlRequest, grant: Grant) -> None:
    if request.action != pb.ControlRequest.STATUS:
        raise _ForbiddenError(_too_little(grant, Role.CONTROL))


def _check_program(message: pb.ProgramMessage, grant: Grant) -> None:
    if message.HasField("attach"):
        _check_robots([message.attach.robot], grant)
    if message.HasField("wait"):
        _check_robots(_robots_of(message.wait.commands), grant)


def _robots_of(commands: Iterable[pb.Command]) -> Iterable[str]:
    return {each.device.partition(".")[0] for each in commands}


def _check_robots(robots: Iterable[str], grant: Grant) -> None:
    foreign = sorted(set(robots) - set(grant.robots))
    if foreign:
        raise _ForbiddenError(
            f"the token '{grant.name}' is good to drive {', '.join(grant.robots)}, not "
            f"'{foreign[0][:100]}'"
        )


def _read(kind: type[Kind], data: bytes) -> Kind:
    """The message in `data`; the handler rejects data that is not a message."""
    try:
        return kind.FromString(data)
    except DecodeError:
        return kind()


def _token_in(metadata: Metadata | None) -> str:
    for key, value in metadata or ():
        if key == TOKEN_KEY and isinstance(value, str) and value.startswith(TOKEN_SCHEME):
            return value.removeprefix(TOKEN_SCHEME).strip()
    return ""


def _role_for(method: str) -> Role:
    if method in _OTHER_VIEWS:
        return Role.VIEW
    if not method.startswith(_SERVICE):
        return Role.CONTROL
    return _ROLES.get(method.removeprefix(_SERVICE), Role.CONTROL)


def _too_little(grant: Grant, role: Role) -> str:
    return (
        f"the token '{grant.name}' is good to {grant.role.name.lower()}; this takes one to "
        f"{role.name.lower()}"
    )


def _refusing(code: grpc.StatusCode, reason: str) -> "grpc.RpcMethodHandler[Request, Response]":
    async def refuse(requests: object, context: CallContext) -> None:
        await context.abort(code, reason)

    # A refusal is not a message, so it does not matter how many a call would have had.
    return grpc.stream_stream_rpc_method_handler(refuse)


def _behaviour_of(handler: "grpc.RpcMethodHandler[Request, Response]") -> Behaviour:
    """The behaviour of a handler of any kind."""
    kinds: tuple[Behaviour | None, ...] = (
        handler.unary_unary,
        handler.unary_stream,
        handler.stream_unary,
        handler.stream_stream,
    )
    return next(each for each in kinds if each is not None)


async def _single(
    requests: AsyncIterator[object], context: CallContext, *, has_token: bool
) -> object:
    """The request of a call that has one."""
    try:
        async with asyncio.timeout(None if has_token else LIMITS.open_request_seconds):
            return await anext(requests)
    except StopAsyncIteration:
        await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "the call came without a request")
    except TimeoutError:
        await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, "the request did not come in time")
