"""Calls by gRPC's own stubs, with the token of whoever runs the test or with another one."""

from functools import partial
from typing import Any

from autosim.client.link.credentials import Credentials


def metadata_of(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)


class WithToken:
    """The calls of a stub with a token: by default that of the server's owner, found by itself."""

    def __init__(self, stub: Any, address: str, token: str | None = None) -> None:
        self._stub = stub
        owner = Credentials(address).metadata()
        self._metadata = owner if token is None else metadata_of(token)

    def __getattr__(self, name: str) -> Any:
        return partial(getattr(self._stub, name), metadata=self._metadata)
