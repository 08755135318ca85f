"""Thin haze is computed per vertex, which spares pixels work, and hardly shows."""

import pytest

from autosim.client.materials.shaders import Features
from tests.client.scripts import facts_of

pytest.importorskip("panda3d")

SCRIPT = """
import json
from dataclasses import replace
import numpy as np
from synthetic_town import car_state, car_world, compiled_town
from autosim.client.sky_and_light import lighting
from autosim.client.scene.viewer import Viewer

world, compiled = car_world(), compiled_town()
world = replace(world, graphics=replace(world.graphics, far=2000.0, multisamples=0))
skies = [world.graphics.sky, replace(world.graphics.sky, visibility=150.0)]
pictures = []
for even_from in (np.inf, 0.0):
    lighting._EVEN_HAZE_FAR = even_from
    viewer = Viewer(world, compiled, car_state(world, x=0.0).tree, width=160, height=120,
                    onscreen=False, renderer="p3headlessgl")
    drawn = []
    for sky in skies:
        viewer.show_sky(sky)
        viewer.update(car_state(world, x=-60.0))
        drawn.append(viewer.image()[..., :3].astype(int))
    pictures.append(np.array(drawn))
    viewer.close()
differences = np.abs(pictures[0] - pictures[1]).reshape(2, -1)
facts = {"most": differences.max(axis=1).tolist(), "mean": differences.mean(axis=1).tolist(),
         "fog": float(np.abs(pictures[1][0] - pictures[1][1]).mean())}
print(json.dumps(facts))
"""


def test_where_the_place_of_a_pixel_is_wanted_haze_is_computed_there() -> None:
    assert Features(has_even_haze=True).is_hazy_per_vertex
    assert not Features().is_hazy_per_vertex
    for wish in ("is_glossy", "is_wet", "is_foggy", "cones"):
        assert not Features(has_even_haze=True, **{wish: True}).is_hazy_per_vertex


def test_pictures_are_as_with_haze_per_pixel() -> None:
    facts = facts_of(SCRIPT)
    in_clear_air, in_fog = facts["mean"]
    assert in_clear_air < 0.5
    assert facts["most"][0] <= 6
    assert in_fog == 0.0, "fog is never computed per vertex"
    assert facts["fog"] > 10.0
