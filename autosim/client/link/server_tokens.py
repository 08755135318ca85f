"""Tokens of a server: made for others, listed and revoked by a client that may control it."""

from collections.abc import Sequence
from dataclasses import dataclass

from autosim.client.link.simulation_control import CALL_SECONDS, SimulationControl
from autosim.v1 import autosim_pb2 as pb

ROLES = ("view", "drive", "control")
"""Role of a token; each role may do what those before it may."""


@dataclass(frozen=True, slots=True)
class TokenInfo:
    """A token, without its secret; `made` and `expires` are UNIX time [s], 0.0 never."""

    name: str
    """Name in lists."""
    role: str
    """Role: view, drive or control."""
    robots: tuple[str, ...]
    """Names of the robots that it may drive."""
    made: float
    expires: float


class ServerTokens:
    """The tokens of one server. Its methods may be called from any thread."""

    def __init__(self, control: SimulationControl) -> None:
        self._control = control

    def make(
        self, role: str, *, name: str = "", robots: Sequence[str] = (), seconds: float = 0.0
    ) -> tuple[TokenInfo, str]:
        """A new token and its secret, which cannot be retrieved again.

        Args:
            role: one of `ROLES`.
            name: what lists call it; "": the server finds a free one.
            robots: those that a token to drive may drive.
            seconds: how long it is good; 0.0: until it is revoked.

        Raises:
            ClientError: the server refuses, or does not answer.
        """
        request = pb.CreateTokenRequest(
            role=role.upper(), name=name, robots=robots, seconds=seconds
        )
        made = self._control.call(lambda stub: stub.CreateToken(request, timeout=CALL_SECONDS))
        return _info(made.token), str(made.secret)

    def listed(self) -> tuple[TokenInfo, ...]:
        """The tokens that were made and are still good.

        Raises:
            ClientError: the server refuses, or does not answer.
        """
        request = pb.ListTokensRequest()
        found = self._control.call(lambda stub: stub.ListTokens(request, timeout=CALL_SECONDS))
        return tuple(_info(each) for each in found.tokens)

    def revoke(self, name: str) -> tuple[TokenInfo, ...]:
        """Makes a token worthless at once; returns those that are left.

        Raises:
            ClientError: there is none of that name, or the server does not answer.
        """
        request = pb.RevokeTokenRequest(name=name)
        found = self._control.call(lambda stub: stub.RevokeToken(request, timeout=CALL_SECONDS))
        return tuple(_info(each) for each in found.tokens)


def _info(token: pb.Token) -> TokenInfo:
    role = pb.Role.Name(token.role).lower()
    return TokenInfo(token.name, role, tuple(token.robots), token.made, token.expires)
