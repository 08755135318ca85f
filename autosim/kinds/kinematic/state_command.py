"""Commands to a kinematic vehicle besides its motion: gear, lights, hand brake."""

from dataclasses import dataclass

from autosim.config.descriptions import Device
from autosim.config.schema import Interval
from autosim.kinds.elements import SHARE, device_element
from autosim.kinds.kind import DeviceKind
from autosim.model.tree import Access, Field

STATES = (
    Field(
        "blinker",
        limits=Interval(0.0, 4.0),
        meaning="0: no command, 1: off, 2: left, 3: right, 4: hazard lights.",
    ),
    Field("headlight", limits=Interval(0.0, 3.0), meaning="0: no command, 1: off, 2: on, 3: high."),
    Field(
        "wiper",
        limits=Interval(0.0, 14.0),
        meaning="0: no command, 1: off, 2: low, 3: high, 14: clean.",
    ),
    Field(
        "gear",
        limits=Interval(0.0, 5.0),
        meaning="0: no command, 1: DRIVE, 2: REVERSE, 3: PARK, 4: LOW, 5: NEUTRAL.",
    ),
    Field(
        "mode",
        limits=Interval(0.0, 2.0),
        is_optional=True,
        meaning="0: no command, 1: autonomous, 2: manual. It is reported, no more.",
    ),
    Field("hand_brake", limits=SHARE, is_optional=True, meaning="From 0.5 up it brakes."),
    Field("horn", limits=SHARE, is_optional=True, meaning="It is reported, no more."),
)
"""The fields of Autoware's VehicleStateCommand, but for its stamp."""


@dataclass(frozen=True, slots=True)
class VehicleStateCommand(Device):
    """The gear and other states of the kinematic vehicle of its robot."""


KIND = DeviceKind(
    record=VehicleStateCommand,
    element=device_element(
        "VehicleStateCommand",
        "Commands the gear and other states of the robot's KinematicVehicle, by the fields of "
        "Autoware's message of this name. 0 leaves a state as it is; the first gear is DRIVE.",
    ),
    fields=STATES,
    access=Access.DRIVE,
    rest=(None,) * len(STATES),
)
