"""Clocks: the simulated time."""

from collections.abc import Sequence
from dataclasses import dataclass

from autosim.config.descriptions import Device
from autosim.kinds.banks import (
    BankContext,
    MountedDevice,
    word_indices,
)
from autosim.kinds.elements import device_element
from autosim.kinds.kind import DeviceKind
from autosim.model.bodies import BodyStates
from autosim.model.noise import NoiseField
from autosim.model.state import State
from autosim.model.tree import Field


@dataclass(frozen=True, slots=True)
class TimeDevice(Device):
    """Simulated time [s]."""


class TimeBank:
    """Simulated time [s]."""

    def __init__(self, devices: Sequence[MountedDevice[TimeDevice]], context: BankContext) -> None:
        self._word = word_indices(devices)

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the time."""
        state.floats[self._word] = state.time


KIND = DeviceKind(
    record=TimeDevice,
    element=device_element("TimeDevice", "The simulated time [s]."),
    fields=(Field("time", unit="s", meaning="Simulated time since the start."),),
    make_bank=TimeBank,
    is_momentary=True,
)
