"""TLS: which files an address names, and what connections make of them.

`mqtts://HOST?ca=FILE` trusts that authority alone; without `ca`, those that the system trusts. With
`certificate=FILE&key=FILE` this side shows who it is, too.
"""

import ipaddress
import ssl
from dataclasses import dataclass
from urllib.parse import parse_qsl

from autosim_testbench.backends.backend import BackendError


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """Names of files in PEM; "" for none.

    Attributes:
        ca: certificates of the authorities that are trusted.
        certificate: of this side.
        key: of this side's certificate, without a password.
    """

    ca: str = ""
    certificate: str = ""
    key: str = ""


def split_tls(address: str) -> tuple[str, TlsFiles]:
    """An address without its files, and its files.

    Raises:
        BackendError: it names something else.
    """
    plain, _, query = address.partition("?")
    named = dict(parse_qsl(query))
    unknown = sorted(named.keys() - {"ca", "certificate", "key"})
    if unknown:
        raise BackendError(f"{unknown[0]!r} in an address is none of ca, certificate, key")
    return plain, TlsFiles(**named)


def client_context(files: TlsFiles) -> ssl.SSLContext:
    """TLS context of a client, which verifies the identity of the other side.

    Raises:
        BackendError: a file cannot be read, or is not a certificate.
    """
    try:
        context = ssl.create_default_context(cafile=files.ca or None)
        if files.certificate:
            context.load_cert_chain(files.certificate, files.key or None)
    except OSError as error:  # a fault of TLS is one, too
        names = ", ".join(each for each in (files.ca, files.certificate, files.key) if each)
        raise BackendError(f"TLS cannot use {names}: {error.strerror or error}") from None
    return context


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, as only itself sees it."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
