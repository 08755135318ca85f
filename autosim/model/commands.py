"""Commands from outside: values for devices, checked before they take effect."""

import reprlib
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from enum import IntEnum
from functools import cached_property

import numpy as np
import numpy.typing as npt

from autosim.arrays import Floats
from autosim.model.state import State
from autosim.model.tree import (
    PUBLICATION,
    STATE,
    STATE_TRUTH,
    WORD,
    Access,
    Field,
    SimulationTree,
    TreeNode,
)

NAME_CHARACTERS = 200
"""Longest part of a name from a peer that a message repeats. A longer name is not compared with the
known ones, which would take time by the product of their lengths."""

BLOCKED = "brakes since its program has failed: restart that program, or attach another one"
"""Of a robot in the state BLOCKED: why it is not set by hand."""


UNOWNED = "; programs may set it where the robot file has the device <ProgramState>"
"""Of a robot's belief: why it cannot be set."""


class DeviceErrorCode(IntEnum):
    """Why a device could not be read or set (the codes of AutoSim's first API, listing A.1)."""

    NO_DEVICE_ERROR = 0
    UNKNOWN_ROBOT = 1
    UNKNOWN_DEVICE = 2
    INVALID_DEVICE = 3
    INVALID_OPERATION = 4
    DATA_SIZE_MISMATCH = 5


class DeviceState(IntEnum):
    """State of a robot's devices (the states of AutoSim's first API, listing A.1).

    READY before the first step, ACTIVE from then on, BLOCKED after the robot's program has failed.
    Clients see PAUSED instead of ACTIVE while the simulation stands still; its bytes stay those of
    its last step, and user programs, which stand still with it, never see it. INVALID has a device
    without a usable value (not a number), and a robot of which no state has come yet.
    """

    INVALID = 0
    READY = 1
    BLOCKED = 2
    ACTIVE = 4
    PAUSED = 8


class DeviceError(Exception):
    """A device could not be read or set; `code` says why, and `reason` in words.

    Args:
        code: why. message: the reason; or a function that words it when it is read. Thousands of a
        peer's commands may be refused, of which users see a few.
    """

    def __init__(self, code: DeviceErrorCode, message: str | Callable[[], str]) -> None:
        super().__init__(code, message)
        self.code = code
        self._message = message

    @cached_property
    def reason(self) -> str:
        """Why, in words."""
        return self._message if isinstance(self._message, str) else self._message()

    def __str__(self) -> str:
        """Code and reason."""
        return f"{self.code.name}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Command:
    """New values for a device: `data` are its fields as they are laid out in the state.

    Optional fields at the end may lack; they stay as they are.
    Of a publication, `data` are its rows one after the other, as many as there are.
    """

    device: str
    data: bytes


@dataclass(frozen=True, slots=True)
class RobotStateChange:
    """A robot shows another state: it is blocked, or driven again. The log of a run has it."""

    robot: str
    state: DeviceState


def abbreviated(value: object) -> str:
    """A value of any kind, for a message."""
    return reprlib.repr(value)


def find_device(tree: SimulationTree, name: str) -> TreeNode:
    """The device called `robot.part.device`, or `robot.publication`, or a state of the robot.

    Raises:
        DeviceError: UNKNOWN_ROBOT, UNKNOWN_DEVICE (also where `name` is not a text), or
        INVALID_DEVICE
            where the name is that of a robot, a part or a link.
    """
    if not isinstance(name, str):
        reason = f"expected the name of a device, robot.part.device, not {abbreviated(name)}"
        raise DeviceError(DeviceErrorCode.UNKNOWN_DEVICE, reason)
    node = tree.find(name)
    if node is None:
        robot = tree.find(name.split(".", 1)[0])
        if robot is None:
            raise DeviceError(DeviceErrorCode.UNKNOWN_ROBOT, lambda: _unknown_robot(tree, name))
        raise DeviceError(DeviceErrorCode.UNKNOWN_DEVICE, lambda: _unknown_device(robot, name))
    if node.name.count(".") != 2 and node.kind not in (PUBLICATION, STATE, STATE_TRUTH):
        raise DeviceError(DeviceErrorCode.INVALID_DEVICE, f"'{name}' is a {node.kind}, no device")
    return node


def _unknown_robot(tree: SimulationTree, name: str) -> str:
    known = ", ".join(child.name for child in tree.robots) or "none"
    return f"no robot '{abbreviated_name(name.split('.', 1)[0])}' (robots: {known})"


def _unknown_device(robot: TreeNode, name: str) -> str:
    above, _, last = name.rpartition(".")
    part = next((node for node in robot.walk() if node.name == above), None)
    if part is not None and any(field.name == last for field in part.fields):
        return f"'{name}' is a value of '{above}', not a device: read it from a sensor there"
    near = []
    if len(name) <= NAME_CHARACTERS:
        near = get_close_matches(name, [node.name for node in robot.walk()], n=1)
    return f"no device '{abbreviated_name(name)}'" + (
        f"; did you mean '{near[0]}'?" if near else ""
    )


def abbreviated_name(name: str) -> str:
    """A name that a peer has sent, as a message repeats it: not at any length."""
    return name if len(name) <= NAME_CHARACTERS else f"{name[:NAME_CHARACTERS]}…"


def check_command(tree: SimulationTree, command: Command) -> TreeNode:
    """The device that `command` sets.

    Raises:
        DeviceError: no such device, one that cannot be set, wrong size, or a value that is not
            finite.
    """
    node = find_device(tree, command.device)
    if node.access is Access.READ:
        why = UNOWNED if node.kind == STATE else ""
        raise DeviceError(
            DeviceErrorCode.INVALID_OPERATION,
            f"'{node.name}', of kind {node.kind}, cannot be set{why}",
        )
    if node.kind == PUBLICATION:
        _check_rows(node, len(command.data))
    elif len(command.data) not in node.command_sizes:
        raise _wrong_values(node, f"{len(command.data) / WORD:g} given")
    if not np.isfinite(np.frombuffer(command.data)).all():
        raise DeviceError(
            DeviceErrorCode.INVALID_OPERATION, f"'{node.name}': values must be finite"
        )
    if node.kind == PUBLICATION:
        _check_values(node, np.frombuffer(command.data))
    return node


def _wrong_values(node: TreeNode, given: str) -> DeviceError:
    counts = " or ".join(str(size // WORD) for size in node.command_sizes)
    names = ", ".join(field.name for field in node.fields)
    reason = f"'{node.name}' takes {counts} values ({names}), {given}"
    return DeviceError(DeviceErrorCode.DATA_SIZE_MISMATCH, reason)


def _check_rows(node: TreeNode, size: int) -> None:
    (field,) = node.fields
    capacity, columns = field.shape
    if size % (columns * WORD) or size > capacity * columns * WORD:
        raise _wrong_rows(node, field, f"{size / WORD:g} numbers")


def _check_values(node: TreeNode, numbers: Floats) -> None:
    """Refuses values that a column does not have."""
    (field,) = node.fields
    columns = numbers.reshape(-1, len(field.columns)).T
    for column, given in zip(field.columns, columns, strict=True):
        values = column.values
        if values is None:
            continue
        wrong = (given % 1.0 != 0.0) | (given < values.start) | (given >= values.stop)
        if wrong.any():
            row = int(np.argmax(wrong))
            raise DeviceError(
                DeviceErrorCode.INVALID_OPERATION,
                f"'{node.name}': row {row} has {column.name} {given[row]:g}: expected a whole "
                f"number from {values.start} to {values.stop - 1}",
            )


def _wrong_rows(node: TreeNode, field: Field, given: str) -> DeviceError:
    names = ", ".join(column.name for column in field.columns)
    return DeviceError(
        DeviceErrorCode.DATA_SIZE_MISMATCH,
        f"'{node.name}' takes at most {field.capacity} rows of {len(field.columns)} values "
        f"({names}), {given} given",
    )


def write_command(state: State, node: TreeNode, command: Command) -> None:
    """Writes what a checked command sets into the state of `node`, its device."""
    if node.kind != PUBLICATION:
        state.buffer[node.start : node.start + len(command.data)] = command.data
        return
    (field,) = node.fields
    rows = np.frombuffer(command.data).reshape(-1, len(field.columns))
    state.write_rows(node, field, rows)


def command_for(tree: SimulationTree, device: str, values: npt.ArrayLike) -> Command:
    """A checked command that sets `device` to `values` (numbers, in the order of its fields).

    Of a publication they are rows (n, columns).

    Raises:
        DeviceError: as `check_command`.
    """
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        reason = f"'{device}': expected numbers, not {abbreviated(values)}"
        raise DeviceError(DeviceErrorCode.INVALID_OPERATION, reason) from error
    command = Command(device, numbers.tobytes())
    node = check_command(tree, command)
    if node.kind == PUBLICATION:
        (field,) = node.fields
        if numbers.size and (numbers.ndim != 2 or numbers.shape[1] != len(field.columns)):
            raise _wrong_rows(node, field, f"an array of the shape {numbers.shape}")
    return command
