"""ROS 2's topics over zenoh, as the source of its middleware has them; no ROS 2 is there to try."""

import struct
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from autosim.ros2.zenoh_session import open_session
from autosim_testbench.backends.backend import BackendError
from autosim_testbench.backends.opening import open_backend
from autosim_testbench.backends.ros2 import Ros2Backend
from autosim_testbench.messages.cdr import kind_hash, to_cdr
from autosim_testbench.messages.envelope import seal
from autosim_testbench.messages.kinds import Range
from autosim_testbench.nodes.node import Node

KEY = f"0/robot/range/autosim_msgs::msg::dds_::Range_/{kind_hash(Range)}"


@pytest.fixture
def backend(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ros2Backend]:
    monkeypatch.delenv("ROS_DOMAIN_ID", raising=False)
    try:
        opened = open_backend("ros2")
    except BackendError as error:
        pytest.skip(str(error))
    yield opened
    opened.close()


@pytest.fixture
def foreign(backend: Ros2Backend) -> Iterator[Any]:
    """A session of zenoh that knows nothing of the bench."""
    endpoint = backend.address.partition(":")[2]
    with open_session(endpoint).session as session:
        yield session


class Ranger(Node):
    """Publishes a range in each turn, and keeps what comes."""

    def setup(self, arguments: object) -> None:
        self.out, self.range, self.got = Range(distance=2.5), Range(), []
        self.subscribe("robot/range", self.range)
        self.register_input_function("robot/range", lambda: self.got.append(self.range.distance))
        self.advertise("out", self.out)
        self.register_core_function(lambda: setattr(self.out, "flagged", True))


@pytest.fixture
def ranger(backend: Ros2Backend) -> Iterator[Ranger]:
    node = Ranger()
    node.init(["__name:=range-finder"], connection=backend.connect("range-finder"))
    yield node
    node.end()


def test_a_message_is_in_cdr_with_its_number_time_and_publisher(
    foreign: Any, ranger: Ranger
) -> None:
    samples, came = [], threading.Event()

    def take(sample: Any) -> None:
        samples.append(sample)
        if len(samples) == 2:
            came.set()

    subscriber = foreign.declare_subscriber("0/out/**", take)
    while not came.wait(0.05):
        ranger.turn()
    subscriber.undeclare()
    first, second = (each.attachment.to_bytes() for each in samples[:2])
    numbers = [struct.unpack("<qqB16s", each) for each in (first, second)]
    assert numbers[1][0] == numbers[0][0] + 1
    assert numbers[0][2:] == numbers[1][2:]
    assert numbers[0][2] == 16
    data = samples[0].payload.to_bytes()
    assert data[:4] == b"\0\1\0\0"
    assert struct.unpack_from("<IIIxxxxqqf", data, 4)[::5] == (Range.type_id(), 2.5)


def test_a_message_from_elsewhere_arrives_and_one_of_another_type_is_counted(
    foreign: Any, ranger: Ranger
) -> None:
    data = to_cdr(seal(Range(distance=0.75), publisher=1, sequence=0, now_ns=0), Range)
    foreign.put(KEY, data)
    foreign.put(KEY, b"\0\1\0\0garbage")
    topic = ranger.subscribed["robot/range"]
    for _ in range(200):
        ranger.turn(timeout=0.05)
        if topic.rejected:
            break
    assert ranger.got == [0.75]
    assert list(topic.rejected.values()) == [1]


def test_tokens_tell_of_the_node_and_its_topics(foreign: Any, ranger: Ranger) -> None:
    kind = f"autosim_msgs::msg::dds_::Range_/{kind_hash(Range)}/::,:,:,:,,"
    wanted = [
        f"MP/%/%/range_finder/%out/{kind}",
        f"MS/%/%/range_finder/%robot%range/{kind}",
        "NN/%/%/range_finder",
    ]
    found: list[str] = []
    for _ in range(50):  # A router tells others of tokens when it comes to it.
        answers = foreign.liveliness().get("@ros2_lv/0/**", timeout=5.0)
        found = sorted(str(each.ok.key_expr).split("/", 5)[5] for each in answers)
        if found == wanted:
            break
        time.sleep(0.1)
    assert found == wanted


def test_a_domain_is_a_world_of_its_own(
    backend: Ros2Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", "7")
    assert backend.connect("a")._key("t").startswith("7/t/autosim_msgs::msg::dds_::Bytes_/")


def test_a_name_that_ros_does_not_know_is_said(backend: Ros2Backend) -> None:
    connection = backend.connect("node")
    with pytest.raises(BackendError, match="'front-range' is not a ROS topic name"):
        connection.subscribe("front-range", print, Range)
    connection.close()
