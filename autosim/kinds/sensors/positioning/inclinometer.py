"""Inclinometers: how far a part tilts about an axis."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

import numpy as np

from autosim.arrays import Floats, Integers
from autosim.config.descriptions import Device, Vector3
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schemas.common import direction
from autosim.config.xml_axes import body_direction
from autosim.jit import compiled_without_refcounts
from autosim.kinds.banks import (
    BankContext,
    MountedDevice,
    body_indices,
    vectors,
    word_indices,
)
from autosim.kinds.checks import RobotBlocks, vector_of
from autosim.kinds.elements import NOISES, device_element
from autosim.kinds.kind import DeviceKind
from autosim.model.bodies import BodyStates
from autosim.model.noise import NoiseField
from autosim.model.state import State
from autosim.model.tree import Field
from autosim.model.vector_kernels import dot, read_vector
from autosim.portable import arctan2


@dataclass(frozen=True, slots=True)
class InclinometerSensor(Device):
    """Tilt [rad] about `axis` (unit vector in B) against gravity, in (−pi, pi]; 0 when level."""

    axis: Vector3 = (0.0, 1.0, 0.0)


class InclinometerBank:
    """Tilt [rad] of each part about its sensor's axis against gravity, in (−pi, pi].

    As shown by a pendulum that swings about the axis, with no acceleration but gravity: the
    angle, in the plane across the axis, from the world's up to the part's own. With the axis `a`
    and the part's up `z`, and the world's up `u`, all in B, it is atan2(u·s, u·c) with
    s = z × a and c = z − (z·a) a. It does not depend on the heading. While the axis is vertical, a
    pendulum rests at any angle; the value is 0 then.
    """

    def __init__(
        self, devices: Sequence[MountedDevice[InclinometerSensor]], context: BankContext
    ) -> None:
        self._body, self._word = body_indices(devices), word_indices(devices)
        axis = vectors([mounted.device.axis for mounted in devices])
        up = np.array([0.0, 0.0, 1.0])
        self._sine = np.cross(up, axis)
        self._cosine = up - axis[:, 2:] * axis
        self._values = np.zeros(len(devices))

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the angles."""
        _angles(bodies.rotations, self._body, self._sine, self._cosine, self._values)
        values = noise(self._values)
        # In place: π less the rest of π less each by a whole turn, in (−π, π].
        np.subtract(np.pi, values, out=values)
        np.mod(values, 2 * np.pi, out=values)
        state.floats[self._word] = np.subtract(np.pi, values, out=values)


_BALANCED = 1e-9
"""Sine of the angle between axis and vertical below which rounding would choose the angle."""


@compiled_without_refcounts
def _angles(
    rotations: Floats, body: Integers, sines: Floats, cosines: Floats, values: Floats
) -> None:
    for i in range(body.size):
        up_B = read_vector(rotations[body[i], 2])
        sine, cosine = dot(up_B, read_vector(sines[i])), dot(up_B, read_vector(cosines[i]))
        is_balanced = max(abs(sine), abs(cosine)) < _BALANCED
        values[i] = 0.0 if is_balanced else arctan2(sine, cosine)


_UPRIGHT = 0.01
"""Sine of the angle to the vertical below which an axis measures heading alone."""


def _check(inclinometer: Block, robot: RobotBlocks, faults: Faults) -> None:
    axis = vector_of(inclinometer, "Axis")
    if axis and any(axis) and hypot(*body_direction(axis)[:2]) < _UPRIGHT:
        message = f"<Axis> of {inclinometer.title} stands upright: turning about it tilts nothing"
        hint = "; a CompassSensor measures heading, a GyroscopeSensor how fast it changes"
        faults.error(inclinometer.line_of("Axis"), message + hint)


KIND = DeviceKind(
    record=InclinometerSensor,
    element=device_element(
        "InclinometerSensor",
        "Tilt [rad] of the part about an axis against gravity, from -pi to pi: 0 when the part's "
        "own up is the world's, positive counter-clockwise for an observer at whom the axis "
        "points. It is what a pendulum that swings about the axis shows at rest: neither heading "
        "nor acceleration changes it. On a slope, a car that heads uphill shows the grade as "
        "pitch, one that stands across it as roll. While the axis itself stands upright, it is 0.",
        direction("Axis", "The axis; not the part's vertical one, about which nothing tilts."),
        *NOISES,
    ),
    fields=(
        Field("angle", unit="rad", meaning="Angle of the part to the horizontal about the axis."),
    ),
    make_bank=InclinometerBank,
    is_momentary=True,
    check=_check,
)
