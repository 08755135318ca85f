"""Walls, fences, hedges, doors and shop fronts as they are drawn."""

import numpy as np

from autosim.arrays import Booleans, Floats
from autosim.client.geometry.draw_mesh import DrawMesh, labelled
from autosim.client.materials.material_kinds import Material
from autosim.client.materials.palette import OBSTACLE_COLOURS, Colour
from autosim.client.materials.surface_meshes import face_normals, normalised
from autosim.client.materials.surfaces import Looks
from autosim.client.models.model_pieces import Piece
from autosim.client.tiles.instance_labels import CLASS_OF_SURFACE
from autosim.world.geometry.meshes import Mesh, Surface

FAR = 350.0
"""Distance [m] beyond which they are not drawn."""
_FLOOR = -0.9
"""Faces whose normal's z (without unit) is less look down and stand on the ground: they are not
drawn."""

_TEXTURE_METRES = 1.5
"""Width [m] that one repetition of a texture covers: chosen by eye, eight slats of a fence or eight
courses of a wall."""


def obstacle_pieces(mesh: Mesh, looks: Looks) -> list[Piece]:
    """All obstacles but the stems of props, which props show themselves."""
    return [
        Piece(
            labelled(drawn, CLASS_OF_SURFACE[surface]),
            Material(looks[surface].picture, looks[surface].shader_kind),
            FAR,
        )
        for surface, drawn in obstacle_meshes(mesh).items()
    ]


def obstacle_meshes(mesh: Mesh) -> dict[Surface, DrawMesh]:
    """Flat faces by surface, without undersides and without what has no colour."""
    if not len(mesh.triangles):
        return {}
    normals = normalised(face_normals(mesh.vertices, mesh.triangles))
    is_seen = normals[:, 2] > _FLOOR
    return {
        surface: _faces(mesh, normals, chosen, colour)
        for surface, colour in OBSTACLE_COLOURS.items()
        for chosen in [is_seen & (mesh.surfaces == surface)]
        if chosen.any()
    }


def _faces(mesh: Mesh, normals: Floats, chosen: Booleans, colour: Colour) -> DrawMesh:
    """Triangles of their own corners; the texture runs along the wall and up it."""
    corners = mesh.vertices[mesh.triangles[chosen]].reshape(-1, 3)
    facing = np.repeat(normals[chosen], 3, axis=0)
    is_side = np.abs(facing[:, 2]) < 0.7
    along = facing[:, 0] * corners[:, 1] - facing[:, 1] * corners[:, 0]
    u = np.where(is_side, along, corners[:, 0])
    v = np.where(is_side, corners[:, 2], corners[:, 1])
    return DrawMesh(
        vertices=corners.astype(np.float32),
        normals=facing.astype(np.float32),
        colours=np.tile(np.array(colour, dtype=np.uint8), (len(corners), 1)),
        uvs=(np.column_stack([u, v]) / _TEXTURE_METRES).astype(np.float32),
        triangles=np.arange(len(corners), dtype=np.int32).reshape(-1, 3),
    )
