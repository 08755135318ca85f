"""What is drawn of tunnels: their insides up to some distance, nothing of them from afar."""

from dataclasses import replace

import numpy as np
import pytest

from autosim.client.materials.surface_meshes import concrete_meshes, face_normals
from autosim.client.tiles.ground.underground import Structures, daylight_shares, tunnel_mouths
from autosim.world.geometry.meshes import Mesh, Surface

FLOOR, CEILING, ROOF, SLAB = -6.0, -1.5, -1.0, -6.4
WALL = np.array([(x, 2.0, z) for z in (FLOOR, CEILING) for x in (0.0, 10.0)])


def level(z, *, surface, up=True, x=(0.0, 10.0)):
    """A rectangle, 4 m wide, of two triangles."""
    corners = np.array([(a, b, z) for b in (-2.0, 2.0) for a in x])
    triangles = np.array([[0, 1, 3], [0, 3, 2]], dtype=np.int32)
    triangles = triangles if up else triangles[:, ::-1]
    return Mesh(corners, triangles, np.full(2, surface, dtype=np.uint8))


def together(*meshes):
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    return Mesh(
        np.vstack([mesh.vertices for mesh in meshes]),
        np.vstack([mesh.triangles + np.int32(k) for mesh, k in zip(meshes, starts, strict=False)]),
        np.concatenate([mesh.surfaces for mesh in meshes]),
    )


@pytest.fixture
def tunnel():
    return together(
        level(FLOOR, surface=Surface.CARRIAGEWAY),
        level(CEILING, surface=Surface.CONCRETE, up=False),
        level(ROOF, surface=Surface.CONCRETE),
        level(SLAB, surface=Surface.CONCRETE, up=False),
    )


def heights(mesh):
    return sorted(set(mesh.vertices[mesh.triangles, 2].ravel().tolist()))


def test_of_a_tunnel_below_the_ground_all_but_its_slab_and_roof_is_seen(tunnel):
    found = Structures(tunnel, level(0.0, surface=Surface.GROUND, x=(-5.0, 15.0)))
    assert len(found.in_the_open.triangles) == 0
    assert heights(found.inside) == [FLOOR, CEILING]


def test_the_roof_and_the_walls_of_a_tunnel_keep_the_sun_out(tunnel):
    wall = replace(level(0.0, surface=Surface.CONCRETE), vertices=WALL)
    under = level(0.0, surface=Surface.GROUND, x=(-5.0, 15.0))
    found = Structures(together(tunnel, wall), under)
    assert heights(found.shell) == [FLOOR, CEILING, ROOF]
    upward = face_normals(found.shell.vertices, found.shell.triangles)[:, 2]
    assert (upward >= 0.0).all(), "ceilings turn their backs to the sun"
    assert FLOOR in heights(found.inside), "walls are seen, too"


def test_where_the_ground_is_open_all_of_a_tunnel_is_seen(tunnel):
    found = Structures(tunnel, level(0.0, surface=Surface.GROUND, x=(5.0, 15.0)))
    assert len(found.inside.triangles) == 0
    assert len(found.shell.triangles) == 0
    assert heights(found.in_the_open) == [SLAB, FLOOR, CEILING, ROOF]


def test_a_bridge_is_in_the_open_with_its_underside():
    bridge = together(
        level(5.0, surface=Surface.CARRIAGEWAY), level(4.1, surface=Surface.CONCRETE, up=False)
    )
    found = Structures(bridge, level(0.0, surface=Surface.GROUND, x=(-5.0, 15.0)))
    assert heights(found.in_the_open) == [4.1, 5.0]
    assert len(found.inside.triangles) == 0


@pytest.fixture
def drive():
    """A street of 100 m on a slope down into a tunnel, whose mouth is at x = 30 m."""
    x = np.arange(0.0, 101.0, 10.0)
    vertices = np.array([(a, b, max(-0.2 * a, -8.0)) for b in (-3.0, 3.0) for a in x])
    a, count = np.arange(len(x) - 1), len(x)
    triangles = [np.column_stack([a, a + 1, a + count + 1])]
    triangles += [np.column_stack([a, a + count + 1, a + count])]
    return Mesh(
        vertices,
        np.vstack(triangles).astype(np.int32),
        np.full(2 * len(a), Surface.CARRIAGEWAY, dtype=np.uint8),
    )


def test_daylight_comes_into_a_tunnel_at_its_mouth_and_not_far(drive):
    ground = level(0.0, surface=Surface.GROUND, x=(30.0, 120.0))
    ground = Mesh(ground.vertices * (1.0, 2.0, 1.0), ground.triangles, ground.surfaces)
    mouths = tunnel_mouths(drive, ground)
    assert sorted(mouths.tolist()) == [[30.0, -3.0, -6.0], [30.0, 3.0, -6.0]]
    along = np.array([(x, 3.0, -6.0) for x in (30.0, 35.0, 45.0, 60.0, 90.0)])
    shares = daylight_shares(along, mouths)
    assert shares[0] == 1.0
    assert (np.diff(shares) <= 0.0).all()
    assert shares[1] > 0.5 > shares[2] > 0.0
    np.testing.assert_array_equal(shares[3:], 0.0)


def test_a_tunnel_without_a_mouth_nearby_has_no_daylight(drive):
    nothing = tunnel_mouths(drive, level(9.0, surface=Surface.GROUND, x=(-300.0, 300.0)))
    assert len(nothing) == 0
    np.testing.assert_array_equal(daylight_shares(drive.vertices, nothing), 0.0)


def test_a_tile_without_ground_or_without_structures_is_no_error(tunnel):
    nothing = Mesh(np.zeros((0, 3)), np.zeros((0, 3), np.int32), np.zeros(0, np.uint8))
    assert len(Structures(tunnel, nothing).in_the_open.triangles) == len(tunnel.triangles)
    assert len(Structures(nothing, tunnel).in_the_open.triangles) == 0


def test_faces_of_concrete_share_corners_only_where_they_look_the_same_way():
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (1, 0, -1), (0, 0, -1)], float)
    triangles = np.array([[0, 1, 2], [0, 2, 3], [1, 0, 4], [0, 5, 4]], dtype=np.int32)
    mesh = Mesh(corners, triangles, np.full(4, Surface.CONCRETE, dtype=np.uint8))
    (drawn,) = concrete_meshes(mesh).values()
    assert len(drawn.vertices) == 8
    facing = face_normals(drawn.vertices.astype(np.float64), drawn.triangles)
    facing /= np.linalg.norm(facing, axis=1, keepdims=True)
    np.testing.assert_allclose(drawn.normals[drawn.triangles], np.repeat(facing[:, None], 3, 1))
