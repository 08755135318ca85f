"""Addresses of the states of owners' robots, and streams of random numbers for their errors."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autosim.arrays import Integers
from autosim.estimation.error_process import Places, Streams
from autosim.kinds.banks import BankContext, Mounted
from autosim.simulation.belief import ERRORS
from autosim.simulation.noise import stream_of
from autosim.simulation.tree import STATE, STATE_TRUTH, WORD, Node


def places_of(devices: Sequence[Mounted[Any]]) -> Places:
    """The states of the robots that have `devices`."""
    return Places(_words(devices, STATE_TRUTH), _words(devices, STATE))


def streams_of(
    devices: Sequence[Mounted[Any]], context: BankContext, *, numbers: range = range(ERRORS)
) -> Streams:
    """A stream (n, k) of random numbers for each of the `numbers` (k,) of each device's errors."""
    return np.array(
        [
            [stream_of(context.seed, mounted.node.name, number) for number in numbers]
            for mounted in devices
        ],
        dtype=np.uint64,
    )


def robot_of(mounted: Mounted[Any]) -> Node:
    """The node of the robot that has a device."""
    part = mounted.node.parent
    assert part is not None
    assert part.parent is not None
    return part.parent


def _words(devices: Sequence[Mounted[Any]], kind: str) -> Integers:
    nodes = (
        next(child for child in robot_of(mounted).children if child.kind == kind)
        for mounted in devices
    )
    return np.array([node.start // WORD for node in nodes], dtype=np.int64)


def device_of(mounted: Mounted[Any], name: str) -> Node:
    """The device called `name` of the robot that has the device `mounted`."""
    return next(
        device
        for part in robot_of(mounted).children
        for device in part.children
        if device.name.rsplit(".", 1)[1] == name
    )
