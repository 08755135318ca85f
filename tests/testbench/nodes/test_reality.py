"""Combiners, splitters and what is single-valued, in each reality mode."""

import pytest

from autosim.errors import UserError
from autosim_testbench.messages.envelope import seal
from autosim_testbench.nodes.node import Node
from autosim_testbench.nodes.reality import (
    Combiner,
    ModeSwitch,
    RealityMode,
    SingleValued,
    Splitter,
    mode_topic,
)
from tests.testbench.messages.kinds import Number
from tests.testbench.nodes.rig import Rig


class Sum(Combiner):
    """Adds both sides; where one is missing, it counts a thousand."""

    def create_objects(self) -> None:
        self.physical, self.virtual, self.output = Number(), Number(), Number()

    def combine(self, physical: Number | None, virtual: Number | None) -> None:
        sides = (physical, virtual)
        self.output.value = sum(each.value if each else 1000 for each in sides)


class Relay(Splitter):
    """Passes numbers on."""

    def create_objects(self) -> None:
        self.input, self.physical, self.virtual = Number(), Number(), Number()


class Negative(SingleValued):
    """Turns the sign."""

    def create_objects(self) -> None:
        self.input, self.output = Number(), Number()

    def convert(self) -> None:
        self.output.value = -self.input.value


class Bench(Rig):
    """One node, with what comes and what goes by topic."""

    def __init__(self, node, **parameters: str) -> None:
        super().__init__()
        self.sender, self.receiver = self.backend.connect("s"), self.backend.connect("r")
        self.got: list[tuple[str, int, int]] = []
        for topic in ("o", "p_out", "v_out"):
            self.receiver.subscribe(topic, lambda data, topic=topic: self.take(topic, data))
        self.node = self.add(node, "node", **parameters)

    def take(self, topic: str, data: bytes) -> None:
        number = Number()
        from autosim_testbench.messages.envelope import unseal

        unseal(data, number)
        self.got.append((topic, number.value, number.stamp_ns))

    def send(self, topic: str, value: int, stamp_ns: int = 0) -> None:
        number = Number(value=value)
        number.stamp_ns = stamp_ns
        self.sender.publish(topic, seal(number, publisher=0, sequence=0, now_ns=0))

    def turn(self) -> list[tuple[str, int, int]]:
        self.got = []
        self.step()
        self.receiver.process()
        return self.got


def combiner(mode: str) -> Bench:
    return Bench(Sum(), mode=mode, physical="p", virtual="v", output="o")


@pytest.mark.parametrize(("mode", "expected"), [("0", 1003), ("1", 1004), ("2", 7)])
def test_a_combiner_uses_what_its_mode_says(mode: str, expected: int) -> None:
    bench = combiner(mode)
    bench.send("p", 3, 20)
    bench.send("v", 4, 10)
    stamp = {"0": 20, "1": 10, "2": 10}[mode]
    assert bench.turn() == [("o", expected, stamp)]
    assert bench.turn() == []


def test_an_augmenting_combiner_waits_for_both() -> None:
    bench = combiner("2")
    bench.send("p", 3)
    assert bench.turn() == []
    bench.send("v", 4)
    assert bench.turn() == [("o", 7, 0)]


def test_a_combiner_does_not_listen_to_what_its_mode_does_not_use() -> None:
    assert set(combiner("0").node.subscribed) == {"p", "node/mode"}
    assert set(combiner("1").node.subscribed) == {"v", "node/mode"}


def test_the_mode_is_switched_while_the_bench_runs() -> None:
    bench = combiner("0")
    switch = seal(ModeSwitch(mode=RealityMode.VIRTUAL), publisher=0, sequence=0, now_ns=0)
    bench.sender.publish(mode_topic("node"), switch)
    bench.turn()
    bench.send("p", 3)
    assert bench.turn() == []
    bench.send("v", 4)
    assert bench.turn() == [("o", 1004, 0)]
    assert set(bench.node.subscribed) == {"v", "node/mode"}


def test_a_mode_that_is_none_is_said() -> None:
    with pytest.raises(UserError, match=r"node node: mode '3' is none of 0 \(physical\), 1 \(virt"):
        combiner("3")


@pytest.mark.parametrize(
    ("mode", "expected"), [("0", ["p_out"]), ("1", ["v_out"]), ("2", ["p_out", "v_out"])]
)
def test_a_splitter_sends_where_its_mode_says(mode: str, expected: list[str]) -> None:
    bench = Bench(Relay(), mode=mode, input="i", physical="p_out", virtual="v_out")
    bench.send("i", 5, 9)
    assert sorted(bench.turn()) == [(each, 5, 9) for each in expected]
    assert bench.turn() == []


def test_a_single_valued_node_converts_each_message() -> None:
    bench = Bench(Negative(), input="i", output="o")
    bench.send("i", 5, 9)
    assert bench.turn() == [("o", -5, 9)]


class WithoutCombine(Combiner):
    """Makes its objects, and forgets the rest."""

    def create_objects(self) -> None:
        self.physical, self.virtual, self.output = Number(), Number(), Number()


class WithoutOutput(SingleValued):
    """Forgets an object."""

    def create_objects(self) -> None:
        self.input = Number()


class WithoutObjects(Splitter):
    """Forgets the method that makes them."""


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (WithoutCombine(), "WithoutCombine needs a method combine.self, physical, virtual."),
        (WithoutOutput(), "has to make self.input, self.output, each a message; it does not make "),
        (WithoutObjects(), "WithoutObjects needs a method create_objects.self."),
    ],
)
def test_what_a_kind_of_node_leaves_out_is_named_before_it_runs(node: Node, message: str) -> None:
    names = ("physical", "virtual", "input", "output")
    with pytest.raises(UserError, match=message):
        Rig().start(node, "mine", {each: each for each in names})
