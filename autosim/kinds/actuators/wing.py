"""Wings and bodywork: how hard air presses a car down, and how much it holds it back."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.config.descriptions import Device, Vector3
from autosim.config.schemas.common import NOT_NEGATIVE, parameter, vector
from autosim.kinds.banks import BankContext, MountedDevice, body_indices, vectors, word_indices
from autosim.kinds.elements import NOISES, ORIGIN, device_element
from autosim.kinds.kind import DeviceKind
from autosim.model.bodies import BodyForces, BodyStates, rotate
from autosim.model.environment.standard_atmosphere import AIR_DENSITY
from autosim.model.noise import NoiseField
from autosim.model.state import State
from autosim.model.tree import Field

_AHEAD, _UP = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
"""Unit vectors in B, without unit: x forward, z up."""


@dataclass(frozen=True, slots=True)
class Wing(Device):
    """Aerodynamic force on a part at `position` [m] in B from the part's centre.

    `downforce_area` and `drag_area` [m²] are coefficient times area, c A: the part is pressed down
    and held back with ½ ρ c A v², where v is its speed along its own x axis. A negative downforce
    area lifts.
    """

    position: Vector3 = (0.0, 0.0, 0.0)
    downforce_area: float = 0.0
    drag_area: float = 0.0


class WingBank:
    """The forces of all wings, from the speeds at the beginning of the step."""

    def __init__(self, devices: Sequence[MountedDevice[Wing]], context: BankContext) -> None:
        wings = [mounted.device for mounted in devices]
        self._body, self._word = body_indices(devices), word_indices(devices)
        self._position = vectors([each.position for each in wings])
        self._down = 0.5 * AIR_DENSITY * np.array([each.downforce_area for each in wings])
        self._drag = 0.5 * AIR_DENSITY * np.array([each.drag_area for each in wings])

    def act(self, bodies: BodyStates, state: State, forces: BodyForces, noise: NoiseField) -> None:
        """Presses the bodies down and holds them back."""
        turn = bodies.rotations[self._body]
        ahead, up = turn @ _AHEAD, turn @ _UP
        speed = np.einsum("ij,ij->i", ahead, bodies.velocities[self._body])
        pressed = -(self._down * speed * speed)[:, None] * up
        held = -(self._drag * speed * np.abs(speed))[:, None] * ahead
        place = bodies.positions[self._body] + rotate(turn, self._position)
        forces.add_forces(bodies, self._body, pressed + held, place)

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes how hard each wing presses [N]."""
        ahead = bodies.rotations[self._body] @ _AHEAD
        speed = np.einsum("ij,ij->i", ahead, bodies.velocities[self._body])
        state.floats[self._word] = noise(self._down * speed * speed)


KIND = DeviceKind(
    record=Wing,
    element=device_element(
        "Wing",
        "A wing, or bodywork: downforce and drag ½ ρ c A v², with the speed v along the part's own "
        "x axis. They add to the drag that every box has anyway.",
        vector("Position", "Where the air acts, relative to the part's centre.", default=ORIGIN),
        parameter(
            "DownforceArea",
            "Downforce coefficient times area, c A; negative lifts.",
            unit="m^2",
            default=0.0,
        ),
        parameter(
            "DragArea",
            "Drag coefficient times area, c A.",
            unit="m^2",
            default=0.0,
            interval=NOT_NEGATIVE,
        ),
        *NOISES,
    ),
    fields=(Field("downforce", unit="N", meaning="How hard the air presses the part down."),),
    make_bank=WingBank,
)
