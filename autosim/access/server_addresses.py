"""Addresses of servers: which belong to this machine, and which file belongs to a server."""

import hashlib
import ipaddress
import os
import platform
import socket
from contextlib import suppress
from pathlib import Path

EVERYWHERE = ("0.0.0.0", "::")
"""The hosts that stand for all addresses of a machine."""

_LAST_PORT = 65535
"""Largest number of a TCP port."""


def split(address: str) -> tuple[str, int]:
    """Host and port of HOST:PORT; the brackets of an IPv6 host are dropped.

    Raises:
        ValueError: the address has another form; the message says which form is expected.
    """
    host, _, port = address.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not (port.isascii() and port.isdecimal()) or int(port) > _LAST_PORT:
        raise ValueError(f"'{address}' is not an address: expected HOST:PORT, such as lab:2008")
    return host, int(port)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches `host`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


def listening_hosts(host: str) -> tuple[str, ...]:
    """The hosts of this machine that `host` reaches, and on which a server may listen.

    The nearest comes first. Empty if `host` leads to another machine.
    """
    numbers = [each for each in _numbers(host) if _is_own(each)]
    return tuple(dict.fromkeys((*numbers, *(EVERYWHERE if numbers else ()))))


def run_file_name(host: str, port: int) -> str:
    """The name of the file of a running server that listens on `host`, a number, at `port`.

    Machines may share a home, and so may networks of one machine; each has its own servers.
    """
    network = ""
    with suppress(OSError):
        network = os.readlink("/proc/self/ns/net")
    return _key(_BOOT, network, host, port)


def address_file_name(host: str, port: int) -> str:
    """The name of the file that successive servers at `host` and `port` share."""
    return _key(platform.node(), "", host, port)


def _key(machine: str, network: str, host: str, port: int) -> str:
    place = "\n".join((machine, network, ipaddress.ip_address(host).compressed))
    return f"{port}-{hashlib.sha256(place.encode()).hexdigest()[:12]}"


def _boot() -> str:
    """Identifies this machine since it was switched on, even if its name changes."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return platform.node()


_BOOT = _boot()


def resolve(host: str) -> list[str]:
    """The numeric addresses of a server that is to listen on `host`.

    Raises:
        OSError: there is no such host.
    """
    found = _numbers(host)
    if not found:
        raise OSError(f"there is no host '{host}'")
    return found


def _numbers(host: str) -> list[str]:
    try:
        return [ipaddress.ip_address(host.partition("%")[0]).compressed]
    except ValueError:
        pass
    if host == "localhost":
        return ["127.0.0.1", "::1"]
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return list(dict.fromkeys(str(each[4][0]).partition("%")[0] for each in found))


def _is_own(number: str) -> bool:
    """Whether an address belongs to this machine: a socket can be bound to no other."""
    if ipaddress.ip_address(number).is_loopback or number in EVERYWHERE:
        return True
    kind = socket.AF_INET6 if ":" in number else socket.AF_INET
    try:
        with socket.socket(kind, socket.SOCK_DGRAM) as probe:
            probe.bind((number, 0))
    except OSError:
        return False
    return True


def host_of(peer: str) -> str:
    """The address of a peer without its port: all connections of one machine count together."""
    host, _, port = peer.rpartition(":")
    return host if port.isascii() and port.isdigit() else peer
