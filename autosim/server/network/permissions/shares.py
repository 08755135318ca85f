"""Shares of the concurrent calls of a server, so that no token locks out the others.

A stream lasts as long as its client wants. With one common limit, a user who may only watch could
occupy all streams, and the owner could neither pause the server nor revoke the token. So each
class of users has its own share, and within it each token and each address.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from autosim.access.server_addresses import host_of
from autosim.engine.peer_limits import LIMITS
from autosim.errors import UserError
from autosim.server.network.permissions.grants import Grant, Role


class ShareError(UserError):
    """As many calls are being answered as the caller's share allows."""


class Shares:
    """Counts the calls and streams that are being answered. Belongs to one event loop."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()

    @contextmanager
    def admit(self, grant: Grant | None, peer: str, *, is_owner: bool) -> Iterator[None]:
        """Counts a call for as long as it is answered.

        Args:
            grant: of its token; None: the call needs none, and came without.
            peer: the caller's address as gRPC gives it, `ipv4:HOST:PORT`.
            is_owner: the token is that of the user who started the server.

        Raises:
            ShareError: the share of its class, token or address is used up.
        """
        shares = _shares_of(grant, host_of(peer), is_owner=is_owner)
        for key, (limit, title) in shares.items():
            if self._counts[key] >= limit:
                raise ShareError(
                    f"{title} has {limit} calls and streams at this server, as many as it may have "
                    "at a time: end some of them, or try again later"
                )
        self._counts.update(shares.keys())
        try:
            yield
        finally:
            self._counts.subtract(shares.keys())
            for key in shares:
                if not self._counts[key]:
                    del self._counts[key]


def _shares_of(
    grant: Grant | None, host: str, *, is_owner: bool
) -> dict[tuple[str, str], tuple[int, str]]:
    """The counters of a call: each with its limit, and what it counts in words."""
    if is_owner:
        return {("class", "owner"): (LIMITS.owner_calls, "the server's owner")}
    if grant is None:
        return {
            ("class", "open"): (LIMITS.open_calls, "all calls without a token"),
            ("open", host): (LIMITS.host_open_calls, "your address without a token"),
        }
    token = {("token", grant.digest): (LIMITS.token_calls, f"the token '{grant.name}'")}
    if grant.role is Role.CONTROL:
        return {("class", "control"): (LIMITS.control_calls, "all tokens to control"), **token}
    return {
        ("class", "guests"): (LIMITS.guest_calls, "all tokens to view or drive"),
        ("guests", host): (LIMITS.host_calls, "your address with tokens to view or drive"),
        **token,
    }
