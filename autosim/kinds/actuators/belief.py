"""Beliefs: what a user program holds to be the pose of its robot."""

from dataclasses import dataclass

from autosim.config.descriptions import Device
from autosim.kinds.elements import device_element
from autosim.kinds.kind import DeviceKind
from autosim.simulation.tree import Access, Field


@dataclass(frozen=True, slots=True)
class BeliefDevice(Device):
    """What a user program believes of the pose of the part."""


KIND = DeviceKind(
    record=BeliefDevice,
    element=device_element(
        "BeliefDevice",
        "What a user program believes of the part's pose, to be compared with the truth: "
        "`set_data` sets the position [m] in the world (east, north, up), the heading [rad] "
        "clockwise from north, the standard deviations of these four, and the correlation of east "
        "and north.",
    ),
    fields=(
        Field("position", shape=(3,), unit="m", meaning="Where the part is: east, north, up."),
        Field("heading", unit="rad", meaning="Where it points, clockwise from north."),
        Field(
            "position_deviation",
            shape=(3,),
            unit="m",
            meaning="Standard deviation of each coordinate.",
        ),
        Field("heading_deviation", unit="rad", meaning="Standard deviation of the heading."),
        Field("correlation", meaning="Of the errors to the east and to the north, -1 to 1."),
    ),
    access=Access.SET,
)
"""It may be set, and drives nothing."""
