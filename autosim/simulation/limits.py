"""How far actuators go.

An actuator that a program sets beyond its limits acts as at the limit: a controller may ask for
more than there is. What people set by hand is refused instead: there it is a mistake.
"""

from collections.abc import Callable

import numpy as np

from autosim.config.descriptions import DriveActuator
from autosim.config.schema import Interval
from autosim.simulation.commands import Command, DeviceError, DeviceErrorCode
from autosim.simulation.fields import ACTUATORS
from autosim.simulation.tree import Node, SimulationTree

SHARE = Interval(0.0, 1.0)
_LIMITS: dict[str, Callable[[SimulationTree, Node], tuple[Interval, ...]]] = {
    "DriveActuator": lambda tree, node: (_steering(tree, node), Interval(-1.0, 1.0), SHARE),
    "LightDevice": lambda tree, node: (SHARE,),
    "HeadLightDevice": lambda tree, node: (SHARE,),
}
"""By the kind of actuator, for each of its fields."""


def limits_of(tree: SimulationTree, actuator: Node) -> tuple[Interval, ...]:
    """What each field of an actuator may be set to."""
    return _LIMITS[actuator.kind](tree, actuator)


def within_limits(tree: SimulationTree, command: Command) -> Command:
    """`command`, which sets no field of an actuator beyond its limits.

    Args:
        tree: that has the actuator.
        command: checked (`check_command`).

    Raises:
        DeviceError: INVALID_OPERATION, with the field, its range and its unit.
    """
    node = tree.find(command.device)
    if node is None or node.kind not in ACTUATORS:
        return command
    values = np.frombuffer(command.data)
    for field, value, limits in zip(node.fields, values, limits_of(tree, node), strict=True):
        if value not in limits:
            unit = "" if field.unit == "1" else f" {field.unit}"
            raise DeviceError(
                DeviceErrorCode.INVALID_OPERATION,
                f"'{node.name}' {field.name}: expected a number in {limits}{unit}, not {value:g}",
            )
    return command


def _steering(tree: SimulationTree, node: Node) -> Interval:
    robot, part, name = node.name.split(".")
    device = next(
        each
        for each in tree.descriptions[robot].devices
        if isinstance(each, DriveActuator) and (each.part, each.name) == (part, name)
    )
    return Interval(-device.max_steering_angle, device.max_steering_angle)
