"""All distance sensors in a step: one compiled call casts their rays."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.jit import compiled
from autosim.kinds.banks import BankContext, Mounted, body_indices, vectors, word_indices
from autosim.kinds.sensors.ranging.psd import PSDSensor
from autosim.rays.boxes import PartBoxes, nearest_box, sort_boxes
from autosim.rays.hierarchy import Hierarchy
from autosim.rays.traversal import NOTHING, nearest
from autosim.simulation.bodies import BodyStates
from autosim.simulation.frames import plus, read, to_world
from autosim.simulation.noise import NoiseField
from autosim.simulation.state import State


class _Sensors(NamedTuple):
    """What does not change of n sensors.

    body; word: (n,) place in the state; range: (n,) m; position: (n, 3) m in B; way: (n, 3) m in B,
    to the end of the range.
    """

    body: Integers
    word: Integers
    range: Floats
    position: Floats
    way: Floats


class PSDBank:
    """All PSD sensors: they see the ground, what stands on it, and other robots' bodies.

    Args:
        devices: the sensors.
        context: has the scene and the boxes that they see.
    """

    def __init__(self, devices: Sequence[Mounted[PSDSensor]], context: BankContext) -> None:
        reach = np.array([mounted.device.range for mounted in devices])
        direction = vectors([mounted.device.direction for mounted in devices])
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        self._sensors = _Sensors(
            body_indices(devices),
            word_indices(devices),
            reach,
            vectors([mounted.device.position for mounted in devices]),
            direction * reach[:, None],
        )
        self._boxes, self._rays = context.boxes, context.rays
        self._distances = np.zeros(len(devices))

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the distances, each between zero and the sensor's range."""
        distances = noise(self.measure(bodies))
        state.floats[self._sensors.word] = np.clip(distances, 0.0, self._sensors.range)

    def measure(self, bodies: BodyStates) -> Floats:
        """The distances (n,) [m], without noise."""
        self._rays.complete(
            lambda begin: _measure(
                self._rays.hierarchy,
                self._boxes,
                bodies.positions,
                bodies.rotations,
                self._sensors,
                begin,
                self._distances,
            )
        )
        return self._distances


@compiled
def _measure(
    hierarchy: Hierarchy,
    boxes: PartBoxes,
    positions: Floats,
    rotations: Floats,
    sensors: _Sensors,
    begin: int,
    distances: Floats,
) -> tuple[int, int]:
    """Writes what the sensors from `begin` on measure; returns as `RayScene.complete` wants it."""
    sort_boxes(boxes, positions)
    for i in range(begin, len(sensors.body)):
        body, reach = sensors.body[i], sensors.range[i]
        R = rotations[body]
        origin = plus(read(positions[body]), to_world(R, read(sensors.position[i])))
        way = to_world(R, read(sensors.way[i]))
        free, hit = nearest(hierarchy, origin, way, 1.0)
        if hit < NOTHING:
            return NOTHING - 1 - hit, i
        robot = boxes.robots[body]
        free = nearest_box(boxes, positions, rotations, origin, way, robot, free)
        distances[i] = free * reach
    return NOTHING, len(sensors.body)
