"""Compasses: where an axis of a part heads."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats
from autosim.config.descriptions import Device, Vector3
from autosim.config.schemas.common import direction
from autosim.kinds.banks import (
    BankContext,
    Mounted,
    body_indices,
    vectors,
    word_indices,
)
from autosim.kinds.elements import FORWARD, NOISES, device_element
from autosim.kinds.kind import DeviceKind
from autosim.simulation.angles import directions
from autosim.simulation.bodies import BodyStates, rotate
from autosim.simulation.state import State
from autosim.simulation.tree import Field


@dataclass(frozen=True, slots=True)
class CompassSensor(Device):
    """Heading [rad] of `axis` (unit vector in B) clockwise from north, in [0, 2 pi)."""

    axis: Vector3 = (1.0, 0.0, 0.0)


class CompassBank:
    """Heading [rad] of each sensor's axis, clockwise from north, in [0, 2 pi)."""

    def __init__(self, devices: Sequence[Mounted[CompassSensor]], context: BankContext) -> None:
        self._body, self._word = body_indices(devices), word_indices(devices)
        self._axis = vectors([mounted.device.axis for mounted in devices])

    def sense(self, bodies: BodyStates, state: State, noise: Floats) -> None:
        """Writes the headings."""
        axis_W = rotate(bodies.rotations[self._body], self._axis)
        heading = directions(axis_W[:, 0], axis_W[:, 1]) + noise
        state.floats[self._word] = np.mod(heading, 2 * np.pi)


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
)
