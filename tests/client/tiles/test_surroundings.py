"""The land beyond the map joins the ground at the border and goes to the horizon."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.client.tiles.beyond.land_beyond import land_beyond
from autosim.client.tiles.beyond.map_border import border_of
from autosim.client.tiles.beyond.surrounding_land import surroundings_of
from autosim.client.tiles.instance_labels import CLASS_OF_SURFACE
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.lanes.roads import LaneRecord, RoadNetwork
from tests.worlds import flat_world

BOUNDS = (-200.0, -100.0, 200.0, 100.0)
STEP = 20.0
SEA_LEVEL = -1.0


def hilly_coast():
    """A map of 400 m x 200 m that rises to the north, with the sea along its southern half."""
    xs, ys = np.arange(-200.0, 201.0, STEP), np.arange(-100.0, 101.0, STEP)
    x, y = np.meshgrid(xs, ys)
    z = np.where(y <= 0.0, SEA_LEVEL, 0.1 * y + np.sin(x / 50.0))
    vertices = np.column_stack([x.ravel(), y.ravel(), z.ravel()])
    row, column = np.meshgrid(np.arange(len(ys) - 1), np.arange(len(xs) - 1), indexing="ij")
    first = (row * len(xs) + column).ravel()
    triangles = np.vstack(
        [
            np.column_stack([first, first + 1, first + len(xs) + 1]),
            np.column_stack([first, first + len(xs) + 1, first + len(xs)]),
        ]
    ).astype(np.int32)
    middles = vertices[triangles].mean(axis=1)
    surfaces = np.where(middles[:, 1] < 0.0, Surface.WATER, Surface.PARK).astype(np.uint8)
    return Mesh(vertices, triangles, surfaces)


@pytest.fixture(scope="module")
def meshes():
    return surroundings_of(hilly_coast(), BOUNDS)


def corners_of(mesh):
    return mesh.vertices[mesh.triangles]


def is_inside(points):
    return (np.abs(points[:, 0]) < 199.9) & (np.abs(points[:, 1]) < 99.9)


def test_the_surroundings_join_the_border_without_a_step(meshes):
    ground = hilly_coast()
    x, y = np.abs(ground.vertices[:, 0]), np.abs(ground.vertices[:, 1])
    border = ground.vertices[(x == 200.0) | (y == 100.0)]
    points = np.vstack([mesh.vertices for mesh in meshes.values()])
    distances = np.linalg.norm(points[None] - border[:, None], axis=2).min(axis=1)
    assert distances.max() < 1e-3


def test_they_look_up_and_leave_the_map_free(meshes):
    for surface, mesh in meshes.items():
        corners = corners_of(mesh)
        assert not is_inside(corners.mean(axis=1)).any()
        if surface != Surface.HEDGE:
            normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            assert (normals[:, 2] > -1e-3).all()


def test_they_cover_all_around_up_to_the_horizon(meshes):
    flat = [corners_of(mesh) for surface, mesh in meshes.items() if surface != Surface.HEDGE]
    corners = np.vstack(flat)[:, :, :2]
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    covered = np.abs(first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]).sum() / 2.0
    outline = corners.reshape(-1, 2)
    assert np.abs(outline).max() > 4000.0
    # Neither holes nor overlaps: the area is that of the frame, but for the waves of its edge.
    width, height = np.ptp(outline, axis=0)
    assert covered == pytest.approx(width * height, rel=0.25)


def test_the_sea_goes_on_level_where_the_border_is_sea(meshes):
    water = meshes[Surface.WATER]
    far = water.vertices[water.vertices[:, 1] < -1000.0]
    assert len(far)
    np.testing.assert_allclose(far[:, 2], SEA_LEVEL, atol=1e-6)
    assert (water.vertices[:, 1] < 60.0 + 0.7 * np.abs(water.vertices[:, 0])).all()
    assert meshes[Surface.HEDGE].vertices[:, 1].min() > -2000.0
    assert (water.labels[:, 0] == CLASS_OF_SURFACE[Surface.WATER]).all()


def test_land_goes_on_as_it_is_and_then_in_fields_and_woods(meshes):
    assert (np.abs(meshes[Surface.PARK].vertices[:, 1]) < 150.0).all()
    assert len(np.unique(meshes[Surface.GROUND].colours, axis=0)) > 4
    woods = meshes[Surface.HEDGE]
    assert (woods.labels[:, 0] == CLASS_OF_SURFACE[Surface.HEDGE]).all()
    assert len(woods.triangles) > 100


def test_they_are_the_same_every_time(meshes):
    again = surroundings_of(hilly_coast(), BOUNDS)
    assert again.keys() == meshes.keys()
    for surface, mesh in again.items():
        np.testing.assert_array_equal(mesh.vertices, meshes[surface].vertices)
        np.testing.assert_array_equal(mesh.colours, meshes[surface].colours)


def test_a_ground_that_fills_no_rectangle_lies_above_its_surroundings():
    ground = hilly_coast()
    wider = (-300.0, -200.0, 300.0, 200.0)
    assert border_of(ground, wider) is None
    found = surroundings_of(ground, wider)[Surface.GROUND]
    assert found.vertices[:, 2].max() < ground.vertices[:, 2].min()


def test_the_rings_are_few_enough_for_a_processor(meshes):
    assert sum(len(mesh.triangles) for mesh in meshes.values()) < 12_000


def test_a_ground_that_touches_its_bounds_in_points_alone_lies_above_a_level_plain():
    vertices = np.array(
        [[-200.0, 0.0, 1.0], [0.0, -100.0, 2.0], [200.0, 0.0, 1.0], [0.0, 100.0, 1.0]]
    )
    triangles = np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32)
    ground = Mesh(vertices, triangles, np.full(2, Surface.GROUND, dtype=np.uint8))
    assert border_of(ground, BOUNDS) is None
    found = surroundings_of(ground, BOUNDS)
    assert found[Surface.GROUND].vertices[:, 2].max() < vertices[:, 2].min()


def town_with(lane, buildings=None):
    """A plain of 400 m x 400 m with one two-way street; `lane` are its points (n, 3) [m]."""
    extent, steps = 200.0, np.arange(-200.0, 201.0, 50.0)
    x, y = np.meshgrid(steps, steps)
    count = len(steps)
    row, column = np.meshgrid(*[np.arange(count - 1)] * 2, indexing="ij")
    first = (row * count + column).ravel()
    halves = [[first, first + 1, first + count + 1], [first, first + count + 1, first + count]]
    triangles = np.vstack([np.column_stack(each) for each in halves]).astype(np.int32)
    vertices = np.column_stack([x.ravel(), y.ravel(), 0.01 * x.ravel()])
    ground = Mesh(vertices, triangles, np.full(len(triangles), Surface.GROUND, dtype=np.uint8))
    lanes = [
        LaneRecord(0, line, 3.5, 13.9, "residential", False, ()) for line in (lane, lane[::-1])
    ]
    return replace(
        flat_world(),
        bounds=(-extent, -extent, extent, extent),
        ground=ground,
        roads=RoadNetwork.from_lanes(lanes),
        **({} if buildings is None else {"buildings": buildings}),
    )


CUT = np.array([[-100.0, 0.0, -1.0], [0.0, 0.0, 0.0], [135.0, 0.0, 1.35]])


def test_a_street_that_the_border_cuts_runs_on_into_the_land():
    street = land_beyond(town_with(CUT))[Surface.CARRIAGEWAY]
    x, y, z = street.vertices.T
    assert x.min() == pytest.approx(135.0, abs=0.1)
    assert x.max() > 200.0 + 200.0
    assert np.abs(y).max() == pytest.approx(3.5, abs=0.01)
    inside = x < 195.0
    np.testing.assert_allclose(z[inside], 0.01 * x[inside], atol=0.1)
    assert (street.labels[:, 0] == CLASS_OF_SURFACE[Surface.CARRIAGEWAY]).all()


def test_streets_that_end_within_the_map_or_run_along_its_border_end_there():
    ending = CUT - (60.0, 0.0, 0.6)
    assert Surface.CARRIAGEWAY not in land_beyond(town_with(ending))
    along = np.array([[135.0, -50.0, 1.35], [135.0, 50.0, 1.35]])
    assert Surface.CARRIAGEWAY not in land_beyond(town_with(along))


def test_a_building_in_the_way_ends_the_street_before_it():
    corners = np.array([[170.0, -5.0, 0.0], [180.0, 5.0, 0.0], [170.0, 5.0, 8.0]])
    wall = Mesh(corners, np.array([[0, 1, 2]], dtype=np.int32), np.zeros(1, dtype=np.uint8))
    street = land_beyond(town_with(CUT, wall))[Surface.CARRIAGEWAY]
    assert 150.0 < street.vertices[:, 0].max() < 170.0


def test_each_map_has_its_own_fields_and_woods():
    here = town_with(CUT)
    there = replace(here, origin=(52.5, 13.4))
    first, second, again = (land_beyond(each)[Surface.HEDGE] for each in (here, there, here))
    np.testing.assert_array_equal(first.vertices, again.vertices)
    assert (
        first.vertices.shape != second.vertices.shape or (first.vertices != second.vertices).any()
    )


def blocks(world, *, share):
    """The world with blocks of 20 m x 20 m x 15 m on a share of lots of 30 m."""
    generator = np.random.default_rng(3)
    low = np.arange(-195.0, 170.0, 30.0)
    lots = [(x, y) for x in low for y in low if generator.random() < share]
    box = np.array(
        [(x, y, z) for z in (0.0, 15.0) for x, y in ((0, 0), (20, 0), (20, 20), (0, 20))]
    )
    vertices = np.concatenate([box + np.array([x, y, 0.0]) for x, y in lots])
    faces = [(0, 1, 5), (0, 5, 4), (1, 2, 6), (1, 6, 5), (2, 3, 7), (2, 7, 6), (3, 0, 4), (3, 4, 7)]
    faces += [(4, 5, 6), (4, 6, 7)]
    triangles = np.concatenate([np.array(faces) + 8 * k for k in range(len(lots))])
    surfaces = np.tile([Surface.WALL] * 8 + [Surface.ROOF] * 2, len(lots)).astype(np.uint8)
    return replace(world, buildings=Mesh(vertices, triangles.astype(np.int32), surfaces))


def test_houses_go_on_beyond_a_border_that_is_built_up():
    world = flat_world()
    assert Surface.ROOF not in land_beyond(world)
    assert Surface.ROOF not in land_beyond(blocks(world, share=0.02))
    counts = []
    for share in (0.3, 0.9):
        drawn = land_beyond(blocks(world, share=share))
        walls = drawn[Surface.WALL]
        extent = np.abs(walls.vertices[:, :2]).max(axis=1)
        assert extent.min() > 205.0
        assert 500.0 < extent.max() < 700.0
        assert (walls.all_labels[:, 0] == CLASS_OF_SURFACE[Surface.WALL]).all()
        counts.append((len(drawn[Surface.ROOF].triangles), walls.vertices[:, 2].max()))
    assert counts[1][0] > 1.5 * counts[0][0] > 20
    # Blocks are about as high as those of the map.
    assert 14.0 < counts[1][1] < 28.0
    again = land_beyond(blocks(world, share=0.9))
    assert np.array_equal(again[Surface.ROOF].vertices, drawn[Surface.ROOF].vertices)
