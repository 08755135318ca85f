"""The server's map shows the vehicles, people and signals of traffic."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("PyQt6")

from PyQt6.QtGui import QImage

from autosim.applications.gui.server.map.map_view import MapView
from autosim.applications.gui.server.map.traffic_marks import SIGNAL_SCALE
from autosim.config.world_settings import TrafficDescription
from autosim.kinds.director import build_tree
from autosim.loading.loader import load_world
from autosim.loading.world_worker import MapPicture, draw_map_picture
from autosim.model.state import State
from autosim.traffic.traffic_node import P, V, traffic_arrays_of
from autosim.world.lanes.lane_rules import SignalState
from autosim.world.pipeline.cache import compile_world

BOUNDS = (-50.0, -50.0, 50.0, 50.0)


@pytest.fixture
def view(application):
    """A white map of 100 m, with three vehicles, two people and one light."""
    tree = build_tree(
        replace(load_world("worlds/yard.xml"), traffic=TrafficDescription(vehicles=3, people=2))
    )
    state = State(tree)
    arrays = traffic_arrays_of(state)
    arrays.vehicles[:, V.kind] = -1.0
    arrays.people[:, P.kind] = -1.0
    made = MapView()
    made.resize(400, 400)
    picture = MapPicture(
        *(4, 4, b"\xff" * 48, BOUNDS),
        signal_groups=np.array([5]),
        signal_places=np.array([(-30.0, -30.0)]),
    )
    made.show_picture(picture)
    made.show_tree(tree)
    return made, state, arrays


def test_a_chosen_part_stays_in_view_when_the_picture_comes_late(view, application):
    made, _, _ = view
    picture = MapPicture(4, 4, b"\xff" * 48, BOUNDS)
    made.forget_picture()
    made.zoom(5.0)
    chosen = made.scale
    made.show_picture(picture)
    assert made.scale == chosen
    made.show_picture(replace(picture, bounds=(0.0, 0.0, 400.0, 400.0)))
    assert made.frame.centre.tolist() == [200.0, 200.0]
    assert made.scale == 1.0


def colour_at(view: MapView, x: float, y: float) -> tuple[int, int, int]:
    image = view.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    column, row = view.frame.to_view(np.array([x, y])).astype(int).tolist()
    found = image.pixelColor(column, row)
    return found.red(), found.green(), found.blue()


def test_vehicles_are_boxes_where_they_are(view):
    made, state, arrays = view
    arrays.vehicles[0, [V.kind, V.x, V.y, V.yaw]] = 0.0, 20.0, 10.0, np.pi / 2.0
    made.show_state(state)
    assert len(made.traffic.vehicles) == 1
    red, green, blue = colour_at(made, 20.0, 10.0)
    assert red > 200 > green > blue
    assert colour_at(made, 20.0, 11.5) == (red, green, blue)
    assert colour_at(made, 22.5, 10.0) == (255, 255, 255)
    assert colour_at(made, -20.0, -10.0) == (255, 255, 255)


def test_people_are_dots_and_vanish_when_they_leave(view):
    made, state, arrays = view
    arrays.people[1, [P.kind, P.x, P.y]] = 0.0, -10.0, 30.0
    made.show_state(state)
    red, green, blue = colour_at(made, -10.0, 30.0)
    assert blue > green
    assert red > green
    arrays.people[1, P.kind] = -1.0
    made.show_state(state)
    assert colour_at(made, -10.0, 30.0) == (255, 255, 255)


def test_signals_have_the_colour_that_they_show(view):
    made, state, arrays = view
    assert made.scale > SIGNAL_SCALE
    for shown, is_red in ((SignalState.RED, True), (SignalState.GREEN, False)):
        arrays.signals[5] = shown
        made.show_state(state)
        red, green, _ = colour_at(made, -30.0, -30.0)
        assert (red > green) is is_red
    arrays.signals[5] = SignalState.OFF
    made.show_state(state)
    assert colour_at(made, -30.0, -30.0) == (255, 255, 255)


def test_a_map_without_traffic_shows_none(view, application):
    made, *_ = view
    world = load_world("worlds/yard.xml")
    tree = build_tree(replace(world, traffic=None))
    made.show_tree(tree)
    made.show_state(State(tree))
    assert not len(made.traffic.vehicles)
    assert made.grab().toImage().width() == 400


def test_the_picture_of_a_world_with_traffic_says_where_its_signals_are():
    compiled = compile_world(load_world("worlds/circle_town.xml").terrain)
    picture = draw_map_picture(compiled, has_traffic=True)
    assert len(picture.signal_groups) == len(picture.signal_places) > 0
    assert not len(draw_map_picture(compiled, has_traffic=False).signal_groups)
