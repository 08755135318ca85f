"""The service that makes, lists and revokes tokens, for clients that control the server."""

import re

from autosim.access.private_files import AccessError
from autosim.server.network.permissions.grants import Grant, Grants, Role
from autosim.server.network.rpc_handlers import Context, Handler, abort_on_error, unary_unary
from autosim.v1 import autosim_pb2 as pb

_NAME = re.compile(r"[\w.-]{0,64}")


class TokenService:
    """Creates, lists and revokes tokens for clients with the right to control.

    Args:
        grants: the tokens of the server.
    """

    def __init__(self, grants: Grants) -> None:
        self._grants = grants

    def methods(self) -> dict[str, Handler]:
        """The handlers of the service's methods by their names."""
        return {
            "CreateToken": unary_unary(self.make, pb.CreateTokenRequest, pb.CreatedToken),
            "ListTokens": unary_unary(self.list, pb.ListTokensRequest, pb.TokenList),
            "RevokeToken": unary_unary(self.revoke, pb.RevokeTokenRequest, pb.TokenList),
        }

    async def make(self, request: pb.CreateTokenRequest, context: Context) -> pb.CreatedToken:
        """Makes a token; only the answer holds its secret."""
        async with abort_on_error(context):
            if not _NAME.fullmatch(request.name):
                raise AccessError(
                    "a token's name has letters, digits, '_', '.' and '-', at most 64 of them"
                )
            if not request.role:
                raise AccessError("say what the token is good for: to view, to drive or to control")
            grant, secret = self._grants.make(
                Role(request.role),
                name=request.name,
                robots=tuple(dict.fromkeys(request.robots)),
                seconds=request.seconds,
            )
            return pb.CreatedToken(token=_message(grant), secret=secret)

    async def list(self, request: pb.ListTokensRequest, context: Context) -> pb.TokenList:
        """The tokens that were made, without their secrets."""
        return self._tokens()

    async def revoke(self, request: pb.RevokeTokenRequest, context: Context) -> pb.TokenList:
        """Makes a token worthless."""
        async with abort_on_error(context):
            self._grants.revoke(request.name)
        return self._tokens()

    def _tokens(self) -> pb.TokenList:
        return pb.TokenList(tokens=[_message(each) for each in self._grants.listed()])


def _message(grant: Grant) -> pb.Token:
    return pb.Token(
        name=grant.name,
        role=pb.Role.Name(grant.role.value),
        robots=grant.robots,
        made=grant.made,
        expires=grant.expires,
    )
