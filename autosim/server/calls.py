"""What the handlers of the services share: the types of messages, errors as gRPC has them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote

import grpc

from autosim.errors import UserError
from autosim.server.errors import NoWorldError, ServerError, WorldError
from autosim.server.limits import LIMITS

_PLAIN = "".join(chr(code) for code in range(32, 127) if chr(code) != "%")

Context = grpc.aio.ServicerContext[Any, Any]


def message_types(request: Any, response: Any) -> tuple[Any, Any]:
    """How a handler reads requests and writes responses."""
    return request.FromString, response.SerializeToString


@asynccontextmanager
async def aborting(context: Context) -> AsyncIterator[None]:
    """Inside, what goes wrong in a way that people can do something about is said to the client."""
    try:
        yield
    except UserError as error:
        await context.abort(_code(error), as_reason(str(error)))


def as_reason(text: str) -> str:
    """`text` as the reason with which a call ends: cut where gRPC would refuse to carry it."""
    kept = text
    # As it travels, whatever is not plain ASCII takes three bytes for one.
    while len(quote(kept, safe=_PLAIN)) > LIMITS.reason_bytes:
        kept = kept[: min(LIMITS.reason_bytes, 3 * len(kept) // 4)]
    return kept if kept == text else f"{kept} … (cut)"


def _code(error: UserError) -> grpc.StatusCode:
    if isinstance(error, NoWorldError):
        return grpc.StatusCode.FAILED_PRECONDITION
    is_of_server = isinstance(error, ServerError) and not isinstance(error, WorldError)
    return grpc.StatusCode.ABORTED if is_of_server else grpc.StatusCode.INVALID_ARGUMENT
