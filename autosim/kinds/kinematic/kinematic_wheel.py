"""Wheels of kinematic vehicles: they are drawn as they would turn and steer, and do nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Booleans, Floats, Integers
from autosim.config.descriptions import Device, ModelReference, Vector3
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schemas.common import POSITIVE_LENGTH, model, parameter, switch, vector
from autosim.jit import compiled
from autosim.kinds.banks import BankContext, MountedDevice, body_indices, vectors, word_indices
from autosim.kinds.checks import RobotBlocks
from autosim.kinds.elements import device_element
from autosim.kinds.kind import DeviceKind
from autosim.model.bodies import BodyStates
from autosim.model.noise import NoiseField
from autosim.model.state import State
from autosim.model.tree import Field
from autosim.model.vector_kernels import cross, read_vector, to_body, to_world, vec_add
from autosim.portable import arctan2, sin_cos, tan

FIELDS = (
    Field("steering", unit="rad", meaning="Angle, positive to the left."),
    Field("rotation", unit="rad", meaning="About the axle, forwards, from the start."),
    Field("angular_velocity", unit="rad/s", meaning="About the axle, positive forwards."),
)


@dataclass(frozen=True, slots=True)
class KinematicWheel(Device):
    """A wheel with its middle at `position` [m] in B from the part's centre.

    Attributes:
        radius: of the tyre [m].
        width: of the tyre [m].
        is_steering: turns with the steering angle.
        model: drawn model, None: a plain wheel.
    """

    position: Vector3 = (0.0, 0.0, 0.0)
    radius: float = 0.0
    width: float = 0.0
    is_steering: bool = False
    model: ModelReference | None = None


class KinematicWheelBank:
    """All such wheels: they roll without slip, and all of a vehicle about one point."""

    def __init__(
        self, devices: Sequence[MountedDevice[KinematicWheel]], context: BankContext
    ) -> None:
        wheels = [mounted.device for mounted in devices]
        self._body, self._word = body_indices(devices), word_indices(devices)
        self._position = vectors([each.position for each in wheels])
        self._radius = np.array([each.radius for each in wheels])
        self._is_steering = np.array([each.is_steering for each in wheels])
        self._angles, self._dt = context.steering_angles, context.step_seconds
        along = self._position[:, 0]
        self._base = np.array([np.ptp(along[self._body == body]) for body in self._body])

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Turns the wheels on by a step."""
        _turn(
            bodies.rotations,
            bodies.velocities,
            bodies.angular_velocities,
            self._body,
            self._position,
            self._radius,
            self._is_steering,
            self._base,
            self._angles,
            self._dt,
            self._word,
            state.floats,
        )


@compiled
def _turn(
    rotations: Floats,
    velocities: Floats,
    turning: Floats,
    body: Integers,
    position: Floats,
    radius: Floats,
    is_steering: Booleans,
    base: Floats,
    angles: Floats,
    dt: float,
    word: Integers,
    values: Floats,
) -> None:
    """Writes `FIELDS` of all wheels (n,); `base` (n,) [m]: the wheelbases of their vehicles."""
    for i in range(body.size):
        k = body[i]
        R = rotations[k]
        arm = to_world(R, (position[i, 0], position[i, 1], position[i, 2]))
        velocity = vec_add(read_vector(velocities[k]), cross(read_vector(turning[k]), arm))
        along, aside, _ = to_body(R, velocity)
        angle = 0.0
        if is_steering[i] and base[i] > 0.0:
            # Ackermann: the inner wheel turns further.
            slope = tan(angles[k])
            angle = arctan2(base[i] * slope, base[i] - position[i, 1] * slope)
        sine, cosine = sin_cos(angle)
        rate = (cosine * along + sine * aside) / radius[i]
        values[word[i]] = angle
        values[word[i] + 1] += dt * rate
        values[word[i] + 2] = rate


def _check(device: Block, robot: RobotBlocks, faults: Faults) -> None:
    part = device.text("Part")
    driven = [each.text("Part") for each in robot.devices if each.tag == "KinematicVehicle"]
    if part and part not in driven:
        message = f"{device.title} is on '{part}', which no KinematicVehicle moves: "
        faults.error(device.line_of("Part"), f"{message}expected a WheelDevice there")


KIND = DeviceKind(
    record=KinematicWheel,
    element=device_element(
        "KinematicWheel",
        "A wheel of a KinematicVehicle, to be seen: it turns as fast as the vehicle moves there, "
        "and steers with it. It carries nothing and touches nothing.",
        vector("Position", "Its middle, relative to the part's centre.", required=True),
        parameter("Radius", "Radius.", unit="m", required=True, interval=POSITIVE_LENGTH),
        parameter("Width", "Width of the tyre.", unit="m", required=True, interval=POSITIVE_LENGTH),
        switch("Steering", "Whether it steers."),
        model("Model", "How it looks; a cylinder without one."),
    ),
    names={"Steering": "is_steering"},
    fields=FIELDS,
    make_bank=KinematicWheelBank,
    check=_check,
)
