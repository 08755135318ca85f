"""Roads under bridges stay dry, up to the edge of the bridge."""

import numpy as np

from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.materials.surfaces import surface_looks
from autosim.client.tiles.ground.shelter import Shelter
from autosim.world.geometry.meshes import Mesh, Surface

TRIANGLES = np.array([[0, 1, 3], [0, 3, 2]], dtype=np.int32)


def corners(x, y, z):
    return np.array([(a, b, z) for b in y for a in x])


def road(x=(-20.0, 20.0), z=0.0):
    """A carriageway of two triangles, 6 m wide."""
    vertices = corners(x, (-3.0, 3.0), z).astype(np.float32)
    normals = np.tile(np.float32([0.0, 0.0, 1.0]), (4, 1))
    colours = np.full((4, 4), 255, dtype=np.uint8)
    return DrawMesh(vertices, normals, colours, vertices[:, :2].copy(), TRIANGLES)


def deck(z=5.0):
    """A bridge across it, 8 m wide."""
    vertices = corners((-4.0, 4.0), (-10.0, 10.0), z)
    return Mesh(vertices, TRIANGLES, np.full(2, Surface.CONCRETE, dtype=np.uint8))


def area(mesh):
    a, b, c = (mesh.vertices[mesh.triangles[:, k], :2] for k in range(3))
    u, v = b - a, c - a
    return 0.5 * (u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])


def sheltered(surface=Surface.CARRIAGEWAY, **where):
    return Shelter(deck(**where), surface_looks()).over({surface: road()})[surface]


def test_a_road_is_dry_under_a_bridge_and_wet_beside_it():
    mesh = sheltered()
    beside = np.abs(mesh.vertices[:, 0]) > 4.001
    assert (~beside).sum() > 4, "a triangle that leads under the whole bridge is divided"
    assert set(mesh.colours[beside, 3]) == {255}
    assert set(mesh.colours[~beside, 3]) == {0}


def test_wetness_goes_over_within_two_metres_of_the_edge():
    mesh = sheltered()
    alpha = mesh.colours[mesh.triangles, 3]
    x = mesh.vertices[mesh.triangles, 0]
    is_mixed = alpha.min(axis=1) != alpha.max(axis=1)
    assert is_mixed.any()
    assert (np.abs(np.abs(x[is_mixed]) - 4.0) < 2.0).all()


def test_a_divided_road_covers_what_it_covered():
    mesh = sheltered()
    assert (area(mesh) > 0.0).all()
    assert np.isclose(area(mesh).sum(), area(road()).sum())


def test_surfaces_side_by_side_are_divided_at_the_same_places():
    carriageway, park = sheltered(), sheltered(Surface.PARK)
    assert np.array_equal(carriageway.vertices, park.vertices)
    assert set(park.colours[:, 3]) == {255}


def test_what_lies_less_than_two_metres_above_is_no_shelter():
    mesh = sheltered(z=1.5)
    assert len(mesh.triangles) == 2
    assert set(mesh.colours[:, 3]) == {255}


def test_without_structures_nothing_changes():
    drawn = {Surface.CARRIAGEWAY: road()}
    none = Mesh(np.zeros((0, 3)), np.zeros((0, 3), np.int32), np.zeros(0, np.uint8))
    assert Shelter(none, surface_looks()).over(drawn) is drawn
