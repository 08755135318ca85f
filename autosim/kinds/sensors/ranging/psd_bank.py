"""All distance sensors in a step: their rays are cast together."""

from collections.abc import Sequence

import numpy as np

from autosim.arrays import Floats
from autosim.kinds.banks import BankContext, Mounted, body_indices, vectors, word_indices
from autosim.kinds.sensors.ranging.beams import Beams, aim
from autosim.kinds.sensors.ranging.psd import PSDSensor
from autosim.rays.batch import RayBatch
from autosim.simulation.bodies import BodyStates
from autosim.simulation.noise import NoiseField
from autosim.simulation.state import State


class PSDBank:
    """All PSD sensors: they see the ground, what stands on it, and other robots' bodies.

    Args:
        devices: the sensors.
        context: has what they see.
    """

    def __init__(self, devices: Sequence[Mounted[PSDSensor]], context: BankContext) -> None:
        self._range = np.array([mounted.device.range for mounted in devices])
        self._word = word_indices(devices)
        direction = vectors([mounted.device.direction for mounted in devices])
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        self._beams = Beams.of(
            body_indices(devices),
            context.rays.robots,
            vectors([mounted.device.position for mounted in devices]),
            np.ones(len(devices)),
            list((direction * self._range[:, None])[:, None]),
        )
        self._all, self._batch = np.arange(len(devices)), RayBatch.of(len(devices))
        self._rays = context.rays

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the distances, each between zero and the sensor's range."""
        distances = noise(self.measure(bodies))
        state.floats[self._word] = np.clip(distances, 0.0, self._range)

    def measure(self, bodies: BodyStates) -> Floats:
        """The distances (n,) [m], without noise."""
        count = aim(self._beams, self._all, bodies.positions, bodies.rotations, self._batch)
        self._rays.cast(self._batch, count, bodies)
        return np.asarray(self._batch.shares * self._range)
