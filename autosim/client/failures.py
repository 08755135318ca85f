"""What can go wrong between a client and its server."""

import grpc

from autosim.errors import UserError


class ClientError(UserError):
    """The server cannot be used, or not as asked."""


class ConnectionLostError(ClientError):
    """The server is not there, or no longer."""


class RefusedError(ClientError):
    """The server is there and says no; the message says why, and names the file if one differs."""


def explain_rpc_error(error: grpc.RpcError, address: str) -> ClientError:
    """What an error of gRPC means, for people."""
    code, details = error.code(), error.details()
    if code is grpc.StatusCode.FAILED_PRECONDITION:
        return RefusedError(f"the server at {address} refuses: {details}")
    if code is grpc.StatusCode.INVALID_ARGUMENT:
        return ClientError(details or "")
    if code is grpc.StatusCode.UNAVAILABLE and "connect" in (details or ""):
        return ConnectionLostError(f"nobody listens at {address}: start autosim server there")
    if code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED):
        return ConnectionLostError(f"the server at {address} cannot be reached: {details}")
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return ConnectionLostError(f"the server at {address} does not answer in time")
    return ClientError(f"the server at {address}: {code.name}: {details}")
