"""Barometers: the pressure of the air, which falls with height."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.config.descriptions import Device, Vector3
from autosim.config.schema import Interval
from autosim.config.schemas.common import parameter, vector
from autosim.jit import compiled_without_refcounts
from autosim.kinds.banks import BankContext, MountedDevice, body_indices, vectors, word_indices
from autosim.kinds.elements import NOISES, ORIGIN, device_element
from autosim.kinds.kind import DeviceKind
from autosim.model.bodies import BodyStates
from autosim.model.environment.standard_atmosphere import SEA_LEVEL_PRESSURE, pressure_ratio
from autosim.model.noise import NoiseField
from autosim.model.state import State
from autosim.model.tree import Field
from autosim.model.vector_kernels import read_vector, to_world


@dataclass(frozen=True, slots=True)
class Barometer(Device):
    """Pressure [Pa] at `position` [m] in B, of air that has `sea_level_pressure` at height 0."""

    position: Vector3 = (0.0, 0.0, 0.0)
    sea_level_pressure: float = SEA_LEVEL_PRESSURE


class BarometerBank:
    """Pressure [Pa] of the standard atmosphere at the height of each sensor in W."""

    def __init__(self, devices: Sequence[MountedDevice[Barometer]], context: BankContext) -> None:
        self._body, self._word = body_indices(devices), word_indices(devices)
        self._position = vectors([mounted.device.position for mounted in devices])
        self._at_sea = np.array([mounted.device.sea_level_pressure for mounted in devices])
        self._values = np.zeros(len(devices))

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the pressures."""
        _pressures(
            bodies.positions,
            bodies.rotations,
            self._body,
            self._position,
            self._at_sea,
            self._values,
        )
        state.floats[self._word] = noise(self._values)


@compiled_without_refcounts
def _pressures(
    positions: Floats,
    rotations: Floats,
    body: Integers,
    position: Floats,
    at_sea: Floats,
    values: Floats,
) -> None:
    for i in range(body.size):
        _, _, up = to_world(rotations[body[i]], read_vector(position[i]))
        values[i] = at_sea[i] * pressure_ratio(positions[body[i], 2] + up)


KIND = DeviceKind(
    record=Barometer,
    element=device_element(
        "Barometer",
        "Pressure of the air [Pa] at its height, after the International Standard Atmosphere up to "
        "11 km: about 12 Pa less for each metre near the sea. Heights are those of the world: "
        "above the sea where height data give them, else above its plain.",
        vector("Position", "Its place, relative to the part's centre.", default=ORIGIN),
        parameter(
            "SeaLevelPressure",
            "Pressure at the world's height 0.",
            unit="Pa",
            default=SEA_LEVEL_PRESSURE,
            interval=Interval(10_000.0, 200_000.0),
        ),
        *NOISES,
    ),
    fields=(Field("pressure", unit="Pa"),),
    make_bank=BarometerBank,
    is_momentary=True,
)
