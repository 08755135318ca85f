"""Paint on the road and rails: thin meshes just above the ground that must never flicker."""

from typing import Any

import numpy as np

from autosim.client.geometry import DrawMesh
from autosim.client.lighting import SHADOW_MASK
from autosim.client.meshes import chunks
from autosim.client.nodes import make_chunk, make_texture
from autosim.client.palette import DECAL_COLOURS, TEXTURE_METRES
from autosim.client.panda import core
from autosim.client.textures import surface_texture
from autosim.world.compiled import CompiledWorld, Mesh, Surface

PAINT_FAR, RAILS_FAR = 170.0, 300.0
"""Distance [m] beyond which a line is thinner than a third of a pixel, and not drawn."""


def add_decals(root: Any, compiled: CompiledWorld) -> None:
    """Adds markings and rails below `root`.

    They are drawn with a depth offset, so that the road under them never shows through at a
    distance where depths are coarser than their height above it.
    """
    parent = root.attachNewNode("decals")
    parent.hide(core.BitMask32(SHADOW_MASK))
    texture = make_texture("decals", surface_texture(Surface.CARRIAGEWAY))
    for mesh, far, offset in ((compiled.rails, RAILS_FAR, 1), (compiled.markings, PAINT_FAR, 2)):
        node = parent.attachNewNode("decal")
        node.setTexture(texture)
        node.setDepthOffset(offset)
        if len(mesh.triangles):
            for piece in chunks(decal_mesh(mesh), compiled.bounds):
                make_chunk(piece, far=far).reparentTo(node)


def decal_mesh(mesh: Mesh) -> DrawMesh:
    """A mesh as it is drawn, in the colours of its surfaces; it looks up everywhere."""
    lookup = np.zeros((max(Surface) + 1, 4), dtype=np.uint8)
    for surface, colour in DECAL_COLOURS.items():
        lookup[surface] = colour
    colours = np.zeros((len(mesh.vertices), 4), dtype=np.uint8)
    colours[mesh.triangles.ravel()] = np.repeat(lookup[mesh.surfaces], 3, axis=0)
    normals = np.zeros((len(mesh.vertices), 3), dtype=np.float32)
    normals[:, 2] = 1.0
    return DrawMesh(
        vertices=mesh.vertices.astype(np.float32),
        normals=normals,
        colours=colours,
        uvs=(mesh.vertices[:, :2] / TEXTURE_METRES[Surface.CARRIAGEWAY]).astype(np.float32),
        triangles=mesh.triangles,
    )
