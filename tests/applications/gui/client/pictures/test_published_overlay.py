"""Published lists over a picture."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("PyQt6")
pytest.importorskip("panda3d")

from autosim.applications.gui.client.pictures.pane_overlays import Chosen, Overlays
from autosim.config.descriptions import Publication, PublishedColumn
from autosim.kinds.director import build_tree
from autosim.model.state import State
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


def colours(column):
    """Of the points of a list with a column \"offset\"."""
    world = impreza_world()
    (car,) = world.robots
    publication = Publication("table", (*COLUMNS, PublishedColumn("offset", "m")), 4, "points")
    robot = replace(car.robot, publications=(publication,))
    world = replace(world, robots=(replace(car, robot=robot),))
    state = State(build_tree(world))
    node = state.tree.find("impreza.table")
    state.write_rows(node, node.fields[0], np.column_stack([ROWS, [-1.0, 1.0]]))
    overlays = Overlays(world, flat_world(), state.tree)
    assert overlays.columns == ["offset"]
    picture = painted(overlays, state, Chosen(figures=False, published=True, column=column))
    middles = [round(WIDTH / 2 + side * 20.0 / 60.0 / np.tan(0.5) * HEIGHT / 2) for side in (-1, 1)]
    row = round(HEIGHT / 2 - 10.0 / 60.0 / np.tan(0.5) * HEIGHT / 2)
    return [picture[row, each].astype(int) for each in middles]


def test_points_are_coloured_by_a_column_from_blue_to_red(application):
    low, high = colours("offset")
    assert low[2] > low[0]
    assert high[0] > high[2]


def test_without_a_column_all_points_of_a_list_have_its_colour(application):
    low, high = colours("")
    assert (low == high).all()
