"""The content of the window at one time, made of the reports of the nodes."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autosim_testbench.launch.summary import Glimpse, Lags, TopicSummary, summarise
from autosim_testbench.nodes.reality import RealityMode, mode_topic

_RATE_SECONDS = 2.0
"""Time [s] over which rates are taken: a topic of 15 Hz then has 30 messages."""


@dataclass(frozen=True, slots=True)
class NodeSnapshot:
    """A node: its class, its reality mode and those that it can take, and what it reports.

    `fault` says where its code has failed, "" if it has not.

    Attributes:
        name: name of the node on its bench.
        kind: class of the node.
        modes: reality modes that it can take.
        report: values that it reports, by name.
    """

    name: str
    kind: str
    mode: RealityMode | None
    modes: tuple[RealityMode, ...]
    report: Mapping[str, object]
    fault: str = ""


@dataclass(frozen=True, slots=True)
class TopicSnapshot:
    """A topic: its ends, its messages, how often they come [Hz], and how late [ms].

    Attributes:
        name: name of the topic.
        message: class of its messages.
        publishers: names of the publishing nodes.
        subscribers: names of the subscribing nodes.
        rate_hz: messages per second of wall-clock time, None where unknown.
        sent: number of messages sent.
        lost: number of messages lost on the way.
        dropped: number of messages that a full queue dropped.
        rejected: number of unreadable messages, by reason.
        lag_ms: percentiles of the delay from sending to handling [ms].
    """

    name: str
    message: str
    publishers: tuple[str, ...]
    subscribers: tuple[str, ...]
    rate_hz: float | None
    sent: int
    lost: int
    dropped: int
    rejected: Mapping[str, int]
    lag_ms: Lags


@dataclass(frozen=True, slots=True)
class BenchSnapshot:
    """A bench at one moment; `figures` are SVG by node and name.

    Attributes:
        seconds: time [s] since the bench started.
        nodes: all nodes of the bench.
        topics: all topics but those that switch reality modes.
    """

    seconds: float
    nodes: tuple[NodeSnapshot, ...]
    topics: tuple[TopicSnapshot, ...]
    figures: Mapping[tuple[str, str], str]

    @property
    def edges(self) -> list[tuple[str, str, str]]:
        """Current edges: publisher, subscriber and topic."""
        return [
            (publisher, subscriber, topic.name)
            for topic in self.topics
            for publisher in topic.publishers
            for subscriber in topic.subscribers
        ]


class Observer:
    """Makes sights of a bench; remembers some of what was, for the rates."""

    def __init__(self) -> None:
        self._past: deque[tuple[float, dict[str, int]]] = deque()

    def observe(
        self, seconds: float, glimpses: Sequence[Glimpse], failed: Mapping[str, str] | None = None
    ) -> BenchSnapshot:
        """The bench at a time.

        Args:
            seconds: on its clock [s].
            glimpses: `summary.glimpse` of each node.
            failed: where nodes have failed, by name.
        """
        faults = failed or {}
        topics = summarise(glimpses)["topics"]
        for each in glimpses:
            topics.pop(mode_topic(each["name"]), None)
        sent = {name: each["sent"] for name, each in topics.items()}
        while len(self._past) > 1 and self._past[0][0] < seconds - _RATE_SECONDS:
            self._past.popleft()
        self._past.append((seconds, sent))
        return BenchSnapshot(
            seconds,
            tuple(_node(each, faults.get(each["name"], "")) for each in glimpses),
            tuple(self._topic(name, each, glimpses) for name, each in topics.items()),
            {
                (each["name"], name): picture
                for each in glimpses
                for name, picture in each["figures"].items()
            },
        )

    def _topic(
        self, name: str, counted: TopicSummary, glimpses: Sequence[Glimpse]
    ) -> TopicSnapshot:
        return TopicSnapshot(
            name,
            next(each["messages"][name] for each in glimpses if name in each["messages"]),
            tuple(each["name"] for each in glimpses if name in each["published"]),
            tuple(each["name"] for each in glimpses if name in each["subscribed"]),
            self._rate(name),
            counted["sent"],
            counted["lost"],
            counted["dropped"],
            counted["rejected"],
            counted["lag_ms"],
        )

    def _rate(self, topic: str) -> float | None:
        (begin, before), (end, now) = self._past[0], self._past[-1]
        return (now[topic] - before.get(topic, 0)) / (end - begin) if end > begin else None


def _node(said: Glimpse, fault: str) -> NodeSnapshot:
    return NodeSnapshot(
        said["name"],
        said["kind"],
        None if said["mode"] is None else RealityMode(said["mode"]),
        tuple(map(RealityMode, said["modes"])),
        said["report"],
        fault,
    )
