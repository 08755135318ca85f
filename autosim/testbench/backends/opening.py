"""Finds a backend by its name or its address."""

from collections.abc import Callable
from urllib.parse import urlsplit

from autosim.testbench.backends.amqp import AmqpBackend
from autosim.testbench.backends.embedded import EmbeddedBackend
from autosim.testbench.backends.local import LocalBackend
from autosim.testbench.backends.mqtt import MqttBackend
from autosim.testbench.backends.ros1 import Ros1Backend
from autosim.testbench.backends.seam import Backend, BackendError
from autosim.testbench.backends.zenoh import ZenohBackend

_BY_SCHEME: dict[str, Callable[[str], Backend]] = {
    "local": LocalBackend,
    "mqtt": MqttBackend,
    "mqtts": MqttBackend,
    "mqtt+unix": MqttBackend,
    "amqp": AmqpBackend,
    "amqps": AmqpBackend,
    "zenoh": ZenohBackend,
    "ros1": Ros1Backend,
}

NAMES = ("embedded", "local", "mqtt", "amqp", "zenoh", "ros1")
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
