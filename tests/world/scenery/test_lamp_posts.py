"""Streets that are lit have lamps, also where the map has none of its own."""

import numpy as np

from autosim.world.compiled.compiled_world import PropKind
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.meshes import Surface
from tests.world.maps import build_map

STREET = ((-150.0, 0.0), (150.0, 0.0))
HOUSE = ((20.0, 12.0), (40.0, 12.0), (40.0, 22.0), (20.0, 22.0), (20.0, 12.0))


def lamps(tmp_path, tags, *, nodes=(), houses=()):
    ways = [(STREET, {"highway": "residential", **tags})]
    ways += [(house, {"building": "yes"}) for house in houses]
    world = build_map(tmp_path, ways, nodes=list(nodes))
    return world, world.props.positions[world.props.kinds == PropKind.LAMP]


def test_a_lit_street_has_lamps_on_both_sides_beside_the_carriageway(tmp_path):
    world, places = lamps(tmp_path, {"lit": "yes"})
    assert 8 <= len(places) <= 12
    assert (places[:, 1] > 2.0).any()
    assert (places[:, 1] < -2.0).any()
    assert np.abs(places[:, 1]).max() < 8.0
    gaps = np.diff(np.sort(places[:, 0]))
    assert gaps.min() > 16.0
    assert gaps.max() < 45.0
    under = GroundIndex.build(world.ground).surfaces_at(places)
    assert not np.isin(under, (Surface.CARRIAGEWAY, Surface.KERB)).any()
    # Nobody knows where exactly they stand: they stop no car.
    assert not len(world.obstacles.triangles)


def test_a_street_that_the_map_calls_dark_has_none(tmp_path):
    assert not len(lamps(tmp_path, {"lit": "no"}, houses=[HOUSE])[1])
    assert not len(lamps(tmp_path, {"lit": "yes", "bridge": "yes", "layer": "1"})[1])


def test_where_the_map_says_nothing_streets_are_lit_beside_houses(tmp_path):
    assert not len(lamps(tmp_path, {})[1])
    _, places = lamps(tmp_path, {}, houses=[HOUSE])
    assert 1 <= len(places) <= 4
    assert (np.abs(places[:, 0] - 30.0) < 45.0).all()


def test_lamps_of_the_map_are_enough_where_they_are(tmp_path):
    mapped = [((-60.0, 5.0), {"highway": "street_lamp"})]
    _, places = lamps(tmp_path, {"lit": "yes"}, nodes=mapped)
    apart = np.linalg.norm(places[:, None, :2] - places[None, :, :2], axis=2)
    at = np.argmin(np.abs(places[:, 0] + 60.0))
    assert np.sort(apart[at])[1] > 27.0


def test_the_same_map_has_the_same_lamps(tmp_path):
    first, again = (lamps(tmp_path, {"lit": "yes"})[1] for _ in range(2))
    np.testing.assert_array_equal(first, again)
