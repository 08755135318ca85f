"""A state that goes on in another tree: what the robots of both trees have in common.

A tree is laid out once; to add a robot there must be another tree. What was simulated so far goes
over robot by robot, as bitstreams.
"""

from dataclasses import dataclass

from autosim.simulation.state import State
from autosim.simulation.tree import Node, layout_digest


@dataclass(frozen=True, slots=True)
class RobotSnapshot:
    """A robot's bitstream, and the digest of its layout."""

    name: str
    layout: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All robots after `step` steps, at `time` [ns]."""

    step: int
    time: int
    robots: tuple[RobotSnapshot, ...]

    @classmethod
    def of(cls, state: State) -> "Snapshot":
        """What stands in `state` now."""
        robots = tuple(
            RobotSnapshot(node.name, layout_digest(node), state.to_bitstream(node))
            for node in state.tree.children
        )
        return cls(state.step, int(state.ints[1]), robots)

    def restore(self, state: State) -> tuple[Node, ...]:
        """Writes the robots into `state`, those alone that have the same parts and devices there.

        Returns:
            the nodes of these robots.
        """
        state.ints[0], state.ints[1] = self.step, self.time
        restored = []
        for robot in self.robots:
            node = state.tree.find(robot.name)
            if node is not None and node.kind == "Robot" and layout_digest(node) == robot.layout:
                state.from_bitstream(robot.data, node, digest=robot.layout)
                restored.append(node)
        return tuple(restored)
