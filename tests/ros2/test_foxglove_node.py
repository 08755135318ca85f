"""Topics for Foxglove, read by a client of its WebSocket protocol."""

import json
import struct
import time
from collections.abc import Iterator
from queue import Queue
from typing import Any

import pytest

pytest.importorskip("foxglove")
pytest.importorskip("rosbags")
pytest.importorskip("websockets")

from websockets import Subprotocol
from websockets.sync.client import ClientConnection, connect

from autosim.errors import UserError
from autosim.ros2.foxglove_node import FoxgloveServer
from autosim.ros2.message_types import MessageTypes
from autosim.ros2.ros_graph import Quality

TYPES = MessageTypes()
STRING, TWIST = "std_msgs/msg/String", "geometry_msgs/msg/Twist"
PATIENCE = 30.0
MESSAGE, CLIENT_MESSAGE = 1, 1


@pytest.fixture
def server() -> Iterator[FoxgloveServer]:
    with FoxgloveServer("127.0.0.1", 0, TYPES, name="test", takes_commands=True) as opened:
        yield opened


class Viewer:
    """A client of the protocol foxglove.sdk.v1."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.channels: dict[str, Any] = {}

    def until_channel(self, topic: str) -> Any:
        """Waits until a topic is advertised."""
        while topic not in self.channels:
            received = self._socket.recv(PATIENCE)
            message = json.loads(received) if isinstance(received, str) else {"op": ""}
            if message["op"] == "advertise":
                self.channels |= {each["topic"]: each for each in message["channels"]}
        return self.channels[topic]

    def subscribe(self, topic: str) -> None:
        """Subscribes to a topic, once it is there."""
        channel = self.until_channel(topic)
        wanted = {"id": 1, "channelId": channel["id"]}
        self._socket.send(json.dumps({"op": "subscribe", "subscriptions": [wanted]}))

    def publish(self, topic: str, kind: str, fields: Any) -> None:
        """Publishes a message as JSON."""
        channel = {"id": 7, "topic": topic, "encoding": "json", "schemaName": kind}
        self._socket.send(json.dumps({"op": "advertise", "channels": [channel]}))
        self._socket.send(struct.pack("<BI", CLIENT_MESSAGE, 7) + json.dumps(fields).encode())

    def message(self) -> bytes:
        """The data of the next message."""
        while True:
            received = self._socket.recv(PATIENCE)
            if isinstance(received, bytes) and received[0] == MESSAGE:
                return received[13:]


@pytest.fixture
def viewer(server: FoxgloveServer) -> Iterator[Viewer]:
    address = f"ws://127.0.0.1:{server.port}"
    with connect(address, subprotocols=[Subprotocol("foxglove.sdk.v1")]) as socket:
        yield Viewer(socket)


def test_a_channel_has_the_declaration_of_its_messages(
    server: FoxgloveServer, viewer: Viewer
) -> None:
    server.node().publisher("/odom", "nav_msgs/msg/Odometry")
    channel = viewer.until_channel("/odom")
    assert (channel["encoding"], channel["schemaEncoding"]) == ("cdr", "ros2msg")
    assert "geometry_msgs/PoseWithCovariance pose" in channel["schema"]
    assert "MSG: geometry_msgs/PoseWithCovariance" in channel["schema"]


def test_a_subscriber_gets_messages_and_other_topics_cost_nothing(
    server: FoxgloveServer, viewer: Viewer
) -> None:
    node = server.node()
    publisher = node.publisher("/chatter", STRING)
    other = node.publisher("/other", STRING)
    viewer.subscribe("/chatter")
    while not publisher.is_wanted:
        time.sleep(0.01)
    assert not other.is_wanted
    publisher.publish(TYPES.build(STRING, {"data": "hello"}))
    assert TYPES.from_cdr(viewer.message(), STRING).data == "hello"


def test_the_last_message_of_a_latched_topic_comes_late(
    server: FoxgloveServer, viewer: Viewer
) -> None:
    publisher = server.node().publisher("/map", STRING, Quality.LATCHED)
    publisher.publish(TYPES.build(STRING, {"data": "last"}))
    viewer.subscribe("/map")
    assert TYPES.from_cdr(viewer.message(), STRING).data == "last"


def test_a_client_drives_by_json_and_what_is_no_twist_is_rejected(
    server: FoxgloveServer, viewer: Viewer
) -> None:
    taken: Queue[Any] = Queue()
    rejected: Queue[str] = Queue()
    server.node().subscribe("/cmd_vel", TWIST, taken.put, reject=rejected.put)
    viewer.publish("/cmd_vel", TWIST, {"linear": {"x": 2.5}})
    assert taken.get(timeout=PATIENCE).linear.x == 2.5
    for wrong in ({"linear": {"x": "fast"}}, {"linear": 3}, [1, 2], "text"):
        viewer.publish("/cmd_vel", TWIST, wrong)
        assert rejected.get(timeout=PATIENCE).startswith("/cmd_vel: not a geometry_msgs/msg/Twist")
    viewer.publish("/cmd_vel", TWIST, {"speed": 3.0})
    assert rejected.get(timeout=PATIENCE) == f"/cmd_vel: {TWIST} has no field speed"


def test_a_port_that_is_taken_is_named(server: FoxgloveServer) -> None:
    with pytest.raises(UserError, match=f"cannot be served at 127.0.0.1:{server.port}"):
        FoxgloveServer("127.0.0.1", server.port, TYPES, name="second", takes_commands=False)
