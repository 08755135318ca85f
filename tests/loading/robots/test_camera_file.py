"""Cameras in robot files: what is read, and which faults are named."""

from pathlib import Path

import pytest

from autosim.config.semantic_classes import CLASSES
from autosim.kinds.sensors.perception.camera import Camera
from autosim.loading.loader import load_robot
from tests.config.samples import ROBOT, faults, spoiled, write
from tests.paths import ROOT

CAMERA = """    <Camera name="eye">
      <Part name="chassis"/>
      <Type name="fixed"/><Kind name="rgb"/>
      <Kind name="depth"/>
      <Resolution width="320" height="200"/>
      <UpdateRate value="20"/>
      <BrownConrady k1="-0.3" k2="0.1" p1="0.001"/>
      <Exposure value="0.5"/>
      <FullWell value="10000"/>
      <ReadNoise value="12"/>
      <DepthNoise value="0.002"/>
    </Camera>
"""


def with_camera(text: str = CAMERA) -> str:
    return ROBOT.replace("  </Devices>", text + "  </Devices>")


def test_a_camera_is_read_with_all_that_it_can_say(tmp_path: Path) -> None:
    assert load_robot(write(tmp_path, with_camera())).devices[-1] == Camera(
        name="eye",
        part="chassis",
        kinds=("rgb", "depth"),
        resolution=(320, 200),
        update_rate=20.0,
        brown_conrady=(-0.3, 0.1, 0.001, 0.0, 0.0),
        exposure=0.5,
        full_well=10000.0,
        read_noise=12.0,
        depth_noise=0.002,
    )


def test_a_fisheye_without_coefficients_is_one(tmp_path: Path) -> None:
    text = with_camera('<Camera name="eye"><Part name="chassis"/><Fisheye/></Camera>')
    camera = load_robot(write(tmp_path, text)).devices[-1]
    assert isinstance(camera, Camera)
    assert camera.fisheye == (0.0, 0.0, 0.0, 0.0)
    assert camera.kinds == ("rgb",)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('<Kind name="depth"', '<Kind name="deep"', "expected"),
        ('<Kind name="depth"', '<Kind name="rgb"', '<Kind name="rgb"> twice'),
        ('width="320"', 'width="0"', "<Resolution> width: expected"),
        ('<Exposure value="0.5"', '<Fisheye/><Exposure value="0.5"', "a lens is one or the other"),
        ('<FullWell value="10000"', '<FullWell value="0"', "<ReadNoise> of <Camera> 'eye' is in"),
        ('<Kind name="depth"', '<Kind name="normals"', "<DepthNoise> of <Camera> 'eye' acts"),
        ('<UpdateRate value="20"', '<Span value="9"/><UpdateRate value="20"', "can have"),
        ('<Type name="fixed"/><Kind', '<Span value="9"/><Type name="top"/><Kind', "has no lens"),
    ],
)
def test_faults_of_cameras_are_named(tmp_path: Path, old: str, new: str, expected: str) -> None:
    text, line = spoiled(with_camera(), old, new)
    found = [each for each in faults(tmp_path, text) if expected in each.message]
    assert [each.level for each in found] == ["error"]
    assert abs(found[0].line - line) < 8


def test_a_robot_says_what_it_is_in_pictures_of_labels(tmp_path: Path) -> None:
    text = ROBOT.replace("<Robot ", '<Robot class="truck" ', 1)
    assert load_robot(write(tmp_path, text)).semantic_class == "truck"
    assert load_robot(write(tmp_path, ROBOT)).semantic_class == ""
    text, line = spoiled(ROBOT, "<Robot ", '<Robot class="road" ')
    (fault,) = (each for each in faults(tmp_path, text) if "class" in each.message)
    assert (fault.level, fault.line) == ("error", line)


def test_the_page_has_each_class() -> None:
    page = (ROOT / "docs" / "cameras.md").read_text()
    for each in CLASSES:
        assert f"| {each.number} | {each.name} |" in page
