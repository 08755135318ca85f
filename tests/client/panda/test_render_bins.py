"""A software driver fills pixels before a picture is complete, and the picture is the same."""

import pytest

from tests.client.scripts import facts_of

pytest.importorskip("panda3d")

SCRIPT = """
import json, sys
from synthetic_town import car_state, car_world, compiled_town
from autosim.client.panda import render_bins as drawing_order
from autosim.client.scene.viewer import Viewer

flush, starts, pictures = drawing_order._flush(), [], []
world, compiled = car_world(), compiled_town()
for found in (None, flush and (lambda: starts.append(flush()))):
    drawing_order._flush = lambda: found
    viewer = Viewer(world, compiled, car_state(world, x=0.0).tree, width=160, height=120,
                    onscreen=False, renderer="p3headlessgl")
    for x in (-60.0, -48.0):
        viewer.update(car_state(world, x=x))
        pictures.append(viewer.image().tobytes())
    has_software = viewer._renderer.capabilities.is_software
    viewer.close()
facts = [has_software and flush is not None, len(starts),
         pictures[:2] == pictures[2:], pictures[0] == pictures[1]]
print(json.dumps(facts))
"""


def test_pixels_are_filled_before_all_is_placed_and_come_out_the_same():
    can_start_early, starts, is_same, is_still = facts_of(SCRIPT)
    if not can_start_early:
        pytest.skip("the driver is no software, or there is no libGL")
    # After the walls and after the roads, in two pictures.
    assert starts == 4
    assert is_same
    assert not is_still
