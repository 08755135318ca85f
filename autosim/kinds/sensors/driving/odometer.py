"""Odometers: how far a wheel has rolled."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats
from autosim.config.descriptions import Device
from autosim.config.schema import Interval
from autosim.config.schemas.common import parameter
from autosim.jit import compiled_without_refcounts
from autosim.kinds.banks import BankContext, MountedDevice, memory_of, word_indices
from autosim.kinds.elements import NOISES, device_element
from autosim.kinds.kind import DeviceKind
from autosim.kinds.sensors.driving.wheel_rotations import (
    WHEEL,
    WheelRotations,
    check_wheel,
    radius_of,
)
from autosim.model.bodies import BodyStates
from autosim.model.noise import NoiseField
from autosim.model.state import State
from autosim.model.tree import Field


@dataclass(frozen=True, slots=True)
class Odometer(Device):
    """Distance [m] that `wheel` has rolled, were its radius `radius` [m]; 0.0: its own."""

    wheel: str = ""
    radius: float = 0.0


class OdometerBank:
    """The distances [m] of all odometers, which go up whichever way their wheels turn."""

    def __init__(self, devices: Sequence[MountedDevice[Odometer]], context: BankContext) -> None:
        self._word = word_indices(devices)
        self._rotations = WheelRotations(devices)
        self._radius = np.array([each.device.radius or radius_of(each) for each in devices])
        self._values = np.zeros(len(devices))
        # The rotation a step ago, and the distance.
        self.memory = memory_of(devices, width=2)

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the distances."""
        _add(self._rotations.of(state), self._radius, self.memory.rows, self._values)
        state.floats[self._word] = noise(self._values)


@compiled_without_refcounts
def _add(rotations: Floats, radius: Floats, memory: Floats, values: Floats) -> None:
    """Adds the way of a step to `memory` (n, 2): the rotations, and the distances."""
    for i in range(radius.size):
        if np.isnan(memory[i, 0]):
            memory[i, 0], memory[i, 1] = rotations[i], 0.0
        memory[i, 1] += abs(rotations[i] - memory[i, 0]) * radius[i]
        memory[i, 0] = rotations[i]
        values[i] = memory[i, 1]


KIND = DeviceKind(
    record=Odometer,
    element=device_element(
        "Odometer",
        "Distance [m] that a wheel has rolled, forwards and backwards, from 0 where the robot was "
        "placed. A wheel that slips rolls further than the robot drives, one that is locked does "
        "not roll.",
        WHEEL,
        parameter(
            "Radius",
            "What it takes for the radius of the wheel; the wheel's own when not given. An error "
            "of it is the same share of each distance.",
            unit="m",
            default=0.0,
            interval=Interval(0.0, 1000.0),
        ),
        *NOISES,
    ),
    fields=(Field("distance", unit="m", meaning="That the wheel has rolled since the start."),),
    make_bank=OdometerBank,
    check=check_wheel,
)
