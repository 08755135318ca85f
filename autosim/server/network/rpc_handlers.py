"""Shared code of the services' handlers: checked requests, errors as gRPC has them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias, TypeVar
from urllib.parse import quote

import grpc
from google.protobuf.message import DecodeError, Message

from autosim.config.request_checks import RequestError, check_request
from autosim.engine.peer_limits import LIMITS
from autosim.errors import UserError
from autosim.server.server_errors import NoWorldError, ServerError, WorldError
from autosim.system_limits import explain_shortage
from autosim.terminal_text import for_terminal
from autosim.wire import LATE

_PLAIN = "".join(chr(code) for code in range(32, 127) if chr(code) != "%")

_ANSWER_SECONDS = 0.5
"""Time [s] before the deadline of a call at which the caller is notified that the answer is
late."""

Request = TypeVar("Request", bound=Message)
Response = TypeVar("Response", bound=Message)

Context = grpc.aio.ServicerContext[object, object]

Handler: TypeAlias = "grpc.RpcMethodHandler[bytes, object]"
"""A handler of a method; its type takes parameters for type checkers alone."""


@asynccontextmanager
async def abort_on_error(context: Context) -> AsyncIterator[None]:
    """Aborts the call with a status for any UserError raised inside."""
    try:
        yield
    except UserError as error:
        await context.abort(_code(error), status_details(str(error)))
    except OSError as error:
        shortage = explain_shortage(error)
        if not shortage:
            raise
        await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, f"on the server, {shortage}")


def status_details(text: str) -> str:
    """`text` as the reason with which a call ends: as gRPC carries it, and no terminal obeys it."""
    kept = text = for_terminal(text)
    # As it travels, whatever is not plain ASCII takes three bytes for one.
    while len(quote(kept, safe=_PLAIN)) > LIMITS.reason_bytes:
        kept = kept[: min(LIMITS.reason_bytes, 3 * len(kept) // 4)]
    return kept if kept == text else f"{kept} … (cut)"


def _code(error: UserError) -> grpc.StatusCode:
    if isinstance(error, NoWorldError):
        return grpc.StatusCode.FAILED_PRECONDITION
    is_of_server = isinstance(error, ServerError) and not isinstance(error, WorldError)
    return grpc.StatusCode.ABORTED if is_of_server else grpc.StatusCode.INVALID_ARGUMENT


def unary_unary(
    handle: Callable[[Request, Context], Awaitable[Response]],
    request: type[Request],
    response: type[Response],
) -> Handler:
    """A method that answers one request, which is checked before `handle` sees it."""

    async def answer(data: bytes, context: Context) -> Response:
        async with abort_on_error(context):
            try:
                async with asyncio.timeout(_patience(context)):
                    return await handle(_read(request, data), context)
            except TimeoutError:
                await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, LATE)

    return grpc.unary_unary_rpc_method_handler(answer, None, _serialiser(response))


def unary_stream(
    handle: Callable[[Request, Context], Awaitable[None]],
    request: type[Request],
    response: type[Message] | None,
) -> Handler:
    """A method that answers with a stream; where `response` is None, `handle` writes bytes."""

    async def answer(data: bytes, context: Context) -> None:
        async with abort_on_error(context):
            await handle(_read(request, data), context)

    write = _serialiser(response) if response is not None else None
    return grpc.unary_stream_rpc_method_handler(answer, None, write)


def stream_unary(
    handle: Callable[[AsyncIterator[Request], Context], Awaitable[Response]],
    request: type[Request],
    response: type[Response],
) -> Handler:
    """A method that takes a stream; the first request that cannot be taken ends it."""

    async def answer(data: AsyncIterator[bytes], context: Context) -> Response:
        async with abort_on_error(context):
            return await handle(_read_all(request, data), context)

    return grpc.stream_unary_rpc_method_handler(answer, None, _serialiser(response))


def stream_stream(
    handle: Callable[[AsyncIterator[Request], Context], Awaitable[None]],
    request: type[Request],
    response: type[Message],
) -> Handler:
    """A method of two streams; the first request that cannot be taken ends them."""

    async def answer(data: AsyncIterator[bytes], context: Context) -> None:
        async with abort_on_error(context):
            await handle(_read_all(request, data), context)

    return grpc.stream_stream_rpc_method_handler(answer, None, _serialiser(response))


def _patience(context: Context) -> float | None:
    """Time [s] for a handler, so that the caller still receives the reason for a missing answer."""
    left = context.time_remaining()
    return None if left is None else max(left - _ANSWER_SECONDS, 0.5 * left)


def _serialiser(response: type[Message]) -> Callable[[object], bytes]:
    """The function that serialises answers of one type."""

    def serialise(message: object) -> bytes:
        assert isinstance(message, response)
        return message.SerializeToString()

    return serialise


async def _read_all(
    request: type[Request], messages: AsyncIterator[bytes]
) -> AsyncIterator[Request]:
    async for data in messages:
        yield _read(request, data)


def _read(request: type[Request], data: bytes) -> Request:
    """A message of the type `request`, checked.

    Raises:
        RequestError: it is none, or a field holds what it must not hold.
    """
    try:
        message = request.FromString(data)
    except DecodeError as error:
        raise RequestError(f"{len(data)} bytes are no {request.DESCRIPTOR.name}") from error
    check_request(message)
    return message
