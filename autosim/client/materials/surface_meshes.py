"""From the compiled world's meshes to drawn ones: normals, colours, texture coordinates.

Pure NumPy. The compiled mesh shares its vertices, which physics wants; a picture wants a separate
vertex wherever the normal, the colour or the place in the texture differs.
"""

from dataclasses import replace

import numpy as np

from autosim.arrays import Bytes, Floats, Integers, Integers32
from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.materials.palette import COLOURS, TEXTURE_METRES
from autosim.client.materials.surfaces import Coat, Looks, RoadPart, SurfaceLook
from autosim.world.geometry.meshes import Mesh, Surface
from autosim.world.geometry.renumbering import renumbered

_DIRECTIONS = 8
"""Faces share corners where the parts of their normals are the same to 1 / this."""
GROUND_SURFACES: tuple[Coat, ...] = (
    Surface.GROUND,
    Surface.CARRIAGEWAY,
    Surface.PAVEMENT,
    Surface.KERB,
    Surface.PARK,
    Surface.WATER,
    Surface.PAVING,
    Surface.SETT,
    Surface.ASPHALT,
    Surface.GRAVEL,
    RoadPart.RIGHT_PAVEMENT,
    RoadPart.RIGHT_KERB,
)


def face_normals(vertices: Floats, triangles: Integers32) -> Floats:
    """Normals (m, 3) of triangles, as long as twice the triangle's area [m^2]."""
    a, b, c = (vertices[triangles[:, corner]] for corner in range(3))
    return np.cross(b - a, c - a)


def vertex_normals(vertices: Floats, triangles: Integers32) -> Floats:
    """Unit normals (n, 3): the mean of the triangles at each vertex, weighted by area."""
    faces = face_normals(vertices, triangles)
    corners = triangles.ravel()
    weights = np.repeat(faces, 3, axis=0)
    count = len(vertices)
    sums = np.zeros((count, 3))
    for axis in range(3):
        sums[:, axis] = np.bincount(corners, weights=weights[:, axis], minlength=count)
    return normalised(sums)


def normalised(vectors: Floats) -> Floats:
    """Unit vectors (n, 3); where there is no direction, straight up."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    up = np.array([0.0, 0.0, 1.0])
    return np.where(lengths > 1e-12, vectors / np.maximum(lengths, 1e-12), up)


def ground_meshes(mesh: Mesh, looks: Looks, *, own: int | None = None) -> dict[Coat, DrawMesh]:
    """A level by surface. Smooth within a surface, with an edge between surfaces.

    Args:
        mesh: triangles in W.
        looks: of the surfaces.
        own: how many of the first triangles are drawn; the others only lend their normals.
    """
    drawn: dict[Coat, DrawMesh] = {}
    for surface in GROUND_SURFACES:
        chosen = np.flatnonzero(mesh.surfaces == surface)
        count = len(chosen) if own is None else int(np.searchsorted(chosen, own))
        if count:
            whole = _ground_mesh(mesh.vertices, mesh.triangles[chosen], looks[surface])
            if surface in (Surface.KERB, RoadPart.RIGHT_KERB):
                whole = _on_upright_faces(whole, looks[surface])
            drawn[surface] = whole.select(whole.triangles[:count]) if own is not None else whole
    return drawn


def _ground_mesh(all_vertices: Floats, triangles: Integers32, look: SurfaceLook) -> DrawMesh:
    used, triangles = renumbered(triangles)
    vertices = all_vertices[used]
    return DrawMesh(
        vertices=vertices.astype(np.float32),
        normals=vertex_normals(vertices, triangles).astype(np.float32),
        colours=_ground_colours(vertices, look),
        uvs=look.uvs(vertices),
        triangles=triangles,
    )


def _on_upright_faces(mesh: DrawMesh, look: SurfaceLook) -> DrawMesh:
    """The mesh with a texture mapped by height: mapped in plan it would be streaks."""
    return replace(mesh, uvs=look.uvs(mesh.vertices[:, :2] + mesh.vertices[:, 2:]))


def _ground_colours(vertices: Floats, look: SurfaceLook) -> Bytes:
    """One colour, on living ground with slow waves of light and dark that hide the tiling."""
    colours = np.broadcast_to(np.array(look.colour, dtype=np.uint8), (len(vertices), 4))
    if not look.is_living:
        return colours.copy()
    x, y = vertices[:, 0], vertices[:, 1]
    waves = np.sin(x / 13.0 + np.sin(y / 31.0)) + np.sin(y / 17.0 - np.sin(x / 23.0))
    shade = 1.0 + 0.06 * waves[:, None] * np.array([1.3, 1.0, 1.0, 0.0])
    return np.asarray(np.clip(colours * shade, 0, 255), dtype=np.uint8)


def concrete_meshes(mesh: Mesh) -> dict[Coat, DrawMesh]:
    """The concrete of bridges and tunnels, with flat faces, textured along two axes of W."""
    triangles = mesh.triangles[mesh.surfaces == Surface.CONCRETE]
    if not len(triangles):
        return {}
    normals = normalised(face_normals(mesh.vertices, triangles))
    corners, facing, shared = _shared_corners(triangles, normals)
    vertices = mesh.vertices[corners]
    axes = np.array([[1, 2], [0, 2], [0, 1]])[np.argmax(np.abs(facing), axis=1)]
    uvs = np.take_along_axis(vertices, axes, axis=1) / TEXTURE_METRES[Surface.CONCRETE]
    colour = np.array(COLOURS[Surface.CONCRETE], dtype=np.uint8)
    drawn = DrawMesh(
        vertices=vertices.astype(np.float32),
        normals=facing.astype(np.float32),
        colours=np.broadcast_to(colour, (len(corners), 4)).copy(),
        uvs=uvs.astype(np.float32),
        triangles=shared,
    )
    return {Surface.CONCRETE: drawn}


def _shared_corners(triangles: Integers32, normals: Floats) -> tuple[Integers, Floats, Integers32]:
    """One corner for all triangles that meet there and look the same way.

    Returns:
        The vertex (k,) of each corner, its normal (k, 3), and the triangles of corners.
    """
    directions = np.round(_DIRECTIONS * normals).astype(np.int64) + _DIRECTIONS
    sides = directions @ (2 * _DIRECTIONS + 1) ** np.arange(3)
    keys = triangles.ravel().astype(np.int64) * (2 * _DIRECTIONS + 1) ** 3 + np.repeat(sides, 3)
    _, first, numbers = np.unique(keys, return_index=True, return_inverse=True)
    return (
        triangles.ravel()[first].astype(np.int64),
        normals[first // 3],
        numbers.reshape(-1, 3).astype(np.int32),
    )
