"""Nodes in one process, stepped by hand."""

from collections.abc import Mapping

from autosim_testbench.backends.embedded import EmbeddedBackend
from autosim_testbench.nodes.clock import SteppedClock
from autosim_testbench.nodes.node import Node


class Rig:
    """Starts nodes over one backend and one clock, and gives each a turn."""

    def __init__(self) -> None:
        self.backend, self.clock = EmbeddedBackend(), SteppedClock()
        self.nodes: list[Node] = []

    def add(self, node: Node, name: str, **parameters: str) -> Node:
        return self.start(node, name, parameters)

    def start(self, node: Node, name: str, parameters: Mapping[str, str]) -> Node:
        node.init(
            [f"__name:={name}"],
            connection=self.backend.connect(name),
            clock=self.clock,
            parameters=parameters,
        )
        node.begin()
        self.nodes.append(node)
        return node

    def step(self, period_ns: int = 0) -> None:
        self.clock.advance_to(self.clock.now_ns() + period_ns)
        for node in self.nodes:
            node.turn()
