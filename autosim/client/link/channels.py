"""Channels to servers: with the token that opens them, and encrypted where others could listen.

A server's certificate is known by its fingerprint, as ssh knows hosts: asked for once, kept, and
refused when it is another one.
"""

import os
import socket
import ssl
import sys
import threading
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import grpc

from autosim.access import variables
from autosim.access.fingerprint import CERTIFICATE_NAME, PREFIX, fingerprint_of
from autosim.access.known_servers import find_known, remember
from autosim.access.private_files import AccessError
from autosim.access.server_addresses import is_loopback, split
from autosim.client.link.client_errors import ClientError, ServerRefusedError
from autosim.client.link.credentials import Credentials, TokenChannel

HELLO_SECONDS = 3.0
"""Longest time [s] that a server may take to show its certificate: a few round trips round the
world."""

_FINGERPRINT_CHARACTERS = len(PREFIX) + 43
"""Number of characters of a fingerprint: the prefix, and the 32 bytes of a SHA-256 in base64."""

Encryption = tuple[grpc.ChannelCredentials, list[tuple[str, str | int]]]


@dataclass(frozen=True, slots=True)
class _Shown:
    """The certificate that a server shows, in DER, with its fingerprint."""

    certificate: bytes
    fingerprint: str


def open_channel(address: str, options: Sequence[tuple[str, str | int]]) -> grpc.Channel:
    """A channel to the server at `address` (HOST:PORT).

    Raises:
        ServerRefusedError: it shows another certificate than before, or one that was never
            accepted.
        ClientError: what the user has named cannot be read.
    """
    credentials = Credentials(address)
    encryption = _explained_encryption(address, credentials)
    if encryption is None:
        channel = grpc.insecure_channel(address, options=options)
    else:
        keys, more = encryption
        channel = grpc.secure_channel(address, keys, options=[*options, *more])
    return TokenChannel(channel, credentials)


def open_async_channel(address: str, options: Sequence[tuple[str, str | int]]) -> grpc.aio.Channel:
    """A channel for asyncio to the server at `address`, for callers that show their own tokens.

    Raises:
        ServerRefusedError, ClientError: as `open_channel`.
    """
    encryption = _explained_encryption(address, Credentials(address))
    if encryption is None:
        return grpc.aio.insecure_channel(address, options=options)
    keys, more = encryption
    return grpc.aio.secure_channel(address, keys, options=[*options, *more])


def meet(address: str) -> None:
    """Asks the user, at a terminal, whether an unknown server is the right one.

    Windows call this before they open, because their other processes have no terminal.

    Raises:
        ClientError: as `open_channel`.
    """
    _explained_encryption(address, Credentials(address))


def _explained_encryption(address: str, credentials: Credentials) -> Encryption | None:
    try:
        split(address)
        return _encryption(address, credentials)
    except (AccessError, ValueError) as error:
        raise ClientError(str(error)) from error


def _encryption(address: str, credentials: Credentials) -> Encryption | None:
    """Encryption of the channel; None: none."""
    own = credentials.own_server()
    if own is not None:
        return _pinned(address, own.fingerprint) if own.fingerprint else None
    if os.environ.get(variables.INSECURE):
        _warn_once(address)
        return None
    authority = os.environ.get(variables.AUTHORITY)
    if authority:
        return _by_authority(Path(authority))
    pin, is_near = _pin(), is_loopback(split(address)[0])
    known = ""
    # Behind an address of this machine there may be a tunnel to a server that was met before.
    with suppress(AccessError) if is_near else nullcontext():
        known = find_known(address)
    if not is_near or pin or known:
        return _accepted(address, _look(address), pin, known)
    try:
        shown = _look(address)
    except ClientError:  # it does not encrypt
        return None
    return None if shown is None else _accepted(address, shown, pin, known)


@cache
def _warn_once(address: str) -> None:
    print(
        f"INSECURE: the connection to {address} is not encrypted; anyone who can read the network "
        "traffic can copy the token and use it",
        file=sys.stderr,
    )


def _by_authority(file: Path) -> Encryption:
    try:
        return grpc.ssl_channel_credentials(file.read_bytes()), []
    except OSError as error:
        raise ClientError(f"{file}: error: {error.strerror}") from error


def _pinned(address: str, fingerprint: str) -> Encryption:
    """Encryption for a server with this fingerprint.

    If no server listens, the error comes from the channel.
    """
    return _matched(address, _look(address), fingerprint)


def _matched(address: str, shown: _Shown | None, fingerprint: str) -> Encryption:
    if shown is not None and shown.fingerprint != fingerprint:
        raise ServerRefusedError(
            f"the certificate of {address} is {shown.fingerprint}, not {fingerprint}: it is "
            "another server, or the connection is intercepted"
        )
    return _keys(shown)


def _accepted(address: str, shown: _Shown | None, pin: str, known: str) -> Encryption:
    """Encryption for a server whose certificate the user accepts, now or earlier."""
    if shown is None:
        return _keys(None)
    if pin:
        _matched(address, shown, pin)
    elif known and shown.fingerprint != known:
        raise ServerRefusedError(
            f"THE CERTIFICATE OF {address} HAS CHANGED: it is {shown.fingerprint}, and was "
            f"{known}. The connection may be intercepted. If you know that the server has a new "
            f"certificate, accept it: --fingerprint {shown.fingerprint}"
        )
    elif not known and not _is_confirmed(address, shown.fingerprint):
        raise ServerRefusedError(
            f"the certificate of {address} is not trusted yet: it is {shown.fingerprint}. Compare "
            "this with the fingerprint that the server printed at its start, and accept it once: "
            f"--fingerprint {shown.fingerprint}"
        )
    if shown.fingerprint != known:
        remember(address, shown.fingerprint)
    return _keys(shown)


def _pin() -> str:
    """The fingerprint given by the user, "" for none."""
    pin = os.environ.get(variables.FINGERPRINT, "").strip()
    if pin and not (pin.startswith(PREFIX) and len(pin) == _FINGERPRINT_CHARACTERS):
        raise ClientError(f"'{pin}' is not a fingerprint: expected {PREFIX} and 43 characters")
    return pin


def _keys(shown: _Shown | None) -> Encryption:
    """Encryption that trusts exactly the certificate that was shown."""
    if shown is None:
        return grpc.ssl_channel_credentials(), []
    name = ("grpc.ssl_target_name_override", _name_in(shown.certificate))
    pem = ssl.DER_cert_to_PEM_cert(shown.certificate)
    return grpc.ssl_channel_credentials(pem.encode()), [name]


def _name_in(certificate: bytes) -> str:
    """A host name of a certificate; any will do, because the certificate itself is compared."""
    # The import takes a tenth of a second; connections on one machine do not need it.
    from cryptography import x509

    try:
        names = x509.load_der_x509_certificate(certificate).extensions.get_extension_for_class(
            x509.SubjectAlternativeName
        )
    except (x509.ExtensionNotFound, ValueError):
        return CERTIFICATE_NAME
    hosts = names.value.get_values_for_type(x509.DNSName)
    numbers = map(str, names.value.get_values_for_type(x509.IPAddress))
    return next((name.replace("*", "any") for name in (*hosts, *numbers)), CERTIFICATE_NAME)


def _look(address: str) -> _Shown | None:
    """The certificate of the server at `address`; None if no server listens.

    Raises:
        ClientError: the server there does not encrypt.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # Not verified here: the certificate is compared with the known one.
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    host, port = split(address)
    # Bytes: text would be encoded by a module that is not loaded yet, and may be out of reach.
    name = host.encode() if host.isascii() else host
    try:
        with (
            socket.create_connection((name, port), HELLO_SECONDS) as plain,  # type: ignore[arg-type]
            context.wrap_socket(plain, server_hostname=name) as talk,
        ):
            certificate = talk.getpeercert(binary_form=True) or b""
    except ssl.SSLError as error:
        raise ClientError(
            f"the server at {address} does not use encryption: start it without --insecure, or, in "
            "a network that you trust, give --insecure here as well"
        ) from error
    except OSError:
        return None
    return _Shown(certificate, fingerprint_of(certificate))


def _is_confirmed(address: str, fingerprint: str) -> bool:
    """Whether a person at the terminal accepts the certificate; False where there is none."""
    is_at_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
    if not is_at_terminal or threading.current_thread() is not threading.main_thread():
        return False
    print(
        f"The server at {address} is not known here. The fingerprint of its certificate is\n"
        f"  {fingerprint}\nThe server says the same when it starts. Is this the one? (yes/no) ",
        end="",
        file=sys.stderr,
        flush=True,
    )
    return sys.stdin.readline().strip().lower() == "yes"
