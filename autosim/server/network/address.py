"""Where a server may listen."""

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
