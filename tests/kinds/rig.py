"""Nodes of any kind for trees of tests."""

from autosim.kinds.bodies import box
from autosim.kinds.registry import BUILT_IN
from autosim.kinds.robot import robot_node
from autosim.simulation.tree import Node, SimulationTree

KINDS = {kind.name: kind for kind in BUILT_IN}


def device_node(kind: str, name: str) -> Node:
    """A device of that kind with what its record has by default."""
    return KINDS[kind].node(name, KINDS[kind].record(name, "chassis"))


def register_robot(tree: SimulationTree, name: str) -> Node:
    """Puts a robot of one part, a box, into `tree`; returns the part."""
    robot = tree.register(robot_node(name))
    return robot.register(Node("chassis", box.KIND.name, box.KIND.fields))
