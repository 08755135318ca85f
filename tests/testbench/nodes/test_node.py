"""The life of a node, in the order of the control loop, and what is counted on the way."""

import threading
from collections.abc import Callable, Sequence

import pytest

from autosim.errors import UserError
from autosim_testbench.messages.envelope import publisher_id, seal
from autosim_testbench.nodes.node import Node
from tests.testbench.messages.kinds import Number, OtherNumber
from tests.testbench.nodes.rig import Rig


class Scripted(Node):
    """A node whose setup is a function of the test."""

    def __init__(self, setup: Callable[["Scripted"], None]) -> None:
        super().__init__()
        self.setup_of_test = setup
        self.number = Number()

    def setup(self, arguments: Sequence[str]) -> None:
        self.setup_of_test(self)


def test_the_loop_calls_functions_in_the_order_of_the_framework() -> None:
    rig, calls = Rig(), []

    def setup(node: Scripted) -> None:
        node.subscribe("in", node.number)
        node.register_exit_function(lambda: calls.append("exit"))
        node.register_core_function(lambda: calls.append("core"))
        node.register_core_function(node.terminate)
        node.register_input_function("in", lambda: calls.append(f"input {node.number.value}"))
        node.register_init_function(lambda: calls.append("init"))

    node = Scripted(setup)
    node.init(connection=rig.backend.connect("node"))
    sender = rig.backend.connect("sender")
    for value in (1, 2):
        sender.publish("in", seal(Number(value=value), publisher=0, sequence=value, now_ns=0))
    node.loop()
    assert calls == ["init", "input 1", "input 2", "core", "exit"]


def test_a_flagged_object_is_published_at_the_end_of_the_turn_and_once() -> None:
    rig = Rig()
    talker = rig.add(Scripted(lambda node: node.advertise("topic", node.number)), "talker")
    listener = rig.add(Scripted(lambda node: node.subscribe("topic", node.number)), "listener")
    rig.step()
    assert listener.subscribed["topic"].received == 0
    talker.number.value, talker.number.flagged = 4, True
    rig.step()
    rig.step()
    assert listener.number.value == 4
    assert not talker.number.flagged
    assert listener.subscribed["topic"].received == talker.published["topic"].sent == 1


def test_get_is_the_node_whose_functions_run_in_this_thread() -> None:
    rig, seen = Rig(), []
    setup = lambda node: node.register_core_function(lambda: seen.append(Node.get().name))  # noqa: E731
    rig.add(Scripted(setup), "one")
    rig.add(Scripted(setup), "two")
    rig.step()
    assert seen == ["one", "two"]
    with pytest.raises(LookupError):
        Node.get()


def test_messages_that_do_not_fit_are_dropped_counted_and_named() -> None:
    rig = Rig()
    node = rig.add(Scripted(lambda node: node.subscribe("topic", node.number)), "node")
    sender = rig.backend.connect("sender")
    good = seal(Number(value=1), publisher=0, sequence=0, now_ns=0)
    for data in (good, good[:-1], b"", seal(OtherNumber(), publisher=0, sequence=1, now_ns=0)):
        sender.publish("topic", data)
    rig.step()
    topic = node.subscribed["topic"]
    assert (topic.received, node.number.value) == (1, 1)
    assert [reason.split(",")[0].split(":")[0] for reason in topic.rejected] == [
        "Number has 4 bytes",
        "an envelope has 28 bytes",
        "a message of another type or version than Number 1",
    ]


def test_messages_that_did_not_arrive_are_counted_for_each_publisher() -> None:
    rig = Rig()
    node = rig.add(Scripted(lambda node: node.subscribe("topic", node.number)), "node")
    sender = rig.backend.connect("sender")
    for who, sequences in (("a", (0, 1, 4)), ("b", (7, 8, 10))):
        for each in sequences:
            data = seal(Number(), publisher=publisher_id(who), sequence=each, now_ns=0)
            sender.publish("topic", data)
    rig.step()
    assert node.subscribed["topic"].lost == 2 + 1


def test_the_lag_is_the_age_of_what_a_message_tells_of() -> None:
    rig = Rig()
    talker = rig.add(Scripted(lambda node: node.advertise("topic", node.number)), "talker")
    listener = rig.add(Scripted(lambda node: node.subscribe("topic", node.number)), "listener")
    rig.step(5_000_000)
    talker.number.stamp_ns, talker.number.flagged = 2_000_000, True
    rig.step(1_000_000)
    assert list(listener.subscribed["topic"].lags_ns) == [4_000_000]


def test_a_topic_that_the_launch_file_does_not_name_is_said_with_those_that_it_does() -> None:
    rig = Rig()
    with pytest.raises(
        UserError, match=r"node n: the launch file names no topic for 'input'.*rang"
    ):
        rig.add(Scripted(lambda node: node.find_topic_name("input")), "n", range="r", heading="h")


def test_a_node_may_be_terminated_from_another_thread() -> None:
    rig = Rig()
    node = Scripted(lambda node: None)
    node.init(connection=rig.backend.connect("node"))
    thread = threading.Thread(target=node.loop)
    thread.start()
    node.terminate()
    thread.join(10.0)
    assert not thread.is_alive()


def test_unsubscribing_forgets_what_waits() -> None:
    rig = Rig()
    node = rig.add(Scripted(lambda node: node.subscribe("topic", node.number)), "node")
    sender = rig.backend.connect("sender")
    sender.publish("topic", seal(Number(value=9), publisher=0, sequence=0, now_ns=0))
    node.unsubscribe("topic")
    rig.step()
    assert node.number.value == 0


def test_a_method_that_hides_one_of_the_loop_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Rover\.turn hides Node\.turn, which every node needs"):

        class Rover(Node):
            def turn(self) -> None:  # type: ignore[override, misc]
                """Turns."""
