"""A picture is drawn once: what is asked for again is there, and what has changed is drawn."""

import pytest

from tests.client.scripts import facts_of

pytest.importorskip("panda3d")

SCRIPT = """
import json
from dataclasses import replace
from panda3d import core
from synthetic_town import car_state, car_world, compiled_town
from autosim.client.scene.viewer import Viewer

world, compiled = car_world(), compiled_town()
state = car_state(world, x=-60.0)
viewer = Viewer(world, compiled, state.tree, width=160, height=120, onscreen=False,
                renderer="p3headlessgl")
clock = core.ClockObject.getGlobalClock()
FRONT = "car.chassis.front"

def draw(state, camera=""):
    before = clock.getFrameCount()
    viewer.update(state)
    picture = viewer.image(camera).tobytes()
    return picture, clock.getFrameCount() - before

first, frames = draw(state)
facts = {"first": frames}
again, frames = draw(car_state(world, x=-60.0))
facts["again"] = [frames, again == first]
facts["front"] = draw(state, FRONT)[1]
facts["both"] = [draw(state)[1], draw(state, FRONT)[1]]
moved, frames = draw(car_state(world, x=-58.0))
facts["moved"] = [frames, moved != first]
facts["front of another"] = draw(car_state(world, x=-58.0), FRONT)[1]
back, frames = draw(state)
facts["back"] = [frames, back == first]
state.buffer[:] = car_state(world, x=-58.0).buffer
in_place, frames = draw(state)
facts["in place"] = [frames, in_place == moved]
there = viewer.pose().position.tolist()
other = viewer.new_moment()
other.update(car_state(world, x=-60.0))
viewer.show_sky(replace(viewer.now.sky, hours=22.0))
night = viewer.image().tobytes()
facts["of two moments"] = [
    viewer.image(at=other).tobytes() == first,
    night not in (first, moved),
    viewer.pose().position.tolist() == there,
    viewer.image().tobytes() == night,
]
viewer.close()
print(json.dumps(facts))
"""


@pytest.fixture(scope="module")
def facts():
    """How many frames were drawn for each picture, and what came out."""
    return facts_of(SCRIPT)


def test_the_same_state_is_not_drawn_again(facts):
    assert facts["first"] == 1
    assert facts["again"] == [0, True]


def test_each_camera_draws_a_state_once(facts):
    assert facts["front"] == 1
    assert facts["both"] == [0, 0]


def test_another_state_is_drawn_for_each_camera(facts):
    assert facts["moved"] == [1, True]
    assert facts["front of another"] == 1
    assert facts["back"] == [1, True]


def test_a_state_that_has_changed_in_place_is_drawn(facts):
    assert facts["in place"] == [1, True]


def test_each_moment_has_its_own_state_and_sky(facts):
    assert facts["of two moments"] == [True, True, True, True]
