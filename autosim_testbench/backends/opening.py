"""Finds a backend by its name or its address."""

from collections.abc import Callable
from urllib.parse import urlsplit

from autosim_testbench.backends.amqp import AmqpBackend
from autosim_testbench.backends.backend import Backend, BackendError
from autosim_testbench.backends.embedded import EmbeddedBackend
from autosim_testbench.backends.local import LocalBackend
from autosim_testbench.backends.mqtt import MqttBackend
from autosim_testbench.backends.ros1 import Ros1Backend
from autosim_testbench.backends.ros2 import Ros2Backend
from autosim_testbench.backends.tls import is_loopback
from autosim_testbench.backends.zenoh import ZenohBackend

_BY_SCHEME: dict[str, Callable[[str], Backend]] = {
    "local": LocalBackend,
    "mqtt": MqttBackend,
    "mqtts": MqttBackend,
    "mqtt+unix": MqttBackend,
    "amqp": AmqpBackend,
    "amqps": AmqpBackend,
    "zenoh": ZenohBackend,
    "ros1": Ros1Backend,
    "ros2": Ros2Backend,
}

NAMES = ("embedded", "local", "mqtt", "amqp", "zenoh", "ros1", "ros2")
"""Backends that need no address: they run on this machine for one bench."""


def open_backend(text: str) -> Backend:
    """The backend of a name, with all that it needs started, or the one at an address.

    Raises:
        BackendError: there is no such backend, or it cannot be used here; with what to do.
    """
    if text == "embedded":
        return EmbeddedBackend()
    scheme = urlsplit(text).scheme or text
    if scheme not in _BY_SCHEME:
        raise BackendError(f"no backend is called {text!r}; there are {', '.join(NAMES)}")
    return _BY_SCHEME[scheme]("" if text in NAMES else text)


def risk_of(address: str) -> str:
    """Warning on the security of a backend's address; "" for none."""
    name, _, rest = address.partition(":")
    if name == "ros1":
        who = "all users of this machine" if not rest else "all who reach this machine's ports"
        return (
            f"ROS 1 has neither passwords nor encryption: {who} can listen to the bench, and "
            "send to it"
        )
    is_zenoh = name in ("zenoh", "ros2")
    has_port = name in ("mqtt", "amqp") or (is_zenoh and not rest.startswith("tls/"))
    endpoint = rest.partition("/")[2] if is_zenoh else urlsplit(address).hostname or ""
    host = endpoint.rpartition(":")[0] if is_zenoh else endpoint
    if not has_port or not host or is_loopback(host):
        return ""
    safe = address.replace(f"{name}:tcp/", f"{name}:tls/").replace(f"{name}://", f"{name}s://")
    return (
        f"{address.rpartition('@')[2]} is not encrypted: others on the network can read and change "
        f"the messages; with TLS the address is {safe.rpartition('@')[2]}"
    )
