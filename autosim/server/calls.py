"""What the handlers of the services share: the types of messages, errors as gRPC has them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc

from autosim.errors import UserError
from autosim.server.errors import NoWorldError, ServerError, WorldError

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
        await context.abort(_code(error), str(error))


def _code(error: UserError) -> grpc.StatusCode:
    if isinstance(error, NoWorldError):
        return grpc.StatusCode.FAILED_PRECONDITION
    is_of_server = isinstance(error, ServerError) and not isinstance(error, WorldError)
    return grpc.StatusCode.ABORTED if is_of_server else grpc.StatusCode.INVALID_ARGUMENT
