"""Where plots have their values from, and how they show few of them."""

import pytest

pytest.importorskip("PyQt6")

from autosim.applications.gui import history as history_module
from autosim.applications.gui.history import History
from autosim.applications.gui.plot import Plot
from autosim.applications.gui.plots_panel import reader
from autosim.config.loader import load_world
from autosim.simulation.director import build_tree
from autosim.simulation.state import State

SPEED = "impreza.chassis.velocimeter"
TREE = build_tree(load_world("worlds/circle_town.xml"))


def test_a_history_holds_what_is_older_than_the_newest_state(monkeypatch):
    state = State(TREE)
    history = History()

    def add(*times_ns):
        for time_ns in times_ns:
            state.ints[1] = time_ns
            history.add(state)
        return [int(each.ints[1]) for each in history]

    assert add(0, 10, 20, 20) == [0, 10, 20]
    assert add(15) == [0, 10, 15]
    assert add(0) == [0]
    monkeypatch.setattr(history_module, "MOST_BYTES", 3 * len(state.buffer))
    assert add(10, 20, 30, 40) == [20, 30, 40]


def test_a_value_that_is_alone_is_drawn_as_a_dot(application):
    plot = Plot("car.speed", unit="m/s", labels=("speed",))
    plot.resize(320, 150)
    blank = plot.grab().toImage()
    plot.add(0.0, 2.0)
    ink = plot._colour(0).rgb()
    picture = plot.grab().toImage()
    places = [(x, y) for x in range(picture.width()) for y in range(picture.height())]
    assert sum(picture.pixel(x, y) == ink for x, y in places) > 10
    assert not any(blank.pixel(x, y) == ink for x, y in places)


def test_a_plot_of_another_world_shows_only_what_that_world_has():
    read = reader(SPEED, TREE.find(SPEED).fields[0])
    assert read(State(TREE)) == 0.0
    assert read(State(build_tree(load_world("worlds/yard.xml")))) is None
