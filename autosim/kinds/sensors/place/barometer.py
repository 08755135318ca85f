"""Barometers: the pressure of the air, which falls with height."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.config.descriptions import Device, Vector3
from autosim.config.schema import Interval
from autosim.config.schemas.common import parameter, vector
from autosim.jit import compiled
from autosim.kinds.banks import BankContext, Mounted, body_indices, vectors, word_indices
from autosim.kinds.elements import NOISES, ORIGIN, device_element
from autosim.kinds.kind import DeviceKind
from autosim.portable import exp_of, log_of
from autosim.simulation.bodies import BodyStates
from autosim.simulation.frames import read, to_world
from autosim.simulation.noise import NoiseField
from autosim.simulation.state import State
from autosim.simulation.tree import Field

_SEA_LEVEL_PRESSURE = 101_325.0
"""Pressure [Pa] at the sea in the International Standard Atmosphere (ISO 2533)."""

_COOLING = 0.0065 / 288.15
"""Share of the temperature at the sea that is lost per metre upwards, there too."""

_POWER = 9.80665 * 0.0289644 / (8.31446 * 0.0065)
"""Exponent, without unit, by which the pressure falls with the temperature: weight of a mole of air
over the gas constant times the fall of temperature. Both hold up to 11 km."""

_HIGHEST = 44_000.0
"""Height [m] from which the formula, which ends at 11 km, would find no air."""


@dataclass(frozen=True, slots=True)
class Barometer(Device):
    """Pressure [Pa] at `position` [m] in B, of air that has `sea_level_pressure` at height 0."""

    position: Vector3 = (0.0, 0.0, 0.0)
    sea_level_pressure: float = _SEA_LEVEL_PRESSURE


class BarometerBank:
    """Pressure [Pa] of the standard atmosphere at the height of each sensor in W."""

    def __init__(self, devices: Sequence[Mounted[Barometer]], context: BankContext) -> None:
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


@compiled
def _pressures(
    positions: Floats,
    rotations: Floats,
    body: Integers,
    position: Floats,
    at_sea: Floats,
    values: Floats,
) -> None:
    for i in range(body.size):
        _, _, up = to_world(rotations[body[i]], read(position[i]))
        height = min(positions[body[i], 2] + up, _HIGHEST)
        values[i] = at_sea[i] * exp_of(_POWER * log_of(1.0 - _COOLING * height))


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
            default=_SEA_LEVEL_PRESSURE,
            interval=Interval(10_000.0, 200_000.0),
        ),
        *NOISES,
    ),
    fields=(Field("pressure", unit="Pa"),),
    make_bank=BarometerBank,
)
