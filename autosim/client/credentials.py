"""The token with which a client shows a server what it may do, and where it comes from.

A user's own server on this machine is known by the file that it leaves. For others a token is
named: by `--token-file`, or in the environment.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc

from autosim.access import variables
from autosim.access.own_servers import OwnServer, OwnServerFinder
from autosim.access.private_files import AccessError, read_private
from autosim.client.failures import ClientError


class Credentials:
    """What a client shows the server at `address` (HOST:PORT) with each call.

    A named token goes before the user's own server, and that before what the environment says: the
    variables are for servers elsewhere.

    Raises:
        ClientError: a file that is named cannot be read, or others can read it.
    """

    def __init__(self, address: str) -> None:
        self._finder = OwnServerFinder(address)
        option = os.environ.get(variables.TOKEN_OPTION)
        self._named = _read_token(Path(option)) if option else ""
        self._usual = "" if self._named else _token_of_environment()

    def own_server(self) -> OwnServer | None:
        """The user's own server at the address, None where there is none.

        Raises:
            ClientError: others have written what it has left.
        """
        try:
            return self._finder.look()
        except AccessError as error:
            raise ClientError(str(error)) from error

    def token(self) -> str:
        """The token, "" where there is none. The server may have been started anew since."""
        if self._named:
            return self._named
        own = self.own_server()
        return own.token if own is not None else self._usual

    def metadata(self) -> tuple[tuple[str, str], ...]:
        """What goes along with a call."""
        token = self.token()
        return (("authorization", f"Bearer {token}"),) if token else ()


class TokenInterceptor(
    grpc.UnaryUnaryClientInterceptor,
    grpc.UnaryStreamClientInterceptor,
    grpc.StreamUnaryClientInterceptor,
    grpc.StreamStreamClientInterceptor,
):
    """Shows the token with each call over a channel."""

    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials

    def _call(self, continuation: Callable[[Any, Any], Any], details: Any, request: Any) -> Any:
        return continuation(_WithMetadata(details, self._credentials.metadata()), request)

    intercept_unary_unary: Any = _call
    intercept_unary_stream: Any = _call
    intercept_stream_unary: Any = _call
    intercept_stream_stream: Any = _call


class _WithMetadata(grpc.ClientCallDetails):
    """The details of a call with more metadata."""

    def __init__(self, details: Any, metadata: tuple[tuple[str, str], ...]) -> None:
        self.method = details.method
        self.timeout = details.timeout
        self.metadata = (*(details.metadata or ()), *metadata)
        self.credentials = details.credentials
        self.wait_for_ready = details.wait_for_ready
        self.compression = details.compression


def _token_of_environment() -> str:
    file = os.environ.get(variables.TOKEN_FILE)
    return _read_token(Path(file)) if file else os.environ.get(variables.TOKEN, "").strip()


def _read_token(file: Path) -> str:
    try:
        content = read_private(file)
    except AccessError as error:
        raise ClientError(str(error)) from error
    if content is None:
        raise ClientError(f"{file}: error: there is no such file; it was to hold a token")
    token = content.decode("ascii", "replace").strip()
    if not token.isprintable() or not token or " " in token:
        raise ClientError(f"{file}: error: it holds no token, which is one word")
    return token
