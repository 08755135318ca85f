"""Walls, fences and hedges as they are drawn."""

from typing import Any

import numpy as np

from autosim.client.geometry import DrawMesh
from autosim.client.meshes import chunks, face_normals, normalised
from autosim.client.nodes import make_chunk, make_texture
from autosim.client.palette import OBSTACLE_COLOURS
from autosim.client.textures import surface_texture
from autosim.world.compiled import CompiledWorld, Mesh, Surface

FAR = 350.0
"""Distance [m] beyond which they are not drawn."""
_FLOOR = -0.9
_TEXTURE_METRES = 1.5


def add_obstacles(root: Any, compiled: CompiledWorld) -> None:
    """Adds all obstacles below `root` but the stems of props, which props show themselves."""
    drawn = obstacle_mesh(compiled.obstacles)
    if drawn is None:
        return
    node = root.attachNewNode("obstacles")
    node.setTexture(make_texture("obstacles", surface_texture(Surface.KERB)))
    for piece in chunks(drawn, compiled.bounds):
        make_chunk(piece, far=FAR).reparentTo(node)


def obstacle_mesh(mesh: Mesh) -> DrawMesh | None:
    """Flat faces in the colours of their surfaces, without undersides; None if nothing is left."""
    normals = normalised(face_normals(mesh.vertices, mesh.triangles))
    is_seen = np.isin(mesh.surfaces, list(OBSTACLE_COLOURS)) & (normals[:, 2] > _FLOOR)
    if not is_seen.any():
        return None
    corners = mesh.vertices[mesh.triangles[is_seen]].reshape(-1, 3)
    facing = np.repeat(normals[is_seen], 3, axis=0)
    lookup = np.zeros((max(Surface) + 1, 4), dtype=np.uint8)
    for surface, colour in OBSTACLE_COLOURS.items():
        lookup[surface] = colour
    along = np.abs(facing[:, :2]).argmax(axis=1)
    across = corners[np.arange(len(corners)), 1 - along]
    up = np.where(np.abs(facing[:, 2]) > 0.7, corners[np.arange(len(corners)), along], corners[:, 2])
    return DrawMesh(
        vertices=corners.astype(np.float32),
        normals=facing.astype(np.float32),
        colours=np.repeat(lookup[mesh.surfaces[is_seen]], 3, axis=0),
        uvs=(np.column_stack([across, up]) / _TEXTURE_METRES).astype(np.float32),
        triangles=np.arange(len(corners), dtype=np.int32).reshape(-1, 3),
    )
