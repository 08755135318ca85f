"""AMQP 0.9.1 as a backend: through a broker that runs somewhere, or a RabbitMQ of the bench's own.

A topic is a routing key of one exchange; a node has one queue for all its topics, which keeps
their order. The bench's own broker listens on the loopback interface and knows one user, with a
password that is made for this bench.
"""

import contextlib
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from autosim_testbench.backends.backend import BackendConnection, BackendError
from autosim_testbench.backends.brokers import Broker, answers, free_port, require_program
from autosim_testbench.backends.inbox import MOST_WAITING
from autosim_testbench.backends.tls import client_context, split_tls

try:
    import pika
except ImportError:
    pika = None

_EXCHANGE = "autosim"

_ANSWER_SECONDS = 10.0
"""Longest time [s] that a broker takes to confirm a subscription."""

_RETRY_SECONDS = 0.5
"""Time [s] between two attempts to reach a broker that is gone."""

_GIVE_UP_SECONDS = 30.0
"""Time [s] after which a broker that is gone will not come back; RabbitMQ starts in 7 s."""

_POLL_SECONDS = 0.001
"""Longest time [s] that a message waits in this process before the library's thread sends it."""

_CONFIGURATION = """\
listeners.tcp.local = 127.0.0.1:{port}
default_user = autosim
default_pass = {secret}
loopback_users = none
"""


class _Delivered(Protocol):
    """The method of AMQP with which a message comes: `pika.spec.Basic.Deliver`."""

    routing_key: str


class AmqpBackend:
    """Carries messages through an AMQP broker.

    Args:
        address: `amqp://USER:PASSWORD@HOST[:PORT]`, `amqps://…` with TLS (see `tls.py`); "" starts
            a RabbitMQ for this bench alone.

    Attributes:
        broker: the process of the bench's own broker, if it has one.

    Raises:
        BackendError: the library or RabbitMQ is missing, or RabbitMQ does not start.
    """

    name = "amqp"

    def __init__(self, address: str = "") -> None:
        if pika is None:
            raise BackendError("pika is not installed: pip install 'autosim[amqp]'")
        self.broker: Broker | None = None
        self._names_port = 0
        if not address:
            port, self._names_port = free_port(), free_port()
            self.broker = own_broker(port, self._names_port)
            self.broker.start()
            address = f"amqp://autosim:{self.broker.secret}@127.0.0.1:{port}"
        self.address = address

    def connect(self, node: str) -> "AmqpConnection":
        """A connection for the node of this name."""
        return AmqpConnection(self.address)

    def close(self) -> None:
        """Ends the broker, if the bench started it."""
        if self.broker:
            self.broker.close()
            _end_name_server(self._names_port)


def _end_name_server(port: int) -> None:
    """Ends the name server that Erlang starts for itself, and that outlives the broker."""
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(
            ["epmd", "-port", str(port), "-kill"], capture_output=True, timeout=_ANSWER_SECONDS
        )


def own_broker(port: int, names: int) -> Broker:
    """A RabbitMQ on the loopback interface, not started yet; its name server is at port `names`."""
    program = require_program("rabbitmq-server", "sudo apt-get install rabbitmq-server")
    distribution = free_port()

    def environment(folder: Path) -> dict[str, str]:
        file = folder / "rabbitmq.conf"
        file.write_text(_CONFIGURATION.format(port=port, secret=broker.secret))
        return {
            "HOME": str(folder),
            "RABBITMQ_NODENAME": f"autosim{port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_DIST_PORT": str(distribution),
            "RABBITMQ_MNESIA_BASE": str(folder / "data"),
            "RABBITMQ_LOG_BASE": str(folder),
            "RABBITMQ_LOGS": "-",
            "RABBITMQ_CONFIG_FILE": str(file),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "ERL_EPMD_PORT": str(names),
        }

    broker = Broker(
        "rabbitmq-server",
        lambda _: [program],
        environment=environment,
        is_ready=lambda _: answers(port),
    )
    return broker


class AmqpConnection(BackendConnection):
    """A node's connection to a broker, served by its own thread, which also reconnects."""

    def __init__(self, address: str) -> None:
        super().__init__()
        plain, files = split_tls(address)
        self._parameters = pika.URLParameters(plain)
        if plain.startswith("amqps:"):
            self._parameters.ssl_options = pika.SSLOptions(
                client_context(files), self._parameters.host
            )
        self._where = f"{self._parameters.host}:{self._parameters.port}"
        self._is_closed = False
        self._jobs: list[Callable[[], None]] = []
        self._lock = threading.Lock()
        self._open()
        self._thread = threading.Thread(target=self._speak, name="autosim-amqp", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Ends all subscriptions and the connection, once all is sent."""
        super().close()
        self._is_closed = True
        self._thread.join()
        if self._connection.is_open:
            with contextlib.suppress(pika.exceptions.AMQPError):
                self._connection.close()

    def _open(self) -> None:
        try:
            self._connection = pika.BlockingConnection(self._parameters)
        except (pika.exceptions.AMQPError, OSError) as error:
            reason = str(error) or type(error).__name__
            raise BackendError(f"no AMQP broker answers at {self._where}: {reason}") from None
        self._channel = self._connection.channel()
        self._channel.exchange_declare(_EXCHANGE, exchange_type="direct")
        declared = self._channel.queue_declare(
            "", exclusive=True, auto_delete=True, arguments={"x-max-length": MOST_WAITING}
        )
        self._queue = declared.method.queue
        self._channel.basic_consume(self._queue, self._take, auto_ack=True)
        for topic in self.inbox.topics():
            self._channel.queue_bind(self._queue, _EXCHANGE, topic)

    def _take(self, _: object, delivered: _Delivered, __: object, body: bytes) -> None:
        self.inbox.put(delivered.routing_key, body)

    def _speak(self) -> None:
        while True:
            is_last_round = self._is_closed  # asked before the jobs: none is added after it
            try:
                jobs = self._jobs_so_far()
                for each in jobs:
                    each()
                self._connection.process_data_events(0 if jobs else _POLL_SECONDS)
                if is_last_round:
                    return
            except pika.exceptions.AMQPError:
                if not self._open_again():
                    return

    def _jobs_so_far(self) -> list[Callable[[], None]]:
        with self._lock:
            jobs, self._jobs = self._jobs, []
        return jobs

    def _open_again(self) -> bool:
        deadline = time.monotonic() + _GIVE_UP_SECONDS
        while not self._is_closed:
            try:
                self._open()
            except BackendError as error:
                if time.monotonic() > deadline:
                    self.lost = error
                    return False
                time.sleep(_RETRY_SECONDS)
            else:
                return True
        return False

    def _do(self, job: Callable[[], None]) -> None:
        with self._lock:
            self._jobs.append(job)

    def _do_now(self, job: Callable[[], None]) -> None:
        done = threading.Event()
        self._do(job)
        self._do(done.set)
        if self._thread.is_alive() and not done.wait(_ANSWER_SECONDS):
            raise BackendError(f"the AMQP broker at {self._where} does not answer")

    def _join(self, topic: str) -> None:
        self._do_now(lambda: self._channel.queue_bind(self._queue, _EXCHANGE, topic))

    def _leave(self, topic: str) -> None:
        self._do(lambda: self._channel.queue_unbind(self._queue, _EXCHANGE, topic))

    def _send(self, topic: str, data: bytes) -> None:
        self._do(lambda: self._channel.basic_publish(_EXCHANGE, topic, data))
