"""Doors and shop fronts stand on the walls of houses, where the map has them."""

import numpy as np
import pytest

from autosim.world.geometry.meshes import Surface
from tests.world.maps import RESIDENTIAL, build_map

STREET = (((-120.0, 0.0), (120.0, 0.0)), RESIDENTIAL)
HOUSE = (
    ((-10.0, 15.0), (10.0, 15.0), (10.0, 30.0), (-10.0, 30.0), (-10.0, 15.0)),
    {"building": "yes"},
)
NEXT = (
    ((10.0, 15.0), (30.0, 15.0), (30.0, 30.0), (10.0, 30.0), (10.0, 15.0)),
    {"building": "yes"},
)


def parts(world, surface):
    """The boxes (n, 8, 3) of a surface."""
    chosen = world.obstacles.select(world.obstacles.surfaces == surface)
    return chosen.vertices.reshape(-1, 8, 3)


def test_a_house_has_a_door_to_the_street(tmp_path):
    (door,) = parts(build_map(tmp_path, [STREET, HOUSE]), Surface.DOOR)
    assert door[:, 0].mean() == pytest.approx(0.0, abs=0.1)
    assert 14.8 < door[:, 1].min() < 14.99
    assert 2.0 < door[:, 2].max() < 2.6


def test_an_entrance_takes_the_place_of_that_door(tmp_path):
    world = build_map(tmp_path, [STREET, HOUSE], nodes=[((-10.0, 22.0), {"entrance": "yes"})])
    (door,) = parts(world, Surface.DOOR)
    assert door[:, 0].min() < -10.0
    assert door[:, 1].mean() == pytest.approx(22.0, abs=0.1)


@pytest.mark.parametrize("tags", [{"shop": "bakery"}, {"amenity": "cafe"}])
def test_a_shop_has_a_window_under_an_awning_on_the_nearest_wall(tmp_path, tags):
    world = build_map(tmp_path, [STREET, HOUSE], nodes=[((4.0, 17.0), tags)])
    (window,), (awning,) = parts(world, Surface.SHOP_WINDOW), parts(world, Surface.AWNING)
    assert window[:, 0].mean() == awning[:, 0].mean() == pytest.approx(4.0, abs=0.1)
    assert window[:, 1].min() > awning[:, 1].min()
    assert awning[:, 2].min() == pytest.approx(window[:, 2].max())
    assert dict(world.ignored) == {}


def test_a_vacant_shop_has_none_and_two_shops_do_not_overlap(tmp_path):
    nodes = [
        ((-5.0, 17.0), {"shop": "vacant"}),
        ((4.0, 17.0), {"shop": "books"}),
        ((5.0, 17.5), {"shop": "shoes"}),
    ]
    world = build_map(tmp_path, [STREET, HOUSE], nodes=nodes)
    assert len(parts(world, Surface.SHOP_WINDOW)) == 1


def test_nothing_stands_between_houses_that_touch(tmp_path):
    entrance = ((9.9, 22.0), {"entrance": "yes"})
    world = build_map(tmp_path, [STREET, HOUSE, NEXT], nodes=[entrance])
    for door in parts(world, Surface.DOOR):
        assert np.abs(door[:, 0].mean() - 10.0) > 0.7


def test_fronts_are_seen_from_outside(tmp_path):
    mesh = build_map(tmp_path, [STREET, HOUSE]).obstacles
    a, b, c = np.moveaxis(mesh.vertices[mesh.triangles[mesh.surfaces == Surface.DOOR]], 1, 0)
    volume = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0
    assert volume > 0.0
