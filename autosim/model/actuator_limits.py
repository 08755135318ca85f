"""Limits of actuators.

An actuator that a program sets beyond its limits acts as at the limit: a controller may ask for
more than is available. A value that a person sets by hand is refused instead: there it is a
mistake.
"""

import numpy as np

from autosim.model.commands import Command, DeviceError, DeviceErrorCode
from autosim.model.tree import WORD, Access, SimulationTree


def within_limits(tree: SimulationTree, command: Command) -> Command:
    """`command`, which sets no field of an actuator beyond its limits.

    Args:
        tree: that has the actuator.
        command: checked (`check_command`).

    Raises:
        DeviceError: INVALID_OPERATION, with the field, its range and its unit.
    """
    node = tree.find(command.device)
    if node is None or node.access is not Access.DRIVE:
        return command
    values, first = np.frombuffer(command.data), 0
    for field in node.fields:
        last = first + field.size // WORD
        for value in values[first:last].tolist():
            if field.limits is not None and value not in field.limits:
                unit = "" if field.unit == "1" else f" {field.unit}"
                raise DeviceError(
                    DeviceErrorCode.INVALID_OPERATION,
                    f"'{node.name}' {field.name}: expected a number in {field.limits}{unit}, "
                    f"not {value:g}",
                )
        first = last
    return command
