"""Where a kinematic vehicle begins, or begins anew."""

from dataclasses import dataclass
from math import nan

from autosim.config.descriptions import Device
from autosim.kinds.elements import device_element
from autosim.kinds.kind import DeviceKind
from autosim.simulation.tree import Access, Field


@dataclass(frozen=True, slots=True)
class InitialPose(Device):
    """Puts the kinematic vehicle of its robot elsewhere, at rest."""


KIND = DeviceKind(
    record=InitialPose,
    element=device_element(
        "InitialPose",
        "Puts the robot's KinematicVehicle somewhere in the world, at rest, each time that it is "
        "set to other values, as /initialpose does. Until the first time, a vehicle waits whose "
        "initialize_source is INITIAL_POSE_TOPIC.",
    ),
    fields=(
        Field("x", unit="m", meaning="Of its reference point: east."),
        Field("y", unit="m", meaning="North."),
        Field("yaw", unit="rad", meaning="Heading, from east to north."),
        Field(
            "z",
            unit="m",
            is_optional=True,
            meaning="Near the ground that it shall stand on, where there are several levels.",
        ),
    ),
    access=Access.DRIVE,
    rest=(nan, nan, nan, nan),
)
"""At rest it says nothing: the vehicle stays where it is."""
