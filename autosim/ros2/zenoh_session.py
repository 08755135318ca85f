"""A zenoh session at the router of ROS 2; where there is none, this process is the router."""

import json
import socket
from dataclasses import dataclass
from typing import Any

from autosim.errors import UserError
from autosim.ros2.ros_packages import require_packages

DEFAULT_ROUTER = "tcp/127.0.0.1:7447"
"""Endpoint at which nodes of ROS 2 look for zenoh's router (rmw_zenohd) by default."""

_LOOK_SECONDS = 1.0
"""Longest time [s] for a connection to a router: it is on this machine or in the same network."""


Zenoh = Any
"""A thing of the zenoh library, which has no types: a session, a publisher, a sample, a query."""


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """A session, and whether this process `is_router`."""

    session: Zenoh
    is_router: bool


def open_session(router: str = DEFAULT_ROUTER) -> OpenedSession:
    """Connects to the router at `router`; where none listens on this machine, becomes one there.

    Args:
        router: an endpoint of zenoh, such as tcp/127.0.0.1:7447.

    Raises:
        UserError: zenoh is not installed, the endpoint is not one, or no router can be reached.
    """
    require_packages()
    zenoh = import_zenoh()
    is_router = not _is_listening(router)
    settings: dict[str, object] = {
        "mode": "router" if is_router else "client",
        "listen/endpoints" if is_router else "connect/endpoints": [router],
        "scouting/multicast/enabled": False,
        # Publishers whose last message late subscribers get need timestamps.
        "timestamping/enabled": True,
    }
    configuration = zenoh.Config()
    try:
        for name, value in settings.items():
            configuration.insert_json5(name, json.dumps(value))
        return OpenedSession(zenoh.open(configuration), is_router)
    except zenoh.ZError as error:
        hint = "; a zenoh endpoint is PROTOCOL/HOST:PORT, such as tcp/127.0.0.1:7447"
        raise UserError(f"zenoh cannot be opened at {router}: {error}{hint}") from None


def import_zenoh() -> Zenoh:
    """The zenoh library with its extensions."""
    import zenoh
    import zenoh.ext

    return zenoh


def _is_listening(router: str) -> bool:
    """Whether a router listens there; also where that cannot be found out with a socket."""
    protocol, _, address = router.partition("/")
    host, _, port = address.partition("?")[0].partition("#")[0].rpartition(":")
    if protocol not in ("tcp", "tls") or not port.isdecimal():
        return True
    try:
        with socket.create_connection((host.strip("[]"), int(port)), _LOOK_SECONDS):
            return True
    except ConnectionRefusedError:
        return False
    except OSError:
        return True
