"""What every backend promises; one that is not installed is skipped with how to install it."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from autosim_testbench.backends import local, zenoh
from autosim_testbench.backends.backend import Backend, BackendConnection, BackendError
from autosim_testbench.backends.inbox import MOST_WAITING
from autosim_testbench.backends.local import LocalBackend
from autosim_testbench.backends.opening import NAMES, open_backend
from autosim_testbench.backends.zenoh import ZenohBackend


@pytest.fixture(scope="module", params=NAMES)
def backend(request: pytest.FixtureRequest) -> Iterator[Backend]:
    try:
        opened = open_backend(request.param)
    except BackendError as error:
        pytest.skip(str(error))
    yield opened
    opened.close()


class End:
    """A connection, and what came over it by topic."""

    def __init__(self, backend: Backend, *topics: str) -> None:
        self.connection: BackendConnection = backend.connect("node")
        self.got: dict[str, list[bytes]] = {each: [] for each in topics}
        for each in topics:
            self.connection.subscribe(each, self.got[each].append)

    def wait(self, condition: Callable[[], bool], seconds: float = 20.0) -> bool:
        deadline = time.monotonic() + seconds
        while not condition() and time.monotonic() < deadline:
            self.connection.process(0.05)
        return condition()

    def wait_for(self, topic: str, number: int) -> list[bytes]:
        self.wait(lambda: len(self.got[topic]) >= number)
        return self.got[topic]


@pytest.fixture
def ends(backend: Backend) -> Iterator[Callable[..., End]]:
    opened: list[End] = []

    def make(*topics: str) -> End:
        opened.append(End(backend, *topics))
        return opened[-1]

    yield make
    for each in opened:
        each.connection.close()


def test_messages_of_a_publisher_arrive_once_and_in_order(ends: Callable[..., End]) -> None:
    receiver, sender = ends("order"), ends()
    sent = [str(number).encode() for number in range(2000)]
    for each in sent:
        sender.connection.publish("order", each)
    assert receiver.wait_for("order", len(sent)) == sent


def test_nothing_is_lost_at_200_a_second(ends: Callable[..., End]) -> None:
    receiver, sender = ends("rate"), ends()
    sent = [str(number).encode() for number in range(200)]

    def talk() -> None:
        for each in sent:
            sender.connection.publish("rate", each)
            time.sleep(0.005)

    thread = threading.Thread(target=talk)
    thread.start()
    got = receiver.wait_for("rate", len(sent))
    thread.join()
    assert got == sent


def test_a_late_subscriber_gets_what_comes_after_and_nothing_older(
    ends: Callable[..., End],
) -> None:
    early, sender = ends("late"), ends()
    sender.connection.publish("late", b"before")
    assert early.wait_for("late", 1) == [b"before"]
    late = ends("late")
    sender.connection.publish("late", b"after")
    assert late.wait_for("late", 1) == [b"after"]


def test_a_message_of_1_mb_arrives_whole(ends: Callable[..., End]) -> None:
    receiver, sender = ends("large"), ends()
    data = bytes(range(256)) * 4000
    sender.connection.publish("large", data)
    assert receiver.wait_for("large", 1) == [data]


def test_two_nodes_listen_to_one_topic_and_two_send_on_it(ends: Callable[..., End]) -> None:
    receivers, senders = [ends("shared"), ends("shared")], [ends(), ends()]
    for name, sender in zip((b"a", b"b"), senders, strict=True):
        for number in (b"1", b"2"):
            sender.connection.publish("shared", name + number)
    for receiver in receivers:
        got = receiver.wait_for("shared", 4)
        assert sorted(got) == [b"a1", b"a2", b"b1", b"b2"]
        assert [each for each in got if each.startswith(b"a")] == [b"a1", b"a2"]


def test_a_node_hears_what_it_says_itself(ends: Callable[..., End]) -> None:
    end = ends("self")
    end.connection.publish("self", b"hello")
    assert end.wait_for("self", 1) == [b"hello"]


def test_who_has_unsubscribed_gets_nothing_more(ends: Callable[..., End]) -> None:
    leaving, staying, sender = ends("left"), ends("left"), ends()
    leaving.connection.unsubscribe("left")
    sender.connection.publish("left", b"gone")
    assert staying.wait_for("left", 1) == [b"gone"]
    leaving.connection.process(0.05)
    assert leaving.got["left"] == []


def test_names_are_whole_names(ends: Callable[..., End]) -> None:
    receiver, sender = ends("robot/range"), ends()
    for topic in ("robot", "robot/range/true", "Robot/range", "robot/rang", "robot/range"):
        sender.connection.publish(topic, topic.encode())
    receiver.wait_for("robot/range", 1)
    receiver.connection.process(0.05)
    assert receiver.got["robot/range"] == [b"robot/range"]


def test_an_empty_message_and_any_bytes_arrive(ends: Callable[..., End]) -> None:
    receiver, sender = ends("bytes"), ends()
    for data in (b"", bytes(range(256)), b"\0"):
        sender.connection.publish("bytes", data)
    assert receiver.wait_for("bytes", 3) == [b"", bytes(range(256)), b"\0"]


def test_processing_without_messages_returns_after_its_time(ends: Callable[..., End]) -> None:
    end = ends("silence")
    assert end.connection.process() == 0
    assert end.connection.process(0.01) == 0


def test_a_closed_connection_disturbs_nobody(ends: Callable[..., End]) -> None:
    receiver, sender = ends("closing"), ends()
    leaving = ends("closing")
    leaving.connection.close()
    sender.connection.publish("closing", b"on")
    assert receiver.wait_for("closing", 1) == [b"on"]


def test_an_address_opens_the_same_backend(backend: Backend, ends: Callable[..., End]) -> None:
    if backend.name == "embedded":
        pytest.skip("there is nothing to reach from another process")
    receiver, other = ends("address"), open_backend(backend.address)
    sender = other.connect("elsewhere")
    sender.publish("address", b"from afar")
    assert receiver.wait_for("address", 1) == [b"from afar"]
    sender.close()
    other.close()


def test_what_a_node_says_last_arrives_though_it_goes_at_once(ends: Callable[..., End]) -> None:
    receiver, sender = ends("last"), ends()
    sent = [bytes([number]) * 100_000 for number in range(20)]
    for each in sent:
        sender.connection.publish("last", each)
    sender.connection.close()
    assert receiver.wait_for("last", len(sent)) == sent


def test_a_subscriber_that_takes_nothing_holds_up_nobody(ends: Callable[..., End]) -> None:
    slow, quick, sender = ends("slow"), ends("slow"), ends()
    sent = [str(number).encode() for number in range(MOST_WAITING + 10)]
    for each in sent:
        sender.connection.publish("slow", each)
        quick.connection.process()
    quick.wait_for("slow", len(sent))
    assert quick.got["slow"][-1] == sent[-1]
    assert quick.wait(lambda: slow.connection.dropped["slow"] > 0)
    assert slow.wait(lambda: slow.got["slow"][-1:] == sent[-1:])
    assert slow.connection.dropped["slow"] + len(slow.got["slow"]) >= len(sent)


def end_broker(backend: Backend) -> Callable[[], None]:
    """Ends what carries the messages, at once; what is returned starts it again."""
    if isinstance(backend, LocalBackend):
        backend._hub.close()
        backend._path.unlink()
        return lambda: setattr(backend, "_hub", local._Hub(backend._path))
    if isinstance(backend, ZenohBackend):
        backend._router.close()
        settings = {"mode": "router", "listen/endpoints": [backend.address.partition(":")[2]]}
        return lambda: setattr(backend, "_router", zenoh._open(settings))
    if getattr(backend, "broker", None) is None:
        pytest.skip("nothing carries its messages")
    backend.broker.kill()
    return backend.broker.start


def test_a_broker_that_is_killed_and_comes_back_has_its_subscribers_again(
    backend: Backend, ends: Callable[..., End]
) -> None:
    receiver, sender = ends("again"), ends()
    sender.connection.publish("again", b"before")
    assert receiver.wait_for("again", 1) == [b"before"]
    start = end_broker(backend)
    sender.connection.publish("again", b"meanwhile")
    start()

    def has_come(end: End) -> bool:
        sender.connection.publish("again", b"after")
        return b"after" in end.got["again"]

    assert receiver.wait(lambda: has_come(receiver), seconds=60.0)
    late = ends("again")
    assert late.wait(lambda: has_come(late), seconds=60.0), "who comes after that finds the others"


def test_a_node_whose_bench_has_ended_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "_GIVE_UP_SECONDS", 0.2)
    bench = open_backend("local")
    end = End(bench, "topic")
    bench.close()
    with pytest.raises(BackendError, match=r"no bench answers at .*; is the bench still running"):
        end.wait(lambda: False)
    end.connection.close()


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("mqtt://127.0.0.1:1", "no MQTT broker answers at 127.0.0.1"),
        ("amqp://a:b@127.0.0.1:1", "no AMQP broker answers at 127.0.0.1:1"),
        ("local:/nowhere", "no bench answers at /nowhere"),
        ("zenoh:tcp/127.0.0.1:1", "zenoh cannot be opened"),
        ("ros1://127.0.0.1:1", "no ROS master answers at http://127.0.0.1:1: Connection refused"),
    ],
)
def test_a_broker_that_is_not_there_is_said(address: str, message: str) -> None:
    try:
        opened = open_backend(address)
    except BackendError as error:
        pytest.skip(str(error))
    with pytest.raises(BackendError, match=message):
        opened.connect("node")


def test_an_unknown_backend_is_said_with_those_that_there_are() -> None:
    with pytest.raises(BackendError, match="no backend is called 'ros3'; there are embedded, loc"):
        open_backend("ros3")
