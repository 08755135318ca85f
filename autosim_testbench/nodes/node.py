"""A node: a part of the bench that takes messages, computes, and sends messages.

A node derives from `Node` and says in `setup` what it subscribes to, what it advertises, and which
of its functions are called when. It does not know who sends or who receives.

    class Doubler(Node):
        def setup(self, arguments):
            self.input, self.output = Range(), Range()
            self.subscribe(self.find_topic_name("input"), self.input)
            self.advertise(self.find_topic_name("output"), self.output)
            self.register_input_function(self.find_topic_name("input"), self.double)

        def double(self):
            self.output.distance = 2.0 * self.input.distance
            self.output.flagged = True
"""

import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np

from autosim.errors import UserError
from autosim_testbench.backends.backend import BackendConnection
from autosim_testbench.messages.serial_object import SerialObject
from autosim_testbench.nodes.clock import Clock, WallClock
from autosim_testbench.nodes.topic import Topic

NodeFunction = Callable[[], None]

PERIOD = 0.005
"""Longest time [s] between two turns of a node: four turns in the cycle of the fastest sensor of
the demonstrations. A stepped bench gives each node one turn in this time; in its own process, a
node has a turn at once when a message arrives, and one after this time otherwise."""


@dataclass(frozen=True, slots=True)
class NodeContext:
    """Settings that a bench gives to all of its nodes.

    Attributes:
        seed: of all random numbers.
        folder: for the files of the nodes; None for none.
        files: base folder of relative file names among the parameters.
        is_trusted: whether plug-ins and user programs of worlds may run.
    """

    seed: int = 0
    folder: Path | None = None
    files: Path = Path()
    is_trusted: bool = True


class Parameters(Mapping[str, str]):
    """Names and values from the launch file; remembers which of them were asked for.

    Attributes:
        asked: the names, also of those that are not there.
    """

    def __init__(self, values: Mapping[str, str]) -> None:
        self.asked: set[str] = set()
        self._values = dict(values)

    def __getitem__(self, name: str) -> str:
        self.asked.add(name)
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


_running: ContextVar["Node"] = ContextVar("the node whose functions run")


class Node:
    """The base of all nodes. See the module for how one is written.

    Attributes:
        name: of the node; a launch file may give another than its class has.
        parameters: names and values from the launch file.
        published: topics by name that this node advertises.
        subscribed: topics by name that it listens to.
        setting: what the bench gives all of its nodes.
        random: numbers from the bench's seed and the node's name: no other node changes them.
    """

    def __init__(self) -> None:
        self.name = type(self).__name__
        self.parameters = Parameters({})
        self.published: dict[str, Topic] = {}
        self.subscribed: dict[str, Topic] = {}
        self.setting = NodeContext()
        self._functions: dict[str, list[NodeFunction]] = {"init": [], "core": [], "exit": []}
        self._input_functions: dict[str, list[NodeFunction]] = {}
        self._connection: BackendConnection
        self._clock: Clock = WallClock()
        self._is_terminated = False

    def __init_subclass__(cls) -> None:
        """Refuses a class whose own method has the name of one that the loop needs.

        Raises:
            TypeError: it has one.
        """
        super().__init_subclass__()
        for name in vars(cls):
            if getattr(getattr(Node, name, None), "__final__", False):
                raise TypeError(
                    f"{cls.__name__}.{name} hides Node.{name}, which every node needs: "
                    "give it another name"
                )

    @staticmethod
    def get() -> "Node":
        """The node whose functions run in this thread.

        Raises:
            LookupError: none does.
        """
        return _running.get()

    # --- the life of a node -----------------------------------------------------------------

    @final
    def init(
        self,
        arguments: Sequence[str] = (),
        *,
        connection: BackendConnection,
        clock: Clock | None = None,
        parameters: Mapping[str, str] | None = None,
        setting: NodeContext = NodeContext(),
    ) -> None:
        """Connects the node and has it say what it does (`setup`).

        Args:
            arguments: of its command line, without the program.
            connection: to a backend.
            clock: that of the bench; without one, the time of day.
            parameters: what the launch file sets, by name.
            setting: what the bench gives all of its nodes.
        """
        self._connection = connection
        self._clock = clock or self._clock
        self.parameters = Parameters(parameters or {})
        self.setting = setting
        self.set_node_name(arguments)
        self.random = np.random.default_rng([setting.seed, zlib.crc32(self.name.encode())])
        self._call([lambda: self.setup(arguments)])

    def setup(self, arguments: Sequence[str]) -> None:
        """Subscribes, advertises and registers functions. Each kind of node has its own."""
        raise NotImplementedError(f"{type(self).__name__} has no setup()")

    def set_node_name(self, arguments: Sequence[str]) -> None:
        """Takes the name that `__name:=NAME` among the arguments gives, if one does."""
        for each in arguments:
            if each.startswith("__name:="):
                self.name = each.removeprefix("__name:=")

    @final
    def loop(self, period: float = PERIOD) -> None:
        """Runs the node until it is terminated: init functions, turns, exit functions.

        Args:
            period: longest time [s] between two turns.
        """
        self.begin()
        try:
            while not self.is_terminated:
                self.turn(timeout=period)
        finally:
            self.end()

    @final
    def begin(self) -> None:
        """Calls the init functions."""
        self._call(self._functions["init"])

    @final
    def turn(self, *, timeout: float = 0.0) -> int:
        """One turn of the loop: takes messages, computes, publishes what is flagged.

        Args:
            timeout: time [s] to wait for messages where none have come.

        Returns:
            The number of messages that were taken.
        """
        token = _running.set(self)
        try:
            taken = self._connection.process(timeout)
        finally:
            _running.reset(token)
        self._call(self._functions["core"])
        for topic in self.published.values():
            if topic.object.flagged:
                topic.publish()
        return taken

    @final
    def end(self) -> None:
        """Calls the exit functions, writes the figures, and disconnects from the backend."""
        try:
            self._call(self._functions["exit"])
            self._write_figures()
        finally:
            self._connection.close()

    @final
    def terminate(self) -> None:
        """Ends the loop after the turn in which it is; may be called from any thread."""
        self._is_terminated = True

    @property
    def is_terminated(self) -> bool:
        """Whether the node was ordered to end."""
        return self._is_terminated

    @property
    def dropped(self) -> Counter[str]:
        """Number of messages by topic that this node was too slow to take."""
        return self._connection.dropped

    def report(self) -> dict[str, object]:
        """The node's entries in the bench's summary; empty by default."""
        return {}

    def figures(self) -> Mapping[str, str]:
        """Pictures of what the node has found so far: SVG by name; none without a definition.

        A bench's window shows them while it runs; at the end each is `NODE_NAME.svg` in the folder
        for results.
        """
        return {}

    @final
    def now_ns(self) -> int:
        """The time [ns] on the bench's clock."""
        return self._clock.now_ns()

    # --- what setup calls -------------------------------------------------------------------

    @final
    def subscribe(self, topic_name: str, topic_object: SerialObject) -> None:
        """Has each message of a topic fill `topic_object`."""
        self.subscribed[topic_name] = self._topic(topic_name, topic_object)
        self._connection.subscribe(
            topic_name, lambda data: self._receive(topic_name, data), type(topic_object)
        )

    @final
    def unsubscribe(self, topic_name: str) -> None:
        """Listens to a topic no longer; its input functions stay registered."""
        if self.subscribed.pop(topic_name, None):
            self._connection.unsubscribe(topic_name)

    @final
    def advertise(self, topic_name: str, topic_object: SerialObject) -> None:
        """Publishes `topic_object` at the end of each turn in which it is flagged."""
        self.published[topic_name] = self._topic(topic_name, topic_object)
        self._connection.advertise(topic_name, type(topic_object))

    @final
    def find_topic_name(self, parameter: str) -> str:
        """The topic that a parameter of the launch file names.

        Raises:
            UserError: the launch file has no such parameter.
        """
        try:
            return self.parameters[parameter]
        except KeyError:
            known = ", ".join(sorted(self.parameters)) or "none"
            raise UserError(
                f"node {self.name}: the launch file names no topic for {parameter!r} "
                f'(<param name="~{parameter}" value="TOPIC"/>); it has {known}'
            ) from None

    @final
    def register_init_function(self, function: NodeFunction) -> None:
        """Registers `function` for a call before the first turn."""
        self._functions["init"].append(function)

    @final
    def register_input_function(self, topic_name: str, function: NodeFunction) -> None:
        """Registers `function` for each message of a topic, after its object is filled."""
        self._input_functions.setdefault(topic_name, []).append(function)

    @final
    def register_core_function(self, function: NodeFunction) -> None:
        """Registers `function` for each turn, after the messages."""
        self._functions["core"].append(function)

    @final
    def register_exit_function(self, function: NodeFunction) -> None:
        """Registers `function` for a call after the last turn."""
        self._functions["exit"].append(function)

    # --- inside -----------------------------------------------------------------------------

    def _topic(self, name: str, topic_object: SerialObject) -> Topic:
        return Topic(
            name, topic_object, node=self.name, connection=self._connection, clock=self._clock
        )

    def _receive(self, topic_name: str, data: bytes) -> None:
        topic = self.subscribed.get(topic_name)
        if topic and topic.callback(data):
            for function in self._input_functions.get(topic_name, ()):
                function()

    def _write_figures(self) -> None:
        folder = self.setting.folder
        if folder:
            for name, picture in self.figures().items():
                (folder / f"{self.name}_{name}.svg").write_text(picture)

    def _call(self, functions: Sequence[NodeFunction]) -> None:
        token = _running.set(self)
        try:
            for function in functions:
                function()
        finally:
            _running.reset(token)
