"""What programs publish to be drawn stands where they mean it."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.client.overlays.published_overlays import PublishedOverlays
from autosim.config.descriptions import Publication, PublishedColumn
from autosim.kinds.director import build_tree
from autosim.model.state import State
from tests.worlds import impreza_world

X, Y, Z = (PublishedColumn(each, "m") for each in "xyz")
SCORE = PublishedColumn("score")


def drawn(publication: Publication, rows: list[list[float]]):
    """Its drawings, while the car stands at (10, 20, 0.5) and heads north."""
    (car,) = impreza_world().robots
    car = replace(car, robot=replace(car.robot, publications=(publication,)))
    world = replace(impreza_world(), robots=(car,))
    state = State(build_tree(world))
    part, node = state.tree.find("impreza.chassis"), state.tree.find(f"impreza.{publication.name}")
    first = part.start // 8
    state.floats[first : first + 7] = [10.0, 20.0, 0.5, 0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)]
    state.write_rows(node, node.fields[0], np.array(rows).reshape(-1, len(publication.columns)))
    return PublishedOverlays(world, state.tree).drawings(state)


def test_a_line_in_the_world_joins_its_rows():
    plan = Publication("plan", (SCORE, X, Y, Z), 8, "line")
    (drawing,) = drawn(plan, [[9.0, 1.0, 2.0, 3.0], [9.0, 4.0, 5.0, 6.0], [9.0, 7.0, 8.0, 9.0]])
    starts, ends = drawing.segments
    assert drawing.is_line
    assert starts.tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    assert ends.tolist() == [[4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]


def test_points_of_the_part_turn_with_it():
    hits = Publication("hits", (X, Y), 8, "points", "part")
    (drawing,) = drawn(hits, [[2.0, 0.0], [0.0, 1.0]])
    assert not drawing.is_line
    assert drawing.points == pytest.approx(np.array([[10.0, 22.0, 0.5], [9.0, 20.0, 0.5]]))


def test_without_heights_they_lie_as_high_as_the_part():
    (drawing,) = drawn(Publication("hits", (X, Y), 8, "points"), [[1.0, 2.0]])
    assert drawing.points.tolist() == [[1.0, 2.0, 0.5]]


def test_what_has_no_rows_or_is_not_to_be_drawn_is_not():
    assert drawn(Publication("plan", (X, Y), 8, "line"), []) == []
    assert drawn(Publication("plan", (X, Y), 8), [[1.0, 2.0]]) == []


def test_points_keep_their_further_columns_to_be_coloured_by():
    hits = Publication("hits", (SCORE, X, Y), 8, "points")
    (drawing,) = drawn(hits, [[9.0, 1.0, 2.0], [7.0, 3.0, 4.0]])
    assert {name: each.tolist() for name, each in drawing.values.items()} == {"score": [9.0, 7.0]}
    assert drawing.units == {"score": "1"}
