"""Trees, lamps, benches, walls and rails stand where the map has them and never on roads."""

import numpy as np
import pytest

from autosim.world.compiled.compiled_file import load_compiled_world, save_compiled_world
from autosim.world.compiled.compiled_world import PropKind
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.meshes import Surface
from tests.world.maps import CROSSING, MAPS, TOWN, build_map

TREE, LAMP, BENCH = {"natural": "tree"}, {"highway": "street_lamp"}, {"amenity": "bench"}
PARK = ((10.0, 10.0), (110.0, 10.0), (110.0, 110.0), (10.0, 110.0), (10.0, 10.0))


def surfaces_under(world, kinds):
    chosen = np.isin(world.props.kinds, kinds)
    return GroundIndex.build(world.ground).surfaces_at(world.props.positions[chosen])


def closed(mesh):
    t = mesh.triangles
    edges = np.sort(np.vstack([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]]), axis=1)
    _, uses = np.unique(edges, axis=0, return_counts=True)
    return set(uses.tolist()) <= {2}


def test_mapped_things_stand_in_their_places(tmp_path):
    nodes = [((30.0, 30.0), {**TREE, "height": "12"}), ((40.0, 4.2), LAMP), ((50.0, 20.0), BENCH)]
    props = build_map(tmp_path, CROSSING, nodes=nodes).props
    assert props.kinds.tolist() == [PropKind.BROADLEAF, PropKind.LAMP, PropKind.BENCH]
    assert props.positions[:, :2] == pytest.approx(
        np.array([[30.0, 30.0], [40.0, 4.2], [50.0, 20.0]]), abs=0.05
    )
    assert props.heights[0] == 12.0
    # The lamp's arm and the sitter look at the street, south of them.
    assert props.yaws[1:] == pytest.approx([-np.pi / 2.0] * 2, abs=0.6)


def test_what_is_mapped_on_the_carriageway_is_left_out_and_counted(tmp_path):
    world = build_map(tmp_path, CROSSING, nodes=[((30.0, 1.0), TREE), ((40.0, 0.5), LAMP)])
    assert not len(world.props.kinds)
    assert dict(world.left_out) == {
        "trees on carriageways or in buildings": 1,
        "street_lamp on carriageways or in buildings": 1,
    }


def test_mapped_trees_and_lamps_collide_and_seeded_trees_do_not(tmp_path):
    nodes = [((30.0, -30.0), TREE), ((40.0, 4.2), LAMP)]
    world = build_map(tmp_path, [*CROSSING, (PARK, {"leisure": "park"})], nodes=nodes)
    assert (world.props.kinds != PropKind.LAMP).sum() > 10
    assert len(world.obstacles.triangles) == 2 * 12
    assert set(world.obstacles.surfaces.tolist()) == {Surface.STEM}
    assert closed(world.obstacles)


def test_seeded_trees_fill_parks_at_a_limited_density_and_keep_off_streets(tmp_path):
    world = build_map(tmp_path, [*CROSSING, (PARK, {"leisure": "park"})])
    trees = world.props.positions[:, :2]
    assert 15 < len(trees) < 40
    assert trees.min() > 9.0
    assert trees.max() < 111.0
    under = surfaces_under(world, [PropKind.BROADLEAF, PropKind.CONIFER])
    assert not np.isin(under, [Surface.CARRIAGEWAY, Surface.PAVEMENT, Surface.KERB]).any()


def test_a_row_of_trees_follows_its_line(tmp_path):
    row = ((20.0, 30.0), (92.0, 30.0))
    props = build_map(tmp_path, [*CROSSING, (row, {"natural": "tree_row"})]).props
    assert props.positions[:, 1] == pytest.approx(30.0, abs=0.05)
    gaps = np.diff(props.positions[:, 0])
    assert gaps == pytest.approx(gaps[0])
    assert 9.0 <= gaps[0] < 11.0


def test_walls_are_closed_solids_that_keep_off_the_carriageway(tmp_path):
    wall = ((-60.0, -40.0), (-60.0, 40.0))
    world = build_map(tmp_path, [*CROSSING, (wall, {"barrier": "wall", "height": "2"})])
    mesh = world.obstacles
    assert closed(mesh)
    assert set(mesh.surfaces.tolist()) == {Surface.MASONRY}
    assert mesh.vertices[:, 2].max() == pytest.approx(2.15, abs=0.2)
    assert np.abs(mesh.vertices[:, 1]).min() > 3.3


def test_rails_lie_on_ballast_and_in_streets_level_with_the_road(tmp_path):
    track = ((60.0, -80.0), (60.0, 80.0))
    world = build_map(tmp_path, [*CROSSING, (track, {"railway": "rail"})])
    mesh = world.rails
    assert set(mesh.surfaces.tolist()) == {Surface.BALLAST, Surface.RAIL}
    in_street = mesh.vertices[np.abs(mesh.vertices[:, 1]) < 2.5]
    assert in_street[:, 2].max() < 0.05
    assert np.ptp(mesh.vertices[:, 0]) == pytest.approx(3.0, abs=0.05)
    assert not np.isin(world.ground.surfaces, [Surface.RAIL, Surface.BALLAST]).any()


@pytest.mark.parametrize("name", ["town", "city/neukolln.osm", "city/leeds_cycleway.osm"])
def test_no_tree_stands_on_a_road_of_a_real_map(built, name):
    world = built(TOWN if name == "town" else MAPS / name)
    parked = (PropKind.PARKED_CAR, PropKind.PARKED_VAN)
    under = surfaces_under(world, [kind for kind in PropKind if kind not in parked])
    assert len(under) > 100
    assert not np.isin(under, [-1, Surface.CARRIAGEWAY, Surface.KERB]).any()
    assert closed(world.obstacles)
    assert closed(world.buildings)


def test_the_same_map_gives_the_same_scenery_also_out_of_a_file(tmp_path):
    ways = [*CROSSING, (PARK, {"leisure": "park"})]
    nodes = [((30.0, -30.0), TREE), ((40.0, 4.2), LAMP)]
    first, second = (build_map(tmp_path, ways, nodes=nodes) for _ in range(2))
    save_compiled_world(first, tmp_path / "town.world")
    for other in (second, load_compiled_world(tmp_path / "town.world")):
        for name in ("kinds", "positions", "yaws", "heights"):
            assert getattr(first.props, name).tobytes() == getattr(other.props, name).tobytes()
        for part in ("markings", "rails", "obstacles", "buildings"):
            for name in ("vertices", "triangles", "surfaces"):
                mine, its = getattr(first, part), getattr(other, part)
                assert getattr(mine, name).tobytes() == getattr(its, name).tobytes()
        assert first.building_tints.tobytes() == other.building_tints.tobytes()
