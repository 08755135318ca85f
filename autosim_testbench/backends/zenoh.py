"""Zenoh as a backend: the bench's process is the router, nodes are its clients.

By default everything stays on the loopback interface, without discovery by multicast.
"""

import json
import secrets
import threading
import time
from collections.abc import Mapping

from autosim.ros2.zenoh_session import Zenoh
from autosim_testbench.backends.backend import BackendConnection, BackendError
from autosim_testbench.backends.brokers import free_port
from autosim_testbench.backends.tls import TlsFiles, split_tls

try:
    import zenoh
except ImportError:
    zenoh = None  # type: ignore[assignment]


_ANSWER_SECONDS = 10.0
"""Longest time [s] that a router takes to confirm a subscription."""

_AGAIN_SECONDS = 0.05
"""Time [s] after which the witness is sent the same again."""


class ZenohBackend:
    """Carries messages through zenoh.

    Args:
        address: `zenoh:ENDPOINT` of a router, such as `zenoh:tcp/127.0.0.1:7447`, or `tls/…` with
            TLS (see `tls.py`); "" makes this process a router for the bench.

    Raises:
        BackendError: the library is missing, or the router cannot be opened.
    """

    name = "zenoh"

    def __init__(self, address: str = "") -> None:
        if zenoh is None:
            raise BackendError("eclipse-zenoh is not installed: pip install 'autosim[zenoh]'")
        self._router: Zenoh = None
        if not address:
            address = f"{self.name}:tcp/127.0.0.1:{free_port()}"
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
    return address.partition(":")[2]


def _tls_settings(files: TlsFiles) -> dict[str, object]:
    names = {
        "root_ca_certificate": files.ca,
        "connect_certificate": files.certificate,
        "connect_private_key": files.key,
    }
    found: dict[str, object] = {
        f"transport/link/tls/{name}": file for name, file in names.items() if file
    }
    if files.certificate:
        found["transport/link/tls/enable_mtls"] = True
    return found


def _open(settings: Mapping[str, object]) -> Zenoh:
    configuration = zenoh.Config()
    for name, value in {**settings, "scouting/multicast/enabled": False}.items():
        configuration.insert_json5(name, json.dumps(value))
    try:
        return zenoh.open(configuration)
    except zenoh.ZError as error:
        raise BackendError(f"zenoh cannot be opened: {error}") from None


class ZenohConnection(BackendConnection):
    """A node's session, and a witness; the library makes them again when they are lost.

    zenoh does not say when a router has taken a subscription. So what the session sends to its
    witness right after it tells: the router takes one after the other.
    """

    def __init__(self, address: str) -> None:
        super().__init__()
        plain, files = split_tls(address)
        settings: dict[str, object] = {"mode": "client", "connect/endpoints": [_endpoint(plain)]}
        settings.update(_tls_settings(files))
        self._session, self._witness = _open(settings), _open(settings)
        self._subscribers: dict[str, Zenoh] = {}
        self._seen = threading.Event()
        self._mark = f"autosim/witness/{secrets.token_hex(8)}"
        self._witness.declare_subscriber(self._mark, lambda _: self._seen.set())

    def close(self) -> None:
        """Ends all subscriptions and the session."""
        super().close()
        self._session.close()
        self._witness.close()

    def _join(self, topic: str) -> None:
        self._subscribers[topic] = self._session.declare_subscriber(
            self._key(topic), lambda sample: self._take(topic, sample.payload.to_bytes())
        )
        self._confirm()

    def _key(self, topic: str) -> str:
        """Name of a topic in zenoh."""
        return topic.removeprefix("/")  # which zenoh does not allow

    def _take(self, topic: str, data: bytes) -> None:
        self.inbox.put(topic, data)

    def _confirm(self) -> None:
        """Waits until the router has received all previous messages."""
        self._seen.clear()
        deadline = time.monotonic() + _ANSWER_SECONDS
        while not self._seen.is_set():
            if time.monotonic() > deadline:
                raise BackendError("the zenoh router does not confirm a subscription")
            self._session.put(self._mark, b"")
            self._seen.wait(_AGAIN_SECONDS)  # at first the witness may not be known yet, either

    def _leave(self, topic: str) -> None:
        self._subscribers.pop(topic).undeclare()

    def _send(self, topic: str, data: bytes) -> None:
        self._put(self._key(topic), data)

    def _put(self, key: str, data: bytes, attachment: bytes | None = None) -> None:
        block = zenoh.CongestionControl.BLOCK
        self._session.put(key, data, congestion_control=block, attachment=attachment)
