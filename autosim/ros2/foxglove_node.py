"""Foxglove in place of a ROS graph: the same topics over its WebSocket protocol, in CDR.

Clients read messages by their declarations, which each channel carries, and may publish commands as
JSON or CDR.
"""

import json
from collections.abc import Callable
from threading import Lock

import foxglove
from foxglove.websocket import Capability, ServerListener

from autosim.errors import UserError
from autosim.ros2.message_types import Message, MessageTypes, RosMessageError
from autosim.ros2.ros_graph import Quality
from autosim.ros2.zenoh_session import Zenoh

Foxglove = Zenoh
"""A thing of Foxglove's library: a server, a channel, a client."""


class FoxgloveServer:
    """Serves Foxglove's clients. Use as a context manager.

    Args:
        host: to listen on.
        port: the same; 0: any free port.
        types: of messages.
        name: of what is shown.
        takes_commands: whether clients may publish.

    Raises:
        UserError: it cannot listen there.
    """

    def __init__(
        self, host: str, port: int, types: MessageTypes, *, name: str, takes_commands: bool
    ) -> None:
        foxglove.set_log_level("ERROR")
        self.types = types
        self._context = foxglove.Context()
        self._lock = Lock()
        self._latched: dict[str, tuple[Foxglove, bytes]] = {}
        self._takers: dict[str, tuple[str, Callable[[Message], None], Callable[[str], None]]] = {}
        self._advertised: dict[tuple[int, int], tuple[str, str]] = {}
        capabilities = [Capability.Time]
        if takes_commands:
            capabilities.append(Capability.ClientPublish)
        try:
            self._server: Foxglove = foxglove.start_server(
                name=name,
                host=host,
                port=port,
                capabilities=capabilities,
                server_listener=_Listener(self),
                supported_encodings=["json", "cdr"] if takes_commands else None,
                context=self._context,
            )
        except (RuntimeError, OSError) as error:
            raise UserError(f"Foxglove cannot be served at {host}:{port}: {error}") from error

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self._server.port)

    def node(self) -> "FoxgloveNode":
        """The topics of one world."""
        return FoxgloveNode(self)

    def close(self) -> None:
        """Ends all connections."""
        self._server.stop()

    def __enter__(self) -> "FoxgloveServer":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def open_channel(self, topic: str, kind: str) -> Foxglove:
        """A channel for messages of the type `kind`."""
        schema = foxglove.Schema(
            name=kind, encoding="ros2msg", data=self.types.declaration(kind).encode()
        )
        return foxglove.Channel(topic, schema=schema, message_encoding="cdr", context=self._context)

    def keep(self, topic: str, channel: Foxglove, data: bytes) -> None:
        """Keeps a message of a topic for late subscribers."""
        with self._lock:
            self._latched[topic] = (channel, data)

    def forget(self, topic: str) -> None:
        """Drops the message kept for late subscribers of a topic."""
        with self._lock:
            self._latched.pop(topic, None)

    def send_kept(self, topic: str) -> None:
        """Sends the kept message of a topic, if there is one, to all subscribers again."""
        with self._lock:
            kept = self._latched.get(topic)
        if kept is not None:
            kept[0].log(kept[1])

    def set_taker(
        self, topic: str, kind: str, take: Callable[[Message], None], reject: Callable[[str], None]
    ) -> None:
        """Registers `take`, which is called with the messages of clients on a topic."""
        self._takers[topic] = (kind, take, reject)

    def clear_takers(self) -> None:
        """Removes all takers; messages of clients are ignored."""
        self._takers.clear()

    def advertise(self, client: int, channel: int, topic: str, encoding: str) -> None:
        """Notes that a client is about to publish."""
        self._advertised[client, channel] = (topic, encoding)

    def unadvertise(self, client: int, channel: int) -> None:
        """Notes that it is no longer."""
        self._advertised.pop((client, channel), None)

    def receive(self, client: int, channel: int, data: bytes) -> None:
        """Takes a message of a client."""
        topic, encoding = self._advertised.get((client, channel), ("", ""))
        taker = self._takers.get(topic)
        if taker is None:
            return
        kind, take, reject = taker
        try:
            take(self._read(data, kind, encoding))
        except RosMessageError as error:
            reject(f"{topic}: {error}")

    def broadcast_time(self, nanoseconds: int) -> None:
        """Tells clients the simulated time."""
        self._server.broadcast_time(nanoseconds)

    def _read(self, data: bytes, kind: str, encoding: str) -> Message:
        if encoding == "cdr":
            return self.types.from_cdr(data, kind)
        try:
            fields = json.loads(data)
            if not isinstance(fields, dict):
                raise TypeError("expected an object with the fields of the message")
            message = self.types.build(kind, fields)
            # What cannot be written is not a message: a text for a number, say.
            return self.types.from_cdr(self.types.to_cdr(message), kind)
        except RosMessageError:
            raise
        except Exception as error:
            raise RosMessageError(f"not a {kind} in JSON: {error}") from None


class _Listener(ServerListener):
    """Passes what clients do to a server. Called in threads of the library."""

    def __init__(self, server: FoxgloveServer) -> None:
        self._server = server

    def on_subscribe(self, client: Foxglove, channel: Foxglove) -> None:
        self._server.send_kept(channel.topic)

    def on_client_advertise(self, client: Foxglove, channel: Foxglove) -> None:
        self._server.advertise(client.id, channel.id, channel.topic, channel.encoding)

    def on_client_unadvertise(self, client: Foxglove, client_channel_id: int) -> None:
        self._server.unadvertise(client.id, client_channel_id)

    def on_message_data(self, client: Foxglove, client_channel_id: int, data: bytes) -> None:
        self._server.receive(client.id, client_channel_id, data)


class FoxgloveNode:
    """The topics of one world at a server for Foxglove."""

    def __init__(self, server: FoxgloveServer) -> None:
        self.types = server.types
        self._server = server
        self._channels: list[Foxglove] = []

    def publisher(
        self, topic: str, kind: str, quality: Quality = Quality.DEFAULT
    ) -> "FoxglovePublisher":
        """A publisher of messages of the type `kind` on `topic`."""
        channel = self._server.open_channel(topic, kind)
        self._channels.append(channel)
        keeps = quality is Quality.LATCHED
        return FoxglovePublisher(self._server, channel, topic if keeps else "")

    def subscribe(
        self,
        topic: str,
        kind: str,
        take: Callable[[Message], None],
        *,
        quality: Quality = Quality.DEFAULT,
        reject: Callable[[str], None] = lambda reason: None,
    ) -> None:
        """Calls `take` with each message that a client publishes on `topic`."""
        self._server.set_taker(topic, kind, take, reject)

    def close(self) -> None:
        """Ends its topics."""
        self._server.clear_takers()
        for channel in self._channels:
            self._server.forget(channel.topic())
            channel.close()
        self._channels.clear()


class FoxglovePublisher:
    """A publisher of messages of one type.

    Args:
        server: of the channel.
        channel: of the library.
        kept_topic: the topic whose last message late subscribers get, "" for none.
    """

    def __init__(self, server: FoxgloveServer, channel: Foxglove, kept_topic: str) -> None:
        self._server, self._channel, self._kept = server, channel, kept_topic

    @property
    def is_wanted(self) -> bool:
        """Whether anything subscribes, or will get the last message."""
        return bool(self._kept) or self.has_subscribers

    @property
    def has_subscribers(self) -> bool:
        """Whether anything subscribes to the topic."""
        return bool(self._channel.has_sinks())

    def publish(self, message: Message) -> None:
        """Sends a message of the publisher's type, with the time of its header if it has one."""
        data = self._server.types.to_cdr(message)
        if self._kept:
            self._server.keep(self._kept, self._channel, data)
        stamp = getattr(getattr(message, "header", message), "stamp", None)
        time = None if stamp is None else stamp.sec * 1_000_000_000 + stamp.nanosec
        self._channel.log(data, log_time=time)
