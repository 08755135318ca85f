"""Velocimeters: how fast a part moves along an axis."""

from dataclasses import dataclass

from autosim.arrays import Floats
from autosim.config.descriptions import Device, Vector3
from autosim.config.schemas.common import direction
from autosim.kinds.banks import AxisBank
from autosim.kinds.elements import ALPHA, FORWARD, NOISES, device_element
from autosim.kinds.kind import DeviceKind
from autosim.model.bodies import BodyStates
from autosim.model.tree import Field


@dataclass(frozen=True, slots=True)
class VelocimeterSensor(Device):
    """Velocity [m/s] of the part's centre along `axis` (unit vector in B)."""

    axis: Vector3 = (1.0, 0.0, 0.0)
    alpha: float = 1.0
    """Weight of the newest value in an exponential average, 1: no smoothing."""


class VelocimeterBank(AxisBank):
    """Velocity [m/s] along each sensor's axis."""

    def vectors_of(self, bodies: BodyStates) -> Floats:
        """The velocities of the bodies."""
        return bodies.velocities


KIND = DeviceKind(
    record=VelocimeterSensor,
    element=device_element(
        "VelocimeterSensor",
        "Velocity [m/s] of the part's centre along an axis.",
        direction("Axis", "The axis.", default=FORWARD),
        ALPHA,
        *NOISES,
    ),
    fields=(Field("velocity", unit="m/s", meaning="Of the part along the axis."),),
    make_bank=VelocimeterBank,
)
