"""Paint on the road and rails: thin meshes just above the ground that must never flicker."""

from math import inf

import numpy as np

from autosim.client.geometry.draw_mesh import DrawMesh
from autosim.client.materials.material_kinds import Material
from autosim.client.materials.palette import DECAL_COLOURS, TEXTURE_METRES
from autosim.client.materials.texture_images import TextureImage
from autosim.client.models.model_pieces import Piece
from autosim.client.tiles.instance_labels import CLASS_OF_SURFACE
from autosim.world.geometry.meshes import Mesh, Surface

PAINT_FAR, RAILS_FAR = 170.0, 300.0
"""Distance [m] beyond which a line is thinner than a third of a pixel, and not drawn."""


def decal_pieces(
    *, markings: Mesh, rails: Mesh, picture: TextureImage, markings_up_to: float = inf
) -> list[Piece]:
    """Paint and rails as pieces, paint up to a distance [m] at most.

    They are drawn with a depth offset, so that the road under them never shows through at a
    distance where depths are coarser than their height above it.
    """
    paint_far = min(PAINT_FAR, markings_up_to)
    return [
        Piece(decal_mesh(mesh), Material(picture, depth_offset=offset), far, casts_shadow=False)
        for mesh, far, offset in (
            (rails, RAILS_FAR, 1),
            (markings, paint_far, 2),
        )
        if len(mesh.triangles)
    ]


def decal_mesh(mesh: Mesh) -> DrawMesh:
    """A mesh as it is drawn, in the colours of its surfaces; it looks up everywhere."""
    lookup = np.zeros((max(Surface) + 1, 4), dtype=np.uint8)
    for surface, colour in DECAL_COLOURS.items():
        lookup[surface] = colour
    colours = np.zeros((len(mesh.vertices), 4), dtype=np.uint8)
    colours[mesh.triangles.ravel()] = np.repeat(lookup[mesh.surfaces], 3, axis=0)
    labels = np.zeros((len(mesh.vertices), 2), dtype=np.float32)
    classes = np.array([CLASS_OF_SURFACE[surface] for surface in Surface], dtype=np.float32)
    labels[mesh.triangles.ravel(), 0] = np.repeat(classes[mesh.surfaces], 3)
    normals = np.zeros((len(mesh.vertices), 3), dtype=np.float32)
    normals[:, 2] = 1.0
    return DrawMesh(
        vertices=mesh.vertices.astype(np.float32),
        normals=normals,
        colours=colours,
        uvs=(mesh.vertices[:, :2] / TEXTURE_METRES[Surface.CARRIAGEWAY]).astype(np.float32),
        triangles=mesh.triangles,
        labels=labels,
    )
