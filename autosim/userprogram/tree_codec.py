"""A simulation tree as bytes: so that another process has it without the files it came from."""

import json
from typing import Any

from autosim.simulation.tree import Access, Field, FieldType, Node, SimulationTree, TreeError
from autosim.userprogram.robot_codec import robot_from_data, robot_to_data


def tree_to_bytes(tree: SimulationTree) -> bytes:
    """The tree, which is laid out, as JSON.

    That is its digest, the names, kinds and fields of its nodes, and what its robots are made of:
    a list of different robots, and which one each robot is.
    """
    children = [_as_list(child) for child in tree.children]
    different = list(dict.fromkeys(tree.descriptions.values()))
    places = {robot: place for place, robot in enumerate(different)}
    which = {name: places[robot] for name, robot in tree.descriptions.items()}
    content = [tree.digest, children, [robot_to_data(robot) for robot in different], which]
    return json.dumps(content, separators=(",", ":")).encode()


def tree_from_bytes(data: bytes) -> SimulationTree:
    """The tree that `tree_to_bytes` wrote, laid out.

    Raises:
        TreeError: the bytes are no tree, or the tree's layout differs from the one written.
    """
    tree = SimulationTree()
    try:
        digest, children, robots, which = json.loads(data)
        for child in children:
            _register(tree, child)
        different = [robot_from_data(robot) for robot in robots]
        tree.descriptions = {name: different[place] for name, place in which.items()}
    except (ValueError, TypeError, AttributeError, IndexError) as error:
        raise TreeError(f"not the bytes of a tree: {error}") from error
    tree.lay_out()
    if tree.digest != digest:
        raise TreeError(f"the tree has the layout {tree.digest}, written was {digest}")
    return tree


def _as_list(node: Node) -> list[Any]:
    fields = [[each.name, each.type.value, each.shape, each.unit] for each in node.fields]
    own_name = node.name.rsplit(".", 1)[-1]
    children = [_as_list(child) for child in node.children]
    return [own_name, node.kind, node.access.value, fields, children]


def _register(parent: Node, data: list[Any]) -> None:
    name, kind, access, fields, children = data
    own = (Field(n, FieldType(t), tuple(s), u) for n, t, s, u in fields)
    node = Node(name, kind, own, access=Access(access))
    parent.register(node)
    for child in children:
        _register(node, child)
