"""The token with which a client shows a server what it may do, and where it comes from.

A user's own server on this machine is known by the file that it leaves. For others a token is
named: by `--token-file`, or in the environment.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import grpc

from autosim.access import variables
from autosim.access.own_servers import OwnServer, OwnServerFinder
from autosim.access.private_files import AccessError, read_private
from autosim.client.link.client_errors import ClientError


class Credentials:
    """Credentials of a client for the server at `address` (HOST:PORT) with each call.

    A named token goes before the user's own server, and that before what the environment says: the
    variables are for remote servers.

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
        """The token, "" where there is none. The server may have been restarted since."""
        if self._named:
            return self._named
        own = self.own_server()
        return own.token if own is not None else self._usual

    def metadata(self) -> tuple[tuple[str, str], ...]:
        """Metadata of a call."""
        token = self.token()
        return (("authorization", f"Bearer {token}"),) if token else ()


class TokenChannel(grpc.Channel):
    """A channel whose calls show a token.

    gRPC's own interceptors do the same, but make a thread wait for another one in each call.
    """

    def __init__(self, channel: grpc.Channel, credentials: Credentials) -> None:
        self._channel, self._credentials = channel, credentials

    def _make(self, kind: Callable[..., object], *names: object, **codecs: object) -> object:
        return _TokenCall(kind(*names, **codecs), self._credentials)

    def unary_unary(self, *names: object, **codecs: object) -> Any:
        """The calls of a method of this kind."""
        return self._make(self._channel.unary_unary, *names, **codecs)

    def unary_stream(self, *names: object, **codecs: object) -> Any:
        """The calls of a method of this kind."""
        return self._make(self._channel.unary_stream, *names, **codecs)

    def stream_unary(self, *names: object, **codecs: object) -> Any:
        """The calls of a method of this kind."""
        return self._make(self._channel.stream_unary, *names, **codecs)

    def stream_stream(self, *names: object, **codecs: object) -> Any:
        """The calls of a method of this kind."""
        return self._make(self._channel.stream_stream, *names, **codecs)

    def subscribe(
        self, callback: Callable[[grpc.ChannelConnectivity], None], try_to_connect: bool = False
    ) -> None:
        """Tells `callback` how the connection stands."""
        self._channel.subscribe(callback, try_to_connect)

    def unsubscribe(self, callback: Callable[[grpc.ChannelConnectivity], None]) -> None:
        """Tells it no more."""
        self._channel.unsubscribe(callback)

    def close(self) -> None:
        """Ends the connection and its calls."""
        self._channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class _TokenCall:
    """The calls of one method, with the token."""

    def __init__(self, calls: Any, credentials: Credentials) -> None:
        self._calls, self._credentials = calls, credentials

    def __call__(self, request: object, **options: object) -> object:
        return self._calls(request, metadata=self._credentials.metadata(), **options)

    def future(self, request: object, **options: object) -> object:
        """A call that is not waited for."""
        return self._calls.future(request, metadata=self._credentials.metadata(), **options)


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
