"""The objects that a world file puts into the world."""

from math import pi
from pathlib import Path

import pytest

from autosim.kinds.bodies.box import BoxPart
from autosim.loading.checker import check_file
from autosim.loading.loader import load_world
from tests.config.samples import WORLD, write_world
from tests.loading.round_trip import written_and_read

CRATE = """\
<Box name="crate">
  <Position x="1.0" y="2.5" z="3.0"/>
  <RotY value="0.25"/>
  <Size x="1.0" y="2.0" z="3.0"/>
  <Mass value="40"/>
  <Motion name="kinematic"/>
  <Friction value="0.7"/>
  <Colour red="0.1" green="0.2" blue="0.3"/>
</Box>
"""

POST = """\
<Box name="post"><Position x="1" z="2"/><Size x="1" y="1" z="1"/><Mass value="9"/></Box>
"""


def with_object(text: str) -> str:
    return WORLD.replace("</Objects>", f"{text}</Objects>")


def test_an_object_is_read_and_written(tmp_path: Path):
    world = load_world(write_world(tmp_path, with_object(CRATE)))
    (crate,) = world.objects
    assert crate.position == (1.0, 3.0, 2.5)
    assert crate.yaw == pytest.approx(pi / 2 - 0.25)
    size, colour = (3.0, 1.0, 2.0), (0.1, 0.2, 0.3)
    assert crate.body == BoxPart(
        *("crate", (0.0, 0.0, 0.0), size),
        mass=40.0,
        colour=colour,
        motion="kinematic",
        friction=0.7,
    )
    assert len(world.robots) == 2
    (again,) = written_and_read(world, tmp_path).objects
    assert (again.body, again.position) == (crate.body, crate.position)
    assert again.yaw == pytest.approx(crate.yaw, abs=1e-6)


def test_what_is_left_out_has_the_defaults_of_the_record(tmp_path: Path):
    (post,) = load_world(write_world(tmp_path, with_object(POST))).objects
    assert post.body == BoxPart("post", (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), mass=9.0)
    assert post.position == (1.0, 2.0, None)
    assert post.yaw == pytest.approx(pi / 2)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('name="crate"', 'name="one"', "there is already a 'one'"),
        ('<Mass value="40"/>', "", "Mass"),
        ('name="kinematic"', 'name="loose"', "expected 'dynamic' or 'static' or 'kinematic'"),
        ('<RotY value="0.25"/>', '<RotY value="90"/>', "are these degrees?"),
        ("<Motion", '<Model path="models/nothing"/><Motion', "models/nothing"),
    ],
)
def test_faults_of_objects_are_said(tmp_path: Path, old: str, new: str, reason: str):
    said = check_file(write_world(tmp_path, with_object(CRATE.replace(old, new))))
    assert any(reason in each.message for each in said), said
