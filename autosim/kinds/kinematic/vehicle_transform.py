"""The transform from a kinematic vehicle's frame to the one in which its pose is reported."""

from dataclasses import dataclass

from autosim.config.descriptions import Device
from autosim.kinds.elements import device_element
from autosim.kinds.kind import DeviceKind
from autosim.model.tree import Field, FieldType

FRAME_BYTES = 32
"""Longest name of a frame, in bytes of UTF-8."""

FIELDS = (
    Field("stamp", unit="s", meaning="Simulated time."),
    Field("translation", shape=(3,), unit="m", meaning="Of its reference point, on the ground."),
    Field("rotation", shape=(4,), meaning="Quaternion x, y, z, w."),
    Field(
        "frame_id",
        FieldType.TEXT,
        (FRAME_BYTES,),
        meaning="Frame in which the pose is given: origin_frame_id of the vehicle.",
    ),
    Field(
        "child_frame_id",
        FieldType.TEXT,
        (FRAME_BYTES,),
        meaning="Frame of the vehicle: its simulated_frame_id.",
    ),
)
"""The fields of a TransformStamped."""


@dataclass(frozen=True, slots=True)
class VehicleTransform(Device):
    """Reports the pose of the kinematic vehicle of its robot, as /tf does."""


KIND = DeviceKind(
    record=VehicleTransform,
    element=device_element(
        "VehicleTransform",
        "Reports the pose of the robot's KinematicVehicle as /tf does, from origin_frame_id (odom) "
        "to simulated_frame_id (base_link), with the noise that the vehicle gives.",
    ),
    fields=FIELDS,
)
