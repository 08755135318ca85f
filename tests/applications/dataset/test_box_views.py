"""Boxes as a camera sees them: where, how far cut off, how far hidden."""

import numpy as np
import pytest

pytest.importorskip("panda3d")

from autosim.applications.dataset.box_sources import Boxes
from autosim.applications.dataset.box_views import Pinhole, SeenBox, see_boxes
from autosim.applications.dataset.frame_records import run_lengths
from autosim.applications.dataset.kitti import lidar_points
from autosim.applications.dataset.scene_conditions import conditions_of, tinted
from autosim.client.cameras.camera_rigs import CameraPose
from autosim.client.rendering.measured import Measured
from autosim.config.semantic_classes import class_number
from autosim.config.world_settings import SkyDescription

CAMERA = Pinhole(200, 100, 100.0)
AHEAD = CameraPose(np.zeros(3), np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
"""At the origin, looking along x."""


def boxes(*centres: tuple[float, float, float]) -> Boxes:
    """Cubes of 2 m with the numbers from 1 on."""
    count = len(centres)
    return Boxes(
        np.arange(1, count + 1),
        np.full(count, class_number("car")),
        np.array(centres, dtype=float),
        np.full((count, 3), 2.0),
        np.tile(np.eye(3), (count, 1, 1)),
        np.zeros(count),
        np.zeros(count),
    )


def view() -> Measured:
    """Pictures in which nothing is."""
    shape = CAMERA.height, CAMERA.width
    return Measured(
        np.full(shape, np.inf, np.float32),
        np.full((*shape, 3), np.nan, np.float32),
        np.full(shape, class_number("sky"), np.int32),
        np.zeros(shape, np.int32),
    )


def see(centre: tuple[float, float, float], measured: Measured) -> SeenBox:
    (found,) = see_boxes(boxes(centre), AHEAD, CAMERA, measured, without=-1)
    return found


def test_a_box_ahead_is_in_the_middle_of_the_picture() -> None:
    measured = view()
    measured.instances[40:60, 90:110] = 1
    measured.depths[40:60, 90:110] = 10.0
    found = see((11.0, 0.0, 0.0), measured)
    assert found.outline == pytest.approx((90.0, 40.0, 110.0, 60.0))
    assert found.visible == (90, 40, 110, 60)
    assert found.truncation == pytest.approx(0.0)
    assert (found.occlusion, found.level) == (0.0, 0)
    assert found.centre == pytest.approx([0.0, 0.0, 11.0])


def test_half_a_box_behind_something_nearer_is_half_hidden() -> None:
    measured = view()
    measured.instances[40:60, 90:100] = 1
    measured.depths[40:60, 90:100] = 10.0
    measured.depths[40:60, 100:110] = 5.0
    found = see((11.0, 0.0, 0.0), measured)
    assert found.occlusion == pytest.approx(0.5)
    assert found.level == 1


def test_what_is_behind_a_box_does_not_hide_it() -> None:
    measured = view()
    measured.instances[40:60, 90:100] = 1
    measured.depths[40:60, 90:100] = 10.0
    measured.depths[40:60, 100:110] = 40.0
    assert see((11.0, 0.0, 0.0), measured).occlusion == 0.0


def test_a_box_at_the_edge_is_cut_off() -> None:
    measured = view()
    found = see((11.0, 10.0, 0.0), measured)
    assert found.outline[0] == 0.0
    assert found.truncation == pytest.approx(10.0 / 35.0)
    assert (found.pixels, found.occlusion) == (0, 1.0)


def test_boxes_behind_the_camera_and_its_own_vehicle_are_left_out() -> None:
    around = boxes((-11.0, 0.0, 0.0), (11.0, 0.0, 0.0))
    assert not see_boxes(around, AHEAD, CAMERA, view(), without=2)


def test_a_box_across_the_image_plane_has_an_outline() -> None:
    found = see((0.5, 1.2, 0.0), view())
    assert found.outline[0] == 0.0
    assert found.truncation > 0.9


def test_run_lengths_go_down_columns_and_begin_with_zeros() -> None:
    assert run_lengths(np.array([[1, 0, 0], [1, 1, 0]], dtype=bool)) == [0, 2, 1, 1, 2]
    assert run_lengths(np.array([[0, 1]], dtype=bool)) == [1, 1]


def test_lidar_points_are_where_depths_are() -> None:
    depths = np.full((100, 200), np.inf, np.float32)
    depths[50:60] = 10.0
    points = lidar_points(depths, 100.0)
    assert len(points) > 100
    assert points[:, 0] == pytest.approx(10.0)
    assert np.abs(points[:, 1]).max() < 10.0
    assert -1.0 < points[:, 2].min() < points[:, 2].max() < 0.0


def test_tints_follow_the_seed_and_spare_sky_and_far_haze() -> None:
    measured = view()
    measured.classes[50:] = class_number("road")
    measured.depths[50:75] = 5.0
    measured.depths[75:] = 2000.0
    grey = np.full((CAMERA.height, CAMERA.width, 4), 128, dtype=np.uint8)
    one, again, other = (tinted(grey, measured, seed, visibility=100.0) for seed in (1, 1, 2))
    assert (one == again).all()
    assert (one[:50] == 128).all()
    assert (one[75:] == 128).all()
    assert (one[50:75, :, :3] != 128).any()
    assert (one[60, 60] != other[60, 60]).any()


def test_conditions_follow_from_seed_and_scene() -> None:
    sky = SkyDescription()
    first = conditions_of(3, 1, sky, is_varied=True)
    assert first == conditions_of(3, 1, sky, is_varied=True)
    assert first != conditions_of(4, 1, sky, is_varied=True)
    assert first != conditions_of(3, 2, sky, is_varied=True)
    assert conditions_of(3, 1, sky, is_varied=False).sky == sky
