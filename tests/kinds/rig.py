"""Nodes of any kind for trees of tests, and devices on a body that is moved by hand."""

from autosim.kinds.banks import BankContext, MountedDevice
from autosim.kinds.bodies import box
from autosim.kinds.kind import kind_of
from autosim.kinds.registry import BUILT_IN
from autosim.kinds.robot import robot_node
from autosim.model.noise import NoiseField
from autosim.model.state import State
from autosim.model.tree import SimulationTree, TreeNode
from autosim.world.geometry.map_projection import MapProjection

CONTEXT = BankContext(step_seconds=1 / 240, seed=0, projection=MapProjection((0.0, 0.0)))
QUIET = NoiseField((), seed=0, step_seconds=CONTEXT.step_seconds)
KINDS = {kind.name: kind for kind in BUILT_IN}


def device_node(kind: str, name: str) -> TreeNode:
    """A device of that kind with what its record has by default."""
    return KINDS[kind].node(name, KINDS[kind].record(name, "chassis"))


def register_robot(tree: SimulationTree, name: str) -> TreeNode:
    """Puts a robot of one part, a box, into `tree`; returns the part."""
    robot = tree.register(robot_node(name))
    return robot.register(TreeNode("chassis", box.KIND.name, box.KIND.fields))


def mount(*devices):
    """The devices on body 0 of a tree of their own, and its state."""
    tree = SimulationTree()
    nodes = [tree.register(kind_of(device).node(device.name, device)) for device in devices]
    tree.lay_out()
    mounted = [MountedDevice(node, device, 0) for node, device in zip(nodes, devices, strict=True)]
    return mounted, State(tree)
