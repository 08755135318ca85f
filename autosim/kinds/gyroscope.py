"""Gyroscopes: how fast a part turns about an axis."""

from collections.abc import Sequence
from dataclasses import dataclass

from autosim.arrays import Floats
from autosim.config.descriptions import Device, Vector3
from autosim.config.schemas.common import direction
from autosim.kinds.banks import (
    BankContext,
    LowPass,
    Mounted,
    body_indices,
    memory_of,
    vectors,
    word_indices,
)
from autosim.kinds.elements import ALPHA, NOISES, device_element
from autosim.kinds.kind import DeviceKind
from autosim.simulation.bodies import BodyStates, dot, rotate
from autosim.simulation.state import State
from autosim.simulation.tree import Field


@dataclass(frozen=True, slots=True)
class GyroscopeSensor(Device):
    """Angular velocity [rad/s] about `axis` (unit vector in B).

    `alpha` is the weight of the newest sample in a first-order low-pass filter, in (0, 1].
    """

    axis: Vector3 = (0.0, 0.0, 1.0)
    alpha: float = 1.0


class GyroscopeBank:
    """Angular velocity [rad/s] about each sensor's axis."""

    def __init__(self, devices: Sequence[Mounted[GyroscopeSensor]], context: BankContext) -> None:
        self._body, self._word = body_indices(devices), word_indices(devices)
        self._axis = vectors([mounted.device.axis for mounted in devices])
        self.memory = memory_of(devices)
        alpha = [mounted.device.alpha for mounted in devices]
        self._filter = LowPass(alpha, self.memory.rows[:, 0])

    def sense(self, bodies: BodyStates, state: State, noise: Floats) -> None:
        """Writes the rates."""
        axis_W = rotate(bodies.rotations[self._body], self._axis)
        rate = dot(bodies.angular_velocities[self._body], axis_W)
        state.floats[self._word] = self._filter(rate) + noise


KIND = DeviceKind(
    record=GyroscopeSensor,
    element=device_element(
        "GyroscopeSensor",
        "Angular velocity of the part [rad/s] about an axis; positive is counter-clockwise for an "
        "observer at whom the axis points.",
        direction("Axis", "The axis."),
        ALPHA,
        *NOISES,
    ),
    fields=(Field("angular_velocity", unit="rad/s"),),
    make_bank=GyroscopeBank,
)
