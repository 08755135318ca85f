"""Which nodes of a bench publish and subscribe to which topics, found without running it."""

from collections.abc import Mapping
from dataclasses import dataclass

from autosim.testbench.launch.bench import LockstepBench
from autosim.testbench.launch.launch_file import Launch
from autosim.testbench.messages.serial_object import SerialObject
from autosim.testbench.nodes.reality import mode_topic


@dataclass(frozen=True, slots=True)
class TopicEnds:
    """A topic, the kind of its messages, and the names of the nodes at its ends."""

    name: str
    kind: type[SerialObject]
    publishers: tuple[str, ...]
    subscribers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Topology:
    """The nodes of a bench and its topics, by name."""

    nodes: tuple[str, ...]
    topics: Mapping[str, TopicEnds]

    @property
    def faults(self) -> list[str]:
        """What a reader of the launch file would want to know."""
        found = []
        for each in self.topics.values():
            if not each.publishers and not each.name.endswith("/mode"):
                found.append(
                    f"nobody publishes {each.name!r}, to which {_and(each.subscribers)} listens"
                )
        return found


def topology_of(launch: Launch) -> Topology:
    """Sets all nodes up in this process, and asks what they have connected to.

    Raises:
        UserError: a node cannot be set up as the file says.
    """
    with LockstepBench(launch) as bench:
        ends: dict[str, tuple[type[SerialObject], list[str], list[str]]] = {}
        for node in bench.nodes:
            for name, topic in node.published.items():
                ends.setdefault(name, (type(topic.object), [], []))[1].append(node.name)
            for name, topic in node.subscribed.items():
                if name != mode_topic(node.name):
                    ends.setdefault(name, (type(topic.object), [], []))[2].append(node.name)
        topics = {
            name: TopicEnds(name, kind, tuple(publishers), tuple(subscribers))
            for name, (kind, publishers, subscribers) in sorted(ends.items())
        }
        return Topology(tuple(each.name for each in bench.nodes), topics)


def _and(names: tuple[str, ...]) -> str:
    return " and ".join(names)
