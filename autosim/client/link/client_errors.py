"""Failures between a client and its server."""

import os

import grpc

from autosim.errors import UserError
from autosim.wire import LATE, NO_WORLD, WAS_STOPPED, WORLD_CHANGED

NO_ANSWER = "does not answer: it may be stopped (by a signal or a debugger), or cut off"
"""Of a server whose machine takes connections while it says nothing itself."""


FORBIDDEN = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED)


class ClientError(UserError):
    """The server cannot be used, or not as asked."""


class ConnectionLostError(ClientError):
    """The server is not there, or no longer."""


class ServerRefusedError(ClientError):
    """The server is there and says no; the message says why, and names the file if one differs."""


def explain_rpc_error(error: grpc.RpcError, address: str) -> ClientError:
    """The error that says in words what a failure of gRPC means."""
    code, details = error.code(), error.details()
    if code is grpc.StatusCode.FAILED_PRECONDITION:
        return ServerRefusedError(f"the server at {address} refuses: {details}")
    if code in FORBIDDEN:
        return ServerRefusedError(f"the server at {address} refuses: {details}{_advice(code)}")
    if code is grpc.StatusCode.INVALID_ARGUMENT:
        return ClientError(details or "")
    if code is grpc.StatusCode.ABORTED:
        return ConnectionLostError(f"the server at {address}: {details}")
    if code is grpc.StatusCode.UNAVAILABLE:
        return ConnectionLostError(_explain_absence(details or "", address))
    if code is grpc.StatusCode.CANCELLED:
        return ConnectionLostError(f"the connection to {address} is closed")
    if code is grpc.StatusCode.DEADLINE_EXCEEDED and details == LATE:
        return ConnectionLostError(f"the server at {address}: {LATE}")
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return ConnectionLostError(f"the server at {address} {NO_ANSWER}")
    return ClientError(f"the server at {address}: {code.name}: {details}")


def is_silence(details: str) -> bool:
    """Whether gRPC's details of UNAVAILABLE mean that the other end is there and says nothing."""
    return "timeout" in details or "timed out" in details


def _advice(code: grpc.StatusCode) -> str:
    """Advice for a user without a token, or with one that allows too little."""
    if code is grpc.StatusCode.PERMISSION_DENIED:
        return ". Ask the person who started it for another token"
    sudo = " (not by sudo)" if os.environ.get("SUDO_USER") else ""
    return (
        f". Call this command as the user who started the server{sudo}, on the same machine; or "
        "ask them for a token (autosim ctl token make), and give it by --token-file, or in "
        "$AUTOSIM_TOKEN"
    )


def _explain_absence(details: str, address: str) -> str:
    """Explanation of UNAVAILABLE: the server's own words, or one for gRPC's, which say little."""
    if details in (NO_WORLD, WAS_STOPPED, WORLD_CHANGED):
        return f"the server at {address} cannot be reached: {details}"
    if "erification" in details or "CERTIFICATE" in details or "andshak" in details:
        return (
            f"the server at {address} cannot prove who it is: its certificate does not hold for "
            "that name, or those of --ca do not vouch for it, or it does not encrypt"
        )
    if "resol" in details:
        return f"there is no host that '{address}' names"
    if is_silence(details):
        return f"the server at {address} {NO_ANSWER}"
    if "connect" in details:
        return f"no server listens at {address}: start autosim server there"
    return f"the server at {address} went away"
