"""A simulation tree as bytes: so that another process has it without the files it came from."""

import json
from typing import Any

from autosim.simulation.tree import Field, FieldType, Node, SimulationTree, TreeError


def tree_to_bytes(tree: SimulationTree) -> bytes:
    """Names, kinds and fields of `tree`, which is laid out, and its digest, as JSON."""
    children = [_as_list(child) for child in tree.children]
    return json.dumps([tree.digest, children], separators=(",", ":")).encode()


def tree_from_bytes(data: bytes) -> SimulationTree:
    """The tree that `tree_to_bytes` wrote, laid out.

    Raises:
        TreeError: the bytes are no tree, or the tree's layout differs from the one written.
    """
    tree = SimulationTree()
    try:
        digest, children = json.loads(data)
        for child in children:
            _register(tree, child)
    except (ValueError, TypeError) as error:
        raise TreeError(f"not the bytes of a tree: {error}") from error
    tree.lay_out()
    if tree.digest != digest:
        raise TreeError(f"the tree has the layout {tree.digest}, written was {digest}")
    return tree


def _as_list(node: Node) -> list[Any]:
    fields = [[each.name, each.type.value, each.shape, each.unit] for each in node.fields]
    own_name = node.name.rsplit(".", 1)[-1]
    return [own_name, node.kind, fields, [_as_list(child) for child in node.children]]


def _register(parent: Node, data: list[Any]) -> None:
    name, kind, fields, children = data
    node = Node(name, kind, (Field(n, FieldType(t), tuple(s), u) for n, t, s, u in fields))
    parent.register(node)
    for child in children:
        _register(node, child)
