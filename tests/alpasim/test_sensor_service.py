"""SensorsimService, called with AlpaSim's stubs."""

import io
import math
from types import SimpleNamespace
from typing import Any

import grpc
import numpy as np
import pytest
from PIL import Image
from scipy.spatial.transform import Rotation

from tests.alpasim.messages import CAR, pose

WIDTH, HEIGHT = 160, 96


@pytest.fixture
def stub(protos: SimpleNamespace, channel: grpc.Channel) -> Any:
    return protos.sensorsim_grpc.SensorsimServiceStub(channel)


def pinhole(protos: SimpleNamespace, **changes: Any) -> Any:
    """A camera with a horizontal field of view of 90 degrees."""
    camera = protos.sensorsim.OpenCVPinholeCameraParam(
        focal_length_x=WIDTH / 2.0,
        focal_length_y=WIDTH / 2.0,
        principal_point_x=WIDTH / 2.0,
        principal_point_y=HEIGHT / 2.0,
        **changes,
    )
    return protos.sensorsim.CameraSpec(
        opencv_pinhole_param=camera, resolution_w=WIDTH, resolution_h=HEIGHT
    )


def still(protos: SimpleNamespace, at: Any) -> Any:
    return protos.sensorsim.PosePair(start_pose=at, end_pose=at)


def looking(protos: SimpleNamespace, place: list[float], yaw: float) -> Any:
    """A camera that looks along a yaw, with x right, y down, z forward."""
    forward = [math.cos(yaw), math.sin(yaw), 0.0]
    right = [math.sin(yaw), -math.cos(yaw), 0.0]
    axes = np.column_stack([right, [0.0, 0.0, -1.0], forward])
    x, y, z, w = Rotation.from_matrix(axes).as_quat()
    made = pose(protos, place)
    made.quat.CopyFrom(protos.common.Quat(x=x, y=y, z=z, w=w))
    return made


def request(protos: SimpleNamespace, straight: SimpleNamespace, spec: Any, **fields: Any) -> Any:
    """A picture along a street, from above the ground."""
    return protos.sensorsim.RGBRenderRequest(
        scene_id="circle_town",
        resolution_w=WIDTH,
        resolution_h=HEIGHT,
        camera_intrinsics=spec,
        sensor_pose=still(protos, looking(protos, straight.at(8.0, 1.5), straight.yaw(8.0))),
        **{"image_format": protos.sensorsim.PNG, **fields},
    )


def car_ahead(protos: SimpleNamespace, straight: SimpleNamespace, metres: float) -> Any:
    centre = pose(protos, straight.at(8.0 + metres, CAR[2] / 2.0), straight.yaw(8.0))
    return protos.sensorsim.DynamicObject(track_id="7", pose_pair=still(protos, centre))


def pixels(data: bytes) -> Any:
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)


def test_a_picture_shows_the_street_and_the_objects_in_it(
    protos: SimpleNamespace, stub: Any, straight: SimpleNamespace
) -> None:
    empty = pixels(stub.render_rgb(request(protos, straight, pinhole(protos))).image_bytes)
    assert empty.shape == (HEIGHT, WIDTH, 3)
    assert empty.std() > 15.0
    objects = [car_ahead(protos, straight, 12.0)]
    asked = request(protos, straight, pinhole(protos), dynamic_objects=objects)
    changed = np.abs(pixels(stub.render_rgb(asked).image_bytes) - empty).max(axis=2) > 20
    rows, columns = np.nonzero(changed)
    # 12 m ahead, 0.8 m below the camera: 1.8 m wide are 13 to 15 pixels.
    assert abs(columns.mean() - WIDTH / 2.0) < 6.0
    assert 8 <= np.ptp(columns) <= 24
    assert rows.mean() > HEIGHT / 2.0


def test_the_formats_hold_the_same_picture(
    protos: SimpleNamespace, stub: Any, straight: SimpleNamespace
) -> None:
    png = pixels(stub.render_rgb(request(protos, straight, pinhole(protos))).image_bytes)
    fields = {"image_format": protos.sensorsim.JPEG, "image_quality": 95.0}
    data = stub.render_rgb(request(protos, straight, pinhole(protos), **fields)).image_bytes
    assert data.startswith(b"\xff\xd8")
    assert np.abs(pixels(data) - png).mean() < 6.0
    fields = {"image_format": protos.sensorsim.RGB_UINT8_PLANAR}
    data = stub.render_rgb(request(protos, straight, pinhole(protos), **fields)).image_bytes
    planes = np.frombuffer(data, np.uint8).reshape(3, HEIGHT, WIDTH)
    assert (np.moveaxis(planes, 0, 2) == png).all()


def test_lenses_bend_pictures_but_not_their_middles(
    protos: SimpleNamespace, stub: Any, straight: SimpleNamespace
) -> None:
    flat = pixels(stub.render_rgb(request(protos, straight, pinhole(protos))).image_bytes)
    middle = (slice(40, 56), slice(72, 88))
    focal = WIDTH / 2.0
    centre = {"principal_point_x": WIDTH / 2.0, "principal_point_y": HEIGHT / 2.0}
    fisheye = protos.sensorsim.OpenCVFisheyeCameraParam(
        focal_length_x=focal, focal_length_y=focal, max_angle=1.2, **centre
    )
    ftheta = protos.sensorsim.FthetaCameraParam(
        reference_poly=protos.sensorsim.FthetaCameraParam.PIXELDIST_TO_ANGLE,
        pixeldist_to_angle_poly=[0.0, 1.0 / focal],
        angle_to_pixeldist_poly=[0.0, focal],
        max_angle=1.2,
        **centre,
    )
    size = {"resolution_w": WIDTH, "resolution_h": HEIGHT}
    bent = []
    for spec in (
        protos.sensorsim.CameraSpec(opencv_fisheye_param=fisheye, **size),
        protos.sensorsim.CameraSpec(ftheta_param=ftheta, **size),
        pinhole(protos, radial_coeffs=[-0.2, 0.02]),
    ):
        bent.append(pixels(stub.render_rgb(request(protos, straight, spec)).image_bytes))
        assert np.abs(bent[-1][middle] - flat[middle]).mean() < 8.0
        assert np.abs(bent[-1] - flat).mean() > 3.0
    # Both are equidistant.
    assert np.abs(bent[0] - bent[1]).max() <= 2


def test_a_lidar_meets_the_ground_and_objects(
    protos: SimpleNamespace, stub: Any, straight: SimpleNamespace
) -> None:
    at = pose(protos, straight.at(8.0, 1.9), straight.yaw(8.0))
    asked = protos.sensorsim.LidarRenderRequest(
        scene_id="circle_town",
        lidar_config=protos.sensorsim.LidarSpec(lidar_type=protos.sensorsim.AT128),
        sensor_pose=still(protos, at),
    )

    def returns() -> tuple[Any, Any]:
        found = stub.render_lidar(asked)
        points = np.frombuffer(found.point_xyzs_buffer, np.float32).reshape(-1, 3)
        assert len(points) == found.num_points == len(found.point_intensities)
        assert (np.array(found.point_xyzs, np.float32).reshape(-1, 3) == points).all()
        shine = np.frombuffer(found.point_intensities_buffer, np.float32)
        assert shine.min() >= 0.0
        assert shine.max() <= 1.0
        return points, shine

    points, _ = returns()
    assert len(points) > 20_000
    assert np.abs(np.degrees(np.arctan2(points[:, 1], points[:, 0]))).max() <= 60.01
    near = points[np.hypot(points[:, 0], points[:, 1]) < 12.0]
    assert np.median(near[:, 2]) == pytest.approx(-1.9, abs=0.15)
    asked.dynamic_objects.append(car_ahead(protos, straight, 12.0))
    points, _ = returns()
    rear = points[(np.abs(points[:, 1]) < 0.8) & (points[:, 2] > -1.6) & (points[:, 0] < 12.0)]
    assert len(rear) > 100
    assert np.median(rear[:, 0]) == pytest.approx(12.0 - CAR[0] / 2.0, abs=0.15)


def test_several_pictures_come_in_one_answer(
    protos: SimpleNamespace, stub: Any, straight: SimpleNamespace
) -> None:
    good = request(protos, straight, pinhole(protos))
    batch = protos.sensorsim.BatchRGBRenderRequest()
    batch.items.add(camera_name="front", request=good)
    batch.items.add(camera_name="none", request=request(protos, straight, None))
    front, none = stub.batch_render_rgb(batch).items
    assert (front.camera_name, front.success) == ("front", True)
    assert pixels(front.result.image_bytes).shape == (HEIGHT, WIDTH, 3)
    assert (none.camera_name, none.success) == ("none", False)
    assert "a camera is opencv_pinhole_param" in none.error_message
    scan = protos.sensorsim.LidarRenderRequest(
        scene_id="*", sensor_pose=still(protos, pose(protos, straight.at(8.0, 1.9)))
    )
    both = stub.render_aggregated(
        protos.sensorsim.AggregatedRenderRequest(rgb_requests=[good], lidar_requests=[scan])
    )
    assert both.rgb_returns[0].image_bytes == front.result.image_bytes
    assert both.lidar_returns[0].num_points > 20_000


def test_it_lists_what_it_has(protos: SimpleNamespace, stub: Any) -> None:
    empty = protos.common.Empty()
    assert stub.get_version(empty).version_id.startswith("autosim-")
    assert list(stub.get_available_scenes(empty).scene_ids) == ["circle_town"]
    loaded = stub.get_loaded_scenes(empty)
    assert [each.scene_id for each in loaded.scenes] == ["circle_town"]
    assert loaded.loaded_instance_capacity == 1
    assert not stub.get_available_ego_masks(empty).ego_mask_metadata
    scene = {"scene_id": "circle_town"}
    trajectories = protos.sensorsim.AvailableTrajectoriesRequest(**scene)
    assert not stub.get_available_trajectories(trajectories).available_trajectories
    cameras = stub.get_available_cameras(protos.sensorsim.AvailableCamerasRequest(**scene))
    for each in cameras.available_cameras:
        assert each.intrinsics.logical_id == each.logical_id
        forward = Rotation.from_quat(
            [getattr(each.rig_to_camera.quat, axis) for axis in "xyzw"]
        ).as_matrix()[:, 2]
        assert forward[0] > 0.5
        assert each.rig_to_camera.vec.z > 0.3


def test_a_mask_and_another_codec_are_refused(
    protos: SimpleNamespace, stub: Any, straight: SimpleNamespace
) -> None:
    for fields, status in (
        ({"insert_ego_mask": True}, grpc.StatusCode.NOT_FOUND),
        ({"image_format": protos.sensorsim.AV1}, grpc.StatusCode.UNIMPLEMENTED),
        ({"resolution_w": 100_000}, grpc.StatusCode.INVALID_ARGUMENT),
    ):
        asked = request(protos, straight, pinhole(protos))
        asked.MergeFrom(protos.sensorsim.RGBRenderRequest(**fields))
        with pytest.raises(grpc.RpcError) as error:
            stub.render_rgb(asked)
        assert error.value.code() == status
