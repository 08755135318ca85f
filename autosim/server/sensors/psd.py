"""Position sensitive devices: the distance to whatever a ray meets first."""

from collections.abc import Sequence

import numpy as np

from autosim.arrays import Floats
from autosim.config.descriptions import PSDSensor
from autosim.server.physics.builder import BuiltPart
from autosim.server.physics.physics import Physics
from autosim.simulation.banks import Mounted, body_indices, vectors, word_indices
from autosim.simulation.bodies import BodyStates, rotate
from autosim.simulation.state import State
from autosim.vehicle.rays_boxes import cast_at_boxes


class PSDBank:
    """All PSD sensors: they see the ground, what stands on it, and other robots' bodies.

    Args:
        devices: the sensors.
        parts: all bodies.
        physics: casts rays at the world; at the bodies they are cast here.
    """

    def __init__(
        self,
        devices: Sequence[Mounted[PSDSensor]],
        parts: Sequence[BuiltPart],
        physics: Physics,
    ) -> None:
        self._body, self._word = body_indices(devices), word_indices(devices)
        self._position = vectors([mounted.device.position for mounted in devices])
        self._range = np.array([mounted.device.range for mounted in devices])
        direction = vectors([mounted.device.direction for mounted in devices])
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        self._ray = direction * self._range[:, None]
        self._box_robots = np.array([built.robot for built in parts], dtype=np.int64)
        self._half_sizes = vectors([built.part.size for built in parts]) / 2
        self._physics = physics
        self._to_bodies = np.ones(len(devices))

    def sense(self, bodies: BodyStates, state: State, noise: Floats) -> None:
        """Writes the distances, each between zero and the sensor's range."""
        rotations = bodies.rotations[self._body]
        origins = bodies.positions[self._body] + rotate(rotations, self._position)
        ends = origins + rotate(rotations, self._ray)
        to_world, _ = self._physics.cast(origins, ends)
        cast_at_boxes(
            origins,
            ends,
            self._box_robots[self._body],
            bodies.positions,
            bodies.orientations,
            self._half_sizes,
            self._box_robots,
            self._to_bodies,
        )
        free = np.minimum(to_world, self._to_bodies)
        state.floats[self._word] = np.clip(free * self._range + noise, 0.0, self._range)
