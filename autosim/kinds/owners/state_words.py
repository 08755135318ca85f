"""Addresses of the states of owners' robots, and streams of random numbers for their errors."""

from collections.abc import Sequence

import numpy as np

from autosim.arrays import Integers
from autosim.config.descriptions import Device
from autosim.estimation.error_process import StateWords, Streams
from autosim.kinds.banks import BankContext, MountedDevice
from autosim.model.belief import ERRORS
from autosim.model.noise import stream_of
from autosim.model.tree import STATE, STATE_TRUTH, WORD, TreeNode


def state_words_of(devices: Sequence[MountedDevice[Device]]) -> StateWords:
    """The states of the robots that have `devices`."""
    return StateWords(_words(devices, STATE_TRUTH), _words(devices, STATE))


def streams_of(
    devices: Sequence[MountedDevice[Device]],
    context: BankContext,
    *,
    numbers: range = range(ERRORS),
) -> Streams:
    """A stream (n, k) of random numbers for each of the `numbers` (k,) of each device's errors."""
    return np.array(
        [
            [stream_of(context.seed, mounted.node.name, number) for number in numbers]
            for mounted in devices
        ],
        dtype=np.uint64,
    )


def robot_of(mounted: MountedDevice[Device]) -> TreeNode:
    """The node of the robot that has a device."""
    part = mounted.node.parent
    assert part is not None
    assert part.parent is not None
    return part.parent


def _words(devices: Sequence[MountedDevice[Device]], kind: str) -> Integers:
    nodes = (
        next(child for child in robot_of(mounted).children if child.kind == kind)
        for mounted in devices
    )
    return np.array([node.start // WORD for node in nodes], dtype=np.int64)


def device_of(mounted: MountedDevice[Device], name: str) -> TreeNode:
    """The device called `name` of the robot that has the device `mounted`."""
    return next(
        device
        for part in robot_of(mounted).children
        for device in part.children
        if device.name.rsplit(".", 1)[1] == name
    )
