"""The vehicle that is driven, from a robot of the world: its rig, its box and its cameras."""

from dataclasses import dataclass

import numpy as np

from autosim.alpasim.frame_poses import FramePose, pose_message
from autosim.alpasim.vehicle_service import VehicleMeasures
from autosim.alpasim.wire import common_pb2 as common
from autosim.alpasim.wire import sensorsim_pb2 as sensorsim
from autosim.arrays import Floats
from autosim.config.descriptions import RobotDescription
from autosim.config.world_settings import GraphicsDescription
from autosim.kinds.kind import body_of
from autosim.kinds.sensors.perception.camera import Camera, lens_of
from autosim.vehicle.info.vehicle_info import vehicle_info

AvailableCamera = sensorsim.AvailableCamerasReturn.AvailableCamera

_PARALLEL = 1e-6
"""Sine of the angle between two axes below which one does not fix the other."""


@dataclass(frozen=True, slots=True)
class EgoVehicle:
    """Measures of a robot.

    Attributes:
        rig: origin (3,) [m] of the rig, from the centre of the robot's first part.
        size: (3,) [m] length, width and height of its box, which ends at the ground.
        centre: (3,) [m] of that box, from the origin of the rig.
        measures: for its controller.
    """

    rig: Floats
    size: Floats
    centre: Floats
    measures: VehicleMeasures

    @classmethod
    def of(cls, robot: RobotDescription) -> "EgoVehicle":
        """The measures of a robot; one without wheels has its rig below its centre."""
        first = np.array(robot.parts[0].position)
        places = {part.name: np.array(part.position) - first for part in robot.parts}
        bodies = [(places[part.name], body_of(part)) for part in robot.parts]
        low = np.min([place + body.low for place, body in bodies], axis=0)
        high = np.max([place + body.high for place, body in bodies], axis=0)
        middle, measures = (low + high) / 2.0, VehicleMeasures()
        rig = np.array([middle[0], middle[1], low[2]])
        try:
            info = vehicle_info(robot)
        except ValueError:
            pass
        else:
            rig = places[info.part] + [info.rear_axle, 0.0, -info.height]
            measures = VehicleMeasures(
                wheelbase=info.wheelbase,
                steering=info.max_steering_angle,
                acceleration=info.acceleration,
                braking=info.deceleration,
            )
        low[2] = min(low[2], rig[2])
        return cls(rig, high - low, (low + high) / 2.0 - rig, measures)

    @property
    def box(self) -> common.AABB:
        """The message of its box."""
        x, y, z = self.size.tolist()
        return common.AABB(size_x=x, size_y=y, size_z=z)


def cameras_of(robot: RobotDescription, graphics: GraphicsDescription) -> list[AvailableCamera]:
    """The cameras of a robot that are fixed to it, with their lenses and their poses in the rig."""
    rig = EgoVehicle.of(robot).rig
    first = np.array(robot.parts[0].position)
    places = {part.name: np.array(part.position) - first for part in robot.parts}
    found = []
    for device in robot.devices:
        if isinstance(device, Camera) and device.type == "fixed" and not device.span:
            pose = FramePose(
                places[device.part] + np.array(device.position) - rig,
                _camera_axes(np.array(device.direction), np.array(device.up)),
            )
            spec = _spec_of(device, (graphics.width, graphics.height))
            found.append(
                AvailableCamera(
                    intrinsics=spec, rig_to_camera=pose_message(pose), logical_id=device.name
                )
            )
    return found


def _spec_of(camera: Camera, size: tuple[int, int]) -> sensorsim.CameraSpec:
    """The lens of a camera in the words of AlpaSim."""
    lens = lens_of(camera, size)
    spec = sensorsim.CameraSpec(
        logical_id=camera.name,
        resolution_w=lens.width,
        resolution_h=lens.height,
        shutter_type=sensorsim.GLOBAL,
    )
    if lens.fisheye:
        fisheye = spec.opencv_fisheye_param
        fisheye.focal_length_x = fisheye.focal_length_y = lens.focal
        fisheye.principal_point_x, fisheye.principal_point_y = lens.width / 2.0, lens.height / 2.0
        fisheye.radial_coeffs.extend(lens.fisheye)
        return spec
    pinhole = spec.opencv_pinhole_param
    pinhole.focal_length_x = pinhole.focal_length_y = lens.focal
    pinhole.principal_point_x, pinhole.principal_point_y = lens.width / 2.0, lens.height / 2.0
    if lens.brown_conrady:
        k1, k2, p1, p2, k3 = lens.brown_conrady
        pinhole.radial_coeffs.extend([k1, k2, k3, 0.0, 0.0, 0.0])
        pinhole.tangential_coeffs.extend([p1, p2])
    return spec


def _camera_axes(direction: Floats, up: Floats) -> Floats:
    """The axes (3, 3) of a camera as columns: right, down, forward."""
    forward = direction / np.linalg.norm(direction)
    for wanted in (up, np.array([0.0, 0.0, 1.0]), np.array([-1.0, 0.0, 0.0])):
        right = np.cross(forward, wanted)
        length = float(np.linalg.norm(right))
        if length > _PARALLEL:
            right = right / length
            return np.column_stack([right, np.cross(forward, right), forward])
    raise AssertionError("one of two axes is not along the direction")
