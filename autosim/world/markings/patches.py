"""Lays painted quadrilaterals on the road as one mesh."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from autosim import portable
from autosim.arrays import Booleans, Bytes, Floats
from autosim.world.compiled.ground_index import GroundIndex
from autosim.world.geometry.meshes import Mesh, Surface, empty_mesh

LIFT = 0.012
"""Height [m] of markings above the road: enough that a depth buffer tells them from it."""

_SAME_LEVEL = 1.5
"""Difference in height [m] below which a carriageway is the one that the paint belongs to."""

_LEAST_AREA = 1e-6
"""Doubled area [m²] of the smallest triangle that is drawn; smaller ones are degenerate."""

_MOST_FLOORS = 4
"""Number of floors over one another, at most, that a corner is raised through."""


@dataclass(frozen=True, slots=True)
class Patches:
    """Flat quadrilaterals of paint.

    corners: (n, 4, 3) [m] in W, counter-clockwise from above, z being about that of the road
    (a triangle has a corner twice); surfaces: (n,) uint8 of `Surface`.
    """

    corners: Floats
    surfaces: Bytes

    @classmethod
    def of(cls, corners: Floats, surface: Surface) -> "Patches":
        """Patches of one paint."""
        quads = corners.reshape(-1, 4, 3)
        return cls(quads, np.full(len(quads), surface, dtype=np.uint8))

    @classmethod
    def joined(cls, parts: Sequence["Patches"]) -> "Patches":
        """The patches of several sets, one after another."""
        if not parts:
            return cls(np.zeros((0, 4, 3)), np.zeros(0, np.uint8))
        return cls(
            np.concatenate([part.corners for part in parts]),
            np.concatenate([part.surfaces for part in parts]),
        )


def oblongs(
    centres: Floats, headings: Floats, *, length: Floats | float, width: Floats | float
) -> Floats:
    """Corners (n, 4, 3) of oblongs at `centres` (n, 3), `length` [m] along `headings` [rad]."""
    ahead = np.column_stack(
        [portable.cos(headings), portable.sin(headings), np.zeros(len(headings))]
    )
    left = np.column_stack([-ahead[:, 1], ahead[:, 0], ahead[:, 2]])
    a = ahead * np.broadcast_to(np.asarray(length) / 2.0, len(ahead))[:, None]
    b = left * np.broadcast_to(np.asarray(width) / 2.0, len(left))[:, None]
    return np.stack([centres - a - b, centres + a - b, centres + a + b, centres - a + b], axis=1)


def is_on(road: GroundIndex, points: Floats) -> Booleans:
    """Whether points (n, 3) lie on the carriageway, on their own level."""
    if not len(points):
        return np.zeros(0, dtype=np.bool_)
    return _on_carriageway(road, points)[0]


def _on_carriageway(road: GroundIndex, points: Floats) -> tuple[Booleans, Floats]:
    """Whether points (n, 3) lie on the carriageway, and the heights (n,) [m] of the floor there."""
    triangles, heights = road.nearest(points)
    on_road = (triangles >= 0) & (road.mesh.surfaces[triangles] == Surface.CARRIAGEWAY)
    return on_road & (np.abs(heights - points[:, 2]) < _SAME_LEVEL), heights


def laid(patches: Patches, road: GroundIndex) -> Mesh:
    """Lays patches on the road, `LIFT` above it at each corner.

    Patches with a corner outside the carriageway are left out.
    """
    if not len(patches.corners):
        return empty_mesh()
    corners = patches.corners.reshape(-1, 3)
    is_on_road, heights = _on_carriageway(road, corners)
    keep = is_on_road.reshape(-1, 4).all(axis=1)
    quads = np.column_stack([corners[:, :2], heights + LIFT]).reshape(-1, 4, 3)[keep]
    # At a transition another floor may lie less than the lift higher; the highest floor counts.
    for _ in range(_MOST_FLOORS):
        highest = road.nearest(quads.reshape(-1, 3))[1].reshape(-1, 4) + LIFT
        if not (highest > quads[..., 2]).any():
            break
        quads[..., 2] = np.maximum(quads[..., 2], highest)
    return mesh_of(quads, patches.surfaces[keep])


def mesh_of(quads: Floats, surfaces: Bytes) -> Mesh:
    """Two triangles for each quadrilateral (n, 4, 3), without degenerate ones."""
    first = 4 * np.arange(len(quads))[:, None, None]
    halves = (first + np.array([[0, 1, 2], [0, 2, 3]])).reshape(-1, 3)
    vertices = quads.reshape(-1, 3)
    a, b, c = (vertices[halves[:, k], :2] for k in range(3))
    u, v = b - a, c - a
    has_area = np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]) > _LEAST_AREA
    return Mesh(vertices, halves[has_area].astype(np.int32), np.repeat(surfaces, 2)[has_area])
