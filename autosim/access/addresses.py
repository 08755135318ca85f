"""Addresses of servers: which are this machine's, and which file belongs to which."""

import hashlib
import ipaddress
import os
import platform
import socket
from contextlib import suppress
from pathlib import Path

EVERYWHERE = ("0.0.0.0", "::")
"""The hosts that stand for all addresses of a machine."""


def split(address: str) -> tuple[str, int]:
    """Host and port of HOST:PORT; an IPv6 host stands in brackets, which go.

    Raises:
        ValueError: it is no such thing.
    """
    host, _, port = address.rpartition(":")
    return host.removeprefix("[").removesuffix("]"), int(port)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches `host`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


def listening_hosts(host: str) -> tuple[str, ...]:
    """The hosts on which a server of this machine may listen that `host` reaches, nearest first.

    Empty where it leads to another machine.
    """
    numbers = [each for each in _numbers(host) if _is_own(each)]
    return tuple(dict.fromkeys((*numbers, *(EVERYWHERE if numbers else ()))))


def key_of_run(host: str, port: int) -> str:
    """The name of the file of a server that runs, and listens on `host`, a number, at `port`.

    Machines may share a home, and several networks of one machine do: each has its own servers.
    """
    network = ""
    with suppress(OSError):
        network = os.readlink("/proc/self/ns/net")
    return _key(_BOOT, network, host, port)


def key_of_place(host: str, port: int) -> str:
    """The name of what all servers at `host` and `port` have in common, one after another."""
    return _key(platform.node(), "", host, port)


def _key(machine: str, network: str, host: str, port: int) -> str:
    place = "\n".join((machine, network, ipaddress.ip_address(host).compressed))
    return f"{port}-{hashlib.sha256(place.encode()).hexdigest()[:12]}"


def _boot() -> str:
    """The running of this machine since it was switched on, whatever it is called meanwhile."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return platform.node()


_BOOT = _boot()


def numbers_of(host: str) -> list[str]:
    """The numbers on which a server listens that was told to listen on `host`.

    Raises:
        OSError: no host is called so.
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
    """Whether an address is one of this machine's: only to these can a socket be bound."""
    if ipaddress.ip_address(number).is_loopback or number in EVERYWHERE:
        return True
    kind = socket.AF_INET6 if ":" in number else socket.AF_INET
    try:
        with socket.socket(kind, socket.SOCK_DGRAM) as probe:
            probe.bind((number, 0))
    except OSError:
        return False
    return True
