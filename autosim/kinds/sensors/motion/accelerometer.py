"""Accelerometers: the force on each kilogram at a place of a part, along its three axes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.config.descriptions import Device, Vector3
from autosim.config.schemas.common import vector
from autosim.kinds.banks import BankContext, MountedDevice, word_indices
from autosim.kinds.elements import NOISES, ORIGIN, device_element
from autosim.kinds.kind import DeviceKind
from autosim.kinds.sensors.motion.specific_forces import SpecificForces
from autosim.model.bodies import BodyStates
from autosim.model.noise import NoiseField
from autosim.model.state import State
from autosim.model.tree import Field


@dataclass(frozen=True, slots=True)
class Accelerometer(Device):
    """Specific force [m/s²] at `position` [m] in B, along B's axes: at rest it points up."""

    position: Vector3 = (0.0, 0.0, 0.0)


class AccelerometerBank:
    """All accelerometers: the change of the velocity in the last step, less gravity."""

    def __init__(
        self, devices: Sequence[MountedDevice[Accelerometer]], context: BankContext
    ) -> None:
        self._words = word_indices(devices)[:, None] + np.arange(3)
        self._forces = SpecificForces(devices, context)
        self.memory = self._forces.memory

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the forces."""
        forces = self._forces.measure(bodies)
        noise(forces.reshape(-1))
        state.floats[self._words] = forces


KIND = DeviceKind(
    record=Accelerometer,
    element=device_element(
        "Accelerometer",
        "Specific force [m/s²] at a place of the part, forward, left and up: its acceleration less "
        "gravity. At rest it points up, in free fall it is 0; where the part turns, what is away "
        "from the axis is thrown outwards. A value is the mean over a step. Values for noise: `x`, "
        "`y`, `z`.",
        vector("Position", "Its place, relative to the part's centre.", default=ORIGIN),
        *NOISES,
    ),
    fields=(
        Field(
            "specific_force",
            shape=(3,),
            unit="m/s^2",
            meaning="Forward, left and up: g upwards at rest.",
        ),
    ),
    make_bank=AccelerometerBank,
    channels=lambda device, step_seconds: (".x", ".y", ".z"),
)
