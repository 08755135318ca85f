"""A node of the ROS graph: topics, late subscribers, services, tokens."""

import struct
import threading
from collections.abc import Callable, Iterator
from queue import Queue
from typing import Any

import pytest

pytest.importorskip("zenoh")
pytest.importorskip("rosbags")

from autosim.errors import UserError
from autosim.ros2.message_types import MessageTypes, dds_name, request_type, response_type
from autosim.ros2.ros_graph import Quality, RosNode, ros_name
from autosim.ros2.zenoh_session import open_session

TYPES = MessageTypes()
STRING = "std_msgs/msg/String"
PATIENCE = 60.0


@pytest.fixture
def nodes(sessions: Callable[[], Any]) -> Iterator[Callable[[str], RosNode]]:
    """Makes nodes, each with a session of its own."""
    made: list[RosNode] = []

    def make(name: str) -> RosNode:
        made.append(RosNode(sessions(), TYPES, name=name))
        return made[-1]

    yield make
    for node in made:
        node.close()


def until(condition: Callable[[], bool]) -> None:
    """Waits for what another thread does."""
    tick = threading.Event()
    for _ in range(int(PATIENCE / 0.01)):
        if condition():
            return
        tick.wait(0.01)
    raise AssertionError("it did not come")


def test_a_message_arrives_with_its_number_and_publisher(nodes: Callable[[str], RosNode]) -> None:
    talker, listener = nodes("talker"), nodes("listener")
    came: Queue[Any] = Queue()
    publisher = talker.publisher("/chatter", STRING)
    assert not publisher.is_wanted
    listener.subscribe("/chatter", STRING, came.put)
    until(lambda: publisher.is_wanted)
    publisher.publish(TYPES.build(STRING, {"data": "hello"}))
    assert came.get(timeout=PATIENCE).data == "hello"


def test_the_last_message_of_a_latched_topic_reaches_late_subscribers(
    nodes: Callable[[str], RosNode],
) -> None:
    talker, listener = nodes("talker"), nodes("listener")
    publisher = talker.publisher("/map", STRING, Quality.LATCHED)
    publisher.publish(TYPES.build(STRING, {"data": "first"}))
    publisher.publish(TYPES.build(STRING, {"data": "last"}))
    # Once another node has the last message, none is on its way any more.
    seen: Queue[Any] = Queue()
    nodes("witness").subscribe("/map", STRING, seen.put, quality=Quality.LATCHED)
    while seen.get(timeout=PATIENCE).data != "last":
        pass
    came: Queue[Any] = Queue()
    listener.subscribe("/map", STRING, came.put, quality=Quality.LATCHED)
    assert came.get(timeout=PATIENCE).data == "last"


def test_bytes_that_are_no_message_are_rejected(nodes: Callable[[str], RosNode]) -> None:
    talker, listener = nodes("talker"), nodes("listener")
    rejected: Queue[str] = Queue()
    publisher = talker.publisher("/chatter", STRING)
    listener.subscribe("/chatter", STRING, lambda message: None, reject=rejected.put)
    until(lambda: publisher.is_wanted)
    publisher.publish_cdr(b"\0\1\0\0\xff\xff\xff\xff")
    assert rejected.get(timeout=PATIENCE).startswith("/chatter: no std_msgs/msg/String")


def test_a_service_answers_with_the_number_of_the_request(
    nodes: Callable[[str], RosNode], sessions: Callable[[], Any]
) -> None:
    service = "simulation_interfaces/srv/StepSimulation"
    server, session = nodes("server"), sessions()

    def answer(request: Any) -> Any:
        return TYPES.build(
            response_type(service), {"result": {"error_message": str(request.steps)}}
        )

    server.serve("/simulation/step", service, answer)
    data = TYPES.to_cdr(TYPES.build(request_type(service), {"steps": 5}))
    key = f"0/simulation/step/{dds_name(service)}/{TYPES.hash_of(service)}"
    attachment = struct.pack("<qqB16s", 41, 0, 16, b"g" * 16)
    replies: list[Any] = []

    def ask() -> bool:
        replies.extend(session.get(key, payload=data, attachment=attachment, timeout=5.0))
        return bool(replies)

    until(ask)
    reply = replies[0].ok
    response = TYPES.from_cdr(reply.payload.to_bytes(), response_type(service))
    assert response.result.error_message == "5"
    number, _, length, gid = struct.unpack("<qqB16s", reply.attachment.to_bytes())
    assert (number, length, gid) == (41, 16, b"g" * 16)


def test_tokens_tell_of_nodes_topics_and_services(
    nodes: Callable[[str], RosNode], sessions: Callable[[], Any]
) -> None:
    node, session = nodes("robot"), sessions()
    node.publisher("/car/odom", "nav_msgs/msg/Odometry")
    node.subscribe("/car/cmd_vel", "geometry_msgs/msg/Twist", lambda message: None)
    odometry = TYPES.hash_of("nav_msgs/msg/Odometry")

    def tokens() -> set[str]:
        answers = session.liveliness().get("@ros2_lv/0/**", timeout=5.0)
        return {str(each.ok.key_expr).split("/", 5)[5] for each in answers}

    wanted = {
        "NN/%/%/robot",
        f"MP/%/%/robot/%car%odom/nav_msgs::msg::dds_::Odometry_/{odometry}/::,10:,:,:,,",
    }
    until(lambda: wanted <= tokens())
    node.close()
    until(lambda: not wanted & tokens())


@pytest.mark.parametrize("topic", ["/a b", "/1st", "a//b", "/größe", ""])
def test_names_that_ros_does_not_allow_are_refused(
    nodes: Callable[[str], RosNode], topic: str
) -> None:
    with pytest.raises(UserError, match="is not a valid name in ROS"):
        nodes("node").publisher(topic, STRING)


def test_any_text_becomes_a_name() -> None:
    assert [ros_name(each) for each in ("car-2", "2nd", "ä", "")] == ["car_2", "_2nd", "_", "_"]


@pytest.mark.parametrize("router", ["nonsense", "tcp/nowhere.invalid:7447"])
def test_an_endpoint_that_is_none_is_named(router: str) -> None:
    with pytest.raises(UserError, match=f"zenoh cannot be opened at {router}"):
        open_session(router)
