"""Robots as wholes: what the node of each one holds."""

from autosim.model.tree import Field, FieldType, TreeNode

FIELDS = (
    Field("device_state", FieldType.INT, meaning="What its devices are doing: a DeviceState."),
    Field("collisions", FieldType.INT, meaning="How often it has hit something."),
)


def robot_node(name: str) -> TreeNode:
    """The node of a robot."""
    return TreeNode(name, "Robot", FIELDS)
