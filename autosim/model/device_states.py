"""States of devices, derived from the values of a state."""

import numpy as np

from autosim.model.commands import DeviceState
from autosim.model.state import State, Value
from autosim.model.tree import WORD, Field, FieldType, TreeNode


def device_state(state: State, node: TreeNode) -> DeviceState:
    """State of a robot or of one of its devices.

    INVALID where the state has not been written yet, and where a device has no usable value: one of
    its numbers is not finite. PAUSED instead of ACTIVE while the simulation is paused.

    Args:
        state: of the tree that `node` is in, or of another one with the same layout.
        node: a robot, or a node below one.
    """
    robot = node
    while robot.parent is not None and robot.parent.parent is not None:
        robot = robot.parent
    own = int(state.ints[robot.start // WORD])
    if own not in tuple(DeviceState) or not has_usable_values(state, node):
        return DeviceState.INVALID
    is_paused = own == DeviceState.ACTIVE and state.is_standing
    return DeviceState.PAUSED if is_paused else DeviceState(own)


def has_usable_values(state: State, node: TreeNode) -> bool:
    """Whether all numbers of `node` are finite."""
    for field in node.fields:
        if field.type is FieldType.FLOAT:
            begin = node.field_offset(field.name) // WORD
            numbers = state.floats[begin + field.is_list : begin + field.size // WORD]
            if not np.isfinite(numbers).all():
                return False
    return True


def is_device_state(node: TreeNode, field: Field) -> bool:
    """Whether the field is a `DeviceState`."""
    return node.kind == "Robot" and field.name == "device_state"


def shown_value(state: State, node: TreeNode, field: Field) -> Value:
    """The value of a field for people: of a robot's state what `device_state` makes of it."""
    if is_device_state(node, field):
        return int(device_state(state, node))
    return state.value(node, field)
