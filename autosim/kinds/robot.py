"""Robots as wholes: what the node of each one holds."""

from autosim.simulation.tree import Field, FieldType, Node

FIELDS = (
    Field("device_state", FieldType.INT, meaning="What its devices are doing: a DeviceState."),
    Field("collisions", FieldType.INT, meaning="How often it has hit something."),
)


def robot_node(name: str) -> Node:
    """The node of a robot."""
    return Node(name, "Robot", FIELDS)
