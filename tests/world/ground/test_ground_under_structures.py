"""The room that the ground makes for bridges and tunnels."""

import numpy as np
import shapely

from autosim.world.geometry.height_function import flat
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.ground.ground_under_structures import PassingStreets, ground_room, lowered_ground
from autosim.world.levels.level_division import GROUND, LevelTransition, divide_into_levels
from autosim.world.structures.decks import Deck
from autosim.world.surfaces.partition import make_partition

NOTHING = shapely.MultiPolygon()
BRIDGE = shapely.box(10.0, 10.0, 40.0, 20.0)
LOW_END = shapely.box(0.0, 0.0, 25.0, 30.0)


def low_bridge(shape=BRIDGE):
    """A bridge whose western half lies little above the ground."""
    no_floor = Mesh(np.zeros((0, 3)), np.zeros((0, 3), np.int64), np.zeros(0, np.uint8))
    return Deck(1, 1, shape, shape, flat, no_floor, LOW_END, np.zeros(0))


def begins_at(x, y):
    """A transition at which a street 8 m wide goes eastwards from the ground onto the bridge."""
    return LevelTransition(GROUND, 1, 0, np.array([x, y]), np.array([1.0, 0.0]), 4.0, 0.0)


def test_the_ground_is_low_under_all_of_a_low_bridge_and_as_it_was_within_a_step_of_it():
    *_, under, around = ground_room([low_bridge()], NOTHING).low
    deck = shapely.intersection(BRIDGE, LOW_END)
    # A deck's edge is a border of neither: what is steep would begin under it.
    assert shapely.covers(under, deck.buffer(0.1) & LOW_END)
    assert shapely.covers(around, under.buffer(0.1) & LOW_END)
    assert shapely.covers(deck.buffer(1.0), around)
    assert not shapely.intersects(around, BRIDGE - LOW_END.buffer(0.1)), "there it lies high"


def test_the_ground_beside_a_low_bridge_has_a_border_where_it_is_lowered_and_one_around():
    room = ground_room([low_bridge()], NOTHING)
    given = dict.fromkeys(("carriageway", "pavement", "water"), NOTHING)
    window = shapely.box(0.0, 0.0, 50.0, 30.0)
    found = make_partition(window, **given, cover=[(Surface.PARK, window)], bare=room.low)
    bare = found.polygons[found.surfaces == Surface.GROUND]
    *_, inner, outer = room.low
    wanted = sorted([inner.area, shapely.difference(outer, inner).area])
    assert np.allclose(sorted(shapely.area(bare)), wanted, rtol=0.02)


def test_carriageways_and_a_second_bridge_divide_the_low_ground():
    crossing = shapely.box(15.0, 0.0, 20.0, 30.0)
    street = shapely.box(0.0, 5.0, 25.0, 11.0)
    room = ground_room([low_bridge(), low_bridge(crossing)], street)
    both, twice, clear, inner, outer = room.low
    assert shapely.covers(twice, crossing & BRIDGE)
    assert shapely.covers((BRIDGE | crossing).buffer(1.0), outer)
    assert not shapely.intersects(clear, street), "a street is not lowered"
    assert shapely.equals(both, twice & clear)
    assert shapely.covers(inner, clear)


def test_the_ground_keeps_below_a_bridge_whose_neighbour_begins_farther_on():
    transitions = [begins_at(10.0, 15.0), begins_at(22.0, 6.0)]
    under = np.array([[11.5, 11.2]])
    z = lowered_ground(
        under,
        np.array([0.02]),
        [low_bridge()],
        transitions,
        on_carriageway=np.zeros(1, dtype=np.bool_),
        passing=PassingStreets([], divide_into_levels([], [])),
        holes=NOTHING,
    )
    assert z < 0.0
