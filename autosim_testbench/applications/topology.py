"""Publishers and subscribers of the topics of a bench, found without running it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from autosim.config.launches import NodeEntry
from autosim.config.reading.attribute_values import suggestion
from autosim_testbench.launch.bench import BenchOptions, LockstepBench
from autosim_testbench.launch.launch_file import Launch
from autosim_testbench.launch.node_classes import refuse_foreign_nodes
from autosim_testbench.messages.serial_object import SerialObject
from autosim_testbench.nodes.node import Node
from autosim_testbench.nodes.reality import mode_topic


@dataclass(frozen=True, slots=True)
class TopicEnds:
    """A topic, the kind of its messages, and the names of the nodes at its ends.

    Attributes:
        name: name of the topic.
        publishers: names of the publishing nodes.
        subscribers: names of the subscribing nodes.
    """

    name: str
    kind: type[SerialObject]
    publishers: tuple[str, ...]
    subscribers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Topology:
    """The nodes of a bench and its topics, by name."""

    nodes: tuple[str, ...]
    topics: Mapping[str, TopicEnds]
    unused: tuple[str, ...] = ()
    """Warnings: parameters that no node has read."""
    conflicts: Mapping[str, str] = field(default_factory=dict)
    """Topics whose nodes use different kinds of messages: by name, who uses which."""

    @property
    def faults(self) -> list[str]:
        """Faults of the launch file, as text."""
        found = [
            f"topic {name!r} has different kinds of messages, which its subscribers would reject: "
            f"{uses}"
            for name, uses in self.conflicts.items()
        ]
        for each in self.topics.values():
            if not each.publishers and not each.name.endswith("/mode"):
                found.append(
                    f"{each.name!r} has no publisher; {_and(each.subscribers)} subscribes to it"
                )
        return found


def topology_of(launch: Launch, *, is_trusted: bool = False) -> Topology:
    """Sets all nodes up in this process, and asks what they have connected to.

    Args:
        launch: the bench.
        is_trusted: run nodes that do not come with AutoSim, and the plug-ins of worlds.

    Raises:
        UserError: a node cannot be set up as the file says, or is code that is not trusted.
    """
    if not is_trusted:
        refuse_foreign_nodes(launch)
    with LockstepBench(launch, BenchOptions(is_trusted=is_trusted)) as bench:
        ends: dict[str, tuple[type[SerialObject], list[str], list[str]]] = {}
        kinds: dict[str, dict[type[SerialObject], list[str]]] = {}
        for node in bench.nodes:
            for name, topic in (*node.published.items(), *node.subscribed.items()):
                kinds.setdefault(name, {}).setdefault(type(topic.object), []).append(node.name)
            for name, topic in node.published.items():
                ends.setdefault(name, (type(topic.object), [], []))[1].append(node.name)
            for name, topic in node.subscribed.items():
                if name != mode_topic(node.name):
                    ends.setdefault(name, (type(topic.object), [], []))[2].append(node.name)
        topics = {
            name: TopicEnds(name, kind, tuple(publishers), tuple(subscribers))
            for name, (kind, publishers, subscribers) in sorted(ends.items())
        }
        unused = [
            line
            for node, entry in zip(bench.nodes, launch.nodes, strict=True)
            for line in _unused(node, entry)
        ]
        return Topology(
            tuple(each.name for each in bench.nodes), topics, tuple(unused), _conflicts(kinds)
        )


def _conflicts(kinds: Mapping[str, Mapping[type[SerialObject], list[str]]]) -> dict[str, str]:
    """The topics with kinds that differ in name, version or fields."""
    return {
        name: ", ".join(
            f"{kind.__name__} ({kind.size()} bytes) of {_and(tuple(dict.fromkeys(nodes)))}"
            for kind, nodes in users.items()
        )
        for name, users in sorted(kinds.items())
        if len({kind.type_id() for kind in users}) > 1
    }


def _unused(node: Node, entry: NodeEntry) -> Iterator[str]:
    for name in sorted(entry.own - node.parameters.asked):
        hint = suggestion(name, node.parameters.asked - entry.own)
        yield f"{entry.line}: warning: node {node.name} does not use its parameter '{name}'{hint}"


def _and(names: tuple[str, ...]) -> str:
    return " and ".join(names)
