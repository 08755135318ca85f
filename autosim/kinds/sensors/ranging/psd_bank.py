"""All distance sensors in a step: their rays are cast together."""

from collections.abc import Callable, Sequence

import numpy as np

from autosim.arrays import Floats
from autosim.jit import bound
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
        self._cast = context.rays.casting(self._batch)
        self._aimed_from: BodyStates | None = None
        self._aim: Callable[[], int] = lambda: 0
        self._distances = np.zeros(len(devices))

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the distances, each between zero and the sensor's range."""
        distances = noise(self.measure(bodies))
        # Twice as fast as `np.clip`.
        np.maximum(distances, 0.0, out=distances)
        np.minimum(distances, self._range, out=distances)
        state.floats[self._word] = distances

    def measure(self, bodies: BodyStates) -> Floats:
        """The distances (n,) [m], without noise; overwritten by the next call."""
        if bodies is not self._aimed_from:
            self._aimed_from = bodies
            places = bodies.positions, bodies.rotations
            self._aim = bound(aim, self._beams, self._all, *places, self._batch)
        self._cast(self._aim(), bodies)
        np.multiply(self._batch.shares, self._range, out=self._distances)
        return self._distances
