"""The guard before all services: each call shows a token, whose role has to allow it."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Any, TypeAlias

import grpc
from google.protobuf.message import DecodeError

from autosim.server.network.permissions.grants import Grant, Grants, Role
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

Handler: TypeAlias = Any
"""One of gRPC's, whose type takes parameters for type checkers alone."""

Check = Callable[[bytes], None]


class Guard(grpc.aio.ServerInterceptor):
    """Lets calls through that show a token which is good for them.

    Args:
        grants: the tokens.
    """

    def __init__(self, grants: Grants) -> None:
        self._grants = grants

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler | None:
        """The handler of a call, or one that refuses it."""
        method = str(handler_call_details.method)
        if method in _OPEN:
            return await continuation(handler_call_details)
        grant = self._grants.find(_token_in(handler_call_details.invocation_metadata))
        if isinstance(grant, str):
            return _refusing(grpc.StatusCode.UNAUTHENTICATED, grant)
        role = _role_for(method)
        if grant.role < role:
            return _refusing(grpc.StatusCode.PERMISSION_DENIED, _too_little(grant, role))
        handler = await continuation(handler_call_details)
        if handler is None or self._grants.is_owner(grant):
            return handler
        return self._watched(handler, grant, _check_for(method, grant))

    def _watched(self, handler: Handler, grant: Grant, check: Check | None) -> Handler:
        """`handler` for a token that was made: its requests are checked, and it can be revoked."""
        behaviour, make = _parts_of(handler)

        async def answer(request: Any, context: Any) -> Any:
            with self._grants.answering(grant) as ended:
                try:
                    return await _run(behaviour, _checked(request, check), context)
                except _ForbiddenError as error:
                    await context.abort(grpc.StatusCode.PERMISSION_DENIED, str(error))
                except asyncio.CancelledError:
                    if not ended():
                        raise
                    task = asyncio.current_task()
                    if task is not None:
                        task.uncancel()
                    await context.abort(grpc.StatusCode.UNAUTHENTICATED, ended())

        made: Handler = make(answer, handler.request_deserializer, handler.response_serializer)
        return made


class _ForbiddenError(Exception):
    """A request asks for more than the token is good for."""


async def _run(behaviour: Callable[[Any, Any], Any], request: Any, context: Any) -> Any:
    """What a handler does that returns, writes or yields its answers."""
    answer = behaviour(request, context)
    if not inspect.isasyncgen(answer):
        return await answer
    async for each in answer:
        await context.write(each)
    return None


def _checked(request: Any, check: Check | None) -> Any:
    """The request, or requests, as they come; one that asks for too much raises."""
    if check is None:
        return request
    if not isinstance(request, AsyncIterator):
        check(request)
        return request
    return _each_checked(request, check)


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


def _check_control(request: Any, grant: Grant) -> None:
    if request.action != pb.ControlRequest.STATUS:
        raise _ForbiddenError(_too_little(grant, Role.CONTROL))


def _check_program(message: Any, grant: Grant) -> None:
    if message.HasField("attach"):
        _check_robots([message.attach.robot], grant)
    if message.HasField("wait"):
        _check_robots(_robots_of(message.wait.commands), grant)


def _robots_of(commands: Iterable[Any]) -> Iterable[str]:
    return {each.device.partition(".")[0] for each in commands}


def _check_robots(robots: Iterable[str], grant: Grant) -> None:
    foreign = sorted(set(robots) - set(grant.robots))
    if foreign:
        raise _ForbiddenError(
            f"the token '{grant.name}' is good to drive {', '.join(grant.robots)}, not "
            f"'{foreign[0][:100]}'"
        )


def _read(kind: Any, data: bytes) -> Any:
    """The message in `data`; the handler refuses data that is no message."""
    try:
        return kind.FromString(data)
    except DecodeError:
        return kind()


def _token_in(metadata: Any) -> str:
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


def _refusing(code: grpc.StatusCode, reason: str) -> Handler:
    async def refuse(requests: Any, context: Any) -> None:
        await context.abort(code, reason)

    # A refusal is no message, so it does not matter how many a call would have had.
    return grpc.stream_stream_rpc_method_handler(refuse)


def _parts_of(handler: Handler) -> tuple[Callable[[Any, Any], Any], Any]:
    """What a handler does, and what makes one of its kind."""
    kinds: tuple[tuple[Any, Any], ...] = (
        (handler.unary_unary, grpc.unary_unary_rpc_method_handler),
        (handler.unary_stream, grpc.unary_stream_rpc_method_handler),
        (handler.stream_unary, grpc.stream_unary_rpc_method_handler),
        (handler.stream_stream, grpc.stream_stream_rpc_method_handler),
    )
    return next((behaviour, make) for behaviour, make in kinds if behaviour is not None)
