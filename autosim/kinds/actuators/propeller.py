"""Propellers: what pushes a robot that flies or swims, each with the DC motor that turns it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Floats
from autosim.config.descriptions import Device, Vector3
from autosim.config.schema import Interval
from autosim.config.schemas.common import NOT_NEGATIVE, direction, parameter, switch, vector
from autosim.kinds.banks import (
    BankContext,
    MountedDevice,
    body_indices,
    memory_of,
    vectors,
    word_indices,
)
from autosim.kinds.elements import NOISES, ORIGIN, UP, device_element
from autosim.kinds.kind import DeviceKind
from autosim.model.bodies import BodyForces, BodyStates, rotate
from autosim.model.noise import NoiseField
from autosim.model.state import State
from autosim.model.tree import Access, Field


@dataclass(frozen=True, slots=True)
class Propeller(Device):
    """A propeller at `position` [m] in B from the part's centre; `axis` (unit vector in B).

    At full throttle it pushes with `max_thrust` [N] along the axis, and turns the part with
    `max_torque` [N m] against its own rotation, which `is_clockwise` for an observer at whom the
    axis points. `time_constant` [s] is that of its motor's speed.
    """

    position: Vector3 = (0.0, 0.0, 0.0)
    axis: Vector3 = (0.0, 0.0, 1.0)
    max_thrust: float = 0.0
    max_torque: float = 0.0
    time_constant: float = 0.05
    is_clockwise: bool = False


def speed_after(speed: Floats, throttle: Floats, *, approach: Floats) -> Floats:
    """The speeds (n,) of motors after a step, as shares of their greatest.

    The speed of a DC motor follows its voltage as a first-order lag, as long as the torque of what
    it drives is small beside the one at which it stalls.

    Args:
        speed: (n,) before the step.
        throttle: (n,) share of the greatest voltage, clipped to -1 and 1.
        approach: (n,) share of the way to its steady speed that a motor goes in a step.
    """
    result: Floats = speed + approach * (np.clip(throttle, -1.0, 1.0) - speed)
    return result


class PropellerBank:
    """Thrust and torque of propellers: both grow with the square of the speed, and have its sign.

    That holds while the propeller moves slowly beside its own wash (Leishman, Principles of
    Helicopter Aerodynamics, 2nd ed., 2006, section 2.3).
    """

    def __init__(self, devices: Sequence[MountedDevice[Propeller]], context: BankContext) -> None:
        self._body, self._word = body_indices(devices), word_indices(devices)
        propellers = [mounted.device for mounted in devices]
        self._position = vectors([each.position for each in propellers])
        self._axis = vectors([each.axis for each in propellers])
        self._thrust = np.array([each.max_thrust for each in propellers])
        against = np.array([1.0 if each.is_clockwise else -1.0 for each in propellers])
        self._torque = against * np.array([each.max_torque for each in propellers])
        lag = np.array([each.time_constant for each in propellers])
        self._approach = 1.0 - portable.exp(-context.step_seconds / lag)
        self.memory = memory_of(devices)
        self._speed = self.memory.rows[:, 0]
        self._speed[:] = 0.0

    def act(self, bodies: BodyStates, state: State, forces: BodyForces, noise: NoiseField) -> None:
        """Brings the motors to the end of the step; pushes and turns the bodies."""
        throttle = noise(state.floats[self._word])
        self._speed[:] = speed_after(self._speed, throttle, approach=self._approach)
        load = (self._speed * np.abs(self._speed))[:, None]
        turn = bodies.rotations[self._body]
        axis = rotate(turn, self._axis)
        place = bodies.positions[self._body] + rotate(turn, self._position)
        forces.add_forces(bodies, self._body, load * self._thrust[:, None] * axis, place)
        forces.add_torques(self._body, load * self._torque[:, None] * axis)


KIND = DeviceKind(
    record=Propeller,
    element=device_element(
        "Propeller",
        "A propeller and the DC motor that turns it: the speed follows `set_data`, a throttle from "
        "-1 to 1, with a time constant. Thrust and torque go with the square of the speed.",
        vector("Position", "Its middle, relative to the part's centre.", default=ORIGIN),
        direction("Axis", "Where it pushes the part while it turns forwards.", default=UP),
        parameter(
            "MaxThrust",
            "Thrust at full throttle, standing.",
            unit="N",
            required=True,
            interval=NOT_NEGATIVE,
        ),
        parameter(
            "MaxTorque",
            "Torque on the part at full throttle, against the rotation of the propeller.",
            unit="N m",
            default=0.0,
            interval=NOT_NEGATIVE,
        ),
        parameter(
            "TimeConstant",
            "After this time the speed has made 63 % of the way to what was set.",
            unit="s",
            default=0.05,
            interval=Interval(0.001, 100.0),
        ),
        switch(
            "Clockwise",
            "Whether it turns clockwise for an observer at whom the axis points (one above, of a "
            "propeller that lifts).",
        ),
        *NOISES,
    ),
    fields=(Field("throttle", limits=Interval(-1.0, 1.0), meaning="Share of its full voltage."),),
    names={"Clockwise": "is_clockwise"},
    access=Access.DRIVE,
    rest=(0.0,),
    make_bank=PropellerBank,
)
"""At rest it stops."""
