"""Large worlds are made in blocks: as sound as in one, and the same however many work at once."""

import dataclasses

import numpy as np
import pytest

from autosim.config.diagnostics import Diagnostics
from autosim.world.compiled.compiled_world import CompiledWorld, PropKind
from autosim.world.compiled.ground_index import GroundIndex, all_levels
from autosim.world.geometry import block_grid
from autosim.world.geometry.block_grid import BlockGrid
from autosim.world.geometry.meshes import Surface, odd_edges
from autosim.world.pipeline.steps import steps_in_plan
from autosim.world.pipeline.steps.steps_in_plan import BusyWorld
from autosim.world.pipeline.world_pipeline import build_world
from autosim.world.surfaces.seams import chain_along, divided_chain, seams_of, welded, with_chains
from tests.world.maps import TOWN, write_map

WATER = {"natural": "water"}
STREET = {"highway": "residential", "sidewalk": "both"}


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(block_grid, "LARGEST_BLOCK", 200.0)
    monkeypatch.setattr(block_grid, "BLOCK", 150.0)


def build(path, **others) -> CompiledWorld:
    return build_world(path, driving_side="right", diagnostics=Diagnostics(), **others)


def same_bytes(first, second) -> bool:
    """Whether two records hold the same values, arrays to the byte."""
    if dataclasses.is_dataclass(first):
        names = [field.name for field in dataclasses.fields(first) if field.compare]
        return all(same_bytes(getattr(first, name), getattr(second, name)) for name in names)
    if isinstance(first, np.ndarray):
        return first.dtype == second.dtype and first.tobytes() == second.tobytes()
    return bool(first == second)


def seam_lines(world) -> BlockGrid:
    grid = BlockGrid.of(world.bounds)
    assert grid.count > 3
    return grid


@pytest.fixture(scope="module")
def town_in_blocks() -> CompiledWorld:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_grid, "LARGEST_BLOCK", 200.0)
        patch.setattr(block_grid, "BLOCK", 150.0)
        world = build(TOWN, processes=1)
        seam_lines(world)
        return world


@pytest.fixture(scope="module")
def town() -> CompiledWorld:
    world = build(TOWN)
    assert BlockGrid.of(world.bounds).count == 1
    return world


def test_a_world_of_two_kilometres_is_one_block():
    assert BlockGrid.of((-1060.0, -1060.0, 1060.0, 1060.0)).count == 1


def test_a_busy_one_is_four_and_a_long_one_fewer():
    assert BlockGrid.of((-1060.0, -1060.0, 1060.0, 1060.0), is_busy=True).count == 4
    long = BlockGrid.of((0.0, 0.0, 1000.0, 300.0), is_busy=True)
    assert long.boxes == [(0.0, 0.0, 500.0, 300.0), (500.0, 0.0, 1000.0, 300.0)]


def test_a_larger_one_is_divided_alike_however_busy_it_is():
    box = (-5000.0, -3000.0, 5000.0, 3000.0)
    assert BlockGrid.of(box, is_busy=True) == BlockGrid.of(box)


def test_blocks_cover_a_large_world_once():
    box = (-5000.0, -3000.0, 5000.0, 3000.0)
    grid = BlockGrid.of(box)
    areas = [(x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in grid.boxes]
    assert sum(areas) == pytest.approx(10_000.0 * 6_000.0)
    assert max(areas) < block_grid.LARGEST_BLOCK**2
    middles = np.array([((x0 + x1) / 2, (y0 + y1) / 2) for x0, y0, x1, y1 in grid.boxes])
    assert grid.at(middles).tolist() == list(range(grid.count))


def test_any_number_of_processes_makes_the_same_world(small_blocks, town_in_blocks, monkeypatch):
    monkeypatch.setattr(steps_in_plan, "BUSY", BusyWorld(lanes=0))
    assert same_bytes(build(TOWN, processes=3), town_in_blocks)


def test_so_it_does_of_a_busy_small_world(town, monkeypatch):
    monkeypatch.setattr(steps_in_plan, "BUSY", BusyWorld(lanes=0))
    quarters = build(TOWN, processes=2)
    assert same_bytes(build(TOWN, processes=1), quarters)
    assert not same_bytes(quarters.ground, town.ground)


def test_a_world_in_blocks_is_as_sound_as_in_one(town_in_blocks):
    measures = dict(town_in_blocks.invariants)
    for name in ("open_edges", "non_manifold_edges", "road_slivers", "missed_rays"):
        assert measures[name] == 0.0, name
    assert measures["downward_faces"] == 0.0
    assert measures["missed_lane_rays"] == 0.0


def test_both_sides_of_a_seam_have_the_same_vertices(small_blocks, town_in_blocks):
    grid = seam_lines(town_in_blocks)
    ground = town_in_blocks.ground
    edges, _ = odd_edges(ground.triangles)
    for axis, lines in ((0, grid.xs[1:-1]), (1, grid.ys[1:-1])):
        for line in lines:
            assert (ground.vertices[:, axis] == line).sum() > 10
            assert not (ground.vertices[edges][:, :, axis] == line).all(axis=1).any()
    # No triangle lies on both sides of a seam.
    corners = ground.vertices[ground.triangles][:, :, :2]
    for axis, lines in ((0, grid.xs[1:-1]), (1, grid.ys[1:-1])):
        for line in lines:
            sides = np.sign(corners[:, :, axis] - line)
            assert not ((sides > 0).any(axis=1) & (sides < 0).any(axis=1)).any()


def test_blocks_change_no_street_and_hardly_the_ground(town, town_in_blocks):
    points = np.random.default_rng(1).uniform(-150.0, 150.0, size=(20_000, 2))
    one, many = (GroundIndex.build(all_levels(world)) for world in (town, town_in_blocks))
    same = one.surfaces_at(points) == many.surfaces_at(points)
    assert same.mean() > 0.999
    gaps = np.abs(one.heights_at(points) - many.heights_at(points))
    on_road = one.surfaces_at(points) == Surface.CARRIAGEWAY
    assert gaps[same & on_road].max() < 0.02
    assert gaps[same].mean() < 0.01
    np.testing.assert_allclose(
        town_in_blocks.roads.points[:, :2], town.roads.points[:, :2], atol=1e-9
    )


def test_each_object_is_in_one_block(town, town_in_blocks):
    for name in ("buildings", "house_boxes", "structures", "markings"):
        count = len(getattr(town, name).triangles)
        assert len(getattr(town_in_blocks, name).triangles) == count, name
    # Gardens lie on the ground that is left, which seams change by a hair.
    one, many = (np.bincount(world.props.kinds) for world in (town, town_in_blocks))
    planted = [PropKind.BROADLEAF, PropKind.HEDGE]
    np.testing.assert_array_equal(np.delete(many, planted), np.delete(one, planted))
    np.testing.assert_allclose(many[planted], one[planted], rtol=0.02)
    assert town_in_blocks.left_out == town.left_out
    assert town_in_blocks.used == town.used


def test_a_building_on_a_seam_keeps_clear_of_streets_in_other_blocks(small_blocks, tmp_path):
    def box(x0, y0, x1, y1):
        return ((x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0))

    street = (((-190.0, 0.0), (190.0, 0.0)), STREET)
    across = (((150.0, -190.0), (150.0, 190.0)), STREET)
    long_house = (box(-160.0, 20.0, 153.0, 40.0), {"building": "yes"})
    path = write_map(tmp_path, [street, across, long_house])
    world = build(path, processes=2)
    assert dict(world.left_out)["buildings cut back"] == 1
    walls = world.buildings.vertices[:, :2]
    assert walls[:, 0].max() < 150.0 - 2.0
    assert walls[:, 0].min() < -155.0


def test_a_hole_and_a_bridge_over_a_seam(small_blocks, tmp_path):
    bridge = {"highway": "secondary", "bridge": "yes", "layer": "1"}
    road = {"highway": "secondary"}
    ways = [
        (((-190.0, 3.0), (-60.0, 3.0)), road),
        (((-60.0, 3.0), (60.0, -3.0)), bridge),
        (((60.0, -3.0), (190.0, -3.0)), road),
        (((0.0, -190.0), (0.0, 0.0), (0.0, 190.0)), STREET),
        (((-30.0, 40.0), (35.0, 42.0), (30.0, 90.0), (-33.0, 88.0), (-30.0, 40.0)), WATER),
    ]
    world = build(write_map(tmp_path, ways), processes=1)
    measures = dict(world.invariants)
    assert measures["open_edges"] == measures["non_manifold_edges"] == 0.0
    assert measures["missed_lane_rays"] == 0.0
    assert measures["min_clearance_m"] > 4.0
    assert (world.ground.surfaces == Surface.WATER).any()


def test_progress_goes_on_within_steps(small_blocks):
    told = []
    build(TOWN, processes=2, progress=lambda name, share: told.append((name, share)))
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len({share for name, share in told if name == "divide the ground"}) > 3


def two_blocks() -> BlockGrid:
    return BlockGrid((0.0, 100.0, 200.0), (0.0, 100.0))


def test_the_chain_of_a_seam_has_the_corners_of_both_sides_once():
    (seam,) = seams_of(two_blocks())
    left = np.array([[100.0, 40.0], [99.96, 60.0], [90.0, 70.0]])
    right = np.array([[100.0, 40.02], [100.0, 80.0]])
    chain = chain_along(seam, [left, right])
    assert chain[:, 0].tolist() == [100.0] * 5
    assert chain[:, 1].tolist() == [0.0, 40.0, 60.0, 80.0, 100.0]


def test_a_chain_is_divided_into_pieces_that_are_short_enough():
    chain = divided_chain(np.array([[0.0, 0.0], [0.0, 10.0], [0.0, 12.0]]), np.array([4.0, 4.0]))
    assert np.diff(chain[:, 1]).max() <= 4.0
    assert {0.0, 10.0, 12.0} <= set(chain[:, 1].tolist())


def test_corners_near_a_chain_become_its_vertices():
    corners = np.array([[50.0, 50.0], [99.97, 40.01], [99.95, 60.0], [50.0, 60.0]])
    edges = np.array([[0, 1], [1, 2], [2, 3], [3, 0]])
    chain = np.array([[100.0, 0.0], [100.0, 40.0], [100.0, 60.0], [100.0, 100.0]])
    vertices, left, along = with_chains(corners, edges, [chain])
    assert len(along) == 3
    assert len(left) == 3
    assert {tuple(v) for v in vertices.tolist()} == {
        (50.0, 50.0), (50.0, 60.0), *map(tuple, chain.tolist())
    }  # fmt: skip


def test_vertices_on_a_seam_are_welded_and_no_others():
    left = np.array([[0.0, 0.0], [100.0, 0.0], [100.0, 100.0]])
    right = np.array([[100.0, 100.0], [100.0, 0.0], [200.0, 0.0], [0.0, 0.0]])
    numbers, kept = welded([left, right], two_blocks())
    assert numbers.tolist() == [0, 1, 2, 2, 1, 3, 4]
    assert kept.tolist() == [0, 1, 2, 5, 6]


def test_lines_between_blocks_keep_away_from_points_of_streets():
    box = (-1000.0, -1000.0, 1000.0, 1000.0)
    on_lines = np.array([[0.0, 7.0], [0.01, 3.0], [300.0, 0.003], [5.0, -0.012]])
    grid = BlockGrid.of(box, is_busy=True, avoided=on_lines)
    assert np.abs(on_lines[:, 0] - grid.xs[1]).min() >= 0.005
    assert np.abs(on_lines[:, 1] - grid.ys[1]).min() >= 0.005
    assert abs(grid.xs[1]) < 0.05
    assert abs(grid.ys[1]) < 0.05
    away = np.array([[9.0, -9.0]])
    assert BlockGrid.of(box, is_busy=True, avoided=away) == BlockGrid.of(box, is_busy=True)
    wall = np.column_stack([np.arange(-3000.0, 3000.0) * 0.01, np.zeros(6000)])
    assert BlockGrid.of(box, is_busy=True, avoided=wall).xs == (-1000.0, 0.0, 1000.0)
