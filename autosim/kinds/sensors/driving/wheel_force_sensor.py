"""Measuring wheels: the forces between a tyre and the ground, and the slip that makes them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.config.descriptions import Device
from autosim.kinds.banks import BankContext, MountedDevice, word_indices
from autosim.kinds.elements import NOISES, device_element
from autosim.kinds.kind import DeviceKind
from autosim.kinds.sensors.driving.wheel_rotations import WHEEL, check_wheel
from autosim.model.bodies import BodyStates
from autosim.model.noise import NoiseField
from autosim.model.state import State
from autosim.model.tree import Field

FIELDS = (
    Field("forward_force", unit="N", meaning="That pushes the vehicle along the wheel."),
    Field("left_force", unit="N", meaning="That pushes it to the left of the wheel."),
    Field(
        "aligning_torque",
        unit="N m",
        meaning="That turns the wheel about the ground's normal, to the left.",
    ),
    Field("load", unit="N", meaning="By which the wheel is pressed to the ground."),
    Field("slip_ratio", meaning="Over the speed along the wheel; positive when driving."),
    Field("slip_angle", unit="rad", meaning="Positive where the wheel moves to its left."),
)


@dataclass(frozen=True, slots=True)
class WheelForceSensor(Device):
    """Sensor of the tyre forces of `wheel`."""

    wheel: str = ""


class WheelForceBank:
    """Reads what the vehicles' model has found in the step."""

    def __init__(
        self, devices: Sequence[MountedDevice[WheelForceSensor]], context: BankContext
    ) -> None:
        self._words = word_indices(devices)[:, None] + np.arange(len(FIELDS))
        drives = context.drives
        rows = [drives.wheels[mounted.beside(mounted.device.wheel)] for mounted in devices]
        self._rows = np.array(rows, dtype=np.int64)
        self._forces, self._tyres = drives.forces, drives.tyres

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the values."""
        found = np.hstack([self._forces[self._rows], self._tyres[self._rows]])
        state.floats[self._words] = noise(found.reshape(-1)).reshape(found.shape)


KIND = DeviceKind(
    record=WheelForceSensor,
    element=device_element(
        "WheelForceSensor",
        "A measuring wheel: the forces between the tyre and the ground, along and across the "
        "wheel, its aligning torque, its load and its slips, as of the last step.",
        WHEEL,
        *NOISES,
    ),
    fields=FIELDS,
    channels=lambda sensor, step_seconds: tuple(f".{field.name}" for field in FIELDS),
    make_bank=WheelForceBank,
    check=check_wheel,
)
