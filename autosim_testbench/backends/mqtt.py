"""MQTT as a backend: through a broker that runs somewhere, or a mosquitto of the bench's own.

The bench's own listens on a socket in a folder that only its owner may enter.
"""

import contextlib
import getpass
import socket
import threading
from pathlib import Path
from urllib.parse import unquote, urlsplit

from autosim_testbench.backends.backend import BackendConnection, BackendError
from autosim_testbench.backends.brokers import Broker, require_program
from autosim_testbench.backends.inbox import MOST_WAITING, MOST_WAITING_BYTES
from autosim_testbench.backends.tls import client_context, split_tls

try:
    from paho.mqtt import client as paho
    from paho.mqtt.enums import CallbackAPIVersion
    from paho.mqtt.reasoncodes import ReasonCode
except ImportError:
    paho = None  # type: ignore[assignment]

_ANSWER_SECONDS = 10.0
"""Longest time [s] that a broker takes to confirm a connection or a subscription."""

_PORT, _TLS_PORT = 1883, 8883
"""The ports of MQTT and of MQTT over TLS (IANA)."""

_CONFIGURATION = """\
user {user}
listener 0 {folder}/mqtt
allow_anonymous true
persistence false
max_queued_messages {messages}
max_queued_bytes {bytes}
"""


class MqttBackend:
    """Carries messages through an MQTT broker.

    Args:
        address: `mqtt://[USER:PASSWORD@]HOST[:PORT]`, `mqtts://…` with TLS (see `tls.py`),
            `mqtt+unix:PATH`; "" starts a mosquitto for this bench alone.

    Attributes:
        broker: the process of the bench's own broker, if it has one.

    Raises:
        BackendError: the library or mosquitto is missing, or mosquitto does not start.
    """

    name = "mqtt"

    def __init__(self, address: str = "") -> None:
        if paho is None:
            raise BackendError("paho-mqtt is not installed: pip install 'autosim[mqtt]'")
        self.broker: Broker | None = None
        if not address:
            self.broker = own_broker()
            self.broker.start()
            address = f"mqtt+unix:{self.broker.folder}/mqtt"
        self.address = address

    def connect(self, node: str) -> "MqttConnection":
        """A connection for the node of this name."""
        return MqttConnection(self.address)

    def close(self) -> None:
        """Ends the broker, if the bench started it."""
        if self.broker:
            self.broker.close()


def own_broker() -> Broker:
    """A private mosquitto broker; not started yet."""
    program = require_program("mosquitto", "sudo apt-get install mosquitto")

    def command(folder: Path) -> list[str]:
        file = folder / "mosquitto.conf"
        file.write_text(
            _CONFIGURATION.format(
                user=getpass.getuser(),  # else it gives up what root may do, and its folder
                folder=folder,
                messages=MOST_WAITING,
                bytes=MOST_WAITING_BYTES,
            )
        )
        return [program, "-c", str(file)]

    return Broker("mosquitto", command, is_ready=_answers)


def _answers(folder: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as opened, contextlib.suppress(OSError):
        opened.connect(str(folder / "mqtt"))
        return True
    return False


class MqttConnection(BackendConnection):
    """A node's connection to a broker. The library makes it again when it is lost."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self._is_connected = threading.Event()
        self._refused = ""
        self._confirmed: set[int] = set()
        self._confirmation = threading.Condition()
        is_local = address.startswith("mqtt+unix:")
        self._client = paho.Client(
            CallbackAPIVersion.VERSION2, transport="unix" if is_local else "tcp"
        )
        self._client.max_queued_messages_set(MOST_WAITING)
        self._client.reconnect_delay_set(1, 5)
        self._client.on_connect = self._connected
        self._client.on_disconnect = self._disconnected
        self._client.on_subscribe = self._subscribed
        self._client.on_message = lambda _, __, message: self.inbox.put(
            message.topic, bytes(message.payload)
        )
        self._connect(address, is_local)

    def close(self) -> None:
        """Ends all subscriptions and the connection, once all is sent."""
        super().close()
        self._client.disconnect()
        self._client.loop_stop()

    def _connect(self, address: str, is_local: bool) -> None:
        plain, files = split_tls(address)
        where = urlsplit(plain)
        if where.username:
            self._client.username_pw_set(unquote(where.username), unquote(where.password or ""))
        if where.scheme == "mqtts":
            self._client.tls_set_context(client_context(files))
        host = address.removeprefix("mqtt+unix:") if is_local else where.hostname or "127.0.0.1"
        port = where.port or (_TLS_PORT if where.scheme == "mqtts" else _PORT)
        try:
            self._client.connect(host, port)
        except OSError as error:
            raise BackendError(f"no MQTT broker answers at {host}, port {port}: {error}") from None
        self._client.loop_start()
        if not self._is_connected.wait(_ANSWER_SECONDS) or self._refused:
            self._client.loop_stop()
            raise BackendError(f"the MQTT broker at {host} refuses: {self._refused or 'no answer'}")

    def _connected(
        self, _: object, __: object, ___: object, reason: "ReasonCode", *____: object
    ) -> None:
        self._refused = str(reason) if reason.is_failure else ""
        for topic in self.inbox.topics():
            self._client.subscribe(topic)
        self._is_connected.set()

    def _disconnected(
        self, _: object, __: object, ___: object, reason: "ReasonCode", *____: object
    ) -> None:
        if not self._is_connected.is_set():  # such as for a certificate that the broker wants
            self._refused = f"it ends the connection ({reason})"
            self._is_connected.set()

    def _subscribed(self, _: object, __: object, number: int, *___: object) -> None:
        with self._confirmation:
            self._confirmed.add(number)
            self._confirmation.notify_all()

    def _join(self, topic: str) -> None:
        _, number = self._client.subscribe(topic)
        with self._confirmation:
            if number is None or not self._confirmation.wait_for(
                lambda: number in self._confirmed, _ANSWER_SECONDS
            ):
                raise BackendError(f"the MQTT broker does not confirm the topic {topic!r}")

    def _leave(self, topic: str) -> None:
        self._client.unsubscribe(topic)

    def _send(self, topic: str, data: bytes) -> None:
        self._client.publish(topic, data)
