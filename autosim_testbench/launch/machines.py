"""Nodes on other machines: the command line of ssh, through which they reach the bench's backend.

What the bench starts for itself listens on this machine alone. So ssh carries it along: an end on
the other machine, which only that machine reaches, leads to the backend here. Nothing is opened to
the network, and all that goes over it is encrypted.
"""

import secrets
import shlex
from pathlib import Path
from urllib.parse import urlsplit

from autosim.config.launches import Machine
from autosim.errors import UserError
from autosim_testbench.backends.brokers import free_port
from autosim_testbench.backends.tls import is_loopback

_ALIVE_SECONDS = 2
"""Time [s] without a sign of the other machine after which ssh asks for one."""

_ALIVE_COUNT = 3
"""Number of questions without an answer after which ssh gives a connection up."""

SSH_FAILED = 255
"""Exit code of ssh where not the other machine's command failed, but ssh."""

_BY_SOCKET = ("local", "mqtt+unix")
"""Backends whose address is the path of a socket."""

_OPTIONS = (
    ("BatchMode", "yes"),
    ("ExitOnForwardFailure", "yes"),
    ("ServerAliveInterval", str(_ALIVE_SECONDS)),
    ("ServerAliveCountMax", str(_ALIVE_COUNT)),
)


def ssh_command(machine: Machine, command: list[str], backend: str) -> tuple[list[str], str]:
    """The command line that runs a command on another machine, and the backend's address there.

    Args:
        machine: that is to run it.
        command: there.
        backend: address of the bench's backend here.

    Raises:
        UserError: the backend cannot be reached from there.
    """
    forwarding, address = _forwarding(backend)
    options = [part for name, value in _OPTIONS for part in ("-o", f"{name}={value}")]
    where = f"{machine.user}@{machine.address}" if machine.user else machine.address
    there = shlex.join(command)
    return ["ssh", "-p", str(machine.port), *options, *forwarding, where, there], address


def remove_carried(backend: str) -> None:
    """Removes the socket that ssh has made on this machine for a backend elsewhere, if it has."""
    name, _, path = backend.partition(":")
    if name in _BY_SOCKET:
        Path(path).unlink(missing_ok=True)


def _forwarding(backend: str) -> tuple[list[str], str]:
    """Ports for ssh to forward, and the backend's address on the other machine."""
    name, _, path = backend.partition("?")[0].partition(":")
    if name in _BY_SOCKET:
        there = f"/tmp/autosim-{secrets.token_hex(8)}"
        return ["-R", f"{there}:{path}"], f"{name}:{there}"
    endpoint = path.partition("/")[2] if name in ("zenoh", "ros2") else urlsplit(backend).netloc
    host, _, port = endpoint.rpartition("@")[2].rpartition(":")
    if not is_loopback(host):
        return [], backend
    if name == "ros1":
        raise UserError(
            f"{backend} is not reached from another machine, since nodes of ROS connect with each "
            "other in all directions: start roscore, and take --backend ros1://HOST"
        )
    chosen = str(free_port())  # free here, and so most likely there
    carried = f"127.0.0.1:{chosen}:{host}:{port}"
    return ["-R", carried], backend.replace(f"{host}:{port}", f"127.0.0.1:{chosen}")
