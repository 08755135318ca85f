"""Position sensitive devices: the distance to whatever a ray meets first."""

from collections.abc import Callable, Sequence

import numpy as np

from autosim.config.descriptions import PSDSensor
from autosim.simulation.banks import Mounted, body_indices, vectors, word_indices
from autosim.simulation.bodies import BodyStates, Floats, rotate
from autosim.simulation.state import State

CastRays = Callable[[Floats, Floats], Floats]
"""(origins, ends), each (n, 3) [m] in W, to the fraction (n,) of each ray that is free, 1: all."""


class PSDBank:
    """All PSD sensors.

    Args:
        devices: the sensors.
        cast_world: rays against everything that stands.
        cast_bodies: rays against all bodies but those of the sensor's own robot.
    """

    def __init__(
        self,
        devices: Sequence[Mounted[PSDSensor]],
        *,
        cast_world: CastRays,
        cast_bodies: CastRays,
    ) -> None:
        self._body, self._word = body_indices(devices), word_indices(devices)
        self._position = vectors([mounted.device.position for mounted in devices])
        self._range = np.array([mounted.device.range for mounted in devices])
        direction = vectors([mounted.device.direction for mounted in devices])
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        self._ray = direction * self._range[:, None]
        self._cast_world = cast_world
        self._cast_bodies = cast_bodies

    def sense(self, bodies: BodyStates, state: State, noise: Floats) -> None:
        """Writes the distances, each between zero and the sensor's range."""
        rotations = bodies.rotations[self._body]
        origins = bodies.positions[self._body] + rotate(rotations, self._position)
        ends = origins + rotate(rotations, self._ray)
        free = np.minimum(self._cast_world(origins, ends), self._cast_bodies(origins, ends))
        state.floats[self._word] = np.clip(free * self._range + noise, 0.0, self._range)
