"""Triangulates a level so that its triangles follow its heights wherever vehicles drive.

A triangle that reaches over a bend of the level, as from a lane into the open corner of a hairpin
or beyond a dead end, lies above or below the level's height inside. Where the wheels of a lane
would meet that, the level gets vertices in their tracks and is triangulated again. Vertices near
the new ones give way, which may open another such triangle, so this is repeated.
"""

from collections.abc import Callable

import numpy as np
import shapely

from autosim.arrays import Floats
from autosim.world.geometry.height_function import HeightFunction
from autosim.world.geometry.meshes import Surface
from autosim.world.geometry.point_spacing import apart_from, thinned
from autosim.world.surfaces.triangulation import FlatMesh

_OFF = 0.03
"""Least distance [m] of a triangle from its level's height in the track of a wheel that counts: a
ball at 15 m/s leaves such a kink."""

_MOST_ROUNDS = 3
"""Greatest number of triangulations. Chosen: a third one closes what the second one opened."""

_CLOSE = 0.6
"""Distance [m] that vertices in wheel tracks keep from each other and from other inner ones."""


def follow_heights(
    triangulate_with: Callable[[Floats], FlatMesh],
    *,
    inner: Floats,
    tracks: Floats,
    height: HeightFunction,
) -> tuple[FlatMesh, Floats]:
    """The triangles of a level, and the height (n,) [m] of each vertex.

    Args:
        triangulate_with: makes the triangles with further inner points (n, 2).
        inner: those points that the level has in any case.
        tracks: (n, 2) points in the tracks of wheels.
        height: the level's heights.
    """
    flat = triangulate_with(inner)
    heights = height(flat.vertices)
    added = inner[:0]
    for _ in range(_MOST_ROUNDS - 1):
        off = _off_tracks(flat, heights, tracks, height)
        missing = thinned(apart_from(added, off, _CLOSE), _CLOSE)
        if not len(missing):
            break
        added = np.vstack([added, missing])
        flat = triangulate_with(np.vstack([added, apart_from(added, inner, _CLOSE)]))
        heights = height(flat.vertices)
    return flat, heights


def _off_tracks(flat: FlatMesh, heights: Floats, tracks: Floats, height: HeightFunction) -> Floats:
    """The points of tracks on carriageways whose triangle is not at the level's height."""
    driven = flat.triangles[flat.surfaces == Surface.CARRIAGEWAY]
    corners, z = flat.vertices[driven], heights[driven]
    chosen = np.ptp(z, axis=1) > _OFF
    corners, z = corners[chosen], z[chosen]
    if not len(corners) or not len(tracks):
        return np.zeros((0, 2))
    tree = shapely.STRtree(np.asarray(shapely.polygons(corners), dtype=object))
    rows, of = tree.query(shapely.points(tracks), predicate="intersects")
    rows, first = np.unique(rows, return_index=True)
    points, of = tracks[rows], of[first]
    gaps = np.abs(_heights_in(corners[of], z[of], points) - height(points))
    return np.asarray(points[gaps > _OFF])


def _heights_in(corners: Floats, z: Floats, points: Floats) -> Floats:
    """Heights (n,) [m] at points (n, 2) of the planes through corners (n, 3, 2) at `z` (n, 3)."""
    a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    p = points - corners[:, 0]
    area = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    share_a = (p[:, 0] * b[:, 1] - p[:, 1] * b[:, 0]) / area
    share_b = (a[:, 0] * p[:, 1] - a[:, 1] * p[:, 0]) / area
    return np.asarray(z[:, 0] + share_a * (z[:, 1] - z[:, 0]) + share_b * (z[:, 2] - z[:, 0]))
