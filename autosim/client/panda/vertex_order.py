"""Triangles and vertices in the order that drivers draw fastest.

A driver keeps the vertices that it has just computed, a few hundred. Along a curve that fills
the plan (Morton, 1966) neighbours follow each other, and hardly a vertex of the ground is computed
twice; in the order of a triangulation each is computed more than two times.
"""

import numpy as np
import numpy.typing as npt

from autosim.client.geometry.draw_mesh import DrawMesh

KEPT = 256
"""Vertices that Mesa keeps: meshes with no more are well in any order."""
_STEPS = 255.0
"""Of the curve along the longest edge: with eight bits each, keys of both axes are sorted fast."""
_SPREADS = ((4, 0x0F0F), (2, 0x3333), (1, 0x5555))
"""Shifts and masks that put a zero behind each of eight bits."""


def in_drawing_order(mesh: DrawMesh) -> DrawMesh:
    """The same triangles, neighbours next to each other, and vertices by their first use."""
    if len(mesh.vertices) <= KEPT:
        return mesh
    triangles = mesh.triangles[np.argsort(_along_curve(mesh), kind="stable")]
    corners = triangles.ravel()
    uses = np.arange(len(corners))
    first = np.zeros(len(mesh.vertices), dtype=np.int64)
    # Of several values for one place the last stays: backwards, that of the first use.
    first[corners[::-1]] = uses[::-1]
    order = corners[first[corners] == uses]
    number = np.zeros(len(mesh.vertices), dtype=np.int32)
    number[order] = np.arange(len(order))
    return DrawMesh(
        vertices=mesh.vertices[order],
        normals=mesh.normals[order],
        colours=mesh.colours[order],
        uvs=mesh.uvs[order],
        triangles=number[triangles],
        labels=mesh.labels[order] if len(mesh.labels) else mesh.labels,
    )


def _along_curve(mesh: DrawMesh) -> npt.NDArray[np.uint16]:
    """The place (m,) of each triangle, seen from above, on the curve."""
    plan = mesh.vertices[:, :2]
    low = plan.min(axis=0)
    extent = max(float(np.max(plan.max(axis=0) - low)), 1e-6)
    steps = ((plan - low) * (_STEPS / extent)).astype(np.uint16)
    for shift, mask in _SPREADS:
        steps = (steps | (steps << np.uint16(shift))) & np.uint16(mask)
    keys = steps[:, 0] | (steps[:, 1] << np.uint16(1))
    return np.asarray(keys[mesh.triangles[:, 0]])
