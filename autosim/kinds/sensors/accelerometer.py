"""Accelerometers: the specific force on a part, along its three axes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.config.descriptions import Device
from autosim.jit import compiled
from autosim.kinds.banks import BankContext, Mounted, body_indices, memory_of, word_indices
from autosim.kinds.elements import NOISES, device_element
from autosim.kinds.kind import DeviceKind
from autosim.simulation.bodies import BodyStates
from autosim.simulation.frames import read, to_body, write
from autosim.simulation.noise import NoiseField
from autosim.simulation.state import State
from autosim.simulation.tree import Field


@dataclass(frozen=True, slots=True)
class Accelerometer(Device):
    """Specific force [m/s²] at the part's centre, along B's axes: at rest it points up."""


class AccelerometerBank:
    """All accelerometers: the change of the velocity in the last step, less gravity."""

    def __init__(self, devices: Sequence[Mounted[Accelerometer]], context: BankContext) -> None:
        self._body, self._word = body_indices(devices), word_indices(devices)
        self._per_second, self._gravity = 1.0 / context.step_seconds, context.gravity
        self.memory = memory_of(devices, width=3)
        self._values = np.zeros((len(devices), 3))

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the forces."""
        _measure(
            bodies.velocities,
            bodies.rotations,
            self._body,
            self._per_second,
            self._gravity,
            self.memory.rows,
            self._values,
        )
        noise(self._values.reshape(-1))
        state.floats[self._word[:, None] + np.arange(3)] = self._values


@compiled
def _measure(
    velocities: Floats,
    rotations: Floats,
    body: Integers,
    per_second: float,
    gravity: float,
    before: Floats,
    values: Floats,
) -> None:
    """Writes into `values` (n, 3) what n devices measure.

    `before` (n, 3) are the velocities of the step before, NaN where there was none; changed.
    """
    force = np.empty(3)
    for i in range(body.size):
        k = body[i]
        for axis in range(3):
            change = velocities[k, axis] - before[i, axis]
            force[axis] = 0.0 if np.isnan(change) else per_second * change
            before[i, axis] = velocities[k, axis]
        force[2] += gravity
        write(to_body(rotations[k], read(force)), values[i])


KIND = DeviceKind(
    record=Accelerometer,
    element=device_element(
        "Accelerometer",
        "Specific force at the centre of the part [m/s²], forward, left and up: its acceleration "
        "less gravity. At rest it points up. Values for noise: `x`, `y`, `z`.",
        *NOISES,
    ),
    fields=(Field("specific_force", shape=(3,), unit="m/s^2"),),
    make_bank=AccelerometerBank,
    channels=lambda device, step_seconds: (".x", ".y", ".z"),
)
