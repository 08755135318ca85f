"""Reported states of a kinematic vehicle: gear, lights, and why it is held."""

from dataclasses import dataclass, replace

from autosim.config.descriptions import Device
from autosim.kinds.elements import device_element
from autosim.kinds.kind import DeviceKind
from autosim.kinds.kinematic.state_command import STATES
from autosim.model.tree import Field

HOLDS = (
    "drives as it is commanded",
    "waits for its initial pose",
    "brakes: it has not been commanded",
    "brakes: its command is late",
    "brakes: its hand brake is on",
)
"""States of a vehicle, by the number of `hold`."""

FREE, WAITS, NOT_COMMANDED, IS_LATE, HAND_BRAKE = range(len(HOLDS))

FIELDS = (
    Field("stamp", unit="s", meaning="Simulated time."),
    Field("fuel", unit="%", meaning="Always 100."),
    *(replace(each, limits=None, is_optional=False) for each in STATES),
    Field(
        "hold",
        meaning=", ".join(f"{number}: {text}" for number, text in enumerate(HOLDS)) + ".",
    ),
)
"""The fields of Autoware's VehicleStateReport, and why it is held."""


@dataclass(frozen=True, slots=True)
class VehicleStateReport(Device):
    """Reports the states of the kinematic vehicle of its robot."""


KIND = DeviceKind(
    record=VehicleStateReport,
    element=device_element(
        "VehicleStateReport",
        "Reports the states of the robot's KinematicVehicle, by the fields of Autoware's message "
        "of this name, and in `hold` why it does not drive.",
    ),
    fields=FIELDS,
)
