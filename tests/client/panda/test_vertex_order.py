"""The order of triangles and vertices: the same mesh, and few vertices computed twice."""

import numpy as np
import numpy.typing as npt

from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.panda.vertex_order import KEPT, in_drawing_order

SEED = 20080304


def field(count: int, seed: int = SEED) -> DrawMesh:
    """A level field of `count` x `count` squares, its vertices and triangles shuffled."""
    random = np.random.default_rng(seed)
    row, column = np.meshgrid(np.arange(count), np.arange(count), indexing="ij")
    corner = (row * (count + 1) + column).ravel()
    above = corner + count + 1
    triangles = np.concatenate(
        [
            np.stack([corner, corner + 1, above + 1], axis=1),
            np.stack([corner, above + 1, above], axis=1),
        ]
    )
    places = np.stack(np.meshgrid(np.arange(count + 1), np.arange(count + 1)), axis=2)
    shuffled = random.permutation((count + 1) ** 2)
    vertices = np.zeros((len(shuffled), 3))
    vertices[shuffled, :2] = places.reshape(-1, 2)
    return DrawMesh(
        vertices=vertices.astype(np.float32),
        normals=random.normal(size=vertices.shape).astype(np.float32),
        colours=random.integers(0, 256, (len(vertices), 4)).astype(np.uint8),
        uvs=random.normal(size=(len(vertices), 2)).astype(np.float32),
        triangles=random.permutation(shuffled[triangles]).astype(np.int32),
    )


def computed(triangles: npt.NDArray[np.int32]) -> int:
    """How many vertices a driver computes that keeps `KEPT`, each in the square of its number."""
    kept = np.full(KEPT, -1)
    count = 0
    for corner in triangles.ravel().tolist():
        if kept[corner % KEPT] != corner:
            kept[corner % KEPT] = corner
            count += 1
    return count


def corners(mesh: DrawMesh) -> set[tuple[object, ...]]:
    """Each triangle by all that its corners have, the winding kept."""
    rows = np.column_stack([mesh.vertices, mesh.normals, mesh.colours, mesh.uvs])
    return {tuple(each) for each in rows[mesh.triangles].reshape(len(mesh.triangles), -1).tolist()}


def test_it_is_the_same_mesh_in_another_order() -> None:
    mesh = field(40)
    ordered = in_drawing_order(mesh)
    assert ordered.triangles.shape == mesh.triangles.shape
    assert corners(ordered) == corners(mesh)
    assert len(ordered.vertices) == len(mesh.vertices)


def test_hardly_a_vertex_is_computed_twice() -> None:
    mesh = field(60)
    count = len(mesh.vertices)
    assert computed(mesh.triangles) > 3.0 * count
    assert computed(in_drawing_order(mesh).triangles) < 1.15 * count


def test_small_meshes_stay_as_they_are() -> None:
    mesh = field(10)
    assert in_drawing_order(mesh) is mesh


def test_the_same_mesh_gives_the_same_order() -> None:
    first, second = in_drawing_order(field(30)), in_drawing_order(field(30))
    assert first.triangles.tobytes() == second.triangles.tobytes()
    assert first.vertices.tobytes() == second.vertices.tobytes()


def test_vertices_without_triangles_are_left_out() -> None:
    mesh = field(30)
    half = DrawMesh(mesh.vertices, mesh.normals, mesh.colours, mesh.uvs, mesh.triangles[:600])
    ordered = in_drawing_order(half)
    assert len(ordered.vertices) == len(np.unique(half.triangles))
    assert corners(ordered) == corners(half)
