"""Access to a server: encryption, tokens and shares of calls, as the front uses them."""

from pathlib import Path

import grpc

from autosim.access.certificates import Identity, own_identity, read_identity
from autosim.access.own_servers import OwnServer, announce, tokens_file, withdraw
from autosim.access.private_files import AccessError
from autosim.access.server_addresses import is_loopback
from autosim.model.notices import Notice
from autosim.server.network.permissions.auth_interceptor import AuthInterceptor
from autosim.server.network.permissions.grants import Grants
from autosim.server.network.permissions.token_service import TokenService

_INSECURE = (
    "INSECURE: the connections of this server are not encrypted. Anyone who can read the network "
    "traffic can copy tokens and use them"
)


class AccessControl:
    """Access to one server, from before it listens until its end.

    A server that only its own machine reaches does not encrypt; any other one does, unless
    `is_insecure`.

    Args:
        host: on which it is going to listen.
        is_insecure: do not encrypt, even where others can reach the server.
        certificate: to show instead of one of our own, in PEM; its `key` belongs to it.
        key: of `certificate`.

    Raises:
        AccessError: the certificate cannot be used, or none can be made.
    """

    def __init__(
        self, host: str, *, is_insecure: bool, certificate: Path | None, key: Path | None
    ) -> None:
        if (certificate is None) is not (key is None):
            raise AccessError("a certificate is used with its key: give --certificate and --key")
        self._is_exposed = is_insecure and not is_loopback(host)
        self._identity: Identity | None = None
        if certificate is not None and key is not None:
            self._identity = read_identity(certificate, key)
        elif not is_insecure and not is_loopback(host):
            self._identity = own_identity()
        self._grants = Grants()
        self._announced: OwnServer | None = None
        self.guard = AuthInterceptor(self._grants)
        self.service = TokenService(self._grants)

    @property
    def notice(self) -> Notice | None:
        """A warning for the user when the server starts."""
        if self._identity is not None:
            said = f"the fingerprint of its certificate is {self._identity.fingerprint}"
            return Notice("info", "server", 0, said)
        return Notice("warning", "server", 0, _INSECURE) if self._is_exposed else None

    def bind(self, server: grpc.aio.Server, address: str) -> int:
        """Makes `server` listen at `address`; returns the port.

        Raises:
            RuntimeError: it cannot.
        """
        if self._identity is None:
            return server.add_insecure_port(address)
        pair = (self._identity.key, self._identity.certificate)
        return server.add_secure_port(address, grpc.ssl_server_credentials([pair]))

    def open(self, address: str, *, is_lasting: bool) -> None:
        """Makes the server known to its user's commands, which may use it from now on.

        Args:
            address: HOST:PORT where it listens.
            is_lasting: tokens that are made are good for later servers at this address, too.

        Raises:
            AccessError: this user has no place for it.
        """
        if is_lasting:
            self._grants.keep_in(tokens_file(address))
        fingerprint = self._identity.fingerprint if self._identity is not None else ""
        self._announced = OwnServer(address, self._grants.owner, fingerprint)
        announce(self._announced)

    def close(self) -> None:
        """The server is no longer there."""
        if self._announced is not None:
            withdraw(self._announced)
