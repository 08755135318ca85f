"""The shadows of what stands are kept from picture to picture, and no picture shows that."""

import pytest

from tests.client.scripts import facts_of

pytest.importorskip("panda3d")

SCRIPT = """
import json
from dataclasses import replace
from synthetic_town import car_state, car_world, compiled_town
from autosim.client.scene.viewer import Viewer

world, compiled = car_world(), compiled_town()

def open_viewer():
    return Viewer(world, compiled, car_state(world, x=0.0).tree, width=160, height=120,
                  onscreen=False, renderer="p3headlessgl")

def draw(viewer, x, camera="", **where):
    viewer.update(car_state(world, x=x, **where))
    picture = viewer.image(camera).tobytes()
    return picture, viewer._scene._atmosphere._sun._shadows.draws_standing

viewer, fresh = open_viewer(), open_viewer()
facts = {"first": draw(viewer, -60.0)[1]}
depth = viewer._renderer.make_buffer("depth", 32, 32, is_depth=True).getFbProperties()
facts["floats"] = [viewer._renderer.capabilities.is_software, depth.getFloatDepth()]
facts["near"] = [draw(viewer, -60.0 + 0.1 * step)[1] for step in range(1, 30)].count(True)
facts["far"] = draw(viewer, -40.0)[1]
facts["turned"] = draw(viewer, -40.0, yaw=1.0)[1]
viewer.show_sky(replace(world.graphics.sky, hours=17.0))
facts["evening"] = draw(viewer, -40.0, yaw=1.0)[1]
viewer.show_sky(world.graphics.sky)
drawn = [draw(viewer, x, z=0.9 + lift)[0] for x, lift in ((-60.0, 0.0), (-60.3, 0.0), (-60.3, 3.0))]
anew = [draw(fresh, x, z=0.9 + lift)[0] for x, lift in ((-60.3, 3.0), (-60.3, 0.0), (-60.0, 0.0))]
facts["same"] = drawn == anew[::-1]
facts["different"] = len(set(drawn))
fresh.close()
cameras, places = ("", "car.chassis.front"), [-30.0 + 0.1 * step for step in range(12)]
turns = [draw(viewer, x, camera) for x in places for camera in cameras]
facts["in turn"] = [has_drawn for _, has_drawn in turns].count(True)
far = [-90.0 + 15.0 * step for step in range(11)]
there = [draw(viewer, x)[0] for x in far]
back = [draw(viewer, x)[0] for x in far[::-1]]
facts["back"] = there == back[::-1] and len(set(there)) == len(far)
viewer.close()
fresh = open_viewer()
one_by_one = [[draw(fresh, x, camera)[0] for x in places] for camera in cameras]
facts["in turn same"] = [picture for picture, _ in turns] == [
    picture for pair in zip(*one_by_one) for picture in pair
]
fresh.close()
print(json.dumps(facts))
"""


@pytest.fixture(scope="module")
def facts():
    return facts_of(SCRIPT)


def test_what_stands_is_drawn_once_in_some_metres(facts):
    assert facts["first"]
    assert facts["near"] <= 1
    assert facts["far"]
    assert facts["turned"]


def test_where_the_processor_draws_depths_are_floats(facts):
    is_software, has_floats = facts["floats"]
    assert has_floats == is_software


def test_cameras_in_turn_keep_their_shadows(facts):
    assert 2 <= facts["in turn"] <= 4
    assert facts["in turn same"]


def test_shadows_of_more_places_than_are_kept_are_right_when_they_come_again(facts):
    assert facts["back"]


def test_another_sun_casts_other_shadows(facts):
    assert facts["evening"]


def test_a_picture_depends_on_its_state_alone(facts):
    assert facts["same"]
    assert facts["different"] == 3
