"""Inertial measurement units: how a part turns, and the force on each kilogram at a place of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.config.descriptions import Device, Vector3
from autosim.config.schemas.common import vector
from autosim.jit import compiled_without_refcounts
from autosim.kinds.banks import BankContext, MountedDevice, body_indices, word_indices
from autosim.kinds.elements import NOISES, ORIGIN, device_element
from autosim.kinds.kind import DeviceKind
from autosim.kinds.sensors.motion.specific_forces import SpecificForces
from autosim.model.bodies import BodyStates
from autosim.model.noise import NoiseField
from autosim.model.state import State
from autosim.model.tree import Field
from autosim.model.vector_kernels import read_vector, to_body, write_vector


@dataclass(frozen=True, slots=True)
class IMU(Device):
    """Angular velocity [rad/s] and specific force [m/s²] at `position` [m], all in B."""

    position: Vector3 = (0.0, 0.0, 0.0)


class IMUBank:
    """Both triads of each sensor: means over the step that has ended, in the axes of its part."""

    def __init__(self, devices: Sequence[MountedDevice[IMU]], context: BankContext) -> None:
        self._body = body_indices(devices)
        self._words = word_indices(devices)[:, None] + np.arange(6)
        self._values, self._forces = np.zeros((len(devices), 6)), SpecificForces(devices, context)
        self.memory = self._forces.memory

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the six values of each sensor."""
        forces = self._forces.measure(bodies)
        _join(bodies.rotations, bodies.angular_velocities, self._body, forces, self._values)
        noise(self._values.reshape(-1))
        state.floats[self._words] = self._values


@compiled_without_refcounts
def _join(
    rotations: Floats, angular_velocities: Floats, body: Integers, forces: Floats, values: Floats
) -> None:
    """Writes angular velocities and `forces` (n, 3), both in B, into `values` (n, 6)."""
    for i in range(body.size):
        k = body[i]
        write_vector(to_body(rotations[k], read_vector(angular_velocities[k])), values[i, :3])
        write_vector(read_vector(forces[i]), values[i, 3:])


_CHANNELS = tuple(
    f".{field}.{axis}" for field in ("angular_velocity", "acceleration") for axis in "xyz"
)

KIND = DeviceKind(
    record=IMU,
    element=device_element(
        "IMU",
        "An inertial measurement unit, in the part's axes (x forward, y left, z up): how fast the "
        "part turns [rad/s], and the specific force [m/s²] at a place of it, which is g upwards at "
        "rest and 0 in free fall. Values are means over a step. A source of noise that names no "
        'field acts on both, of which each has its unit: field="angular_velocity" and '
        'field="acceleration" tell them apart.',
        vector("Position", "Its place, relative to the part's centre.", default=ORIGIN),
        *NOISES,
    ),
    fields=(
        Field(
            "angular_velocity",
            shape=(3,),
            unit="rad/s",
            meaning="How fast the part turns about forward, left and up.",
        ),
        Field(
            "acceleration",
            shape=(3,),
            unit="m/s^2",
            meaning="Specific force forward, left and up: g upwards at rest.",
        ),
    ),
    make_bank=IMUBank,
    channels=lambda unit, step_seconds: _CHANNELS,
)
