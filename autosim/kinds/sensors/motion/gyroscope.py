"""Gyroscopes: how fast a part turns about an axis."""

from dataclasses import dataclass

from autosim.arrays import Floats
from autosim.config.descriptions import Device, Vector3
from autosim.config.schemas.common import direction
from autosim.kinds.banks import AxisBank
from autosim.kinds.elements import ALPHA, NOISES, device_element
from autosim.kinds.kind import DeviceKind
from autosim.model.bodies import BodyStates
from autosim.model.tree import Field


@dataclass(frozen=True, slots=True)
class GyroscopeSensor(Device):
    """Angular velocity [rad/s] about `axis` (unit vector in B).

    `alpha` is the weight of the newest sample in a first-order low-pass filter, in (0, 1].
    """

    axis: Vector3 = (0.0, 0.0, 1.0)
    alpha: float = 1.0


class GyroscopeBank(AxisBank):
    """Angular velocity [rad/s] about each sensor's axis."""

    def vectors_of(self, bodies: BodyStates) -> Floats:
        """The angular velocities of the bodies."""
        return bodies.angular_velocities


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
    fields=(Field("angular_velocity", unit="rad/s", meaning="About the axis, counter-clockwise."),),
    make_bank=GyroscopeBank,
)
