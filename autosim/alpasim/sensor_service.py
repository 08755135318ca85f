"""AlpaSim's SensorsimService: pictures and lidar scans of a scene."""

import io
from collections.abc import Iterable

import numpy as np
from PIL import Image

from autosim.alpasim.alpasim_scene import AlpasimScene, version_message
from autosim.alpasim.camera_lenses import lens_of
from autosim.alpasim.ego_vehicle import cameras_of
from autosim.alpasim.frame_poses import FramePose, between, pose_of
from autosim.alpasim.lidar_scans import AT128, PANDAR128, MovingBox, scan
from autosim.alpasim.scene_pictures import ScenePictures
from autosim.alpasim.service_errors import (
    InvalidRequestError,
    ServiceError,
    UnknownNameError,
    UnsupportedError,
)
from autosim.alpasim.wire import common_pb2 as common
from autosim.alpasim.wire import sensorsim_pb2 as sensorsim
from autosim.arrays import Bytes

_LIDARS = {sensorsim.PANDAR128: PANDAR128, sensorsim.AT128: AT128}

_JPEG_QUALITY = 90
"""Quality (1..100, without unit) of JPEG pictures for which a request states none."""

_LOADED = 1
"""Number of scenes that the server has, and can have."""


class SensorService:
    """Draws and scans. All calls come from one thread.

    Args:
        scene: the world.
    """

    def __init__(self, scene: AlpasimScene) -> None:
        self._scene = scene
        self._pictures: ScenePictures | None = None

    def get_version(self, request: common.Empty) -> common.VersionId:
        """The version of AutoSim."""
        return version_message()

    def get_available_scenes(self, request: common.Empty) -> common.AvailableScenesReturn:
        """The name of the world."""
        return self._scene.scenes()

    def get_available_ego_masks(self, request: common.Empty) -> sensorsim.AvailableEgoMasksReturn:
        """No masks: the vehicle itself is not in pictures."""
        return sensorsim.AvailableEgoMasksReturn()

    def close(self) -> None:
        """Frees the renderer."""
        if self._pictures is not None:
            self._pictures.close()

    def render_rgb(self, request: sensorsim.RGBRenderRequest) -> sensorsim.RGBRenderReturn:
        """A picture from a camera in the middle of its exposure, with all objects there.

        Raises:
            ServiceError: there is no such scene, or the camera or the format is not possible.
        """
        self._scene.require(request.scene_id)
        if request.insert_ego_mask:
            raise UnknownNameError("there are no masks of the vehicle: see get_available_ego_masks")
        spec = request.camera_intrinsics
        size = request.resolution_w or spec.resolution_w, request.resolution_h or spec.resolution_h
        lens = lens_of(spec, size)
        if self._pictures is None:
            self._pictures = ScenePictures(self._scene)
        key = spec.SerializeToString(deterministic=True) + repr(size).encode()
        picture = self._pictures.draw(
            lens,
            key,
            between(*_pair(request.sensor_pose), 0.5),
            {name: between(*poses, 0.5) for name, poses in _objects(request.dynamic_objects)},
        )
        data = _encoded(picture, request.image_format, request.image_quality)
        return sensorsim.RGBRenderReturn(image_bytes=data)

    def render_lidar(self, request: sensorsim.LidarRenderRequest) -> sensorsim.LidarRenderReturn:
        """The returns of a scan, in the lidar at its end.

        Raises:
            ServiceError: there is no such scene, or a pose is wrong.
        """
        self._scene.require(request.scene_id)
        model = _LIDARS.get(request.lidar_config.lidar_type)
        if model is None:
            raise UnsupportedError("lidar_config: a lidar is PANDAR128 or AT128")
        boxes = {
            name: MovingBox(self._scene.shape_of(name).size, *poses)
            for name, poses in _objects(request.dynamic_objects)
        }
        found = scan(self._scene, model, _pair(request.sensor_pose), boxes)
        return sensorsim.LidarRenderReturn(
            point_xyzs=found.points.ravel(),
            point_intensities=found.intensities,
            num_points=len(found.points),
            point_xyzs_buffer=found.points.tobytes(),
            point_intensities_buffer=found.intensities.tobytes(),
        )

    def render_aggregated(
        self, request: sensorsim.AggregatedRenderRequest
    ) -> sensorsim.AggregatedRenderReturn:
        """Pictures and scans in one answer.

        Raises:
            ServiceError: as `render_rgb` and `render_lidar`.
        """
        return sensorsim.AggregatedRenderReturn(
            rgb_returns=[self.render_rgb(each) for each in request.rgb_requests],
            lidar_returns=[self.render_lidar(each) for each in request.lidar_requests],
        )

    def batch_render_rgb(
        self, request: sensorsim.BatchRGBRenderRequest
    ) -> sensorsim.BatchRGBRenderReturn:
        """Draws all; one that fails says why and does not end the others."""
        answer = sensorsim.BatchRGBRenderReturn()
        for each in request.items:
            item = answer.items.add(camera_name=each.camera_name, success=True)
            try:
                item.result.CopyFrom(self.render_rgb(each.request))
            except ServiceError as error:
                item.success, item.error_message = False, str(error)
        return answer

    def get_loaded_scenes(self, request: common.Empty) -> sensorsim.LoadedScenesReturn:
        """The world, which is always loaded."""
        entry = sensorsim.LoadedSceneEntry(
            scene_id=self._scene.name,
            loaded_instance_count=_LOADED,
            reusable_instance_count=_LOADED,
        )
        return sensorsim.LoadedScenesReturn(scenes=[entry], loaded_instance_capacity=_LOADED)

    def get_available_cameras(
        self, request: sensorsim.AvailableCamerasRequest
    ) -> sensorsim.AvailableCamerasReturn:
        """The cameras that are fixed to the first robot.

        Raises:
            UnknownNameError: there is no such scene.
        """
        self._scene.require(request.scene_id)
        robots = self._scene.world.robots
        cameras = cameras_of(robots[0].robot, self._scene.world.graphics) if robots else []
        return sensorsim.AvailableCamerasReturn(available_cameras=cameras)

    def get_available_trajectories(
        self, request: sensorsim.AvailableTrajectoriesRequest
    ) -> sensorsim.AvailableTrajectoriesReturn:
        """None: nothing has been recorded in a world.

        Raises:
            UnknownNameError: there is no such scene.
        """
        self._scene.require(request.scene_id)
        return sensorsim.AvailableTrajectoriesReturn()


def _pair(message: sensorsim.PosePair) -> tuple[FramePose, FramePose]:
    return pose_of(message.start_pose), pose_of(message.end_pose)


def _objects(
    messages: Iterable[sensorsim.DynamicObject],
) -> Iterable[tuple[str, tuple[FramePose, FramePose]]]:
    return ((each.track_id, _pair(each.pose_pair)) for each in messages)


def _encoded(picture: Bytes, form: int, quality: float) -> bytes:
    """The bytes of a picture (height, width, 3)."""
    if form == sensorsim.RGB_UINT8_PLANAR:
        return np.moveaxis(picture, 2, 0).tobytes()
    data = io.BytesIO()
    if form in (sensorsim.PNG, sensorsim.UNDEFINED):
        Image.fromarray(picture).save(data, "PNG", compress_level=1)
    elif form == sensorsim.JPEG:
        if not 0.0 <= quality <= 100.0:
            raise InvalidRequestError(f"image_quality {quality:g} is not between 0 and 100")
        stated = round(quality) or _JPEG_QUALITY
        Image.fromarray(picture).save(data, "JPEG", quality=stated)
    else:
        raise UnsupportedError("image_format: a picture is PNG, JPEG or RGB_UINT8_PLANAR")
    return data.getvalue()
