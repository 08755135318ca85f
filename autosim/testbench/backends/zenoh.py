"""Zenoh as a backend: the bench's process is the router, nodes are its clients.

By default everything stays on the loopback interface, and nobody is looked for by multicast.
"""

import json
from typing import Any

from autosim.testbench.backends.brokers import free_port
from autosim.testbench.backends.seam import BackendError, Connection

try:
    import zenoh
except ImportError:
    zenoh = None  # type: ignore[assignment]


class ZenohBackend:
    """Carries messages through zenoh.

    Args:
        address: `zenoh:ENDPOINT` of a router, such as `zenoh:tcp/127.0.0.1:7447`, or `tls/…`; ""
            makes this process a router for the bench.

    Raises:
        BackendError: the library is missing, or the router cannot be opened.
    """

    name = "zenoh"

    def __init__(self, address: str = "") -> None:
        if zenoh is None:
            raise BackendError("eclipse-zenoh is not installed: pip install 'autosim[zenoh]'")
        self._router: Any = None
        if not address:
            address = f"zenoh:tcp/127.0.0.1:{free_port()}"
            self._router = _open({"mode": "router", "listen/endpoints": [_endpoint(address)]})
        self.address = address

    def connect(self, node: str) -> "ZenohConnection":
        """A connection for the node of this name."""
        return ZenohConnection(self.address)

    def close(self) -> None:
        """Ends the router, if this process is it."""
        if self._router:
            self._router.close()


def _endpoint(address: str) -> str:
    return address.removeprefix("zenoh:")


def _open(settings: dict[str, Any]) -> Any:
    configuration = zenoh.Config()
    for name, value in {**settings, "scouting/multicast/enabled": False}.items():
        configuration.insert_json5(name, json.dumps(value))
    try:
        return zenoh.open(configuration)
    except zenoh.ZError as error:
        raise BackendError(f"zenoh cannot be opened: {error}") from None


class ZenohConnection(Connection):
    """A node's session. The library makes it again when it is lost."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self._session = _open({"mode": "client", "connect/endpoints": [_endpoint(address)]})
        self._subscribers: dict[str, Any] = {}

    def close(self) -> None:
        """Ends all subscriptions and the session."""
        super().close()
        self._session.close()

    def _join(self, topic: str) -> None:
        self._subscribers[topic] = self._session.declare_subscriber(
            topic, lambda sample: self.inbox.put(topic, sample.payload.to_bytes())
        )

    def _leave(self, topic: str) -> None:
        self._subscribers.pop(topic).undeclare()

    def _send(self, topic: str, data: bytes) -> None:
        self._session.put(topic, data, congestion_control=zenoh.CongestionControl.BLOCK)
