"""Where a server may listen."""

import ipaddress

from autosim.server.errors import AddressError
from autosim.wire import DEFAULT_PORT


def split_address(address: str) -> tuple[str, int]:
    """Host and port of `HOST:PORT` or `HOST`; IPv6 hosts in brackets.

    Raises:
        AddressError: it is no such thing.
    """
    host, port = address, str(DEFAULT_PORT)
    if not address.endswith("]") and ":" in address:
        host, _, port = address.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise AddressError(f"'{address}' is no address; give HOST:PORT, such as 127.0.0.1:0")
    return host, int(port)


def check_address(host: str, *, is_insecure: bool) -> None:
    """Refuses a host that others can reach, unless told otherwise: the wire has no locks yet.

    Raises:
        AddressError: not a loopback address, and not `is_insecure`.
    """
    if not is_insecure and not _is_loopback(host):
        raise AddressError(
            f"'{host}' can be reached from other machines, and this version has neither "
            "encryption nor passwords: anybody there could drive your robots. "
            "Listen on 127.0.0.1, or give --insecure in a network that you trust"
        )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
