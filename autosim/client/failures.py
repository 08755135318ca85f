"""What can go wrong between a client and its server."""

from autosim.errors import UserError


class ClientError(UserError):
    """The server cannot be used, or not as asked."""


class ConnectionLostError(ClientError):
    """The server is not there, or no longer."""


class RefusedError(ClientError):
    """The server is there and says no; the message says why, and names the file if one differs."""
