"""Reported motion of a kinematic vehicle, in the plane of its frame."""

from dataclasses import dataclass

from autosim.config.descriptions import Device
from autosim.kinds.elements import device_element
from autosim.kinds.kind import DeviceKind
from autosim.model.tree import Field

FIELDS = (
    Field("stamp", unit="s", meaning="Simulated time."),
    Field("x", unit="m", meaning="Of its reference point, in origin_frame_id."),
    Field("y", unit="m", meaning="Of its reference point, in origin_frame_id."),
    Field("heading_real", meaning="Cosine of its heading there."),
    Field("heading_imag", meaning="Sine of its heading there."),
    Field("longitudinal_velocity_mps", unit="m/s", meaning="Forwards."),
    Field("lateral_velocity_mps", unit="m/s", meaning="To the left; only ST slips."),
    Field("acceleration_mps2", unit="m/s²", meaning="Forwards."),
    Field("heading_rate_rps", unit="rad/s", meaning="Positive to the left."),
    Field("front_wheel_angle_rad", unit="rad", meaning="Steering angle, positive to the left."),
    Field("rear_wheel_angle_rad", unit="rad", meaning="Always 0."),
)
"""The fields of Autoware's VehicleKinematicState that a vehicle has."""


@dataclass(frozen=True, slots=True)
class VehicleKinematicState(Device):
    """Reports the motion of the kinematic vehicle of its robot, with its measurement noise."""


KIND = DeviceKind(
    record=VehicleKinematicState,
    element=device_element(
        "VehicleKinematicState",
        "Reports the motion of the robot's KinematicVehicle, with the noise that this one gives: "
        "of its reference point, the rear axle (of ST the centre of mass), in origin_frame_id.",
    ),
    fields=FIELDS,
)
