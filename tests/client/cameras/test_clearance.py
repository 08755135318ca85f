"""A camera that follows a robot is neither in a house nor behind one."""

import numpy as np
import pytest

from autosim.client.cameras.clearance import MARGIN, Clearance
from autosim.rays.ray_scene import RayScene
from autosim.world.compiled.compiled_world import Mesh

TARGET = np.array([0.0, 0.0, 1.0])
WANTED = np.array([-8.0, 0.0, 3.0])
NEAREST = 2.5


def wall(x, height=30.0):
    """A wall across the x axis, as a mesh of two triangles."""
    corners = [(x, -50.0, 0.0), (x, 50.0, 0.0), (x, 50.0, height), (x, -50.0, height)]
    triangles = np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32)
    return Mesh(np.array(corners), triangles, np.zeros(2, dtype=np.uint8))


def place(*meshes):
    return Clearance(RayScene(meshes)).place(TARGET, WANTED, nearest=NEAREST)


def test_it_is_where_it_is_wanted_where_nothing_is_in_between():
    assert np.array_equal(Clearance().place(TARGET, WANTED, nearest=NEAREST), WANTED)
    assert place(wall(-20.0)) == pytest.approx(WANTED)


def test_it_stays_on_its_line_before_a_wall():
    found = place(wall(-5.0))
    assert -5.0 < found[0] < -5.0 + 2.0 * MARGIN
    along = found - TARGET
    assert np.cross(along, WANTED - TARGET) == pytest.approx(np.zeros(3), abs=1e-9)


def test_with_a_wall_close_behind_it_looks_down_from_above():
    found = place(wall(-1.5))
    assert found[0] > -1.5
    assert np.linalg.norm(found - TARGET) >= NEAREST
    steepness = (found - TARGET)[2] / np.linalg.norm(found - TARGET)
    assert steepness > (WANTED - TARGET)[2] / np.linalg.norm(WANTED - TARGET)
