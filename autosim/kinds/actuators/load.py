"""Loads: mass that comes onto a part, or leaves it, while a simulation runs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats
from autosim.config.descriptions import Device, Vector3
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schema import Interval
from autosim.config.schemas.common import parameter, vector
from autosim.kinds.banks import (
    BankContext,
    MountedDevice,
    body_indices,
    memory_of,
    vectors,
    word_indices,
)
from autosim.kinds.checks import RobotBlocks
from autosim.kinds.elements import ORIGIN, device_element
from autosim.kinds.kind import DeviceKind
from autosim.model.bodies import BodyForces, BodyStates, rotate
from autosim.model.noise import NoiseField
from autosim.model.state import State
from autosim.model.tree import Access, Field

MOST = 1e6
"""Largest load [kg] of a part: more than the heaviest lorry's."""


@dataclass(frozen=True, slots=True)
class Load(Device):
    """A load at `position` [m] in B from the part's centre, of `max_mass` [kg] at most."""

    position: Vector3 = (0.0, 0.0, 0.0)
    max_mass: float = 1000.0


class LoadBank:
    """All loads, which lie fast.

    A load makes its body heavier and harder to turn. The body's centre of mass stays where it is
    built: what a load away from it pulls, as the body speeds up, brakes or turns, is a torque by
    the acceleration of the last step.
    """

    def __init__(self, devices: Sequence[MountedDevice[Load]], context: BankContext) -> None:
        self._body, self._word = body_indices(devices), word_indices(devices)
        self._most = np.array([mounted.device.max_mass for mounted in devices])
        self._place = vectors([mounted.device.position for mounted in devices])
        self._set_loads, self._dt = context.set_loads, context.step_seconds
        self._down = np.array([0.0, 0.0, -context.gravity])
        self._carried = np.zeros(len(devices))
        # The velocity of each device's body a step ago.
        self.memory = memory_of(devices, width=3)

    def act(self, bodies: BodyStates, state: State, forces: BodyForces, noise: NoiseField) -> None:
        """Pulls at the bodies."""
        velocity, before = bodies.velocities[self._body], self.memory.rows
        felt = self._down - np.nan_to_num((velocity - before) / self._dt)
        before[:] = velocity
        arms = rotate(bodies.rotations[self._body], self._place - forces.centres[self._body])
        forces.add_torques(self._body, np.cross(arms, self._carried[:, None] * felt))

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Loads the bodies for the next step as is commanded; nothing is measured."""
        masses = np.clip(np.nan_to_num(state.floats[self._word]), 0.0, self._most)
        if not np.array_equal(masses, self._carried):
            self._load(masses)

    def _load(self, masses: Floats) -> None:
        self._carried = masses
        for body in np.unique(self._body).tolist():
            own = self._body == body
            self._set_loads(body, masses[own], self._place[own])


def _check(device: Block, robot: RobotBlocks, faults: Faults) -> None:
    part = device.text("Part")
    if robot.motions.get(part) not in ("dynamic", None):
        faults.error(device.line_of("Part"), f"{device.title} is on a part that nothing moves")


KIND = DeviceKind(
    record=Load,
    element=device_element(
        "Load",
        "A load that comes and goes: `set_data` sets its mass, from 0 to MaxMass, from the next "
        "step on. It lies fast at its Position, makes the part heavier and harder to turn, and "
        "pulls at it as it brakes and turns.",
        vector("Position", "Where its middle is, relative to the part's centre.", default=ORIGIN),
        parameter(
            "MaxMass",
            "The heaviest load.",
            unit="kg",
            default=1000.0,
            interval=Interval(0.0, MOST),
        ),
    ),
    fields=lambda load: (
        Field("mass", unit="kg", limits=Interval(0.0, load.max_mass), meaning="Of the load."),
    ),
    access=Access.SET,
    rest=(None,),
    make_bank=LoadBank,
    check=_check,
)
"""Nothing is loaded at first; what a program has loaded stays when it fails."""
