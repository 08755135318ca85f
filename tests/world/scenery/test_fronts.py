"""Doors and shop fronts stand on the walls of houses, where the map has them."""

import numpy as np
import pytest
from PIL import Image

from autosim.config.descriptions import MapSetup
from autosim.config.diagnostics import Diagnostics
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.meshes import Surface
from autosim.world.pipeline.world_pipeline import build_world
from tests.world.maps import RESIDENTIAL, build_map, write_map

STREET = (((-120.0, 0.0), (120.0, 0.0)), RESIDENTIAL)
HOUSE = (
    ((-10.0, 15.0), (10.0, 15.0), (10.0, 30.0), (-10.0, 30.0), (-10.0, 15.0)),
    {"building": "yes"},
)
NEXT = (
    ((10.0, 15.0), (30.0, 15.0), (30.0, 30.0), (10.0, 30.0), (10.0, 15.0)),
    {"building": "yes"},
)


def on_a_slope(folder, ways, **others):
    """A world whose ground rises to the north by a third."""
    rows = np.repeat(np.linspace(200.0, 0.0, 101)[:, None], 101, axis=1)
    Image.fromarray(rows.astype(np.uint8)).save(folder / "heights.png")
    return build_world(
        write_map(folder, ways, **others),
        setup=MapSetup("slope", height_data_per_area=2.0, height_division_coefficient=3.0),
        height_map=folder / "heights.png",
        driving_side="left",
        diagnostics=Diagnostics(),
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


@pytest.mark.parametrize("is_house", [True, False])
def test_a_shop_that_is_an_area_has_its_front_on_the_street(tmp_path, is_house):
    shop = {"shop": "supermarket"}
    inside = ((-8.0, 15.0), (8.0, 15.0), (8.0, 28.0), (-8.0, 28.0), (-8.0, 15.0))
    ways = [(HOUSE[0], HOUSE[1] | shop)] if is_house else [HOUSE, (inside, shop)]
    world = build_map(tmp_path, [STREET, *ways])
    (window,) = parts(world, Surface.SHOP_WINDOW)
    assert window[:, 0].mean() == pytest.approx(0.0, abs=0.1)
    assert 14.8 < window[:, 1].min() < 14.99
    assert not len(parts(world, Surface.DOOR))


def test_a_door_stands_on_the_ground_and_none_above_its_house(tmp_path):
    # A hillside of 1 in 3: the house is 6 m high above its mean ground.
    world = on_a_slope(tmp_path, [STREET, HOUSE], nodes=[((0.0, 30.0), {"entrance": "yes"})])
    (door,) = parts(world, Surface.DOOR)
    assert door[:, 1].mean() == pytest.approx(30.0, abs=0.1)
    spot = np.array([[0.0, 30.7]])
    assert door[:, 2].max() == pytest.approx(
        GroundIndex.build(world.ground).heights_at(spot)[0] + 2.2, abs=0.01
    )
    low = ((-10.0, 15.0), (10.0, 15.0), (10.0, 45.0), (-10.0, 45.0), (-10.0, 15.0))
    sunk = on_a_slope(
        tmp_path,
        [STREET, (low, {"building": "yes", "height": "4"})],
        nodes=[((0.0, 45.0), {"entrance": "yes"})],
    )
    assert not len(parts(sunk, Surface.DOOR)), "its upper wall lies below the ground"
