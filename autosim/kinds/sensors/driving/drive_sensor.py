"""The dashboard of a drive: the speed of the motor, the gear, and the steering."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim.arrays import Floats
from autosim.config.descriptions import Device
from autosim.config.reading.attribute_values import suggestion
from autosim.config.reading.blocks import Block
from autosim.config.reading.faults import Faults
from autosim.config.schemas.common import reference
from autosim.kinds.banks import BankContext, MountedDevice, word_indices
from autosim.kinds.checks import RobotBlocks
from autosim.kinds.elements import NOISES, device_element
from autosim.kinds.kind import DeviceKind
from autosim.model.bodies import BodyStates
from autosim.model.noise import NoiseField
from autosim.model.state import State
from autosim.model.tree import Field

FIELDS = (
    Field("motor_speed", unit="rad/s", meaning="Of the engine or motor; 0 without one."),
    Field("motor_torque", unit="N m", meaning="That it gives; negative when it brakes."),
    Field("gear", meaning="-1: reverse, 0: neutral, or no gear while it shifts."),
    Field("steering_angle", unit="rad", meaning="Of the front wheels, positive to the left."),
    Field(
        "steering_torque",
        unit="N m",
        meaning="The aligning torque of all wheels that steer, positive to the left.",
    ),
)


@dataclass(frozen=True, slots=True)
class DriveSensor(Device):
    """Sensor of `drive_actuator`, an actuator of the same part."""

    drive_actuator: str = ""


class DriveBank:
    """Reads what the vehicles' model has found in the step."""

    def __init__(self, devices: Sequence[MountedDevice[DriveSensor]], context: BankContext) -> None:
        self._words = word_indices(devices)[:, None] + np.arange(len(FIELDS))
        self._drives = context.drives
        names = [mounted.beside(mounted.device.drive_actuator) for mounted in devices]
        rows = [self._drives.actuators[name] for name in names]
        self._rows = np.array(rows, dtype=np.int64)
        wheels = self._drives.steering_wheels
        self._steered: Floats = (wheels[None, :] == self._rows[:, None]).astype(np.float64)

    def sense(self, bodies: BodyStates, state: State, noise: NoiseField) -> None:
        """Writes the values."""
        drives, rows = self._drives, self._rows
        gear, shifting, speed, torque = drives.motors[rows, :4].T
        torques = self._steered @ drives.forces[:, 2]
        is_in = shifting <= 0.0
        found = np.stack([speed, torque, gear * is_in, drives.steering[rows, 0], torques], axis=1)
        state.floats[self._words] = noise(found.reshape(-1)).reshape(found.shape)


def _check(device: Block, robot: RobotBlocks, faults: Faults) -> None:
    name, part = device.text("DriveActuator"), device.text("Part")
    own = [each for each, parts in robot.actuators.items() if part in parts]
    if name and name not in own:
        message = f"<DriveActuator> of {device.title} names '{name}', which is none of its part"
        faults.error(device.line_of("DriveActuator"), message + suggestion(name, own))


KIND = DeviceKind(
    record=DriveSensor,
    element=device_element(
        "DriveSensor",
        "The drive as a car's bus reports it: speed and torque of the engine or motor, the gear, "
        "the steering angle, and the self-aligning torque of the tyres.",
        reference("DriveActuator", "A drive actuator of the same part."),
        *NOISES,
    ),
    fields=FIELDS,
    channels=lambda sensor, step_seconds: tuple(f".{field.name}" for field in FIELDS),
    make_bank=DriveBank,
    check=_check,
)
