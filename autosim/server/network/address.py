"""Addresses on which a server may listen."""

from autosim.access.server_addresses import split
from autosim.server.server_errors import AddressError
from autosim.wire import DEFAULT_PORT


def split_address(address: str) -> tuple[str, int]:
    """Host and port of `HOST:PORT` or `HOST`; IPv6 hosts in brackets.

    Raises:
        AddressError: the address has another form.
    """
    has_port = ":" in address and not address.endswith("]")
    try:
        return split(address if has_port else f"{address}:{DEFAULT_PORT}")
    except ValueError as error:
        raise AddressError(str(error)) from error
