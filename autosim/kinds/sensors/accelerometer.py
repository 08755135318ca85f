"""Accelerometers: the force on each kilogram at a place of a part, along an axis."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats
from autosim.config.descriptions import Device, Vector3
from autosim.config.schemas.common import direction, vector
from autosim.jit import compiled
from autosim.kinds.banks import (
    BankContext,
    Mounted,
    body_indices,
    memory_of,
    vectors,
    word_indices,
)
from autosim.kinds.elements import ALPHA, NOISES, ORIGIN, UP, device_element
from autosim.kinds.kind import DeviceKind
from autosim.kinds.sensors.accelerations import specific_forces
from autosim.simulation.bodies import BodyStates
from autosim.simulation.frames import dot, read
from autosim.simulation.noise import NoiseField
from autosim.simulation.state import State
from autosim.simulation.tree import Field


@dataclass(frozen=True, slots=True)
class AccelerometerSensor(Device):
    """Specific force [m/s²] at `position` [m] along `axis` (unit vector), both in B.

    `alpha` is the weight of the newest sample in a first-order low-pass filter, in (0, 1].
    """

    position: Vector3 = (0.0, 0.0, 0.0)
    axis: Vector3 = (0.0, 0.0, 1.0)
    alpha: float = 1.0


class AccelerometerBank:
    """Specific force [m/s²] along each sensor's axis: the mean over the step that has ended."""

    def __init__(
        self, devices: Sequence[Mounted[AccelerometerSensor]], context: BankContext
    ) -> None:
        self._body, self._word = body_indices(devices), word_indices(devices)
        self._position = vectors([mounted.device.position for mounted in devices])
        self._axis = vectors([mounted.device.axis for mounted in devices])
        self._alpha = np.array([mounted.device.alpha for mounted in devices])
        self._gravity, self._step_seconds = context.gravity, context.step_seconds
        self._forces, self._values = np.zeros((len(devices), 3)), np.zeros(len(devices))
        # The velocity of each place a step ago, and the filtered value.
        self.memory = memory_of(devices, width=4)

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the specific forces."""
        specific_forces(
            bodies.rotations,
            bodies.velocities,
            bodies.angular_velocities,
            self._body,
            self._position,
            self._gravity,
            self._step_seconds,
            self.memory.rows,
            self._forces,
        )
        _filter(self._forces, self._axis, self._alpha, self.memory.rows, self._values)
        state.floats[self._word] = noise(self._values)


@compiled
def _filter(forces: Floats, axis: Floats, alpha: Floats, memory: Floats, values: Floats) -> None:
    """Writes the shares of `forces` along each axis into `values` (n,) and `memory` (n, 4)."""
    for i in range(alpha.size):
        share, before = dot(read(axis[i]), read(forces[i])), memory[i, 3]
        memory[i, 3] = share if np.isnan(before) else before + alpha[i] * (share - before)
        values[i] = memory[i, 3]


KIND = DeviceKind(
    record=AccelerometerSensor,
    element=device_element(
        "AccelerometerSensor",
        "Specific force [m/s²] along an axis: acceleration without that of free fall. At rest it "
        "shows g along an axis that points up, in free fall 0. What it feels at its place has a "
        "share of the part's turning; away from the axis of a turn it is thrown outwards. A value "
        "is the mean over a step.",
        vector("Position", "Its place, relative to the part's centre.", default=ORIGIN),
        direction("Axis", "The axis.", default=UP),
        ALPHA,
        *NOISES,
    ),
    fields=(Field("acceleration", unit="m/s^2"),),
    make_bank=AccelerometerBank,
)
