"""The room that the ground makes for bridges and tunnels."""

import numpy as np
import shapely

from autosim.world.compiled import Mesh, Surface
from autosim.world.decks import Deck
from autosim.world.ground_relief import ground_room
from autosim.world.heights import flat
from autosim.world.partition import make_partition

NOTHING = shapely.MultiPolygon()
BRIDGE = shapely.box(10.0, 10.0, 40.0, 20.0)
LOW_END = shapely.box(0.0, 0.0, 25.0, 30.0)


def low_bridge():
    """A bridge whose western half lies little above the ground."""
    no_floor = Mesh(np.zeros((0, 3)), np.zeros((0, 3), np.int64), np.zeros(0, np.uint8))
    return Deck(1, 1, BRIDGE, BRIDGE, flat, no_floor, LOW_END)


def test_the_ground_is_low_under_all_of_a_low_bridge_and_as_it_was_within_a_step_of_it():
    under, around = ground_room([low_bridge()], NOTHING).low
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
    found = make_partition(window, **given, park=window, bare=room.low)
    bare = found.polygons[found.surfaces == Surface.GROUND]
    inner, outer = room.low
    wanted = sorted([inner.area, shapely.difference(outer, inner).area])
    assert np.allclose(sorted(shapely.area(bare)), wanted, rtol=0.02)
