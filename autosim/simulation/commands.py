"""What reaches the simulation from outside: values for devices, checked before they count."""

from dataclasses import dataclass
from difflib import get_close_matches
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from autosim.simulation.fields import SETTABLE
from autosim.simulation.tree import WORD, Node, SimulationTree

BLOCKED = "brakes since its program has failed: restart that program, or attach another one"
"""Of a robot in the state BLOCKED: why it is not set by hand."""


class DeviceErrorCode(IntEnum):
    """Why a device could not be read or set (the codes of AutoSim's first API, listing A.1)."""

    NO_DEVICE_ERROR = 0
    UNKNOWN_ROBOT = 1
    UNKNOWN_DEVICE = 2
    INVALID_DEVICE = 3
    INVALID_OPERATION = 4
    DATA_SIZE_MISMATCH = 5


class DeviceState(IntEnum):
    """What a robot's devices are doing (the states of AutoSim's first API, listing A.1).

    READY before the first step, ACTIVE from then on, BLOCKED after the robot's program has failed.
    A simulation that stands still has the bytes of its last step, so PAUSED is never in the state:
    a server tells it as its phase. INVALID is the state of memory that nobody has written.
    """

    INVALID = 0
    READY = 1
    BLOCKED = 2
    ACTIVE = 4
    PAUSED = 8


class DeviceError(Exception):
    """A device could not be read or set; `code` says why, and `reason` in words."""

    def __init__(self, code: DeviceErrorCode, message: str) -> None:
        super().__init__(f"{code.name}: {message}")
        self.code = code
        self.reason = message


@dataclass(frozen=True, slots=True)
class Command:
    """New values for a device that can be set: `data` are its fields as they stand in the state."""

    device: str
    data: bytes


def find_device(tree: SimulationTree, name: str) -> Node:
    """The device with the qualified name `robot.part.device`.

    Raises:
        DeviceError: UNKNOWN_ROBOT, UNKNOWN_DEVICE, or INVALID_DEVICE where the name is that of
            a robot, a part or a link.
    """
    node = tree.find(name)
    if node is None:
        robot = name.split(".", 1)[0]
        if tree.find(robot) is None:
            known = ", ".join(child.name for child in tree.children) or "none"
            raise DeviceError(
                DeviceErrorCode.UNKNOWN_ROBOT, f"no robot '{robot}' (robots: {known})"
            )
        raise DeviceError(DeviceErrorCode.UNKNOWN_DEVICE, _unknown_device(tree, name))
    if node.name.count(".") != 2:
        raise DeviceError(DeviceErrorCode.INVALID_DEVICE, f"'{name}' is a {node.kind}, no device")
    return node


def _unknown_device(tree: SimulationTree, name: str) -> str:
    near = get_close_matches(name, tree.names, n=1)
    return f"no device '{name}'" + (f"; did you mean '{near[0]}'?" if near else "")


def check_command(tree: SimulationTree, command: Command) -> Node:
    """The device that `command` sets.

    Raises:
        DeviceError: no such device, one that cannot be set, wrong size, or a value that is not
            finite.
    """
    node = find_device(tree, command.device)
    if node.kind not in SETTABLE:
        raise DeviceError(
            DeviceErrorCode.INVALID_OPERATION, f"'{node.name}' is a {node.kind}: it cannot be set"
        )
    if len(command.data) != node.own_size:
        raise DeviceError(
            DeviceErrorCode.DATA_SIZE_MISMATCH,
            f"'{node.name}' takes {node.own_size // WORD} values "
            f"({', '.join(field.name for field in node.fields)}), "
            f"{len(command.data) / WORD:g} given",
        )
    if not np.isfinite(np.frombuffer(command.data)).all():
        raise DeviceError(
            DeviceErrorCode.INVALID_OPERATION, f"'{node.name}': values must be finite"
        )
    return node


def command_for(tree: SimulationTree, device: str, values: npt.ArrayLike) -> Command:
    """A checked command that sets `device` to `values` (numbers, in the order of its fields).

    Raises:
        DeviceError: as `check_command`.
    """
    try:
        numbers = np.atleast_1d(np.asarray(values, dtype=np.float64)).ravel()
    except (TypeError, ValueError) as error:
        raise DeviceError(
            DeviceErrorCode.INVALID_OPERATION, f"'{device}': expected numbers, not {values!r}"
        ) from error
    command = Command(device, numbers.tobytes())
    check_command(tree, command)
    return command
