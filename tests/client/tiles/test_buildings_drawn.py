"""What belongs to one building has one colour, however its triangles follow each other."""

import numpy as np

from autosim.client.tiles.building_meshes import building_meshes, solid_of_triangles
from autosim.world.geometry.meshes import Surface
from tests.client.synthetic_town import building_mesh


def test_triangles_that_share_vertices_are_of_one_solid():
    # Long strips: their ends know of each other by many triangles between.
    strip = np.arange(400)[:, None] + np.arange(3)
    triangles = np.concatenate([strip, strip + 402, [[805, 806, 804]]]).astype(np.int32)
    order = np.random.default_rng(1).permutation(len(triangles))
    solids = solid_of_triangles(triangles[order], 807)
    assert np.array_equal(solids, np.repeat([0, 1, 2], [400, 400, 1])[order])


def test_without_triangles_there_are_no_solids():
    assert not len(solid_of_triangles(np.zeros((0, 3), dtype=np.int32), 4))


def test_no_two_walls_number_their_windows_alike():
    boxes = [(x, y, 12.0, 9.0, 6.0) for x in (0.0, 40.0, 80.0) for y in (0.0, 30.0)]
    walls = building_meshes(building_mesh(boxes))[Surface.WALL]
    low = np.full((len(boxes) * 4, 2), np.inf)
    yaws = np.round(np.arctan2(walls.normals[:, 1], walls.normals[:, 0]) / (np.pi / 2)).astype(int)
    column, row = np.round(walls.vertices[:, 0] / 40.0), np.round(walls.vertices[:, 1] / 30.0)
    wall = ((column * 2 + row) * 4 + yaws % 4).astype(int)
    np.minimum.at(low, wall, walls.uvs)
    assert (low == np.round(low)).all()
    assert len(np.unique(low, axis=0)) == len(low)
    # The bays of a wall are still whole.
    high = np.full(low.shape, -np.inf)
    np.maximum.at(high, wall, walls.uvs)
    np.testing.assert_allclose((high - low)[:, 1], 2.0)


def rows_of_windows(walls, x: float, side: float) -> float:
    """Height [m] at which windows begin on the wall at `side` (y) beside x."""
    faces = walls.vertices[walls.triangles]
    plain = np.ptp(walls.uvs[walls.triangles][:, :, 0], axis=1) < 0.2
    on_wall = np.abs(faces[:, :, 1] - side).max(axis=1) < 0.1
    on_wall &= (faces[:, :, 0].min(axis=1) <= x) & (faces[:, :, 0].max(axis=1) >= x)
    return float(faces[plain & on_wall][:, :, 2].max(initial=0.0))


def test_windows_begin_above_the_ground_in_each_bay_of_a_wall_on_a_slope():
    # 12 m long, 9 m high: four bays and three rows; the ground rises by a half to the east.
    mesh = building_mesh([(0.0, 0.0, 12.0, 6.0, 9.0)])
    slope = building_meshes(mesh, ground=lambda places: 3.0 + 0.5 * places[:, 0])[Surface.WALL]
    for x in (-4.5, -1.5, 1.5, 4.5):
        begin = rows_of_windows(slope, x, -3.0)
        ground = 3.0 + 0.5 * (x + 0.9)
        assert begin % 3.0 == 0.0, "rows stay level"
        assert ground - 0.25 * 3.0 <= begin < ground + 3.0
    east = slope.vertices[:, 0] > 6.0
    assert slope.vertices[east, 2].max() == 6.0, "the upper wall has one row left"


def test_on_level_ground_and_above_it_walls_have_all_their_windows():
    mesh = building_mesh([(0.0, 0.0, 12.0, 6.0, 9.0)])
    plain = building_meshes(mesh)[Surface.WALL]
    for height in (0.5, -20.0, np.nan):
        drawn = building_meshes(mesh, ground=lambda places, z=height: np.full(len(places), z))
        assert drawn[Surface.WALL].vertices.tobytes() == plain.vertices.tobytes()
        assert drawn[Surface.WALL].uvs.tobytes() == plain.uvs.tobytes()


def test_a_plinth_has_the_colour_of_its_house():
    mesh = building_mesh([(0.0, 0.0, 12.0, 6.0, 9.0), (40.0, 0.0, 12.0, 6.0, 9.0)])
    walls = building_meshes(mesh, ground=lambda places: np.full(len(places), 3.0))[Surface.WALL]
    for x in (0.0, 40.0):
        own = np.abs(walls.vertices[:, 0] - x) < 10.0
        assert len(np.unique(walls.colours[own], axis=0)) == 1
