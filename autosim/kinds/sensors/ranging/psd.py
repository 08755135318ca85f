"""Distance sensors: how far it is to the nearest surface along a ray."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats
from autosim.config.descriptions import Device, Vector3
from autosim.config.schema import Interval
from autosim.config.schemas.common import direction, parameter, vector
from autosim.jit import bind_arguments
from autosim.kinds.banks import BankContext, MountedDevice, body_indices, vectors, word_indices
from autosim.kinds.elements import FORWARD, NOISES, ORIGIN, device_element
from autosim.kinds.kind import DeviceKind
from autosim.kinds.sensors.ranging.beams import Beams, aim
from autosim.model.bodies import BodyStates
from autosim.model.noise import NoiseField
from autosim.model.state import State
from autosim.model.tree import Field
from autosim.rays.batch import RayBatch


@dataclass(frozen=True, slots=True)
class PSDSensor(Device):
    """Distance to the nearest body or surface along a ray, at most `range` [m]."""

    position: Vector3 = (0.0, 0.0, 0.0)
    """Origin of the ray [m], in B relative to the part's centre."""
    direction: Vector3 = (1.0, 0.0, 0.0)
    """Direction of the ray, a unit vector in B."""
    range: float = 10.0


class PSDBank:
    """All PSD sensors: they see the ground, what stands on it, and other robots' bodies.

    Args:
        devices: the sensors.
        context: has what they see.
    """

    def __init__(self, devices: Sequence[MountedDevice[PSDSensor]], context: BankContext) -> None:
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
            self._aim = bind_arguments(aim, self._beams, self._all, *places, self._batch)
        self._cast(self._aim(), bodies)
        np.multiply(self._batch.shares, self._range, out=self._distances)
        return self._distances


KIND = DeviceKind(
    record=PSDSensor,
    element=device_element(
        "PSDSensor",
        "Position sensitive device: the distance to the nearest body or surface along a ray.",
        vector(
            "Position", "Where the ray begins, relative to the centre of the part.", default=ORIGIN
        ),
        direction("Direction", "Where it points.", default=FORWARD),
        parameter(
            "Range",
            "Greatest distance; also the value when nothing is hit.",
            unit="m",
            default=10.0,
            interval=Interval(0.001, 1e5),
        ),
        *NOISES,
    ),
    fields=(
        Field(
            "distance",
            unit="m",
            meaning="To the nearest surface along the ray; Range where there is none.",
        ),
    ),
    make_bank=PSDBank,
    is_momentary=True,
)
