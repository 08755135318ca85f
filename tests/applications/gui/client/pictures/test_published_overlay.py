"""Published lists over a picture."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("PyQt6")
pytest.importorskip("panda3d")

from autosim.applications.gui.client.pictures.overlays import Chosen, Overlays
from autosim.config.descriptions import Publication, PublishedColumn
from autosim.kinds.director import build_tree
from autosim.simulation.state import State
from tests.applications.gui.client.painted_overlays import HEIGHT, WIDTH, painted
from tests.worlds import flat_world, impreza_world

COLUMNS = (PublishedColumn("x", "m"), PublishedColumn("y", "m"))
ROWS = np.array([[-20.0, 10.0], [20.0, 10.0]])


def pixels(drawn, *, is_chosen=True):
    """Seen from 60 m above the origin, north up."""
    world = impreza_world()
    (car,) = world.robots
    robot = replace(car.robot, publications=(Publication("plan", COLUMNS, 4, drawn),))
    world = replace(world, robots=(replace(car, robot=robot),))
    state = State(build_tree(world))
    node = state.tree.find("impreza.plan")
    state.write_rows(node, node.fields[0], ROWS)
    overlays = Overlays(world, flat_world(), state.tree)
    chosen = Chosen(figures=False, published=is_chosen)
    return np.argwhere(painted(overlays, state, chosen).any(axis=-1))


def test_a_line_is_painted_between_its_rows(application):
    rows, columns = pixels("line").T
    assert rows.max() < HEIGHT / 2  # north of the origin
    assert np.ptp(rows) < 6
    assert abs(columns - WIDTH / 2).max() == pytest.approx(20.0 / 60.0 / np.tan(0.5) * 120, abs=4)
    assert len(set(columns)) > 100


def test_points_are_painted_at_their_rows_alone(application):
    columns = pixels("points").T[1]
    assert 8 < len(set(columns)) < 30


def test_nothing_is_painted_unless_it_is_chosen(application):
    assert not len(pixels("line", is_chosen=False))
