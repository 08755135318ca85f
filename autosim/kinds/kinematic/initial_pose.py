"""Start pose of a kinematic vehicle, also for a restart."""

from dataclasses import dataclass

from autosim.config.descriptions import Device
from autosim.config.schema import Interval
from autosim.kinds.elements import device_element
from autosim.kinds.kind import DeviceKind
from autosim.model.tree import Access, Field


@dataclass(frozen=True, slots=True)
class InitialPose(Device):
    """Puts the kinematic vehicle of its robot elsewhere, at rest."""


NOWHERE = -1e6
"""[m] east, north and up of what has not been set: no world is so large."""

_PLACES = Interval(NOWHERE, -NOWHERE)

KIND = DeviceKind(
    record=InitialPose,
    element=device_element(
        "InitialPose",
        "Puts the robot's KinematicVehicle somewhere in the world, at rest, each time that it is "
        "set to other values, as /initialpose does. Until the first time, a vehicle waits whose "
        "initialize_source is INITIAL_POSE_TOPIC.",
    ),
    fields=(
        Field("x", unit="m", limits=_PLACES, meaning="Of its reference point: east."),
        Field("y", unit="m", limits=_PLACES, meaning="North."),
        Field(
            "yaw",
            unit="rad",
            limits=Interval(-1e3, 1e3),
            meaning="Heading, from east to north.",
        ),
        Field(
            "z",
            unit="m",
            limits=_PLACES,
            is_optional=True,
            meaning="Approximate height; selects the ground where there are several levels.",
        ),
    ),
    access=Access.DRIVE,
    rest=(NOWHERE, NOWHERE, 0.0, NOWHERE),
)
"""At rest it says nothing: the vehicle stays where it is."""
