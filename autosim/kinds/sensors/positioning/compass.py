"""Compasses: where an axis of a part heads."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.config.descriptions import Device, Vector3
from autosim.config.schemas.common import direction
from autosim.jit import compiled_without_refcounts
from autosim.kinds.banks import (
    BankContext,
    MountedDevice,
    body_indices,
    vectors,
    word_indices,
)
from autosim.kinds.elements import FORWARD, NOISES, device_element
from autosim.kinds.kind import DeviceKind
from autosim.model.bodies import BodyStates
from autosim.model.noise import NoiseField
from autosim.model.state import State
from autosim.model.tree import Field
from autosim.model.vector_kernels import read_vector, to_world
from autosim.portable import arctan2


@dataclass(frozen=True, slots=True)
class CompassSensor(Device):
    """Heading [rad] of `axis` (unit vector in B) clockwise from north, in [0, 2 pi)."""

    axis: Vector3 = (1.0, 0.0, 0.0)


class CompassBank:
    """Heading [rad] of each sensor's axis, clockwise from north, in [0, 2 pi)."""

    def __init__(
        self, devices: Sequence[MountedDevice[CompassSensor]], context: BankContext
    ) -> None:
        self._body, self._word = body_indices(devices), word_indices(devices)
        self._axis = vectors([mounted.device.axis for mounted in devices])
        self._values = np.zeros(len(devices))

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the headings."""
        _headings(bodies.rotations, self._body, self._axis, self._values)
        values = noise(self._values)
        state.floats[self._word] = np.mod(values, 2 * np.pi, out=values)


@compiled_without_refcounts
def _headings(rotations: Floats, body: Integers, axis: Floats, values: Floats) -> None:
    for i in range(body.size):
        east, north, _ = to_world(rotations[body[i]], read_vector(axis[i]))
        values[i] = arctan2(east, north)


KIND = DeviceKind(
    record=CompassSensor,
    element=device_element(
        "CompassSensor",
        "Heading [rad] of an axis, clockwise from north, from 0 to 2 pi.",
        direction("Axis", "The axis.", default=FORWARD),
        *NOISES,
    ),
    fields=(Field("heading", unit="rad", meaning="Clockwise from north."),),
    make_bank=CompassBank,
    is_momentary=True,
)
