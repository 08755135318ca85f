"""Construction: the Director walks a world's description in the order of the files.

It makes the nodes itself and tells each Builder of them, so that the tree is the same on every
side, whatever the builders make of it: bodies in a physics engine, models in a scene.
"""

from collections.abc import Sequence

from autosim.config.descriptions import (
    Device,
    Link,
    Part,
    PlacedObject,
    PlacedRobot,
    WorldDescription,
)
from autosim.config.world_settings import TrafficDescription
from autosim.kinds.kind import belief_access, kind_of, link_kind_of, part_kind_of
from autosim.kinds.publication import publication_node
from autosim.kinds.robot import robot_node
from autosim.model.belief import register_state
from autosim.model.tree import SimulationTree, TreeNode
from autosim.traffic.traffic_node import traffic_node


class Builder:
    """Makes something of each node, in the order of construction. By default, nothing."""

    def build_robot(self, node: TreeNode, robot: PlacedRobot) -> None:
        """Called before the robot's parts."""

    def build_part(self, node: TreeNode, part: Part, robot: PlacedRobot) -> None:
        """Called for each part, before the links."""

    def build_link(self, node: TreeNode, link: Link, robot: PlacedRobot) -> None:
        """Called for each link, before the devices."""

    def build_object(self, node: TreeNode, thing: PlacedObject) -> None:
        """Called for each object, after all robots."""

    def build_traffic(self, node: TreeNode, traffic: TrafficDescription) -> None:
        """Called last, in worlds with traffic."""

    def build_device(self, node: TreeNode, device: Device, robot: PlacedRobot) -> None:
        """Called for each device; `node.parent` is its part."""


def build_tree(world: WorldDescription, builders: Sequence[Builder] = ()) -> SimulationTree:
    """Constructs the tree of `world` and lays it out."""
    tree = SimulationTree()
    build_robots(tree, world.robots, builders)
    for thing in world.objects:
        node = tree.register(part_kind_of(thing.body).node(thing.name, thing.body))
        tree.objects[thing.name] = thing.body
        for builder in builders:
            builder.build_object(node, thing)
    if world.traffic is not None:
        node = tree.register(traffic_node(world.traffic))
        for builder in builders:
            builder.build_traffic(node, world.traffic)
    return tree.lay_out()


def build_robots(
    tree: SimulationTree, robots: Sequence[PlacedRobot], builders: Sequence[Builder]
) -> None:
    """Constructs robots in `tree`, which is not laid out yet."""
    for robot in robots:
        node = tree.register(robot_node(robot.name))
        tree.descriptions[robot.name] = robot.robot
        for builder in builders:
            builder.build_robot(node, robot)
        _construct(node, robot, builders)


def _construct(robot_node: TreeNode, robot: PlacedRobot, builders: Sequence[Builder]) -> None:
    description = robot.robot
    parts: dict[str, TreeNode] = {}
    for part in description.parts:
        parts[part.name] = node = robot_node.register(part_kind_of(part).node(part.name, part))
        for builder in builders:
            builder.build_part(node, part, robot)
    for link in description.links:
        node = robot_node.register(link_kind_of(link).node(link.name, link))
        for builder in builders:
            builder.build_link(node, link, robot)
    register_state(robot_node, belief_access(description.devices))
    for device in description.devices:
        node = parts[device.part].register(kind_of(device).node(device.name, device))
        for builder in builders:
            builder.build_device(node, device, robot)
    for publication in description.publications:
        robot_node.register(publication_node(publication))
