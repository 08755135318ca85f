"""ROS 1: nodes that know nothing of the bench take part, as its `.msg` files say."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autosim_testbench.backends.backend import BackendError
from autosim_testbench.backends.opening import open_backend
from autosim_testbench.backends.ros1 import Ros1Backend
from autosim_testbench.backends.rospy_node import load_rospy
from autosim_testbench.messages.kinds import Range, Transform, picture_kind
from autosim_testbench.messages.ros_message import ros_definition, ros_md5, ros_type
from autosim_testbench.messages.serial_object import MessageField, SerialObject
from autosim_testbench.nodes.node import Node

FOREIGN = """
import sys, genpy.dynamic, rospy
kinds = genpy.dynamic.generate_dynamic("autosim_msgs/Range", open(sys.argv[1]).read())
Range = kinds["autosim_msgs/Range"]
rospy.init_node(sys.argv[2])
out = rospy.Publisher("twice", Range, queue_size=10)
def came(message):
    message.distance *= 2.0
    message.publisher = 1
    out.publish(message)
rospy.Subscriber("range", Range, came)
print("ready", flush=True)
sys.stdin.read()
rospy.signal_shutdown("")
"""


class Pinger(Node):
    """Says a distance in each turn, and keeps what comes back."""

    def setup(self, arguments: object) -> None:
        self.range, self.twice, self.back = Range(distance=1.5), Range(), []
        self.advertise("range", self.range)
        self.subscribe("twice", self.twice)
        self.register_input_function("twice", lambda: self.back.append(self.twice.distance))
        self.register_core_function(lambda: setattr(self.range, "flagged", True))


@pytest.fixture
def backend() -> Iterator[Ros1Backend]:
    try:
        opened = open_backend("ros1")
    except BackendError as error:
        pytest.skip(str(error))
    yield opened
    opened.close()


class Foreign:
    """A process that uses rospy alone, with the system's Python."""

    def __init__(self, backend: Ros1Backend, folder: Path, name: str) -> None:
        (folder / "Range.msg").write_text(ros_definition(Range))
        self._process = subprocess.Popen(
            ["/usr/bin/python3", "-c", FOREIGN, str(folder / "Range.msg"), name],
            env={
                "ROS_MASTER_URI": backend.address.replace("ros1://", "http://"),
                "ROS_IP": "127.0.0.1",
                "ROS_HOME": str(folder),
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._process.stdout.readline() == b"ready\n"

    def close(self) -> None:
        self._process.communicate()


def hears(node: Pinger, turns: int = 400) -> bool:
    """Whether something comes back within 20 s at most."""
    node.back.clear()
    for _ in range(turns):
        if node.back:
            break
        node.turn(timeout=0.05)
    return set(node.back) == {3.0}


def test_a_foreign_node_takes_part_also_after_the_master_was_killed(
    backend: Ros1Backend, tmp_path: Path
) -> None:
    node = Pinger()
    node.init(connection=backend.connect("pinger"))
    first = Foreign(backend, tmp_path, "first")
    assert hears(node)
    first.close()
    backend.broker.kill()
    backend.broker.start()
    second = Foreign(backend, tmp_path, "second")
    assert hears(node), "the new master was told of the node's topics"
    second.close()
    assert not node.subscribed["twice"].rejected
    node.end()


class Mixed(SerialObject):
    """All that a field may be."""

    name = MessageField("text", length=5)
    matrix = MessageField("float64", shape=(2, 3))
    flag = MessageField("uint8")


@pytest.mark.parametrize("kind", [Range, Transform, Mixed, picture_kind(4, 3)])
def test_the_checksum_is_that_of_ros(kind: type[SerialObject]) -> None:
    try:
        load_rospy()
    except BackendError as error:
        pytest.skip(str(error))
    import genmsg

    context = genmsg.MsgContext.create_default()
    spec = genmsg.msg_loader.load_msg_from_string(context, ros_definition(kind), ros_type(kind))
    assert genmsg.compute_md5(context, spec) == ros_md5(kind)


def test_a_name_that_ros_does_not_know_is_said(backend: Ros1Backend) -> None:
    connection = backend.connect("node")
    with pytest.raises(BackendError, match="'front-range' is not a ROS topic name"):
        connection.advertise("front-range", Range)
    connection.close()


def test_a_process_has_one_master_at_a_time(backend: Ros1Backend) -> None:
    connection, other = backend.connect("node"), open_backend("ros1")
    with pytest.raises(BackendError, match="this process is a node of the ROS master at http"):
        other.connect("node")
    connection.close()
    other.connect("node").close()
    other.close()


def test_what_installs_it_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("autosim_testbench.backends.rospy_node._DEBIAN", tmp_path)
    monkeypatch.setitem(sys.modules, "rospy", None)
    with pytest.raises(BackendError, match="sudo apt-get install --no-install-recommends python3-"):
        open_backend("ros1")
