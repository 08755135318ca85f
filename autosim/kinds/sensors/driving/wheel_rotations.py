"""Rotations of the wheels that devices of the same part name."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from autosim.arrays import Floats
from autosim.config.reading.attribute_values import suggestion
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schemas.common import reference
from autosim.kinds.actuators import wheel
from autosim.kinds.banks import MountedDevice
from autosim.kinds.checks import RobotBlocks
from autosim.model.state import State
from autosim.model.tree import WORD, SimulationTree, TreeNode

WHEEL = reference("Wheel", "The wheel, a WheelDevice of the same part.")


class WheeledDevice(Protocol):
    """A device that refers to a wheel."""

    @property
    def wheel(self) -> str:
        """Name of the wheel."""

    @property
    def part(self) -> str:
        """Name of the part that carries both."""


class WheelRotations:
    """The rotations of the wheels that `devices` have as their `wheel`."""

    def __init__(self, devices: Sequence[MountedDevice[WheeledDevice]]) -> None:
        words = [_word_of(mounted.node, mounted.device.wheel) for mounted in devices]
        self._is_known = np.array([word is not None for word in words])
        self._word = np.array([word or 0 for word in words], dtype=np.int64)

    def of(self, state: State) -> Floats:
        """Rotations (n,) [rad], positive forwards, since the robots were placed.

        0 for a device without a wheel; `check_wheel` lets none pass.
        """
        return np.where(self._is_known, state.floats[self._word], 0.0)


def _word_of(device: TreeNode, name: str) -> int | None:
    """The place in the state of the rotation of the wheel `name` that is beside `device`."""
    for each in device.parent.children if device.parent else ():
        if each.kind == wheel.KIND.name and each.name.rpartition(".")[2] == name:
            return each.field_offset("rotation") // WORD
    return None


def radius_of(mounted: MountedDevice[WheeledDevice]) -> float:
    """Radius [m] of the wheel that is the `wheel` of a device; 0 where there is none."""
    root = mounted.node.root
    robots = root.descriptions if isinstance(root, SimulationTree) else {}
    robot = robots.get(mounted.node.name.partition(".")[0])
    name, part = mounted.device.wheel, mounted.device.part
    for each in robot.devices if robot else ():
        if isinstance(each, wheel.WheelDevice) and (each.name, each.part) == (name, part):
            return each.radius
    return 0.0


def check_wheel(device: Block, robot: RobotBlocks, faults: Faults) -> None:
    """Notes a device whose wheel is none of its part."""
    name, part = device.text(WHEEL.name), device.text("Part")
    wheels = [each for each in robot.devices if each.tag == wheel.KIND.name]
    own = [each.name for each in wheels if each.text("Part") == part]
    if not name or name in own:
        return
    message = f"<{WHEEL.name}> of {device.title} names '{name}', which is no {wheel.KIND.name}"
    if name in (each.name for each in wheels):
        message += f" of its part '{part}'; put it on the part that has the wheel"
    faults.error(device.line_of(WHEEL.name), message + suggestion(name, own))
