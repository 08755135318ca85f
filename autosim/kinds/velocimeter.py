"""Velocimeters: how fast a part moves along an axis."""

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
from autosim.kinds.elements import ALPHA, FORWARD, NOISES, device_element
from autosim.kinds.kind import DeviceKind
from autosim.simulation.bodies import BodyStates, dot, rotate
from autosim.simulation.state import State
from autosim.simulation.tree import Field


@dataclass(frozen=True, slots=True)
class VelocimeterSensor(Device):
    """Velocity [m/s] of the part's centre along `axis` (unit vector in B)."""

    axis: Vector3 = (1.0, 0.0, 0.0)
    alpha: float = 1.0


class VelocimeterBank:
    """Velocity [m/s] along each sensor's axis."""

    def __init__(self, devices: Sequence[Mounted[VelocimeterSensor]], context: BankContext) -> None:
        self._body, self._word = body_indices(devices), word_indices(devices)
        self._axis = vectors([mounted.device.axis for mounted in devices])
        self.memory = memory_of(devices)
        alpha = [mounted.device.alpha for mounted in devices]
        self._filter = LowPass(alpha, self.memory.rows[:, 0])

    def sense(self, bodies: BodyStates, state: State, noise: Floats) -> None:
        """Writes the velocities."""
        axis_W = rotate(bodies.rotations[self._body], self._axis)
        velocity = dot(bodies.velocities[self._body], axis_W)
        state.floats[self._word] = self._filter(velocity) + noise


KIND = DeviceKind(
    record=VelocimeterSensor,
    element=device_element(
        "VelocimeterSensor",
        "Velocity [m/s] of the part's centre along an axis.",
        direction("Axis", "The axis.", default=FORWARD),
        ALPHA,
        *NOISES,
    ),
    fields=(Field("velocity", unit="m/s"),),
    make_bank=VelocimeterBank,
)
