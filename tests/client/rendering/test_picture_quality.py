"""Tiers of quality change colours alone: depths, labels, normals and flow are the same."""

import pytest

from tests.client.scripts import facts_of

pytest.importorskip("panda3d")

SCRIPT = """
import json
from dataclasses import replace
import numpy as np
from synthetic_town import car_state, car_world, compiled_town
from autosim.client.materials.picture_quality import QUALITIES
from autosim.client.rendering.device_pictures import DevicePictures
from autosim.client.scene.viewer import Viewer
from autosim.userprogram.ipc.camera_images import PictureRequest

FRONT = "car.chassis.front"
KINDS = ("depth", "semantic", "instance", "normals", "flow")
plain = car_world(width=160, height=120)
compiled = compiled_town()
colours, measured = {}, {}
for quality in QUALITIES:
    world = replace(plain, graphics=replace(plain.graphics, quality=quality))
    state = car_state(world, x=-60.0)
    viewer = Viewer(world, compiled, state.tree, width=160, height=120, onscreen=False,
                    renderer="p3headlessgl")
    pictures = DevicePictures(viewer, world, state.tree)
    draw = lambda kind: pictures.draw([PictureRequest(FRONT, kind)], state)[0].pixels
    colours[quality] = draw("rgb")[..., :3].astype(int)
    measured[quality] = [draw(kind).tobytes() for kind in KINDS]
    viewer.close()

def edge_greys(picture):
    # Pixels between a lit and a shaded neighbour that are neither.
    light = picture.sum(axis=2)
    across = light[:, 2:] - light[:, :-2]
    share = (light[:, 1:-1] - light[:, :-2]) / np.where(across == 0, 1, across)
    return int(((np.abs(across) > 90) & (share > 0.2) & (share < 0.8)).sum())

print(json.dumps({
    "same": {name: measured[name] == measured["fast"] for name in QUALITIES},
    "greys": {name: edge_greys(colours[name]) for name in QUALITIES},
    "differ": {name: float(np.abs(colours[name] - colours["fast"]).mean()) for name in QUALITIES},
}))
"""


@pytest.fixture(scope="module")
def facts():
    """Pictures of a car's camera in each tier."""
    return facts_of(SCRIPT)


def test_what_is_measured_is_the_same_in_all_tiers(facts):
    assert facts["same"] == {"fast": True, "balanced": True, "high": True}


def test_better_tiers_draw_smoother_edges(facts):
    assert facts["greys"]["balanced"] > 1.3 * facts["greys"]["fast"]
    assert facts["greys"]["high"] > 1.3 * facts["greys"]["fast"]


def test_all_tiers_show_the_same_scene(facts):
    assert facts["differ"]["fast"] == 0.0
    for name in ("balanced", "high"):
        assert 0.0 < facts["differ"][name] < 12.0
