"""Robots as wholes: what the node of each one holds."""

from autosim.simulation.tree import Field, FieldType, Node

FIELDS = (Field("device_state", FieldType.INT), Field("collisions", FieldType.INT))
"""`device_state` is a `DeviceState`; `collisions` counts the times that the robot has hit something."""


def robot_node(name: str) -> Node:
    """The node of a robot."""
    return Node(name, "Robot", FIELDS)
