"""Messages of OSI, live: channels of the WebSocket protocol of Foxglove, in protobuf.

Viewers such as Lichtblick read them by the descriptions that each channel carries; clients publish
`TrafficUpdate`s.
"""

from collections import deque
from threading import Lock
from typing import Self, TypeAlias, cast

import foxglove
from foxglove.websocket import Capability, ServerListener

from autosim.errors import UserError
from autosim.osi.osi_scene import OsiTopic
from autosim.osi.osi_trace import schema_of

Library: TypeAlias = object
"""A thing of Foxglove's library: a client, a channel."""

TOPIC = "TrafficUpdate"
"""The topic on which clients publish."""

MAX_UPDATES = 1000
"""Number of `TrafficUpdate`s that wait at most; the oldest are dropped."""


class OsiServer:
    """Serves channels. Use as a context manager.

    Args:
        host: to listen on.
        port: the same; 0: any free port.
        takes_updates: whether clients may publish `TrafficUpdate`s.

    Raises:
        UserError: it cannot listen there.
    """

    def __init__(self, host: str, port: int, *, takes_updates: bool) -> None:
        foxglove.set_log_level("ERROR")
        self._context = foxglove.Context()
        self._lock = Lock()
        self._channels: dict[str, foxglove.Channel] = {}
        self._new: set[str] = set()
        self._updates: deque[bytes] = deque(maxlen=MAX_UPDATES)
        self._publishing: set[tuple[int, int]] = set()
        capabilities = [Capability.Time]
        if takes_updates:
            capabilities.append(Capability.ClientPublish)
        try:
            self._server = foxglove.start_server(
                name="AutoSim",
                host=host,
                port=port,
                capabilities=capabilities,
                server_listener=_Listener(self),
                supported_encodings=["protobuf"] if takes_updates else None,
                context=self._context,
            )
        except (RuntimeError, OSError) as error:
            raise UserError(f"OSI cannot be served at {host}:{port}: {error}") from error

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self._server.port)

    def open_topics(self, topics: list[OsiTopic]) -> None:
        """Offers these channels in place of those before."""
        self.close_topics()
        for topic in topics:
            schema = foxglove.Schema(
                name=f"osi3.{topic.kind}", encoding="protobuf", data=schema_of(topic.kind)
            )
            self._channels[topic.name] = foxglove.Channel(
                topic.name, schema=schema, message_encoding="protobuf", context=self._context
            )

    def close_topics(self) -> None:
        """Ends all channels."""
        for channel in self._channels.values():
            channel.close()
        self._channels.clear()

    def is_wanted(self, topic: str) -> bool:
        """Whether anything subscribes to a channel."""
        return bool(self._channels[topic].has_sinks())

    def take_new(self, topic: str) -> bool:
        """Whether anything has subscribed to a channel since the last call."""
        with self._lock:
            is_new = topic in self._new
            self._new.discard(topic)
        return is_new

    def send(self, topic: str, time: int, data: bytes) -> None:
        """Sends a message with a simulated time [ns]."""
        self._channels[topic].log(data, log_time=time)

    def broadcast_time(self, nanoseconds: int) -> None:
        """Reports the simulated time to clients."""
        self._server.broadcast_time(nanoseconds)

    def take_updates(self) -> list[bytes]:
        """The encoded `TrafficUpdate`s since the last call."""
        with self._lock:
            found = list(self._updates)
            self._updates.clear()
        return found

    def add_subscriber(self, topic: str) -> None:
        """Registers that a client has subscribed to a channel."""
        with self._lock:
            self._new.add(topic)

    def advertise(self, client: int, channel: int, topic: str) -> None:
        """Registers that a client is about to publish."""
        if topic == TOPIC:
            self._publishing.add((client, channel))

    def receive(self, client: int, channel: int, data: bytes) -> None:
        """Stores an update of a client."""
        if (client, channel) in self._publishing:
            with self._lock:
                self._updates.append(data)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.stop()


class _Listener(ServerListener):
    """Passes what clients do to a server. Called in threads of the library."""

    def __init__(self, server: OsiServer) -> None:
        self._server = server

    def on_subscribe(self, client: Library, channel: Library) -> None:
        self._server.add_subscriber(cast(foxglove.websocket.ChannelView, channel).topic)

    def on_client_advertise(self, client: Library, channel: Library) -> None:
        who = cast(foxglove.websocket.Client, client)
        what = cast(foxglove.websocket.ClientChannel, channel)
        self._server.advertise(who.id, what.id, what.topic)

    def on_message_data(self, client: Library, client_channel_id: int, data: bytes) -> None:
        self._server.receive(cast(foxglove.websocket.Client, client).id, client_channel_id, data)
